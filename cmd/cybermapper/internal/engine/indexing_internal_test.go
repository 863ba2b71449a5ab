package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// What others do to the index while a crawl holds it open loses no page, and the crawl goes on with what is there then.
func TestIndexKeeper_OthersMeanwhile(t *testing.T) {
	other := func(t *testing.T, dir string) {
		d, err := indexer.Open(t.Context(), dir, indexer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		if _, err := d.Sync(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		meanwhile func(t *testing.T, dir string)
		held      bool // it goes on with what it remembers
	}{
		"nothing":               {func(*testing.T, string) {}, true},
		"others take in a page": {other, true},
		"others make it anew": {func(t *testing.T, dir string) {
			if err := index.Remove(indexer.File(dir)); err != nil {
				t.Skip("what is open cannot be removed here:", err)
			}
			other(t, dir)
		}, false},
		"it is lost": {func(t *testing.T, dir string) {
			if err := index.Remove(indexer.File(dir)); err != nil {
				t.Skip("what is open cannot be removed here:", err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			j, s := newIndexed(t)
			k := &indexKeeper{p: &Session{Dir: j.Path("."), Screen: progress.NewScreen(io.Discard, true), Config: config.Default()}}
			defer k.close()
			took := func() {
				t.Helper()
				if _, err := k.bringUpToDate(t.Context(), true); err != nil {
					t.Fatal(err)
				}
			}
			putPage(t, s, "walrus")
			took()
			before := k.d
			putPage(t, s, "seal")
			tt.meanwhile(t, j.Path("."))
			putPage(t, s, "otter")
			took()
			if held := k.d == before; held != tt.held {
				t.Errorf("the index was held open: %v, want %v", held, tt.held)
			}
			if err := k.close(); err != nil {
				t.Fatal(err)
			}
			if got := found(t, j.Path("."), "walrus", "seal", "otter", "sea"); got != "walrus 1, seal 1, otter 1, sea 3" {
				t.Errorf("found: %s", got)
			}
		})
	}
}

// What is taken in when the crawl has ended is told as behind when there was no time left, and is whole otherwise.
func TestIndexing_FinishInTime(t *testing.T) {
	for _, inTime := range []bool{true, false} {
		j, s := newIndexed(t)
		putPage(t, s, "walrus")
		var out bytes.Buffer
		c := config.Default()
		c.Search.Index = true
		_, finish := (&Session{Dir: j.Path("."), Screen: progress.NewScreen(&out, true), Config: c}).indexing(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		if !inTime {
			cancel()
		}
		finish(ctx)
		cancel()
		if isBehind := strings.Contains(out.String(), "no time left"); isBehind == inTime {
			t.Errorf("in time: %t; it says %q", inTime, out.String())
		}
		if inTime && found(t, j.Path("."), "walrus") != "walrus 1" {
			t.Errorf("found: %s", found(t, j.Path("."), "walrus"))
		}
	}
}

// The less there is to take in, the longer it waits, up to a bound; and never less than several times what that took.
func TestNextPause(t *testing.T) {
	for _, tt := range []struct {
		pause time.Duration
		added int
		took  time.Duration
		want  time.Duration
	}{
		{indexPause, 0, 0, 2 * indexPause},
		{2 * indexPause, indexWorth - 1, 0, 4 * indexPause},
		{20 * time.Second, 1, 0, indexRest},
		{indexRest, 0, 0, indexRest},
		{indexRest, indexWorth, 0, indexPause},
		{indexPause, 1000, 3 * time.Second, 3 * indexShare * time.Second},
		{indexPause, 1, 10 * time.Second, 10 * indexShare * time.Second},
	} {
		if got := nextPause(tt.pause, tt.added, tt.took); got != tt.want {
			t.Errorf("after %v and %d pages in %v: %v, want %v", tt.pause, tt.added, tt.took, got, tt.want)
		}
	}
}

// newIndexed makes a job with a store of pages.
func newIndexed(t *testing.T) (*job.Job, *pages.Store) {
	t.Helper()
	j, err := job.Open(t.TempDir(), job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	yaml, err := c.YAML()
	if err == nil {
		err = j.WriteConfig(yaml)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := pages.Open(j.Path(job.PagesDir), pages.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		j.Close()
	})
	return j, s
}

func putPage(t *testing.T, s *pages.Store, animal string) {
	t.Helper()
	u := "https://example.org/" + animal
	err := s.Put(t.Context(), &storage.Page{
		URL: u, FinalURL: u, Type: "text/html", Title: animal,
		Body: fmt.Appendf(nil, "<title>%[1]s</title><p>The %[1]s lives by the sea.</p>", animal),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// found tells how many pages a search for each word finds.
func found(t *testing.T, dir string, words ...string) string {
	t.Helper()
	x, err := index.Open(indexer.File(dir), index.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var list []string
	for _, word := range words {
		r, err := x.Search(t.Context(), index.Query{Text: word, Ungrouped: true})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(word, " ", len(r.Hits)))
	}
	return strings.Join(list, ", ")
}

// An index that is made anew again and again while a crawl keeps it holds all pages in the end, and neither of the two fails.
func TestIndexKeeper_RebuiltMeanwhile(t *testing.T) {
	j, s := newIndexed(t)
	dir := j.Path(".")
	k := &indexKeeper{p: &Session{Dir: dir, Screen: progress.NewScreen(io.Discard, true), Config: config.Default()}}
	defer k.close()
	rebuilt := make(chan error, 1)
	go func() {
		defer close(rebuilt)
		for range 4 {
			if err := rebuild(t.Context(), dir); err != nil {
				rebuilt <- err
				return
			}
		}
	}()
	const count = 60
	for i := range count {
		putPage(t, s, fmt.Sprint("animal", i))
		if i%5 == 0 {
			if _, err := k.bringUpToDate(t.Context(), true); err != nil {
				t.Errorf("crawl: %v", err)
			}
		}
	}
	if err := <-rebuilt; err != nil {
		t.Errorf("rebuild: %v", err)
	}
	if _, err := k.bringUpToDate(t.Context(), false); err != nil {
		t.Errorf("crawl: %v", err)
	}
	if err := k.close(); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(indexer.File(dir), index.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if counts, err := x.Counts(t.Context()); err != nil || counts.Pages != count {
		t.Errorf("%d pages, %v, want %d", counts.Pages, err, count)
	}
}

// rebuild is what index --rebuild does.
func rebuild(ctx context.Context, dir string) error {
	d, err := indexer.Open(ctx, dir, indexer.Options{Check: true, Rebuild: true})
	if err != nil {
		return err
	}
	_, err = d.Sync(ctx, false)
	return errors.Join(err, d.Close())
}
