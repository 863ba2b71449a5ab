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
