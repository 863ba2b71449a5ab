package index

import (
	"strings"
	"testing"
)

// Ensure that a snippet does not begin within a word, however long the words are, as names in documentation.
func TestWindow_BeginsWithWord(t *testing.T) {
	text := strings.Repeat("org.example.rules.ExpectedExceptionOfAll plt.plot(linspace(0,100)) a ", 10)
	for start := range text {
		if from, _ := window(text, start, start+1); from > 0 && text[from-1] != ' ' {
			t.Errorf("window(%d) begins with %.20q", start, text[from:])
		}
	}
}

// Ensure that beginning with a word makes no snippet longer.
func TestWindow_Length(t *testing.T) {
	text := strings.Repeat("an "+strings.Repeat("x", 400)+" ", 4)
	for start := range text {
		if from, to := window(text, start, start+1); to-from > snippetLen {
			t.Errorf("window(%d) takes %d bytes, want at most %d", start, to-from, snippetLen)
		}
	}
}
