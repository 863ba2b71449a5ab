package lint_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/lint"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

// TestRealFiles lints and mends real files.
func TestRealFiles(t *testing.T) {
	counts, files := map[lint.Code]int{}, map[lint.Code]int{}
	fixed := 0
	for _, f := range robotstest.Real(t) {
		body := f.Body
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
	files := robotstest.Real(b)
	size := 0
	for _, f := range files {
		size += len(f.Body)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, f := range files {
			lint.File(f.Body, lint.Options{})
		}
	}
}
