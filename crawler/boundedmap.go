package crawler

// A boundedMap is a map of bounded size: when it is full the older half of its entries, by last write, is forgotten.
type boundedMap[V any] struct {
	most       int
	young, old map[uint64]V
}

func (m *boundedMap[V]) get(k uint64) (V, bool) {
	if v, ok := m.young[k]; ok {
		return v, true
	}
	v, ok := m.old[k]
	return v, ok
}

func (m *boundedMap[V]) put(k uint64, v V) {
	if m.young == nil || len(m.young) >= max(m.most/2, 1) {
		m.old, m.young = m.young, make(map[uint64]V)
	}
	m.young[k] = v
}
