package index

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
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

// Ensure that letters stay with their marks, in scripts without blanks too.
func TestWindow_LettersWithMarks(t *testing.T) {
	for _, text := range []string{"ภาษาที่มีระดับเสียงของคำแน่นอน", "ភាសាខ្មែរគឺជាភាសាកំណើត", "e\u0301", "👩\u200d👩\u200d👧"} {
		text = strings.Repeat(text, 40)
		for start := 0; start < len(text); start += 3 {
			from, to := window(text, start, start+1)
			next, _ := utf8.DecodeRuneInString(text[to:])
			if first, _ := utf8.DecodeRuneInString(text[from:]); unicode.Is(unicode.M, first) || first == '\u200d' {
				t.Errorf("window(%d) of %.12q begins with %q", start, text, first)
			}
			if unicode.Is(unicode.M, next) || strings.HasSuffix(text[:to], "\u200d") {
				t.Errorf("window(%d) of %.12q ends before %q", start, text, next)
			}
		}
	}
}
