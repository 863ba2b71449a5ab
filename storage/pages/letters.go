package pages

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// decodeLetters decodes the letters beyond ASCII in a part of a URL. ok is false unless the part can be had back from the name, on
// every file system: all that is percent-encoded is such letters, as the URL standard encodes them, and isStable.
func decodeLetters(segment string) (name string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if c == '%' {
			if i+2 >= len(segment) || strings.IndexByte("89ABCDEF", segment[i+1]) < 0 {
				return "", false
			}
			low := strings.IndexByte(upperHex, segment[i+2])
			if low < 0 {
				return "", false
			}
			c, i = byte(strings.IndexByte(upperHex, segment[i+1])<<4|low), i+2
		} else if c >= utf8.RuneSelf {
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), utf8.ValidString(b.String()) && isStable(b.String())
}

const upperHex = "0123456789ABCDEF"

// isStable reports whether a name has only letters beyond ASCII that no file system takes for others: none that is another when its
// case is changed or folded, when the name is normalized, or when what cannot be seen is left out.
func isStable(name string) bool {
	for i, r := range name {
		if r < utf8.RuneSelf {
			continue
		}
		if !isLetter(r) || unicode.ToLower(unicode.ToUpper(r)) != r || i == 0 && unicode.Is(unicode.M, r) {
			return false
		}
	}
	apart := norm.NFKD.String(name)
	return norm.NFKC.IsNormalString(name) && cases.Fold().String(apart) == apart
}

// isLetter reports whether r, which is beyond ASCII, is a letter, a digit, or a mark of a letter that can be seen.
func isLetter(r rune) bool {
	return r >= utf8.RuneSelf && r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.Nd) &&
		!unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// asciiOf returns a name with "x" for each byte beyond ASCII.
func asciiOf(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c >= utf8.RuneSelf {
			b[i] = 'x'
		}
	}
	return string(b)
}
