package disk

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// A heldCache keeps a part of the store's cache empty until the store is so large that its look-ups gain by it: the cache of a
// small store would fill with what is hardly ever read again. It is safe for concurrent use.
type heldCache struct {
	mu      sync.Mutex // guards the following
	size    int64      // of the tables
	most    int64      // that size before all of the cache is used
	release func()     // nil when it is
}

// Of the memory of a store half is held back. What is left holds two memtables (see Options.store) and blocks for the
// filters and the indices of tables of four times the memory, or four million URLs with the default. What counts is the size of the
// tables, not what was written: where most is settled soon, as on a few sites, they stay small however long the crawl.
const (
	heldEighths   = 4
	heldUntilFull = 4
)

func holdCache(cache *pebble.Cache, memory int64) *heldCache {
	return &heldCache{most: heldUntilFull * memory, release: cache.Reserve(int(memory / 8 * heldEighths))}
}

// has hears how many bytes the tables have, when the store has been opened.
func (h *heldCache) has(bytes int64) {
	h.mu.Lock()
	h.size = 0
	h.mu.Unlock()
	h.grew(bytes)
}

// grew hears by how many bytes the tables have grown.
func (h *heldCache) grew(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.size += bytes; h.size >= h.most && h.release != nil {
		h.release()
		h.release = nil
	}
}

// sizeOf returns how many bytes tables have.
func sizeOf(tables []pebble.TableInfo) (bytes int64) {
	for _, t := range tables {
		bytes += int64(t.Size)
	}
	return bytes
}
