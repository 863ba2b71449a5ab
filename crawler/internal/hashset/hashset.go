package hashset

import "math/bits"

// A Set is a set of hashes, which must be well mixed: every bit of them counts. The zero Set is empty and ready for use. It is not
// safe for concurrent use.
type Set struct {
	tables  [1 << tableBits]table
	n       int
	hasZero bool // no place of a table can say so
}

// tableBits is how many bits of a hash say in which table it is.
const tableBits = 6

// A table holds hashes; a place with 0 is empty. It is empty, or has an empty place.
type table struct {
	places []uint64
	n      int
}

// Has reports whether h was added.
func (s *Set) Has(h uint64) bool {
	if h == 0 {
		return s.hasZero
	}
	t := &s.tables[h>>(64-tableBits)]
	return len(t.places) > 0 && t.places[t.place(h)] == h
}

// Add adds h.
func (s *Set) Add(h uint64) {
	switch {
	case s.Has(h):
		return
	case h == 0:
		s.hasZero = true
	default:
		s.tables[h>>(64-tableBits)].add(h)
	}
	s.n++
}

// Len returns how many hashes were added, each counted once.
func (s *Set) Len() int { return s.n }

// place returns where h is, or else where it would be.
func (t *table) place(h uint64) int {
	first, _ := bits.Mul64(h<<tableBits, uint64(len(t.places)))
	i := int(first)
	for t.places[i] != 0 && t.places[i] != h {
		if i++; i == len(t.places) {
			i = 0
		}
	}
	return i
}

// add adds a hash that is not there. Of eight places seven may be taken.
func (t *table) add(h uint64) {
	if 8*(t.n+1) > 7*len(t.places) {
		old := t.places
		t.places = make([]uint64, len(old)+len(old)/4+4)
		for _, h := range old {
			if h != 0 {
				t.places[t.place(h)] = h
			}
		}
	}
	t.places[t.place(h)] = h
	t.n++
}
