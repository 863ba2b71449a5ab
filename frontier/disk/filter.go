package disk

import (
	"math/bits"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// A seenFilter tells of most URLs never seen that they are new, without a look into the store: a Bloom filter of all seen
// keys, the bits of a key all in one word (Putze, Sanders and Singler, "Cache-, Hash- and Space-Efficient Bloom Filters",
// 2007). It has parts, each four times as large as the one before, and made when that is full: a small crawl takes little memory.
// The last is never full; the more it holds, the more often it says nothing. A filter is safe for concurrent use.
//
// What a store held when it was opened comes into the filter by and by; until all of it has, every URL may have been seen.
type seenFilter struct {
	parts    [filterParts]atomic.Pointer[filterPart]
	complete atomic.Bool
}

// A filterPart is one of the parts.
type filterPart struct {
	words []atomic.Uint64
	keys  atomic.Int64
}

const (
	filterParts = 3
	bitsPerKey  = 5 // of its word stand for a key
	keysPerWord = 3 // in a part that is full
)

// newSeenFilter returns a filter of at most that many bytes. It is not complete.
func newSeenFilter(bytes int64) *seenFilter {
	f := &seenFilter{}
	f.parts[0].Store(newFilterPart(max(bytes/8/(1+4+16), 64)))
	return f
}

func newFilterPart(words int64) *filterPart { return &filterPart{words: make([]atomic.Uint64, words)} }

// place returns the word of a key, and its bits in it. Both come from hashes with a secret; those of one site differ in
// the second only.
func (p *filterPart) place(k seenKey) (*atomic.Uint64, uint64) {
	h := (uint64(k.site) ^ bits.RotateLeft64(k.url, 29)) * 0x9e3779b97f4a7c15
	var mask uint64
	for i := range bitsPerKey {
		mask |= 1 << (k.url >> (6 * i) & 63)
	}
	at, _ := bits.Mul64(h, uint64(len(p.words)))
	return &p.words[at], mask
}

func (p *filterPart) has(k seenKey) bool {
	word, mask := p.place(k)
	return word.Load()&mask == mask
}

func (f *seenFilter) has(k seenKey) bool {
	for i := range f.parts {
		p := f.parts[i].Load()
		if p == nil {
			return false
		}
		if p.has(k) {
			return true
		}
	}
	return false
}

func (f *seenFilter) add(k seenKey) {
	if f.has(k) {
		return
	}
	last := filterParts - 1
	for f.parts[last].Load() == nil {
		last--
	}
	p := f.parts[last].Load()
	word, mask := p.place(k)
	word.Or(mask)
	if p.keys.Add(1) == keysPerWord*int64(len(p.words)) && last+1 < filterParts {
		f.parts[last+1].Store(newFilterPart(4 * int64(len(p.words))))
	}
}

// mayHave is false for keys that were never added, once the filter is complete.
func (f *seenFilter) mayHave(k seenKey) bool {
	if !f.complete.Load() {
		return true
	}
	return f.has(k)
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
