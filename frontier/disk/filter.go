package disk

import (
	"math/bits"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// A seenFilter tells of most URLs never seen that they are new, without a look into the store: a Bloom filter of all seen
// keys, the bits of a key all in one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters",
// 2007). The fuller it is, the more often it says nothing. It is safe for concurrent use.
//
// What a store held when it was opened comes into the filter by and by; until all of it has, every URL may have been seen.
type seenFilter struct {
	words    []atomic.Uint64
	complete atomic.Bool
}

// bitsPerKey is how many bits of its word stand for a key.
const bitsPerKey = 5

// newSeenFilter returns a filter of at most that many bytes, a power of two. It is not complete.
func newSeenFilter(bytes int64) *seenFilter {
	n := 1024
	for int64(n)*16 <= bytes {
		n *= 2
	}
	return &seenFilter{words: make([]atomic.Uint64, n)}
}

// place returns the word of a key, and its bits in it. Both come from hashes with a secret; those of one site differ in
// the second only.
func (f *seenFilter) place(k seenKey) (*atomic.Uint64, uint64) {
	h := (uint64(k.site) ^ bits.RotateLeft64(k.url, 29)) * 0x9e3779b97f4a7c15
	var mask uint64
	for i := range bitsPerKey {
		mask |= 1 << (k.url >> (6 * i) & 63)
	}
	return &f.words[h>>32&uint64(len(f.words)-1)], mask
}

func (f *seenFilter) add(k seenKey) {
	word, mask := f.place(k)
	if word.Load()&mask != mask {
		word.Or(mask)
	}
}

// mayHave is false for keys that were never added, once the filter is complete.
func (f *seenFilter) mayHave(k seenKey) bool {
	if !f.complete.Load() {
		return true
	}
	word, mask := f.place(k)
	return word.Load()&mask == mask
}

// fill adds the seen keys that it comes upon, those of a store when it was opened, and makes the filter complete: whatever
// came later must have been added by whoever wrote it. It gives up when stop is closed.
func (f *seenFilter) fill(it *pebble.Iterator, stop <-chan struct{}) error {
	for ok := it.First(); ok; ok = it.Next() {
		select {
		case <-stop:
			return nil
		default:
		}
		if k, ok := parseSeenKey(it.Key()); ok {
			f.add(k)
		}
	}
	if err := it.Error(); err != nil {
		return err
	}
	f.complete.Store(true)
	return nil
}
