package disk

import "container/list"

// A siteCache holds sites: those in use, which are pinned, and as many others as there is room for, of which the least recently
// used go first. Frontier.mu guards it.
type siteCache struct {
	sites   map[siteID]*site
	idle    *list.List // of sites that nobody has pinned; the least recently used comes first
	max     int
	evicted uint64 // counts; who read a record from disk sees by it whether the record may have changed since

	ahead    *list.List // of keptAhead, of sites without a lease; what was kept first comes first
	entries  int        // that they have, together,
	mostKept int        // at most
}

// keptBytes is how much memory an entry takes that was read ahead, about.
const keptBytes = 400

// newSiteCache returns one for so many sites, and entries read ahead of them in so many bytes.
func newSiteCache(size int, bytes int64) siteCache {
	return siteCache{
		sites: make(map[siteID]*site), idle: list.New(), max: size, ahead: list.New(), mostKept: int(bytes / keptBytes),
	}
}

// A keptAhead is what the last lease of a site has read ahead, and no other yet.
type keptAhead struct {
	site *site
	readAhead
}

// keep keeps what a lease has read ahead for the next one of the site, instead of what was kept longest of others.
func (c *siteCache) keep(s *site, a readAhead) {
	if len(a.queue) == 0 || len(a.queue) > c.mostKept {
		return
	}
	s.kept = c.ahead.PushBack(&keptAhead{s, a})
	c.entries += len(a.queue)
	for c.entries > c.mostKept {
		c.forget(c.ahead.Front().Value.(*keptAhead).site)
	}
}

// takeUp returns what is kept for the next lease of a site, or where that begins to read.
func (c *siteCache) takeUp(s *site) readAhead {
	if s.kept == nil {
		return readAhead{cursor: s.rec.head}
	}
	a := s.kept.Value.(*keptAhead).readAhead
	c.forget(s)
	return a
}

// arrived takes in that entries of a site which has no lease came in from low on.
func (c *siteCache) arrived(s *site, low position) {
	if s.kept == nil {
		return
	}
	a := &s.kept.Value.(*keptAhead).readAhead
	if low.compare(a.cursor) < 0 {
		c.forget(s)
		return
	}
	a.arrived(low)
}

// forget drops what is kept of a site, if anything is.
func (c *siteCache) forget(s *site) {
	if s.kept == nil {
		return
	}
	c.entries -= len(s.kept.Value.(*keptAhead).queue)
	c.ahead.Remove(s.kept)
	s.kept = nil
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
		c.forget(s)
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
