package help_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/help"
)

func TestWrap(t *testing.T) {
	wide := strings.Repeat("word ", 20)
	for _, c := range []struct{ name, text, want string }{
		{"narrow text stays", "a\nb\n\nc\n", "a\nb\n\nc\n"},
		{"wide text is filled", wide + "\nend\n", strings.TrimSpace(strings.Repeat("word ", 16)) + "\nword word word word end\n"},
		{"the end stays", wide, strings.TrimSpace(strings.Repeat("word ", 16)) + "\nword word word word"},
		{"a table stays", "Exit codes:\n  0  " + wide, "Exit codes:\n  0  " + wide},
		{"data stays", "{" + wide, "{" + wide},
		{"no word is broken", strings.Repeat("x", 100), strings.Repeat("x", 100)},
		{"nothing", "", ""},
	} {
		if got := help.Wrap(c.text); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}
