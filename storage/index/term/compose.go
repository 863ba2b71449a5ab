package term

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Composed returns a text in which a character of those that are cut into pairs is one, as it mostly is: not a Hangul syllable in
// its parts, nor kana with their mark apart, as the names of files have them on some machines, nor one of half the width. Who makes
// terms of both, text and query, composes both before: what is one character has pairs of its own. Most texts are as they are.
func Composed(text string) string {
	if strings.IndexFunc(text, isPart) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if isHalf(r) {
			b.WriteString(norm.NFKC.String(string(r)))
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// isPart reports whether a character is, or may be, a part of another, or a narrow one.
func isPart(r rune) bool {
	return r >= 0x1100 && (r < 0x1200 || r == '\u3099' || r == '\u309A' || r >= 0xA960 && r < 0xA980 || r >= 0xD7B0 && r < 0xD800 ||
		isHalf(r))
}

// isHalf reports whether a character is half as wide as the kana or Hangul letter that it stands for.
func isHalf(r rune) bool { return r >= 0xFF66 && r < 0xFFDD }
