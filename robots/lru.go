package robots

import "container/list"

// An lru keeps the answers used last, up to a number and a cost. It is not safe for concurrent use.
type lru struct {
	maxEntries int
	maxCost    int64
	cost       int64
	order      list.List // of *lruEntry, used last first
	entries    map[string]*list.Element
}

type lruEntry struct {
	key    string
	answer Answer
	cost   int64
}

func (m *lru) get(key string) (Answer, bool) {
	e, ok := m.entries[key]
	if !ok {
		return Answer{}, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*lruEntry).answer, true
}

// put adds or replaces an answer. One that costs more than all may is not kept.
func (m *lru) put(key string, a Answer, cost int64) {
	if m.entries == nil {
		m.entries = make(map[string]*list.Element)
	}
	if e, ok := m.entries[key]; ok {
		m.remove(e)
	}
	m.entries[key] = m.order.PushFront(&lruEntry{key, a, cost})
	m.cost += cost
	for m.cost > m.maxCost || m.order.Len() > m.maxEntries {
		m.remove(m.order.Back())
	}
}

func (m *lru) remove(e *list.Element) {
	entry := m.order.Remove(e).(*lruEntry)
	delete(m.entries, entry.key)
	m.cost -= entry.cost
}
