package extract

import (
	"testing"
	"unicode"
)

// What is asked first of each character of a page lets none through that steers or is a blank of another kind.
func TestIsSteady(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		steers := unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.IsSpace(r) && r != ' ' || r == '\ufeff'
		if isSteady(r) && steers {
			t.Errorf("%U steers, or is a blank", r)
		}
	}
}
