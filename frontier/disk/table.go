package disk

import "container/list"

// A table holds sites: those in use, and as many others as there is room for, which saves reading them again.
type table struct {
	sites   map[siteID]*site
	idle    *list.List // of sites that nobody has pinned; the one not needed for longest comes first
	max     int
	evicted uint64 // counts; who read a record from disk sees by it whether the record may have changed since
}

func newTable(size int) table {
	return table{sites: make(map[siteID]*site), idle: list.New(), max: size}
}

// pin returns a site, which stays until unpin; nil if it is not here.
func (t *table) pin(id siteID) *site {
	s := t.sites[id]
	if s != nil {
		if s.pins++; s.idle != nil {
			t.idle.Remove(s.idle)
			s.idle = nil
		}
	}
	return s
}

// put brings in a site, pinned.
func (t *table) put(s *site) {
	t.sites[s.id] = s
	s.pins = 1
}

func (t *table) unpin(s *site) {
	if s.pins--; s.pins == 0 {
		s.idle = t.idle.PushBack(s)
	}
}

// scan bounds how many sites with something to write are looked at in one go.
const scan = 64

// evict makes room. Sites with something to write stay until it is written.
func (t *table) evict() {
	dirty := 0
	for e := t.idle.Front(); e != nil && len(t.sites) > t.max && dirty < scan; {
		s := e.Value.(*site)
		e = e.Next()
		if s.dirty {
			dirty++
			continue
		}
		t.idle.Remove(s.idle)
		delete(t.sites, s.id)
		t.evicted++
	}
}

// overdue pins and returns sites that should be written because their room is needed.
func (t *table) overdue() (sites []*site) {
	if len(t.sites) <= t.max {
		return nil
	}
	for e := t.idle.Front(); e != nil && len(sites) < scan; {
		s := e.Value.(*site)
		e = e.Next()
		if !s.dirty {
			break
		}
		sites = append(sites, t.pin(s.id))
	}
	return sites
}
