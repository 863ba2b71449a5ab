package indexer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
)

// Long pages with different texts are hits of their own; one that says the same in other markup is none.
func TestDocument_DifferentTextsAreDifferent(t *testing.T) {
	dir := t.TempDir()
	pkg := filepath.Join(dir, relevancePackages[0])
	if err := os.Mkdir(pkg, 0o755); err != nil {
		t.Fatal(err)
	}
	text := func(a, b string) string { return strings.Repeat(a+" walrus ", 40) + strings.Repeat(b+" ", 40) }
	for name, body := range map[string]string{
		"a.html": "<title>A</title><p>" + text("north", "ice"), "b.html": "<title>B</title><p>" + text("teeth", "long and white"),
		"c.html": "<title>C</title><div><b>" + text("north", "ice") + "</b></div>",
	} {
		filetest.Write(t, filepath.Join(pkg, name), body)
	}
	x, _ := relevanceIndex(t, dir, relevancePackages)
	r, err := x.Search(t.Context(), index.Query{Text: "walrus"})
	if err != nil || len(r.Hits) != 2 || len(r.Hits[0].Same)+len(r.Hits[1].Same)+len(r.Hits[0].Similar)+len(r.Hits[1].Similar) != 1 {
		t.Errorf("%d hits, %v: %+v", len(r.Hits), err, r.Hits)
	}
}
