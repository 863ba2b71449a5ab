package disk

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// A heldCache keeps a part of the store's cache empty until the store is so large that its look-ups gain by it: the cache of a
// small store would fill with what is hardly ever read again. It is safe for concurrent use.
type heldCache struct {
	mu      sync.Mutex // guards the following
	left    int64      // bytes that may be written before all of the cache is used
	release func()     // nil when it is
}

// Of the memory of a store half is held back. What is left holds two memtables (see Options.store) and blocks for the
// filters and the indices of as many tables as may be written until then: four times the memory, or four million URLs with the
// default.
const (
	heldEighths   = 4
	heldUntilFull = 4
)

func holdCache(cache *pebble.Cache, memory int64) *heldCache {
	return &heldCache{left: heldUntilFull * memory, release: cache.Reserve(int(memory / 8 * heldEighths))}
}

// written hears that tables of that many bytes are there.
func (h *heldCache) written(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left -= bytes; h.left <= 0 && h.release != nil {
		h.release()
		h.release = nil
	}
}
