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
