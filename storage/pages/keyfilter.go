package pages

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// A keyFilter tells of most keys that an index does not have them, without a look into it: a Bloom filter, the bits of a key all in
// one word. The more keys there are, the more often it says nothing: of 500,000 pages every twentieth time. A nil keyFilter
// says nothing at all. It is safe for concurrent use.
type keyFilter struct {
	words [1 << 17]atomic.Uint64
}

// filterOf returns a filter for a database that is empty, and nil for one that is not: reading it all would take longer than what
// the filter saves a crawl that is nearly over.
func filterOf(db *pebble.DB) (*keyFilter, error) {
	it, err := db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	isEmpty := !it.First()
	if err := it.Close(); err != nil || !isEmpty {
		return nil, err
	}
	return new(keyFilter), nil
}

// place returns the word of a key, which is a kind and a hash, and its bits in it.
func (f *keyFilter) place(key []byte) (*atomic.Uint64, uint64) {
	const bitsPerKey = 4
	hash := key[1:]
	var mask uint64
	for i := range bitsPerKey {
		mask |= 1 << (hash[8+i] & 63)
	}
	return &f.words[binary.LittleEndian.Uint64(hash)%uint64(len(f.words))], mask
}

func (f *keyFilter) add(key []byte) {
	if f != nil {
		word, mask := f.place(key)
		word.Or(mask)
	}
}

// mayHave is false for keys that were never added.
func (f *keyFilter) mayHave(key []byte) bool {
	if f == nil {
		return true
	}
	word, mask := f.place(key)
	return word.Load()&mask == mask
}
