package disk

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// Ensure that a small store leaves a part of its cache empty, and that a large one uses all of it, and is told so once.
func TestHeldCache(t *testing.T) {
	const memory = 32 << 20
	cache := pebble.NewCache(memory)
	defer cache.Unref()
	held := holdCache(cache, memory)
	for _, step := range []struct {
		written int64
		isHeld  bool
	}{{0, true}, {3 * memory, true}, {memory, false}, {memory, false}} {
		held.written(step.written)
		if isHeld := held.release != nil; isHeld != step.isHeld {
			t.Errorf("%d MB are left: a part of the cache is held: %v, want %v", held.left>>20, isHeld, step.isHeld)
		}
	}
}

// Ensure that a frontier hears of what its store has written, and, when it is opened, of what is there.
func TestHeldCache_Opened(t *testing.T) {
	f, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.held.left, heldUntilFull*f.opts.Memory; got != want {
		t.Errorf("%d bytes are left of a new store, want %d", got, want)
	}
	if err := f.flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil { // who flushes has told then
		t.Fatal(err)
	}
	if got, most := f.held.left, heldUntilFull*f.opts.Memory; got >= most {
		t.Errorf("%d bytes are left after a table was written, want less than %d", got, most)
	}
}
