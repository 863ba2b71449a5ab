package extract

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
)

// corpusVar names the environment variable with a folder of real pages, as those of documentation packages: every file in it whose
// name has ".htm" is read.
const corpusVar = "EXTRACT_PAGES"

// corpus returns the files in the folder, no more than most of them, spread evenly.
func corpus(tb testing.TB, most int) []string {
	tb.Helper()
	dir := os.Getenv(corpusVar)
	if dir == "" {
		tb.Skipf("%s is not set to a folder of HTML pages", corpusVar)
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.Contains(strings.ToLower(e.Name()), ".htm") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	var spread []string
	for i := 0; i < len(files); i += 1 + len(files)/most {
		spread = append(spread, files[i])
	}
	return spread
}

func page(tb testing.TB, file string) Input {
	tb.Helper()
	body := filetest.Read(tb, file)
	return Input{Header: map[string][]string{"Content-Type": {"text/html"}}, Body: body}
}

// TestConstruct_RealPages counts the real pages of which tags and tree tell different things: none may. It also tells how many
// need a tree, and why.
func TestConstruct_RealPages(t *testing.T) {
	tags, trees := pair(Options{})
	reasons, compared, charsets := map[doubt]int{}, 0, map[string]int{}
	examples := map[doubt][]string{}
	for _, file := range corpus(t, 1<<30) {
		in := page(t, file)
		diff, known := differ(t, tags, trees, in)
		if diff != "" {
			t.Errorf("%s: (-tree +tags)\n%.2000s", file, diff)
		}
		if !known {
			continue
		}
		compared++
		reason := reasonFor(in)
		reasons[reason]++
		examples[reason] = append(examples[reason], file)
		p, err := tags.Page(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		charsets[p.Charset]++
	}
	t.Logf("%d pages compared, charsets %v", compared, charsets)
	for d := range doubt(len(doubtNames)) {
		if n := reasons[d]; n > 0 {
			t.Logf("%-10v %6d pages, %6.2f %%; as %s", d, n, 100*float64(n)/float64(compared), slices.Max(examples[d]))
		}
	}
}

// BenchmarkRealPages reads up to 5,000 of the real pages per round.
func BenchmarkRealPages(b *testing.B) {
	var inputs []Input
	size := 0
	for _, file := range corpus(b, 5000) {
		in := page(b, file)
		inputs = append(inputs, in)
		size += len(in.Body)
	}
	tags, trees := pair(Options{})
	for name, x := range map[string]*Extractor{"tags": tags, "trees": trees} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, in := range inputs {
					if _, err := x.Page(b.Context(), in); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
