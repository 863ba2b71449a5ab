package pages_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// crash copies the files of a store that is open, as they would lie after kill -9, and returns the directory of the copy.
func crash(t *testing.T, dir string) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	filetest.Copy(t, copied, dir)
	return copied
}

func TestOpen_CleanStopLeavesNothingToRepair(t *testing.T) {
	s := open(t, three(t))
	if got := s.Recovery(); got != (pages.Recovery{}) {
		t.Errorf("Recovery = %+v", got)
	}
}

func TestOpen_AfterKillReadsWhatTheIndexMissed(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	put(t, s, page("https://example.org/b", "one"))
	put(t, s, page("https://example.org/c", "two"))

	dir = crash(t, dir)
	s = open(t, dir)
	if got := s.Recovery(); got.Replayed != 3 || got.Unfinished != 0 || got.TornBytes != 0 || got.Rebuilt {
		t.Errorf("Recovery = %+v", got)
	}
	put(t, s, page("https://example.org/a", "one")) // is known
	put(t, s, page("https://example.org/b", "one")) // is known
	put(t, s, page("https://example.org/d", "two")) // its body is known
	filetest.Close(t, s)
	lines := readAll(t, dir)
	if len(lines) != 4 || lines[3].SameAs != "example.org/c~.html" {
		t.Errorf("lines = %+v", lines)
	}
	checkSound(t, dir)
	if got := open(t, dir).Recovery(); got != (pages.Recovery{}) {
		t.Errorf("after a clean stop: Recovery = %+v", got)
	}
}

func TestOpen_CutsOffAnUnfinishedLine(t *testing.T) {
	for name, tail := range map[string]string{"half a line": `{"url":"https://exa`, "zeros": strings.Repeat("\x00", 200_000)} {
		t.Run(name, func(t *testing.T) {
			dir := three(t)
			want := readAll(t, dir)
			if err := appendTo(dir, tail); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			if got := s.Recovery(); got != (pages.Recovery{TornBytes: int64(len(tail))}) {
				t.Errorf("Recovery = %+v", got)
			}
			put(t, s, page("https://example.org/d", "four"))
			got := readAll(t, dir)
			if diff := cmp.Diff(want, got[:3]); diff != "" || len(got) != 4 {
				t.Errorf("%d lines, %s", len(got), diff)
			}
		})
	}
}

// TestOpen_RemovesFilesWithoutALine crashes between the file and its line.
func TestOpen_RemovesFilesWithoutALine(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	put(t, s, page("https://example.org/b", "two"))
	dir = crash(t, dir)
	lines := strings.SplitAfter(content(t, dir, "pages.jsonl"), "\n")
	filetest.Write(t, filepath.Join(dir, "pages.jsonl"), lines[0])
	filetest.Write(t, filepath.Join(dir, ".store", "temp", "1"), "half")
	checkSound(t, dir) // it is no problem in the meantime

	s = open(t, dir)
	if got := s.Recovery(); got.Unfinished != 1 {
		t.Errorf("Recovery = %+v", got)
	}
	if diff := cmp.Diff([]string{"example.org/a~.html"}, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if left, err := os.ReadDir(filepath.Join(dir, ".store", "temp")); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
	put(t, s, page("https://example.org/b", "two"))
	filetest.Close(t, s)
	checkSound(t, dir)
}

// TestOpen_NotesWithZeros: after power loss a file may be as long as it was, with zeros where nothing was synced.
func TestOpen_NotesWithZeros(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	filetest.Close(t, s)
	filetest.Write(t, filepath.Join(dir, "example.org", "b.html"), "half")
	for name, zeros := range map[string]int{"started-1": 100, "started-2": 300 << 10} {
		filetest.Write(t, filepath.Join(dir, ".store", name), "0\n"+strings.Repeat("\x00", zeros)+"/c\nexample.org/b.html\n")
	}
	s = open(t, dir)
	defer filetest.Close(t, s)
	if got := s.Recovery(); got.Unfinished != 1 {
		t.Errorf("Recovery = %+v, want 1 unfinished page", got)
	}
}

// TestOpen_RemovesTheUnfinishedFolderOfAHost: the move of a new folder to its place is not synced before what is in it.
func TestOpen_RemovesTheUnfinishedFolderOfAHost(t *testing.T) {
	dir := t.TempDir()
	filetest.Close(t, open(t, dir))
	temp := filepath.Join(dir, ".store", "temp")
	if err := os.MkdirAll(filepath.Join(temp, "1", "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(temp, "1", "a", "b.html"), "half")
	filetest.Close(t, open(t, dir))
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
	checkSound(t, dir)
}

func TestOpen_NeverRemovesAFileWithALine(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 20 {
		url := fmt.Sprintf("https://example.org/%d", i%10) // each in two versions
		put(t, s, page(url, fmt.Sprint(i)))
		if i == 7 {
			if err := s.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := files(t, dir)
	for range 3 {
		dir = crash(t, dir)
		s = open(t, dir)
		if got := s.Recovery(); got.Unfinished != 0 {
			t.Errorf("Recovery = %+v", got)
		}
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOpen_KeepsAFileThatANoteNamesByMistake: a note may have been garbled in a power failure.
func TestOpen_KeepsAFileThatANoteNamesByMistake(t *testing.T) {
	dir := three(t)
	note := fmt.Sprintf("%d\nexample.org/a~.html\n../../x\n.store/LOCK\n", len(content(t, dir, "pages.jsonl")))
	filetest.Write(t, filepath.Join(dir, ".store", "started-1"), note)
	if got := open(t, dir).Recovery(); got.Unfinished != 0 {
		t.Errorf("Recovery = %+v", got)
	}
	checkSound(t, dir)
}

func TestOpen_RebuildsTheIndex(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"removed":               func(dir string) error { return os.RemoveAll(filepath.Join(dir, ".store", "index")) },
		"of a longer list":      shortenList,
		"that cannot be opened": spoilIndex,
		"of fewer tables":       cutTables,
	} {
		t.Run(name, func(t *testing.T) {
			dir := three(t)
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			if got := s.Recovery(); got.Replayed == 0 || got.Rebuilt != (name != "removed") {
				t.Errorf("Recovery = %+v", got)
			}
			put(t, s, page("https://example.org/a", "one"))
			put(t, s, page("https://example.org/d", "one"))
			lines := readAll(t, dir)
			if last := lines[len(lines)-1]; last.SameAs != "example.org/a~.html" {
				t.Errorf("the last line is %+v", last)
			}
		})
	}
}

// cutTables takes the end from the list of tables that a process had begun before it was killed. What Pebble writes then has
// numbers that are in the tables, of which it ends the process when it merges them.
func cutTables(dir string) error {
	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		return err
	}
	list, err := filepath.Glob(filepath.Join(dir, ".store", "index", "marker.manifest.*"))
	if err != nil || len(list) != 1 {
		return errors.Join(fmt.Errorf("%q is not one file", list), err, s.Close())
	}
	_, name, _ := strings.Cut(filepath.Base(list[0]), "MANIFEST-")
	name = filepath.Join(dir, ".store", "index", "MANIFEST-"+name)
	text, err := os.ReadFile(name)
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	return os.WriteFile(name, text[:len(text)-1], 0o644)
}

// shortenList leaves only the first line, as if a power failure had taken the rest, but not the index.
func shortenList(dir string) error {
	list := filepath.Join(dir, "pages.jsonl")
	data, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return os.WriteFile(list, []byte(first+"\n"), 0o644)
}

// spoilIndex overwrites the manifest of the index.
func spoilIndex(dir string) error {
	manifests, err := filepath.Glob(filepath.Join(dir, ".store", "index", "MANIFEST-*"))
	for _, m := range manifests {
		err = os.WriteFile(m, []byte("gibberish"), 0o644)
	}
	return err
}

// Promise 4: a page of which the line survived and the file did not is stored again.
func TestOpen_AfterPowerLoss(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	dir = crash(t, dir)
	if err := os.Truncate(filepath.Join(dir, "example.org", "a~.html"), 0); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	put(t, s, page("https://example.org/b", "one"))
	put(t, s, page("https://example.org/a", "one"))
	filetest.Close(t, s)
	checkSound(t, dir)
}

func TestReadFrom(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	defer s.Close()
	for _, path := range []string{"a", "b", "c"} {
		p := &storage.Page{URL: "https://example.org/" + path, FinalURL: "https://example.org/" + path, Body: []byte(path)}
		put(t, s, p)
	}
	var all []pages.Line
	for l, err := range pages.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	for i, l := range all {
		again, err := pages.LineAt(dir, l.Start)
		if err != nil || again.URL != l.URL || again.Listing != l.Listing || again.End != l.End {
			t.Errorf("line %d at its start: %s, %v", i, again.URL, err)
		}
		rest := 0
		for range pages.ReadFrom(dir, l.End) {
			rest++
		}
		if rest != len(all)-i-1 {
			t.Errorf("behind line %d: %d lines", i, rest)
		}
	}
}
