package pages_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

func TestReadLast(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 4 {
		put(t, s, page(fmt.Sprintf("https://example.org/%d", i), fmt.Sprint(i)))
	}
	info, err := os.Stat(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	size := info.Size() / 4
	for back, want := range map[int64]int{1: 0, size - 1: 0, size: 1, size + 1: 1, 3*size - 1: 2, 4 * size: 4, 100 * size: 4} {
		n, last := 0, pages.Line{}
		for l, err := range pages.ReadLast(dir, back) {
			if n++; err != nil {
				t.Fatal(err)
			}
			last = l
		}
		if n != want || n > 0 && (last.URL != "https://example.org/3" || last.Listing == "") {
			t.Errorf("the last %d bytes of 4 lines of %d: %d lines up to %s, want %d", back, size, n, last.URL, want)
		}
	}
	for l, err := range pages.ReadLast(t.TempDir(), 100) {
		t.Errorf("where nothing is: %v, %v", l, err)
	}
}

func TestStore_Body(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "as it was"))
	l := readAll(t, dir)[0]
	if body, err := s.Body(l); err != nil || string(body) != "as it was" {
		t.Errorf("Body = %q, %v", body, err)
	}
	filetest.Write(t, filepath.Join(dir, l.File), "as it is ")
	if body, err := s.Body(l); err == nil {
		t.Errorf("Body = %q though the file has changed", body)
	}
	for _, name := range []string{"../secret", "/etc/passwd", "", "pages.jsonl"} {
		l.File = name
		if body, err := s.Body(l); err == nil {
			t.Errorf("Body of a line that names %q = %q", name, body)
		}
	}
}

// The header is kept, and makes nobody store a page again.
func TestStore_KeepsTheHeader(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	p := page("https://example.org/a", "x")
	put(t, s, p)
	p.Header = map[string][]string{"Link": {"<b>; rel=next", "<c\xff>"}}
	put(t, s, p)
	q := page("https://example.org/q", "y")
	q.Header = p.Header
	put(t, s, q)
	lines := readAll(t, dir)
	if len(lines) != 2 || lines[0].Header == nil || len(lines[0].Header) != 0 {
		t.Fatalf("lines = %+v", lines)
	}
	if want := map[string][]string{"Link": {"<b>; rel=next", "<c\uFFFD>"}}; !maps.EqualFunc(lines[1].Header, want, func(a, b []string) bool {
		return fmt.Sprint(a) == fmt.Sprint(b)
	}) {
		t.Errorf("header = %q, want %q", lines[1].Header, want)
	}
}
