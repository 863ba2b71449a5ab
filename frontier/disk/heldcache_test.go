package disk

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that a small store leaves a part of its cache empty, and that a large one uses all of it, and is told so once.
func TestHeldCache(t *testing.T) {
	const memory = 32 << 20
	cache := pebble.NewCache(memory)
	defer cache.Unref()
	held := holdCache(cache, memory)
	for _, step := range []struct {
		grown  int64
		isHeld bool
	}{{0, true}, {3 * memory, true}, {-memory, true}, {memory, true}, {memory, false}, {-memory, false}, {memory, false}} {
		held.grew(step.grown)
		if isHeld := held.release != nil; isHeld != step.isHeld {
			t.Errorf("tables of %d MB: a part of the cache is held: %v, want %v", held.size>>20, isHeld, step.isHeld)
		}
	}
}

// Ensure that a frontier hears of the tables that its store writes and of those that it drops, and, when it is opened, of what is
// there.
func TestHeldCache_Opened(t *testing.T) {
	dir := t.TempDir()
	f, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.held.size != 0 {
		t.Errorf("a new store has %d bytes", f.held.size)
	}
	for i := range 5 { // tables, which are merged
		u, err := frontier.ParseURL(fmt.Sprintf("http://a.example/%d", i))
		if err == nil {
			_, err = f.Add(t.Context(), []frontier.Link{{URL: u}})
		}
		if err := errors.Join(err, f.flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.core.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil { // who flushes and merges has told then
		t.Fatal(err)
	}
	again, err := Open(dir, Options{ReadOnly: true}) // else it begins with a table of what its log says
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.held.size, again.held.size; got != want || got == 0 {
		t.Errorf("%d bytes when it was closed, and %d when it was opened again", got, want)
	}
	frontiertest.MustClose(t, again)
}
