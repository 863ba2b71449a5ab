package lint_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/lint"
)

// hostile returns files that are dear to look at, of about size bytes each.
func hostile(size int) map[string][]byte {
	files := map[string][]byte{}
	for name, pattern := range map[string]string{
		"equal lines":      "Disallow: /same\n",
		"different lines":  "Disallow: /%d\n",
		"exceptions":       "Allow: /%d\nDisallow: /%[1]d/x\n",
		"groups":           "User-agent: bot%dx\nDisallow: /x\nDisallow: /y\n\n",
		"named groups":     "User-agent: a%s\nDisallow: /a\nDisallow: /\n\n",
		"star groups":      "User-agent: *\nDisallow: /%d\n\n",
		"wildcards":        "Disallow: /*a*%d*b*c\nAllow: /*b*%[1]d\n",
		"typos":            "Disalow: /%d\n",
		"lists":            "User-agent: a b c d e f\n",
		"no colon":         "Disallow /%d\n",
		"prose":            "robots should not look at %d\n",
		"blanks in paths":  "Disallow: /%d /a b\n",
		"parted by blanks": "User-agent: a%s\n\nDisallow: /%[1]s\n",
		"headers":          "User-agent: Mozilla/5.0 (compatible; Googlebot/%d; +http://a.example/)\nDisallow: /\n",
		"letters":          "User-agent: GPT-B%s\nDisallow: /x%%\n",
	} {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < size; i++ {
			switch {
			case strings.Contains(pattern, "%s") || strings.Contains(pattern, "[1]s"):
				fmt.Fprintf(&b, pattern, letters(i))
			case strings.Contains(pattern, "%"):
				fmt.Fprintf(&b, pattern, i)
			default:
				b.WriteString(pattern)
			}
		}
		files[name] = []byte(b.String()[:min(b.Len(), robots.MaxBytes)])
	}
	return files
}

// letters writes a number without digits.
func letters(n int) (s string) {
	for ; n > 0; n /= 26 {
		s += string(rune('a' + n%26))
	}
	return s + "x"
}

// TestFile_ManyNames ensures that the names and the rules of a group are not gone over again for each
// of its names.
func TestFile_ManyNames(t *testing.T) {
	const many = 1500
	for name, end := range map[string]string{"together": "\n", "parted by blanks": "\n\n"} {
		var b strings.Builder
		for i := range many {
			b.WriteString("User-agent: " + letters(i) + end)
		}
		for i := range many {
			fmt.Fprintf(&b, "Disallow: /%d\n", i)
		}
		body := []byte(b.String())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lint.File(body, lint.Options{})
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(30*many*many); got > most {
			t.Errorf("%s: %d bytes allocated, want at most %d", name, got, most)
		}
	}
}

// BenchmarkFile measures files that are dear, of the size up to which robots read.
func BenchmarkFile(b *testing.B) {
	for name, body := range hostile(robots.MaxBytes) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				lint.File(body, lint.Options{})
			}
		})
	}
}

func BenchmarkFix(b *testing.B) {
	for name, body := range hostile(robots.MaxBytes) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				lint.Fix(body, lint.Options{})
			}
		})
	}
}
