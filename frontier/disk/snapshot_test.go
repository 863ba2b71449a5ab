package disk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that copies made while a frontier is in use are whole as of a place in the log, go on from there, also when the log has
// forgotten what comes before, and do not change any more.
func TestSnapshot(t *testing.T) {
	dir, log, b := t.TempDir(), &memLog{}, newBooks()
	f := open(t, filepath.Join(dir, "f"), disk.Options{Memory: 1, Log: log.take()})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { crawl(ctx, f, 7, b.note) })
	var places []uint64
	copies := 5
	if testing.Short() {
		copies = 2
	}
	for i := range copies {
		for until := log.len() + 30; log.len() < until; {
			time.Sleep(time.Millisecond)
		}
		at, err := f.Snapshot(filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			t.Fatalf("Snapshot: %v", err)
		}
		places = append(places, at)
	}
	stop()
	wg.Wait()
	want := dump(t, f)
	frontiertest.MustClose(t, f)
	for i, at := range places {
		after := log.copy()
		for after.records[0].at < at {
			after.records = after.records[1:]
		}
		if i > 0 && at <= places[i-1] {
			t.Errorf("the copies are of %d", places)
		}
		g := open(t, filepath.Join(dir, fmt.Sprint(i)), disk.Options{Memory: 1, Log: after.take()})
		if diff := cmp.Diff(want, dump(t, g)); diff != "" {
			t.Errorf("copy %d, replayed (-want +got):\n%.2000s", i, diff)
		}
		b.balance(t, g)
		g.Close()
	}
}

// Ensure that a copy is made of links, and refused where something is, or where there is no log.
func TestSnapshot_Links(t *testing.T) {
	dir := t.TempDir()
	f := open(t, filepath.Join(dir, "f"), disk.Options{Log: new(memLog).take()})
	defer f.Close()
	frontiertest.Queue(t, f, "http://a/1")
	first := filepath.Join(dir, "copy")
	if at, err := f.Snapshot(first); err != nil || at != placeOf(1) {
		t.Errorf("Snapshot = %d, %v, want that of the link, %d", at, err, placeOf(1))
	}
	tables, err := filepath.Glob(first + "/*.sst")
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables in the copy: %v", err)
	}
	for _, table := range tables {
		of, err := os.Stat(filepath.Join(dir, "f", filepath.Base(table)))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := os.Stat(table); err != nil || !os.SameFile(of, is) {
			t.Errorf("%s is a file of its own (%v)", table, err)
		}
	}
	if _, err := f.Snapshot(first); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Snapshot = %v, want %v", err, fs.ErrExist)
	}
	g := open(t, filepath.Join(dir, "g"), disk.Options{})
	defer g.Close()
	if _, err := g.Snapshot(filepath.Join(dir, "none")); err == nil {
		t.Error("a copy without a log")
	}
}
