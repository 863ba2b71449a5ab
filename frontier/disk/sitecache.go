package disk

import "container/list"

// A siteCache holds sites: those in use, which are pinned, and as many others as there is room for, of which the least recently
// used go first. Frontier.mu guards it.
type siteCache struct {
	sites   map[siteID]*site
	idle    *list.List // of sites that nobody has pinned; the least recently used comes first
	max     int
	evicted uint64 // counts; who read a record from disk sees by it whether the record may have changed since
}

func newSiteCache(size int) siteCache {
	return siteCache{sites: make(map[siteID]*site), idle: list.New(), max: size}
}

// pin returns a site, which stays until unpin; nil if it is not here.
func (c *siteCache) pin(id siteID) *site {
	s := c.sites[id]
	if s != nil {
		if s.pins++; s.idle != nil {
			c.idle.Remove(s.idle)
			s.idle = nil
		}
	}
	return s
}

// put brings in a site, pinned.
func (c *siteCache) put(s *site) {
	c.sites[s.id] = s
	s.pins = 1
}

func (c *siteCache) unpin(s *site) {
	if s.pins--; s.pins == 0 {
		s.idle = c.idle.PushBack(s)
	}
}

// scan bounds how many sites with something to write are looked at in one go.
const scan = 64

// evict makes room. Sites with something to write stay until it is written.
func (c *siteCache) evict() {
	dirty := 0
	for e := c.idle.Front(); e != nil && len(c.sites) > c.max && dirty < scan; {
		s := e.Value.(*site)
		e = e.Next()
		if s.dirty {
			dirty++
			continue
		}
		c.idle.Remove(s.idle)
		delete(c.sites, s.id)
		c.evicted++
	}
}

// overdue pins and returns sites that should be written because their room is needed.
func (c *siteCache) overdue() (sites []*site) {
	if len(c.sites) <= c.max {
		return nil
	}
	for e := c.idle.Front(); e != nil && len(sites) < scan; {
		s := e.Value.(*site)
		e = e.Next()
		if !s.dirty {
			break
		}
		sites = append(sites, c.pin(s.id))
	}
	return sites
}
