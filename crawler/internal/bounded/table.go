package bounded

import (
	"math/bits"
	"math/rand/v2"
)

// A table is a hash table that takes half of the memory of the built-in map. The zero table is empty, and newTable makes others.
type table[V any] struct {
	keys   []uint64 // scrambled; a place with 0 is empty, and there is one, or there is no place
	values []V      // of the same places
	n      int

	secret, odd uint64 // scramble keys, which others may choose: so these cannot crowd in one place
}

func newTable[V any]() table[V] { return table[V]{secret: rand.Uint64(), odd: rand.Uint64() | 1} }

// scramble returns what stands for a key. Two keys have the same as rarely as two hashes are the same.
func (t *table[V]) scramble(k uint64) uint64 { return max((k^t.secret)*t.odd, 1) }

// place returns where what stands for a key is, or else where it would be: at or behind the place that is to the table as it is to
// all numbers.
func (t *table[V]) place(k uint64) int {
	first, _ := bits.Mul64(k, uint64(len(t.keys)))
	i := int(first)
	for t.keys[i] != 0 && t.keys[i] != k {
		if i++; i == len(t.keys) {
			i = 0
		}
	}
	return i
}

// at returns where the value of a key is, until the next put; nil when there is none.
func (t *table[V]) at(k uint64) *V {
	if t.n == 0 {
		return nil
	}
	k = t.scramble(k)
	if i := t.place(k); t.keys[i] == k {
		return &t.values[i]
	}
	return nil
}

func (t *table[V]) put(k uint64, v V) { t.set(t.scramble(k), v) }

// set is put for what stands for a key. Of eight places seven may be taken.
func (t *table[V]) set(k uint64, v V) {
	if 8*(t.n+1) > 7*len(t.keys) {
		t.rebuild(len(t.keys)+len(t.keys)/2+4, 1)
	}
	i := t.place(k)
	if t.keys[i] == 0 {
		t.n++
	}
	t.keys[i], t.values[i] = k, v
}

// halve keeps any half of the entries.
func (t *table[V]) halve() { t.rebuild(len(t.keys)/2+2, 2) }

// rebuild makes so many places, and keeps one of so many entries.
func (t *table[V]) rebuild(places, of int) {
	old := *t
	t.keys, t.values, t.n = make([]uint64, places), make([]V, places), 0
	met := 0
	for i, k := range old.keys {
		if k == 0 {
			continue
		}
		if met++; met%of == 0 {
			t.set(k, old.values[i])
		}
	}
}
