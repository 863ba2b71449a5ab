package pages

import (
	"crypto/sha256"
	"encoding/base32"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cybermapper/cybermapper/storage"
)

// The bounds of names, in bytes. File systems take 255 bytes for a name and, with the directory the tree lies in, 1,024 and
// more for a path.
const (
	maxName     = 200 // of one file or folder
	maxPath     = 512 // of a file, from the top of the tree
	maxReadable = 80  // of the readable part of a name that carries a hash
	maxPlain    = 180 // of a part of a URL that becomes a name as it is
)

// FileName returns where in the tree the page at url is stored, with slashes between the names. It depends on nothing but url.
//
// Different URLs have different names, even where capitals do not count; no name of a file is the name of a folder; and
// every name may be used on Windows, macOS and Linux. Most names are those of the URL. What is added begins with "~":
//
//	https://example.org/docs/intro.html     example.org/docs/intro.html
//	https://example.org/docs/intro          example.org/docs/intro~.html
//	https://example.org/docs/               example.org/docs/~index.html
//	https://example.org/v1.2/intro.html     example.org/v1.2~/intro.html
//	https://example.org/Docs/intro.html     example.org/Docs~HASH~/intro.html
//	https://example.org/docs/?page=2        example.org/docs/page=2~HASH.html
//	https://example.org/~ann/               example.org/~~ann/~index.html
//	http://example.org/                     example.org~80/~index.html
//	http://example.org:8080/                example.org~8080/~index.html
//	https://example.org:8443/               example.org~https~8443/~index.html
//	http://[2001:db8::1]/                   ipv6~2001-db8--1~80/~index.html
//
// A host without addition is that of https. A name that has capitals, a query, characters that not every system takes,
// or a meaning of its own (con, nul), carries a hash: 26 characters for 128 bits of the SHA-256 of that part of the URL. A
// path that would be too long is stored as HOST/long~/NAME~HASH.html. A string that is not a canonical http or https URL gets a
// name as well, below other~.
//
// Letters of other scripts stay as they are, if nothing else in that part of the URL calls for a hash, and are readable before it
// otherwise; see [unicode normalization form C]:
//
//	https://example.org/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0.html   example.org/страница.html
//	https://example.org/%D0%AF                                                  example.org/Я~HASH.html
//
// A store on a file system that does not take such letters has names with a hash instead: what a page's line says counts.
//
// [unicode normalization form C]: https://unicode.org/reports/tr15/
func FileName(url string) string { return naming{letters: true}.file(url) }

// ASCIIFileName is [FileName] for file systems that take no other letters. Different URLs have different names also where some have
// that of one function, and some that of the other.
func ASCIIFileName(url string) string { return naming{}.file(url) }

// IsASCIIName reports whether a file is named for a page at url by [ASCIIFileName], or is a later version of it with that digest. A
// later version of a page with a long name may have an ASCII name by [FileName], too.
func IsASCIIName(file, url string, digest storage.Digest) bool {
	own := ASCIIFileName(url)
	return file == own || file == laterName(own, digest)
}

// naming is how names are made of URLs.
type naming struct {
	letters bool // of all scripts
}

func (n naming) file(url string) string {
	host, tail, ok := hostName(url)
	if !ok {
		return "other~/" + n.hashed(url, url, ".html")
	}
	way, query, hasQuery := strings.Cut(tail, "?")
	segments := strings.Split(way[1:], "/")
	last := segments[len(segments)-1]
	if hasQuery {
		last += "?" + query
	}
	var name strings.Builder
	name.WriteString(host + "/")
	for _, s := range segments[:len(segments)-1] {
		name.WriteString(n.folder(s) + "/")
	}
	name.WriteString(n.leaf(last))
	if name.Len() > maxPath {
		return host + "/long~/" + n.hashed(last, url, ".html")
	}
	return name.String()
}

// hostName returns the name of the top folder for url and what follows the host in it, from the slash on. ok is false when url has
// not the form of a canonical http or https URL.
func hostName(url string) (name, tail string, ok bool) {
	scheme, rest, _ := strings.Cut(url, "://")
	slash := strings.IndexByte(rest, '/')
	if slash < 1 || scheme != "http" && scheme != "https" {
		return "", "", false
	}
	host, port, hasPort := rest[:slash], "", false
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host, port, hasPort = host[:colon], host[colon+1:], true
	}
	name = hostFolder(host)
	switch n, err := strconv.ParseUint(port, 10, 16); {
	case scheme == "https" && !hasPort:
	case scheme == "http" && !hasPort:
		name += "~80"
	case err != nil || strconv.FormatUint(n, 10) != port:
		return "", "", false
	case scheme == "http" && n == 80 || scheme == "https" && n == 443: // not canonical
		return "", "", false
	case scheme == "http":
		name += "~" + port
	default:
		name += "~https~" + port
	}
	return name, rest[slash:], true
}

// hostFolder returns the name of the folder for a host, without its port.
func hostFolder(host string) string {
	if address, isIPv6 := strings.CutPrefix(host, "["); isIPv6 {
		address, closed := strings.CutSuffix(address, "]")
		if closed && address != "" && len(address) < maxPlain && strings.Trim(address, "0123456789abcdef:") == "" &&
			strings.Contains(address, ":") {
			return "ipv6~" + strings.ReplaceAll(address, ":", "-")
		}
	}
	if isPlain(host) && !strings.ContainsAny(host, "~@=+,") && host != linesName {
		return host
	}
	return naming{}.hashed(host, host, "")
}

// folder returns the name of the folder for a segment of a path. It has no dot, or it ends in "~".
func (n naming) folder(segment string) string {
	name, ok := n.plain(segment)
	switch {
	case !ok:
		return n.hashed(segment, segment, "~")
	case strings.Contains(name, "."):
		return escape(name) + "~"
	}
	return escape(name)
}

// leaf returns the name of the file for the last segment of a path, with its query. It has a dot, and does not end in "~".
func (n naming) leaf(segment string) string {
	name, ok := n.plain(segment)
	ext := path.Ext(segment)
	switch {
	case segment == "":
		return "~index.html"
	case ok && path.Ext(name) == "":
		return escape(name) + "~.html"
	case ok:
		return escape(name)
	case strings.Contains(segment, "?") || len(ext) < 2 || len(ext) > 6 || strings.Trim(ext[1:], alphanumeric) != "":
		return n.hashed(segment, segment, ".html")
	}
	return n.hashed(strings.TrimSuffix(segment, ext), segment, ext)
}

// plain returns the name that a part of a URL can be without a hash, but for escape. ok is false if it cannot.
func (n naming) plain(segment string) (name string, ok bool) {
	if isPlain(segment) {
		return segment, true
	}
	if !n.letters || !strings.Contains(segment, "%") {
		return "", false
	}
	name, ok = decodeLetters(segment)
	return name, ok && len(name) <= maxPlain && isPlain(asciiOf(name))
}

// Characters that may be in a name anywhere, but for a hyphen at its beginning.
const (
	lowercase    = "abcdefghijklmnopqrstuvwxyz0123456789"
	alphanumeric = lowercase + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	punctuation  = "_@=+,"
)

// isPlain says that a part of a URL can be a name as it is, but for escape: it has no capitals, no characters that some system
// refuses or that a shell would trip over, and no meaning of its own.
func isPlain(s string) bool {
	if s == "" || len(s) > maxPlain || s[0] == '-' || s[0] == '.' || s[len(s)-1] == '.' || s == "~" {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && i > 0 || strings.IndexByte(lowercase+punctuation+"-.~", s[i]) < 0 {
			return false
		}
	}
	return !isDevice(s)
}

// isDevice says that Windows takes name for a device, whatever follows the first dot.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && '0' <= name[3] && name[3] <= '9'
}

// escape keeps a "~" of the URL apart from those that are added.
func escape(segment string) string {
	if segment[0] == '~' {
		return "~" + segment
	}
	return segment
}

// hashed returns a name for text: what can be read of it, a hash of whole, and ext.
func (n naming) hashed(text, whole, ext string) string {
	return n.readable(text) + "~" + hash(whole) + ext
}

// hash returns 128 bits of the SHA-256 of s.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// readable returns the beginning of s with a hyphen for every run of characters that is no good in a name.
func (n naming) readable(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFC.String(unescape(s)) {
		if b.Len() >= maxReadable {
			break
		}
		isMark := unicode.Is(unicode.M, r) && (gap || b.Len() == 0) // of what is missing
		if isMark || !(r < utf8.RuneSelf && strings.IndexByte(alphanumeric+punctuation, byte(r)) >= 0 || n.letters && isLetter(r)) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

// unescape decodes "%41" and the like.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
		}
		b = append(b, c)
	}
	return string(b)
}

// laterName returns the name for a later version of the page whose name is file: one with another digest.
func laterName(file string, digest storage.Digest) string {
	dir, name := path.Split(file)
	ext := path.Ext(name)
	return dir + naming{letters: true}.readable(strings.TrimSuffix(name, ext)) + "~again-" + hash(file+" "+string(digest)) + ext
}
