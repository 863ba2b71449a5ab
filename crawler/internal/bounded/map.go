package bounded

// A Map holds at most Most entries: when it is full the older half of them, by last write, is forgotten. The zero Map, once Most is
// set, is empty and ready for use. It is not safe for concurrent use.
type Map[V any] struct {
	Most       int // fewer than 2 count as 2
	young, old table[V]
}

// Get returns the value of a key and whether it is known. A nil Map knows none.
func (m *Map[V]) Get(k uint64) (v V, ok bool) {
	if at, _ := m.At(k); at != nil {
		return *at, true
	}
	return v, false
}

// Put keeps a value, which counts as young.
func (m *Map[V]) Put(k uint64, v V) {
	if m.young.odd == 0 || m.young.n >= max(m.Most/2, 1) {
		m.old, m.young = m.young, newTable[V]()
	}
	m.young.put(k, v)
}

// At returns where the value of a key is, until the next Put, and whether the entry is young: then what is written there is put.
// It returns nil for a key that is not known. A nil Map knows none.
func (m *Map[V]) At(k uint64) (v *V, young bool) {
	if m == nil {
		return nil, false
	}
	if v := m.young.at(k); v != nil {
		return v, true
	}
	return m.old.at(k), false
}

// Len returns how many entries are held, one that was written again perhaps twice: at most Most.
func (m *Map[V]) Len() int { return m.young.n + m.old.n }

// forget drops the older half, or where there is none, any half.
func (m *Map[V]) forget() {
	if m.old.n > 0 {
		m.old = table[V]{}
		return
	}
	m.young.halve()
}
