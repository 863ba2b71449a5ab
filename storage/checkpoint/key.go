package checkpoint

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// A Key signs checkpoints: Ed25519, in the format of golang.org/x/mod/sumdb/note.
type Key struct {
	Name     string // of the operator, as a URL without scheme or another unique name
	Verifier string // the public part: who has it can check what was signed

	signer note.Signer
	public ed25519.PublicKey
	secret ed25519.PrivateKey
}

// Public returns the public part as a key of Ed25519.
func (k *Key) Public() ed25519.PublicKey { return k.public }

// Sign signs a message that is no checkpoint: it must not look like one, which begins with the name of a key.
func (k *Key) Sign(message []byte) []byte { return ed25519.Sign(k.secret, message) }

// GenerateKey returns the secret text of a new key.
func GenerateKey(name string) (secret string, err error) {
	if name == "" || strings.ContainsAny(name, " \t\r\n+") {
		return "", fmt.Errorf("checkpoint: %q cannot be the name of a key: it must be one word without +", name)
	}
	secret, _, err = note.GenerateKey(rand.Reader, name)
	if err != nil {
		return "", fmt.Errorf("checkpoint: generate key: %w", err)
	}
	return secret + "\n", nil
}

// ReadKey reads a key from the file that holds its secret text.
func ReadKey(file string) (*Key, error) {
	info, err := os.Stat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > 4096) {
		err = fmt.Errorf("%s is not a file with a key", file)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: read key: %w", err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: read key: %w", err)
	}
	return parseKey(string(bytes.TrimSpace(data)))
}

// parseKey reads PRIVATE+KEY+<name>+<hash>+<base64 of 1 and the seed>.
func parseKey(secret string) (*Key, error) {
	bad := errors.New("checkpoint: read key: not a key that cybermapper key new has made")
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, bad
	}
	seed, err := base64.StdEncoding.DecodeString(secret[strings.LastIndexByte(secret, '+')+1:])
	if i := strings.Index(secret, signer.Name()+"+"); i >= 0 { // base64 may have a plus itself
		rest := secret[i+len(signer.Name())+1:]
		_, data, _ := strings.Cut(rest, "+")
		seed, err = base64.StdEncoding.DecodeString(data)
	}
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return nil, bad
	}
	k := &Key{Name: signer.Name(), signer: signer}
	k.secret = ed25519.NewKeyFromSeed(seed[1:])
	k.public = k.secret.Public().(ed25519.PublicKey)
	k.Verifier, err = note.NewEd25519VerifierKey(k.Name, k.public)
	return k, err
}

// IsVerifier reports whether a text is the public part of a key, in the form of [Key.Verifier].
func IsVerifier(text string) bool {
	_, err := note.NewVerifier(text)
	return err == nil
}

// Fingerprint names a key in the form of its Verifier, for people to compare: the SHA-256 of that text.
func Fingerprint(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return fmt.Sprintf("%x", sum[:16])
}
