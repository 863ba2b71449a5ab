package lint_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/lint"
)

// TestFix_ManyNames: a file with more names than can be proved in a moment is left alone, and it is said why.
func TestFix_ManyNames(t *testing.T) {
	file := func(names int) []byte {
		var b strings.Builder
		letters := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
		for i := range names {
			fmt.Fprintf(&b, "User agent: bot-%s\nDisallow: /x\n", letters.Replace(fmt.Sprint(i)))
		}
		return []byte(b.String())
	}
	few := file(50)
	if why := lint.NotMended(few); why != "" || bytes.Equal(lint.Fix(few, lint.Options{}), few) {
		t.Errorf("50 names are not mended: %s", why)
	}
	many := []byte(strings.ReplaceAll(string(file(lint.MaxNames+1)), "User agent", "User-agent") + "User agent: x\nDisalow: /y\n")
	if why := lint.NotMended(many); !strings.Contains(why, "5002 robots") || !bytes.Equal(lint.Fix(many, lint.Options{}), many) {
		t.Errorf("%d names: %q", lint.MaxNames+2, why)
	}
}
