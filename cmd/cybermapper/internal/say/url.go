package say

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// URL writes a URL for people to read: letters of other scripts stand for their percent-encoding. Copied, it still leads to the
// same page. All else stays as it is, for it could part the URL otherwise, hide, or turn its direction; so does the name of the
// host, in which a letter can be taken for another one.
func URL(raw string) string {
	if !strings.Contains(raw, "%") {
		return Printable(raw)
	}
	var b strings.Builder
	isLetter := false // of another script, before
	for rest := raw; rest != ""; {
		r, n := encoded(rest)
		if n > 0 && (isReadable(r) || isLetter && unicode.IsMark(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)) {
			b.WriteRune(r)
			isLetter, rest = true, rest[n:]
			continue
		}
		n = max(n, 1)
		b.WriteString(rest[:n])
		isLetter, rest = false, rest[n:]
	}
	return Printable(b.String())
}

// isReadable reports whether a character is a letter or a digit that can be seen.
func isReadable(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// encoded returns the character that a text begins with percent-encoded, and the bytes that this takes; none if it begins with
// something else.
func encoded(s string) (r rune, n int) {
	var char []byte
	for len(s) >= n+3 && s[n] == '%' && !utf8.FullRune(char) {
		b, err := hex.DecodeString(s[n+1 : n+3])
		if err != nil {
			return 0, 0
		}
		char = append(char, b...)
		n += 3
	}
	r, size := utf8.DecodeRune(char)
	if size != len(char) || r == utf8.RuneError {
		return 0, 0
	}
	return r, n
}
