package say

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces control characters, and those that turn the direction of text or begin a line: what strangers say must
// neither steer the terminal nor look like something that we say.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// Clip cuts text to at most width characters.
func Clip(text string, width int) string {
	text = Printable(text)
	if width < 1 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width])
}

// Pad fills text with spaces to width columns. Thai has marks that stand above and below others, and take no place.
func Pad(text string, width int) string {
	for _, c := range text {
		if !unicode.Is(unicode.Mn, c) {
			width--
		}
	}
	return text + strings.Repeat(" ", max(width, 0))
}

// Shorten cuts the middle out of a text that is wider than width.
func Shorten(s string, width int) string {
	if len(s) <= width {
		return s
	}
	const gap = "..."
	head := (width - len(gap)) / 2
	return s[:head] + gap + s[len(s)-(width-len(gap)-head):]
}

// Cell returns a text of the web as a cell of CSV, which people open as a spreadsheet: what would begin a formula there stands
// behind an apostrophe.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
