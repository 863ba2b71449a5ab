package lint_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/lint"
)

// A realFile is the robots.txt of a real site.
type realFile struct {
	ID     string
	Robots string
	Base64 []byte `json:"robots_b64"`
}

func (f realFile) body() []byte {
	if len(f.Base64) > 0 {
		return f.Base64
	}
	return []byte(f.Robots)
}

// realFiles reads files of real sites, where they lie: they are other people's text and not part of the repository.
func realFiles(tb testing.TB) []realFile {
	tb.Helper()
	name := os.Getenv("ROBOTS_REAL")
	if name == "" {
		name = "../../../shared/cases/robots_real.jsonl"
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("no files of real sites: %v (set ROBOTS_REAL)", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var files []realFile
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var f realFile
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			tb.Fatal(err)
		}
		files = append(files, f)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return files
}

// TestRealFiles reads all files when ROBOTS_REAL says where they are, otherwise every tenth.
func TestRealFiles(t *testing.T) {
	counts, files := map[lint.Code]int{}, map[lint.Code]int{}
	fixed := 0
	for i, f := range realFiles(t) {
		if i%10 != 0 && os.Getenv("ROBOTS_REAL") == "" {
			continue // to mend them all takes long
		}
		body := f.body()
		report := lint.File(body, lint.Options{})
		checkReport(t, body, report)
		for code, n := range report.Counts {
			counts[code] += n
			files[code]++
		}
		mended := lint.Fix(body, lint.Options{})
		if !bytes.Equal(mended, body) {
			fixed++
			checkMended(t, f.ID, body, mended)
		}
	}
	codes := slices.SortedFunc(maps.Keys(files), func(a, b lint.Code) int { return files[b] - files[a] })
	for _, code := range codes {
		t.Logf("%5d findings in %3d files: %s", counts[code], files[code], code)
	}
	t.Logf("%d files changed by Fix", fixed)
}

// checkMended checks that Fix opened nothing, on the sample paths of the file, and that there is nothing left for it to do.
func checkMended(t *testing.T, id string, body, mended []byte) {
	t.Helper()
	if again := lint.Fix(mended, lint.Options{}); !bytes.Equal(again, mended) {
		t.Errorf("%s: Fix is not idempotent", id)
	}
	paths := samplePaths(body)
	for _, name := range []string{"cybermapper", "Googlebot", "Yandex", "Slurp", "bingbot", "GPTBot", ""} {
		for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309} {
			before, after := robots.Parse(body, d).Rules(name), robots.Parse(mended, d).Rules(name)
			for _, p := range paths {
				if after.Test(p).Allowed && !before.Test(p).Allowed {
					t.Errorf("%s: Fix opens %s to %s in %s", id, p, name, d)
				}
			}
		}
	}
}

// BenchmarkRealFiles measures a lint of all files of real sites.
func BenchmarkRealFiles(b *testing.B) {
	files := realFiles(b)
	size := 0
	for _, f := range files {
		size += len(f.body())
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, f := range files {
			lint.File(f.body(), lint.Options{})
		}
	}
}
