package robots

import "strings"

// appendPath appends the canonical form of the path and query of a URL to dst. Two spellings that RFC 9309 section 2.2.2
// holds equal get the same form: unreserved characters are raw, everything that may not stand raw in a URL is encoded,
// hexadecimal digits are upper case; encoded reserved characters stay encoded, for "%2F" is not "/". A raw "*" or "$" is
// encoded, so that it can be told from the special characters of patterns (section 2.2.3).
func appendPath(dst []byte, path string) []byte {
	path, _, _ = strings.Cut(path, "#")
	if path == "" || path[0] != '/' {
		dst = append(dst, '/')
		path = strings.TrimPrefix(withoutOrigin(path), "/")
	}
	return appendCanonical(dst, path)
}

// withoutOrigin returns the path and query of what may be a full URL: taken for a path, it would match no rule, and be open.
func withoutOrigin(path string) string {
	scheme, rest, isURL := strings.Cut(path, "://")
	if !isURL || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return path
	}
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		return rest[end:]
	}
	return ""
}

// appendPattern appends the canonical form of a pattern to dst. "*" stays special, and so does a "$" at the end, unless
// literal is set as the standard of 1994 wants it.
func appendPattern(dst []byte, pattern string, literal bool) []byte {
	if literal {
		return appendCanonical(dst, pattern)
	}
	body, anchored := strings.CutSuffix(pattern, "$")
	for {
		part, rest, star := strings.Cut(body, "*")
		dst = appendCanonical(dst, part) // a "$" before the end is literal
		if !star {
			break
		}
		dst, body = append(dst, '*'), rest
	}
	if anchored {
		dst = append(dst, '$')
	}
	return dst
}

// What becomes of a byte in a canonical path.
const (
	rawByte     = iota // stays as it is, encoded or not
	plainByte          // unreserved: is decoded where it is encoded
	encodedByte        // is encoded where it is raw
)

// byteClass holds the class of each byte, RFC 3986 section 2 with "*" and "$" among those that must be encoded.
var byteClass = func() (class [256]uint8) {
	for c := range 256 {
		switch {
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}*$", byte(c)) >= 0:
			class[c] = encodedByte
		case isTokenByte(byte(c)) || '0' <= c && c <= '9' || c == '.' || c == '~':
			class[c] = plainByte
		}
	}
	return class
}()

func appendCanonical(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if byteClass[c] == plainByte {
				dst = append(dst, c)
			} else {
				dst = appendEncoded(dst, c)
			}
		case byteClass[c] == encodedByte:
			dst = appendEncoded(dst, c)
		default: // a "%" that starts no escape stays, as browsers leave it
			dst = append(dst, c)
		}
	}
	return dst
}

func appendEncoded(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return lower(c) - 'a' + 10
}
