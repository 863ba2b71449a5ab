package help

import (
	"strings"
	"unicode/utf8"
)

// Width is the number of columns that everything printed for reading fits into.
const Width = 80

// Wrap breaks the paragraphs of text that are wider than Width anew. What is indented, or looks like data or a table, stays as
// it is: such lines were broken on purpose.
func Wrap(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if isProse(p) {
			paragraphs[i] = fill(p)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// isProse reports whether p is a paragraph with a line that is too wide and none that has a shape of its own.
func isProse(p string) bool {
	wide := false
	for line := range strings.Lines(p) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "{") {
			return false
		}
		wide = wide || utf8.RuneCountInString(line) > Width
	}
	return wide
}

// fill puts the words of p into lines as long as may be. Line breaks at the ends of p stay.
func fill(p string) string {
	var b strings.Builder
	b.WriteString(p[:len(p)-len(strings.TrimLeft(p, "\n"))])
	column := 0
	for _, word := range strings.Fields(p) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > Width:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteString(p[len(strings.TrimRight(p, "\n")):])
	return b.String()
}
