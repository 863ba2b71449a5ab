package bounded

// A Map holds at most Most entries: when it is full the older half of them, by last write, is forgotten. The zero Map, once Most is
// set, is empty and ready for use. It is not safe for concurrent use.
type Map[V any] struct {
	Most       int // fewer than 2 count as 2
	young, old map[uint64]V
}

// Get returns the value of a key and whether it is known. A nil Map knows none.
func (m *Map[V]) Get(k uint64) (v V, ok bool) {
	if m == nil {
		return v, false
	}
	if v, ok := m.young[k]; ok {
		return v, true
	}
	v, ok = m.old[k]
	return v, ok
}

// Put keeps a value, which counts as young.
func (m *Map[V]) Put(k uint64, v V) {
	if m.young == nil || len(m.young) >= max(m.Most/2, 1) {
		m.old, m.young = m.young, make(map[uint64]V)
	}
	m.young[k] = v
}

// Len returns how many entries are held, one that was written again perhaps twice: at most Most.
func (m *Map[V]) Len() int { return len(m.young) + len(m.old) }

// forget drops the older half, or where there is none, any half.
func (m *Map[V]) forget() {
	if len(m.old) > 0 {
		m.old = nil
		return
	}
	rest := len(m.young) / 2
	for k := range m.young {
		if len(m.young) == rest {
			return
		}
		delete(m.young, k)
	}
}
