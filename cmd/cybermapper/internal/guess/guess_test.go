package guess_test

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
)

func ExampleWord() {
	fmt.Println(guess.Word("crwal", []string{"check", "crawl", "status"}))
	fmt.Println(guess.Word("fly", []string{"check", "crawl", "status"}))
	// Output:
	// crawl true
	//  false
}

func TestWord(t *testing.T) {
	tests := []struct{ word, want string }{
		{"delay", "delay"},
		{"dealy", "delay"},
		{"DELAY", "delay"},
		{"delays", "delay"},
		{"elay", "delay"},
		{"max_dely", "max_delay"},
		{"", ""},
		{"x", ""},
		{"workers", ""},
		{"delay_of_everything", ""},
	}
	for _, tt := range tests {
		got, found := guess.Word(tt.word, []string{"delay", "max_delay", "jitter"})
		if got != tt.want || found != (tt.want != "") {
			t.Errorf("Word(%q) = %q, %t, want %q", tt.word, got, found, tt.want)
		}
	}
}

// TestTypo: a word that shares much with a long one need not be meant for it.
func TestTypo(t *testing.T) {
	for word, want := range map[string]string{
		"ignor-robots": "ignore-robots", "ingore-robots": "ignore-robots", "ignore-length": "", "ignore-robot-s": "ignore-robots", "x": "",
	} {
		if got, found := guess.Typo(word, []string{"spider", "ignore-robots"}); found != (want != "") || found && got != want {
			t.Errorf("Typo(%q) = %q, %t, want %q", word, got, found, want)
		}
	}
}
