package trap

import "math/bits"

// A table is a map of bounded size: when it is full the older half of its entries, by last write, is forgotten.
type table[V any] struct {
	most       int
	young, old map[uint64]V
}

func (t *table[V]) get(k uint64) (V, bool) {
	if v, ok := t.young[k]; ok {
		return v, true
	}
	v, ok := t.old[k]
	return v, ok
}

func (t *table[V]) put(k uint64, v V) {
	if t.young == nil || len(t.young) >= max(t.most/2, 1) {
		t.old, t.young = t.young, make(map[uint64]V)
	}
	t.young[k] = v
}

// maxDistance is in how many bits the hashes of two texts differ that count as the same.
const maxDistance = 3

// blocks is into how many parts a hash is cut, one of which is equal in hashes that are near.
const blocks = maxDistance + 1

// A nearSet remembers texts, and in which lineage they were found.
type nearSet struct {
	most  int
	parts [blocks]table[placed]
}

type placed struct {
	hash uint64
	in   *lineage
}

// swap returns in which lineage a text like t was found before, and remembers this one; nil when there was none.
func (s *nearSet) swap(t Text, in *lineage) (before *lineage) {
	if t.Words == 0 {
		return nil
	}
	for i := range s.parts {
		p := &s.parts[i]
		p.most = s.most
		key := t.Hash >> (16 * i) & 0xffff
		if old, ok := p.get(key); ok && bits.OnesCount64(old.hash^t.Hash) <= maxDistance {
			before = old.in
		}
		p.put(key, placed{t.Hash, in})
	}
	return before
}
