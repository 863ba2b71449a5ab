package warc

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"
)

// sha1Digest returns a sum as WARC tools write it.
func sha1Digest(sum []byte) string {
	var text [len("sha1:") + 32]byte // base 32 makes so much of it
	return string(base32.StdEncoding.AppendEncode(append(text[:0], "sha1:"...), sum))
}

// newHash returns the hash that a labelled digest names, nil when it is none that is known.
func newHash(digest string) hash.Hash {
	name, _, _ := strings.Cut(digest, ":")
	switch strings.ReplaceAll(strings.ToLower(name), "-", "") {
	case "sha1":
		return sha1.New()
	case "sha256":
		return sha256.New()
	case "sha512":
		return sha512.New()
	case "md5":
		return md5.New()
	}
	return nil
}

// plainAlphabet makes base 64 for URLs and file names (RFC 4648 section 5) the usual one.
var plainAlphabet = strings.NewReplacer("-", "+", "_", "/")

// sameDigest reports whether a labelled digest is that of sum, in base 32, base 16 or base 64, of either alphabet.
func sameDigest(digest string, sum []byte) bool {
	_, value, _ := strings.Cut(digest, ":")
	value = strings.TrimRight(strings.TrimSpace(value), "=")
	got, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(value))
	if err == nil && bytes.Equal(got, sum) {
		return true
	}
	if got, err := hex.DecodeString(value); err == nil && bytes.Equal(got, sum) {
		return true
	}
	got, err = base64.RawStdEncoding.DecodeString(plainAlphabet.Replace(value))
	return err == nil && bytes.Equal(got, sum)
}
