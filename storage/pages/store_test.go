package pages_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

var fetched = time.Date(2026, 7, 1, 12, 0, 0, 5000, time.UTC)

func open(t testing.TB, dir string) *pages.Store {
	t.Helper()
	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// page returns a page with the given body.
func page(url, body string) *storage.Page {
	return &storage.Page{
		URL: url, FinalURL: url, Fetched: fetched, Status: 200, Type: "text/html", Charset: "utf-8", Body: []byte(body),
		Title: "The title", Canonical: url, Lang: "en", Depth: 2, Via: "https://example.org/",
		RobotsDigest: "sha256:00", RobotsLine: 3, RobotsRule: "Allow: /", Directives: []string{"noarchive"},
	}
}

func put(t testing.TB, s *pages.Store, p *storage.Page) {
	t.Helper()
	if err := s.Put(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func readAll(t testing.TB, dir string) []pages.Line {
	t.Helper()
	var lines []pages.Line
	for l, err := range pages.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		l.Start, l.End = 0, 0 // which only reading knows
		lines = append(lines, l)
	}
	return lines
}

// files returns the names of the files in the tree.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.Name() == ".store" {
			return fs.SkipDir
		}
		if name, _ := filepath.Rel(dir, path); !e.IsDir() && name != "pages.jsonl" {
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func content(t testing.TB, dir, name string) string {
	t.Helper()
	data := filetest.Read(t, filepath.Join(dir, filepath.FromSlash(name)))
	return string(data)
}

// checkSound fails the test if Check finds anything.
func checkSound(t testing.TB, dir string) pages.Report {
	t.Helper()
	r, err := pages.Check(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	return r
}

func TestStore_KeepsFileAndLine(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/docs/intro.html?a=<b>&c", "<p>Hello"))
	filetest.Close(t, s)
	name := pages.FileName("https://example.org/docs/intro.html?a=<b>&c")
	want := pages.Line{
		URL: "https://example.org/docs/intro.html?a=<b>&c", FinalURL: "https://example.org/docs/intro.html?a=<b>&c", File: name,
		Fetched: fetched, Status: 200, Type: "text/html", Charset: "utf-8", Bytes: 8,
		Digest: "sha256:b8d9927835707e19972adf45f4f3e6575c67a3d63ec2b3eb918d4d78c5f2d2af",
		Title:  "The title", Depth: 2, Via: "https://example.org/",
		Robots:    pages.Robots{Digest: "sha256:00", Line: 3, Rule: "Allow: /"},
		Canonical: "https://example.org/docs/intro.html?a=<b>&c", Lang: "en", Directives: []string{"noarchive"}, Header: map[string][]string{},
	}
	raw := filetest.Read(t, filepath.Join(dir, "pages.jsonl"))
	want.Listing = storage.DigestOf(bytes.TrimSuffix(raw, []byte("\n")))
	if diff := cmp.Diff([]pages.Line{want}, readAll(t, dir)); diff != "" {
		t.Error(diff)
	}
	if got := content(t, dir, name); got != "<p>Hello" {
		t.Errorf("%s = %q", name, got)
	}
	if r := checkSound(t, dir); r.Lines != 1 || r.Files != 1 {
		t.Errorf("Check = %+v", r)
	}
}

// TestStore_StoresABodyOnce: under as many names as there are pages, so that what links to them finds them.
func TestStore_StoresABodyOnce(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "same"))
	put(t, s, page("https://example.net/b", "same"))
	filetest.Close(t, s)
	s = open(t, dir) // the index outlives the process
	put(t, s, page("https://example.com/c", "same"))

	names := []string{"example.org/a~.html", "example.net/b~.html", "example.com/c~.html"}
	first, err := os.Stat(filepath.Join(dir, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range readAll(t, dir) {
		if l.File != names[i] || (l.SameAs == names[0]) != (i > 0) {
			t.Errorf("line %d: file %q, same as %q", i+1, l.File, l.SameAs)
		}
		if info, err := os.Stat(filepath.Join(dir, l.File)); err != nil || !os.SameFile(info, first) {
			t.Errorf("%s is not the file %s: %v", l.File, names[0], err)
		}
	}
	checkSound(t, dir)
}

// TestStore_SameBodyAgain: a page that shares its body keeps its name when something else about it changes, and gets another when
// the body does.
func TestStore_SameBodyAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	put(t, s, page("https://example.org/b", "one"))
	renamed := page("https://example.org/b", "one")
	renamed.Title = "Another title"
	put(t, s, renamed)
	put(t, s, page("https://example.org/c", "two"))
	put(t, s, page("https://example.org/b", "two"))
	put(t, s, page("https://example.org/b", "one"))
	var got []string
	for _, l := range readAll(t, dir) {
		name, _, _ := strings.Cut(l.File, "~again-")
		got = append(got, name+" = "+l.SameAs)
		if body := content(t, dir, l.File); int64(len(body)) != l.Bytes {
			t.Errorf("%s = %q", l.File, body)
		}
	}
	want := []string{
		"example.org/a~.html = ", "example.org/b~.html = example.org/a~.html", "example.org/b~.html = example.org/a~.html",
		"example.org/c~.html = ", "example.org/b = example.org/c~.html", "example.org/b~.html = example.org/a~.html",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	checkSound(t, dir)
}

// TestStore_SymbolicLinks: what is written goes to no other place than the store's directory, whoever has put links there.
func TestStore_SymbolicLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	victim := filepath.Join(outside, "victim")
	filetest.Write(t, victim, "mine")
	plant := func(target, name string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.Symlink(target, name)); err != nil {
			t.Skip(err) // no such links here
		}
	}
	plant(outside, "example.org/docs")
	plant(victim, "example.org/a~.html")
	plant(filepath.Join(outside, "new"), "example.org/b~.html")
	s := open(t, dir)
	if err := s.Put(t.Context(), page("https://example.org/docs/x", "escaped")); err == nil {
		t.Error("a page was stored through the link of a folder")
	}
	put(t, s, page("https://example.org/a", "one"))
	put(t, s, page("https://example.org/b", "two"))
	put(t, s, page("https://example.org/c", "one"))
	filetest.Close(t, s)
	if got := content(t, outside, "victim"); got != "mine" {
		t.Errorf("the file outside is %q", got)
	}
	if got := files(t, outside); len(got) != 1 {
		t.Errorf("outside there are %q", got)
	}
	for _, name := range []string{"a~.html", "b~.html"} {
		if info, err := os.Lstat(filepath.Join(dir, "example.org", name)); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is no file: %v, %v", name, info, err)
		}
	}
	for _, name := range []string{".store/LOCK", ".store/index/MARK", "pages.jsonl"} {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		plant(victim, name)
		if s, err := pages.Open(dir, pages.Options{}); err == nil || !strings.Contains(err.Error(), "is a symbolic link") {
			t.Errorf("%s: Open = %v", name, err)
			if err == nil {
				s.Close()
			}
		}
		filetest.Remove(t, filepath.Join(dir, filepath.FromSlash(name)))
	}
}

// TestStore_OldJob: a store of an earlier version, in which pages with one body shared a name and letters beyond ASCII were not in
// names, goes on as it is.
func TestStore_OldJob(t *testing.T) {
	dir := t.TempDir()
	urls := []string{"https://example.org/a", "https://example.org/b", "https://example.org/%D1%8F"}
	s := open(t, dir)
	for i, url := range urls {
		put(t, s, page(url, []string{"one", "one", "two"}[i]))
	}
	filetest.Close(t, s)
	const old = "example.org/_~zfyqeyfe5ik7xd3ke5cbsdnqrm.html"
	list := content(t, dir, "pages.jsonl")
	list = strings.ReplaceAll(list, `"file":"example.org/b~.html"`, `"file":"example.org/a~.html"`)
	list = strings.ReplaceAll(list, "example.org/я~.html", old)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	err := errors.Join(os.WriteFile(at("pages.jsonl"), []byte(list), 0o644), os.RemoveAll(at(".store/index")),
		os.Remove(at("example.org/b~.html")), os.Rename(at("example.org/я~.html"), at(old)))
	if err != nil {
		t.Fatal(err)
	}
	checkSound(t, dir)
	s = open(t, dir)
	for i, url := range urls {
		put(t, s, page(url, []string{"one", "one", "two"}[i]))
	}
	if got := readAll(t, dir); len(got) != 3 {
		t.Errorf("%d lines, want 3", len(got))
	}
	put(t, s, page("https://example.org/c", "one"))
	put(t, s, page(urls[2], "three"))
	lines := readAll(t, dir)
	if len(lines) != 5 || lines[3].File != "example.org/c~.html" || lines[3].SameAs != "example.org/a~.html" || lines[4].File != "example.org/я~.html" {
		t.Errorf("new lines = %+v", lines[3:])
	}
	checkSound(t, dir)
}

func TestStore_DoesNotPointToAFileThatIsGone(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir)
			put(t, s, page("https://example.org/a", "same"))
			if err := spoil(filepath.Join(dir, "example.org", "a~.html")); err != nil {
				t.Fatal(err)
			}
			put(t, s, page("https://example.org/b", "same"))
			put(t, s, page("https://example.org/c", "same"))
			lines := readAll(t, dir)
			if lines[1].File != "example.org/b~.html" || lines[1].SameAs != "" || lines[2].SameAs != "example.org/b~.html" {
				t.Errorf("lines = %+v", lines[1:])
			}
		})
	}
}

func TestStore_AgainWithoutChangeWritesNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for _, p := range []*storage.Page{
		page("https://example.org/a", "one"),
		page("https://example.org/b", "one"),
		page("https://example.org/a", "one"),
		page("https://example.org/b", "one"),
	} {
		p.Fetched = time.Now()
		p.Title = "not \xff UTF-8"
		put(t, s, p)
	}
	if got := len(readAll(t, dir)); got != 2 {
		t.Errorf("%d lines, want 2", got)
	}
	checkSound(t, dir)
}

func TestStore_AgainWithoutChangeRepairsALostFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	filetest.Write(t, filepath.Join(dir, "example.org", "a~.html"), "\x00\x00\x00")
	put(t, s, page("https://example.org/a", "one"))
	if got := len(readAll(t, dir)); got != 1 {
		t.Errorf("%d lines, want 1", got)
	}
	checkSound(t, dir)
}

func TestStore_KeepsEveryVersion(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for _, body := range []string{"one", "two", "three", "two", "one"} {
		put(t, s, page("https://example.org/a", body))
	}
	renamed := page("https://example.org/a", "one")
	renamed.Title = "Another title"
	put(t, s, renamed)

	lines := readAll(t, dir)
	if len(lines) != 6 || lines[0].File != "example.org/a~.html" || lines[5].Title != "Another title" {
		t.Fatalf("lines = %+v", lines)
	}
	for i, body := range []string{"one", "two", "three", "two", "one", "one"} {
		if got := content(t, dir, lines[i].File); got != body {
			t.Errorf("version %d lies in %s: %q, want %q", i+1, lines[i].File, got, body)
		}
		if lines[i].SameAs != "" {
			t.Errorf("version %d is said to be the same as %s", i+1, lines[i].SameAs)
		}
	}
	if got := files(t, dir); len(got) != 3 || !strings.HasPrefix(got[1], "example.org/a~again-") {
		t.Errorf("files = %q", got)
	}
	checkSound(t, dir)
}

func TestStore_SchemesAndPortsStayApart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i, url := range []string{"http://h/", "https://h/", "http://h:8080/", "https://h:8080/", "http://h/A", "http://h/a"} {
		put(t, s, page(url, fmt.Sprint(i)))
	}
	if got := files(t, dir); len(got) != 6 {
		t.Errorf("files = %q", got)
	}
	checkSound(t, dir)
}

func TestStore_ConcurrentPuts(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				url := fmt.Sprintf("https://example.org/%d", (g*50+i)%200) // each twice, perhaps at once
				put(t, s, page(url, fmt.Sprintf("body %d", i%40)))
				if i%10 == 0 {
					if err := s.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	filetest.Close(t, s)
	if got := files(t, dir); len(got) != 200 {
		t.Errorf("%d files, want one for each of 200 pages", len(got))
	}
	firsts := 0
	for _, l := range readAll(t, dir) {
		if l.SameAs == "" {
			firsts++
		}
	}
	if firsts != 40 {
		t.Errorf("%d pages are the first with their body, want 40", firsts)
	}
	checkSound(t, dir)
}

func TestStore_TellsOfEveryPage(t *testing.T) {
	dir := t.TempDir()
	var got []pages.Line
	s, err := pages.Open(dir, pages.Options{Stored: func(l pages.Line) { got = append(got, l) }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put(t, s, page("https://example.org/a", "one"))
	put(t, s, page("https://example.org/b", "one"))
	put(t, s, page("https://example.org/a", "one")) // no new line
	put(t, s, page("https://example.org/b", "one"))
	lines := readAll(t, dir)
	again := slices.Clone(lines)
	for i := range again {
		again[i].Listing = ""
	}
	if diff := cmp.Diff(append(lines, again...), got); diff != "" {
		t.Error(diff)
	}
}

func TestStore_ShortensLongTexts(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	p := page("https://example.org/a", "one")
	p.Title = strings.Repeat("ü", 100_000)
	p.RobotsRule = strings.Repeat("x", 500_000)
	p.Directives = slices.Repeat([]string{strings.Repeat("y", 5000)}, 1000)
	put(t, s, p)
	l := readAll(t, dir)[0]
	if !strings.HasSuffix(l.Title, "ü…") || len(l.Title) > 5000 || len(l.Robots.Rule) > 5000 || len(l.Directives) != 100 {
		t.Errorf("title of %d bytes, rule of %d, %d directives", len(l.Title), len(l.Robots.Rule), len(l.Directives))
	}
}

func TestStore_FolderRemovedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a/b/c", "one"))
	if err := os.RemoveAll(filepath.Join(dir, "example.org")); err != nil {
		t.Fatal(err)
	}
	put(t, s, page("https://example.org/a/b/d", "two"))
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir, "example.org/a/b/d~.html"); got != "two" {
		t.Errorf("content = %q", got)
	}
}

func TestStore_OneAtATime(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := pages.Open(dir, pages.Options{}); !errors.Is(err, pages.ErrInUse) {
		t.Errorf("a second Open = %v, want ErrInUse", err)
	}
	put(t, s, page("https://example.org/a", "one")) // and does not disturb the first
	filetest.Close(t, s)
	open(t, dir)
}

func TestStore_Closed(t *testing.T) {
	s := open(t, t.TempDir())
	filetest.Close(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close again = %v", err)
	}
	if err := s.Put(t.Context(), page("https://example.org/", "")); !errors.Is(err, pages.ErrClosed) {
		t.Errorf("Put = %v", err)
	}
	if err := s.Sync(); !errors.Is(err, pages.ErrClosed) {
		t.Errorf("Sync = %v", err)
	}
}

func TestStore_PutWithEndedContext(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Put(ctx, page("https://example.org/", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v", err)
	}
	if got := readAll(t, dir); got != nil {
		t.Errorf("lines = %v", got)
	}
}

func TestRead_NothingThere(t *testing.T) {
	if got := readAll(t, filepath.Join(t.TempDir(), "absent")); got != nil {
		t.Errorf("lines = %v", got)
	}
}
