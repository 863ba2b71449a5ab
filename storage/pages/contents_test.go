package pages_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// longList stores pages whose lines take some megabytes, a few with other final URLs and some in versions, and returns their URLs.
func longList(t *testing.T, dir string, from, to int) (urls []string) {
	t.Helper()
	s := open(t, dir)
	for i := from; i < to; i++ {
		p := &storage.Page{
			URL: fmt.Sprintf("http://a.example/%d", i%1000), FinalURL: fmt.Sprintf("http://a.example/%d", i%900), Status: 200, Type: "text/html",
			Fetched: time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC), Body: fmt.Append(nil, i%50), Title: strings.Repeat("long ", 500),
		}
		put(t, s, p)
		urls = append(urls, p.URL)
	}
	filetest.Close(t, s)
	return urls
}

// ofURL returns the lines of a URL, by reading all of them.
func ofURL(t *testing.T, dir, url string) (lines []pages.Line) {
	t.Helper()
	for l, err := range pages.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if l.URL == url || l.FinalURL == url {
			lines = append(lines, l)
		}
	}
	return lines
}

func readURL(t *testing.T, dir, url string) (lines []pages.Line) {
	t.Helper()
	for l, err := range pages.ReadURL(dir, url) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// compareURLs compares what ReadURL finds of some URLs with what is there.
func compareURLs(t *testing.T, dir, when string) {
	t.Helper()
	for _, i := range []int{0, 1, 99, 450, 899, 950, 999, 1000} {
		url := fmt.Sprintf("http://a.example/%d", i)
		if want, got := ofURL(t, dir, url), readURL(t, dir, url); !reflect.DeepEqual(want, got) {
			t.Fatalf("%s: lines of %s (-want +got):\n%s", when, url, cmp.Diff(want, got))
		}
	}
}

func describedBytes(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, ".store", "contents"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// ReadURL finds what Read finds, whatever has become of list and contents.
func TestReadURL(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	dir := t.TempDir()
	list, table := filepath.Join(dir, "pages.jsonl"), filepath.Join(dir, ".store", "contents")
	longList(t, dir, 0, 1200)
	first := describedBytes(t, dir)
	compareURLs(t, dir, "stored")
	longList(t, dir, 1200, 2000)
	if describedBytes(t, dir) <= first {
		t.Error("what was stored later is not described")
	}
	compareURLs(t, dir, "gone on with")
	text := filetest.Read(t, list)
	contents := filetest.Read(t, table)
	random := rand.New(rand.NewPCG(1, 1))
	lines := strings.SplitAfter(string(text), "\n")
	for _, tt := range []struct {
		when string
		do   func() (list, contents []byte)
	}{
		{"no contents", func() ([]byte, []byte) { return text, nil }},
		{"half the contents", func() ([]byte, []byte) { return text, contents[:len(contents)/2] }},
		{"garbage in them", func() ([]byte, []byte) {
			bad := append([]byte{}, contents...)
			bad[random.IntN(len(bad))] ^= 1
			return text, bad
		}},
		{"half the list", func() ([]byte, []byte) { return text[:len(text)/2], contents }},
		{"a line less", func() ([]byte, []byte) {
			return []byte(strings.Join(append(lines[:700:700], lines[701:]...), "")), contents
		}},
		{"a line more", func() ([]byte, []byte) {
			return []byte(strings.Join(append(append(lines[:700:700], lines[3]), lines[700:]...), "")), contents
		}},
		{"another order", func() ([]byte, []byte) {
			other := append([]string{}, lines[:len(lines)-1]...)
			random.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
			return []byte(strings.Join(other, "")), contents
		}},
	} {
		list2, contents2 := tt.do()
		filetest.Write(t, list, list2)
		filetest.Write(t, table, contents2)
		compareURLs(t, dir, tt.when)
	}
}

// A browser leaves a backslash in a query as it is, and JSON does not.
func TestReadURL_Backslash(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	url := `http://a.example/get.asp?file=docs\2026\a.pdf`
	put(t, s, &storage.Page{URL: url, FinalURL: url, Status: 200, Type: "text/html", Fetched: time.Unix(1, 0), Body: []byte("a")})
	filetest.Close(t, s)
	if got := readURL(t, dir, url); len(got) != 1 {
		t.Errorf("%d lines of %s, want 1", len(got), url)
	}
}

func TestReadURL_AfterRemove(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	dir := t.TempDir()
	longList(t, dir, 0, 1200)
	s := open(t, dir)
	if _, err := s.Remove(t.Context(), func(l *pages.Line) bool { return strings.HasSuffix(l.URL, "9") }); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, s)
	compareURLs(t, dir, "removed")
	if got := readURL(t, dir, "http://a.example/999"); len(got) > 0 {
		t.Errorf("of a removed page %d lines are found", len(got))
	}
	if describedBytes(t, dir) == 0 {
		t.Error("the new list is not described")
	}
}

// Check says when contents are not those of the list; Describe makes them good.
func TestCheck_ComparesContents(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	dir, other := t.TempDir(), t.TempDir()
	longList(t, dir, 0, 1200)
	longList(t, other, 0, 1200)
	for _, name := range []string{dir, other} { // the same lines at the same places, but for one
		file := filepath.Join(name, "pages.jsonl")
		text := filetest.Read(t, file)
		if name == other {
			text = []byte(strings.Replace(string(text), `"http://a.example/7"`, `"http://a.example/x"`, 1))
		}
		filetest.Write(t, file, text)
	}
	wrong := func(dir string) (n int) {
		r, err := pages.Check(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Problems {
			if p.File == ".store/contents" {
				n++
			}
		}
		return n
	}
	if n := wrong(dir); n != 0 {
		t.Errorf("sound contents have %d problems", n)
	}
	if n := wrong(other); n != 1 {
		t.Errorf("contents of another list have %d problems, want 1", n)
	}
	s := open(t, other)
	if err := s.Describe(); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, s)
	if n := wrong(other); n != 0 {
		t.Errorf("contents made anew have %d problems", n)
	}
}
