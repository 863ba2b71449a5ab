package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/explain"
)

// A group of many names: the time is to grow with the file, not with its square.
func BenchmarkFile_ManyNames(b *testing.B) {
	for _, n := range []int{2500, 20_000} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "User-agent: robot-%d\n", i)
		}
		text.WriteString("Disallow: /\n")
		f := robots.Parse([]byte(text.String()), robots.Cautious)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				explain.File(f, []string{"cybermapper"}, []string{"/"})
			}
		})
	}
}
