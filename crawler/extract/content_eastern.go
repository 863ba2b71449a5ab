package extract

import (
	"strings"
	"unicode/utf8"
)

// A lineJoiner takes line breaks out of the source of text that is written without blanks, Chinese and Japanese: they are no blanks
// there, as CSS Text has it (segment break transformation). It is shown one piece of text after another.
type lineJoiner struct {
	wide bool // the last character was one of such a script
	owed bool // and a line break followed, which is a blank if something else comes
}

// join returns a piece of text without such line breaks.
func (j *lineJoiner) join(s string) string {
	rest := strings.TrimLeft(s, space)
	if rest == "" {
		if !j.wide || !j.owed && !strings.ContainsAny(s, "\n\r") {
			return s
		}
		j.owed = true
		return ""
	}
	first, _ := utf8.DecodeRuneInString(rest)
	broken := j.owed || j.wide && strings.ContainsAny(s[:len(s)-len(rest)], "\n\r")
	switch {
	case broken && isWide(first):
		s = rest
	case j.owed:
		s = " " + rest
	}
	return j.unbroken(s)
}

// unbroken takes out the line breaks within a piece of text, and the one it ends with.
func (j *lineJoiner) unbroken(s string) string {
	end := strings.TrimRight(s, space)
	last, _ := utf8.DecodeLastRuneInString(end)
	j.wide = isWide(last)
	if j.owed = j.wide && strings.ContainsAny(s[len(end):], "\n\r"); j.owed {
		s = end
	}
	var b strings.Builder
	from := 0
	for at := strings.IndexByte(s, '\n'); at >= 0; {
		before, after := strings.TrimRight(s[from:at], space), strings.TrimLeft(s[at:], space)
		next := len(s) - len(after)
		l, _ := utf8.DecodeLastRuneInString(before)
		r, _ := utf8.DecodeRuneInString(after)
		if isWide(l) && isWide(r) {
			b.WriteString(before)
		} else {
			b.WriteString(s[from:next])
		}
		from = next
		if at = strings.IndexByte(after, '\n'); at >= 0 {
			at += next
		}
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

// isWide reports whether a character is of a script, or its punctuation, in which words are not parted by blanks and lines may be
// broken anywhere: East Asian Width W, F or H, but no Hangul.
func isWide(r rune) bool {
	switch {
	case r < 0x2E80, r >= 0x3130 && r < 0x3190, r >= 0x3200 && r < 0x3220, r >= 0x3260 && r < 0x3280:
		return false
	case r < 0xA4D0, r >= 0xF900 && r < 0xFB00, r >= 0xFE30 && r < 0xFE70, r >= 0xFF01 && r < 0xFFA0, r >= 0x1B000 && r < 0x1B300,
		r >= 0x20000 && r < 0x40000:
		return true
	}
	return false
}
