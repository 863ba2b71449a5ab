package exportcmd

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// What is in the footer of all pages, and is dead, takes no memory for each of them.
func TestDeadLinks_OnEveryPage(t *testing.T) {
	const n = 5000
	dir := t.TempDir()
	store, err := pages.Open(filepath.Join(dir, job.PagesDir), pages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		u := fmt.Sprintf("http://a.example/%d.html", i)
		body := fmt.Appendf(nil, "<title>%d</title><a href=/dead.html>%s</a>", i, strings.Repeat(fmt.Sprintf("%05d ", i), 80))
		p := &storage.Page{URL: u, FinalURL: u, Fetched: time.Unix(0, 0), Status: 200, Type: "text/html", Body: body}
		if err := store.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	dead := &deadLink{URL: "http://a.example/dead.html", Status: 404, Why: "Not Found"}
	f := &deadFinder{source: &source{dir: dir, extractor: extract.New(extract.Options{}), warnings: io.Discard},
		dead: map[string]*deadLink{dead.URL: dead}}
	defer f.pages.close()
	before := heap()
	if err := f.findPages(t.Context()); err != nil {
		t.Fatal(err)
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d pages with one dead link take %d bytes of memory", n, grown)
	}
	var csv, text strings.Builder
	if err := f.writeCSV(t.Context(), &csv, f.links()); err != nil || strings.Count(csv.String(), "\n") != n+1 {
		t.Errorf("%d lines of CSV, %v; want one for each page, and names", strings.Count(csv.String(), "\n"), err)
	}
	err = f.writeText(t.Context(), &text, f.links())
	s := text.String()
	if err != nil || !strings.HasPrefix(s, "1 dead link on 5,000 pages\n") || !strings.Contains(s, "and 4980 more") {
		t.Errorf("text %q, %v", s[:min(100, len(s))], err)
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
