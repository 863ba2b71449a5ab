package pages_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A page that is removed leaves nothing: no line, no file, no folder. What shares a body or a file with it stays.
func TestStore_Remove(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first, twin := page("https://a.example/x/first", "body"), page("https://b.example/twin", "body")
	other, later := page("https://a.example/other", "other"), page("https://a.example/other", "other, later")
	put(t, s, first)
	put(t, s, twin)
	put(t, s, other)
	put(t, s, later)
	before := readAll(t, dir)
	r, err := s.Remove(t.Context(), func(l *pages.Line) bool {
		return l.URL == first.URL || l.URL == other.URL && l.Digest == before[2].Digest
	})
	if err != nil || r != (pages.Removed{Lines: 2, Files: 2}) {
		t.Fatalf("%+v, %v", r, err)
	}
	if after := readAll(t, dir); len(after) != 2 || after[0].Listing != before[1].Listing || after[1].Listing != before[3].Listing {
		t.Errorf("left are %v", after)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.example", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
	checkSound(t, dir)
	put(t, s, first) // allowed again
	put(t, s, twin)  // and known still
	filetest.Close(t, s)
	s = open(t, dir)
	if r := s.Recovery(); r != (pages.Recovery{}) {
		t.Errorf("recovery: %+v", r)
	}
	if n := len(readAll(t, dir)); n != 3 {
		t.Errorf("%d lines", n)
	}
	if r, err := s.Remove(t.Context(), func(*pages.Line) bool { return false }); err != nil || r != (pages.Removed{}) {
		t.Errorf("%+v, %v", r, err)
	}
	checkSound(t, dir)
}

// Whoever looks for pages, or syncs, while others are removed waits for the new list and its index.
func TestStore_Remove_MeanwhileOthersAsk(t *testing.T) {
	s := open(t, t.TempDir())
	kept := page("https://a.example/kept", "kept")
	put(t, s, kept)
	var others sync.WaitGroup
	var over atomic.Bool
	for range 2 {
		others.Go(func() {
			for !over.Load() {
				if has, err := s.Has(kept.URL); err != nil || !has {
					t.Errorf("has: %v, %v", has, err)
					return
				}
				if err := s.Sync(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 10 {
		p := page(fmt.Sprintf("https://a.example/%d", i), fmt.Sprint("body ", i))
		put(t, s, p)
		if r, err := s.Remove(t.Context(), func(l *pages.Line) bool { return l.URL == p.URL }); err != nil || r.Lines != 1 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	over.Store(true)
	others.Wait()
	filetest.Close(t, s)
	if _, err := s.Has(kept.URL); !errors.Is(err, pages.ErrClosed) {
		t.Errorf("has, after Close: %v", err)
	}
	if _, err := s.Knows(kept.URL, ""); !errors.Is(err, pages.ErrClosed) {
		t.Errorf("knows, after Close: %v", err)
	}
}

// When the first page with a body is removed, that of the next one is what later pages share.
func TestStore_Remove_First(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	first, second := page("https://a.example/1", "body"), page("https://a.example/2", "body")
	put(t, s, first)
	put(t, s, second)
	if _, err := s.Remove(t.Context(), func(l *pages.Line) bool { return l.URL == first.URL }); err != nil {
		t.Fatal(err)
	}
	if knows, err := s.Knows("https://b.example/", storage.DigestOf(second.Body)); err != nil || !knows {
		t.Errorf("the body is known: %t, %v", knows, err)
	}
	put(t, s, page("https://a.example/3", "body"))
	if l := readAll(t, dir); len(l) != 2 || l[1].SameAs != l[0].File {
		t.Errorf("the later page is no link to the one that stayed: %+v", l)
	}
	checkSound(t, dir)
}

// removeForever stores a hundred pages and removes every other one of them, again and again.
func removeForever(dir string) error {
	s, err := pages.Open(dir, pages.Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	for {
		for i := range 100 {
			if err := s.Put(context.Background(), numbered(i)); err != nil {
				return err
			}
		}
		if _, err := s.Remove(context.Background(), isOdd); err != nil {
			return err
		}
	}
}

func isOdd(l *pages.Line) bool {
	return strings.HasSuffix(strings.TrimRight(l.URL, "13579"), "/") || len(l.URL)%2 == 1
}

// After kill -9 at any moment of removing, what is not to be removed is there, and every file has its line.
func TestStore_Remove_SurvivesKill(t *testing.T) {
	dir := t.TempDir()
	kept := map[string]bool{}
	s := open(t, dir)
	for i := range 100 {
		if put(t, s, numbered(i)); !isOdd(&pages.Line{URL: numbered(i).URL}) {
			kept[numbered(i).URL] = true
		}
	}
	if err := s.Close(); err != nil || len(kept) == 0 || len(kept) == 100 {
		t.Fatal(len(kept), err)
	}
	for range 20 {
		cmd, out := start(t, "remove", dir)
		out.Scan()
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		checkSound(t, dir) // before anything is repaired
		checkStored(t, dir, kept)
	}
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	checkSound(t, dir)
	if _, err := os.Stat(filepath.Join(dir, ".store", "removing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left over: %v", err)
	}
}
