package pages

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A recorder stands in for the disk and notes what is brought to stable storage, by its name in the store.
type recorder struct {
	dir  string
	fail error

	mu  sync.Mutex // guards ops
	ops []string
}

func (r *recorder) record(what string) func(path string) error {
	return func(path string) error {
		name, err := filepath.Rel(r.dir, path)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ops = append(r.ops, what+" "+filepath.ToSlash(name))
		return errors.Join(r.fail, err)
	}
}

// take returns what was recorded since the last call: files, then folders, then the list, each sorted.
func (r *recorder) take() []string {
	ops := r.ops
	r.ops = nil
	if len(ops) > 1 {
		slices.Sort(ops[:len(ops)-1])
	}
	return ops
}

func recorded(t *testing.T) (*Store, *recorder) {
	t.Helper()
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r := &recorder{dir: s.dir}
	s.disk = disk{file: r.record("file"), folder: r.record("folder")}
	return s, r
}

func store(t *testing.T, s *Store, url, body string) {
	t.Helper()
	if err := s.Put(t.Context(), &storage.Page{URL: url, Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
}

func TestSync_WhatIsDirty(t *testing.T) {
	s, r := recorded(t)
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"nothing", func() {}, nil},
		{
			"a page in new folders",
			func() { store(t, s, "https://h/a/b/c.html", "one") },
			[]string{"file h/a/b/c.html", "folder .", "folder h", "folder h/a", "folder h/a/b", "file pages.jsonl"},
		},
		{"nothing again", func() {}, nil},
		{
			"a page in a known folder",
			func() { store(t, s, "https://h/a/b/d.html", "two") },
			[]string{"file h/a/b/d.html", "folder h/a/b", "file pages.jsonl"},
		},
		{
			"the same body",
			func() { store(t, s, "https://h/a/b/e.html", "two") },
			[]string{"folder h/a/b", "file pages.jsonl"},
		},
		{"the same page", func() { store(t, s, "https://h/a/b/e.html", "two") }, nil},
	} {
		step.do()
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, r.take()); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}

// Promise 4: what an earlier process had handed to the operating system only is made durable by Open.
func TestSync_AfterCrash(t *testing.T) {
	s, _ := recorded(t)
	store(t, s, "https://h/a/b.html", "one")
	store(t, s, "https://h/a/c.html", "one")
	copied := filepath.Join(t.TempDir(), "copy")
	filetest.Copy(t, copied, s.dir)
	r := &recorder{dir: copied}
	again, err := open(copied, Options{}, disk{file: r.record("file"), folder: r.record("folder")})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	want := []string{"file h/a/b.html", "file h/a/c.html", "file pages.jsonl", "file pages.jsonl", "folder .", "folder h", "folder h/a", "folder .."}
	if diff := cmp.Diff(want, r.take()); diff != "" {
		t.Error(diff)
	}
}

func TestSync_ManyAtOnceSyncTheVolume(t *testing.T) {
	s, r := recorded(t)
	volumes := 0
	s.disk.volume = func(f *os.File) error {
		volumes++
		return nil
	}
	for range 2 {
		store(t, s, "https://h/a/b/c.html", "one")
		if err := s.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.take(); volumes != 1 || got != nil {
		t.Errorf("%d times the volume, and %q", volumes, got)
	}
}

// TestSync_VolumeThatOnlyHints: where syncing the whole file system promises nothing, each file and folder is synced.
func TestSync_VolumeThatOnlyHints(t *testing.T) {
	s, r := recorded(t)
	s.disk.volume = func(*os.File) error { return errors.ErrUnsupported }
	store(t, s, "https://h/a/b/c.html", "one")
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	want := []string{"file h/a/b/c.html", "folder .", "folder h", "folder h/a", "folder h/a/b", "file pages.jsonl"}
	if diff := cmp.Diff(want, r.take()); diff != "" {
		t.Error(diff)
	}
}

// TestSync_FailureIsFinal: after a failed fsync the kernel may have dropped what was to be written; a second one would say nil.
func TestSync_FailureIsFinal(t *testing.T) {
	s, r := recorded(t)
	store(t, s, "https://h/a", "one")
	r.fail = errors.New("no")
	first := s.Sync()
	if !errors.Is(first, r.fail) {
		t.Fatalf("Sync = %v", first)
	}
	r.fail = nil
	if err := s.Sync(); !errors.Is(err, first) {
		t.Errorf("Sync again = %v", err)
	}
	if err := s.Put(t.Context(), &storage.Page{URL: "https://h/b"}); !errors.Is(err, first) {
		t.Errorf("Put = %v", err)
	}
	if err := s.Close(); !errors.Is(err, first) {
		t.Errorf("Close = %v", err)
	}
}

func TestPut_SyncsWhenTooMuchWaits(t *testing.T) {
	s, r := recorded(t)
	for i := range maxDirty {
		s.tree.dirty.files[string(rune(i))] = struct{}{}
	}
	s.disk.volume = func(*os.File) error { r.ops = append(r.ops, "volume"); return nil }
	store(t, s, "https://h/a", "one")
	if diff := cmp.Diff([]string{"volume"}, r.take()); diff != "" {
		t.Error(diff)
	}
}

// TestAppend_HalfALineThatStaysIsFinal: nothing may be written behind half a line.
func TestAppend_HalfALineThatStaysIsFinal(t *testing.T) {
	s, _ := recorded(t)
	store(t, s, "https://h/a", "one")
	s.list.Close() // writing fails, and so does taking back
	err := s.Put(t.Context(), &storage.Page{URL: "https://h/b"})
	if !errors.Is(err, os.ErrClosed) {
		t.Fatalf("Put = %v", err)
	}
	if again := s.Put(t.Context(), &storage.Page{URL: "https://h/c"}); !errors.Is(err, again) {
		t.Errorf("Put again = %v, want %v", again, err)
	}
}

func TestIndex_FailureIsFinal(t *testing.T) {
	s, _ := recorded(t)
	quietLogger{s.index}.Fatalf("the disk is %s", "gone")
	store(t, s, "https://h/a", "one") // its line is written before the index is asked
	if err := s.Put(t.Context(), &storage.Page{URL: "https://h/b"}); err == nil || err.Error() != "pages: write index: the disk is gone" {
		t.Errorf("Put = %v", err)
	}
}

// TestIndex_CannotWrite: the database tries for ever, Put and Close do not.
func TestIndex_CannotWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	s, _ := recorded(t)
	store(t, s, "https://h/a", "one")
	if err := os.RemoveAll(s.inside("index")); err != nil {
		t.Skip(err) // not while it is open
	}
	for err := error(nil); err == nil; {
		err = s.Put(t.Context(), &storage.Page{URL: "https://h/a", Title: rand.Text()})
	}
	if err := s.Close(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Close = %v", err)
	}
}

// TestFingerprint_OutlivesTheLine: a line read from the list has the fingerprint of the line that was written.
func TestFingerprint_OutlivesTheLine(t *testing.T) {
	p := &storage.Page{URL: "https://h/\xff", Title: "a\xffb\u2028c<d>\x00", Lang: "\xc3", Canonical: "&", Directives: []string{"\xff", "x"}}
	l := newLine(p)
	data, err := l.appendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := l.fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	var read Line
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if after, err := read.fingerprint(); err != nil || after != before {
		t.Errorf("the fingerprint of %+v is not that of %+v (%v)", read, l, err)
	}
}
