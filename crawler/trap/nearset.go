package trap

import (
	"math/bits"

	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
)

// maxDistance is in how many bits the hashes of two texts differ that count as the same.
const maxDistance = 3

// blocks is into how many parts a hash is cut, one of which is equal in hashes that are near.
const blocks = maxDistance + 1

// A nearSet remembers texts, and in which lineage they were found.
type nearSet struct {
	parts [blocks]bounded.Shared[placed]
}

type placed struct {
	hash uint64
	in   *lineage
}

// swap returns in which lineage a text like t was found before, and remembers this one; nil when there was none.
func (s *nearSet) swap(site uint64, t Text, in *lineage) (before *lineage) {
	if t.Words == 0 {
		return nil
	}
	for i := range s.parts {
		p := &s.parts[i]
		key := t.Hash >> (16 * i) & 0xffff
		if old, ok := p.Get(site, key); ok && bits.OnesCount64(old.hash^t.Hash) <= maxDistance {
			before = old.in
		}
		p.Put(site, key, placed{t.Hash, in})
	}
	return before
}
