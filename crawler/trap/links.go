package trap

import "github.com/cespare/xxhash/v2"

// hashLinks hashes the links of a page, most of which have its origin.
func (d *Detector) hashLinks(p Page) {
	origin := hashOfOrigin(p.URL.Origin)
	d.hashes = d.hashes[:0]
	for _, u := range p.Links {
		if u.Origin == p.URL.Origin {
			d.hashes = append(d.hashes, origin+xxhash.Sum64String(u.PathQuery))
		} else {
			d.hashes = append(d.hashes, u.hash())
		}
	}
}

// known is what is known of a link of the page that is taken in, until the next link is put.
type known struct {
	link  *link // nil when it is new
	young bool  // then it is written where it is
}

// newLinksLocked looks the links of a page up, and returns how many were not heard of before.
func (d *Detector) newLinksLocked(site uint64, own *lineage) (n int) {
	links := d.links.Of(site)
	d.known = d.known[:0]
	for _, h := range d.hashes {
		l, young := links.At(h)
		if l == nil || l.early && l.found == own {
			n++
			l = nil
		}
		d.known = append(d.known, known{l, young})
	}
	return n
}

// A sorter sorts the links of one page into those that are new and those that lead back into what is known.
type sorter struct {
	d           *Detector
	page        Page
	parent, own *lineage
	way         *lineage // by which the links are reached
	site        uint64
	above       uint64 // the bits of parent.way
	self, via   uint64
	visited     int // pages of the site, of those with unknown links a few only

	last   *lineage // in which the link before was found: most links of a page were found on one other
	shared int      // the depth that it shares with the way

	c             counts
	regular, down int  // of the sampled new links, those that go on regularly and those that count down, until one does not
	on            int  // of those that lead back, those that count up, until one does not
	lone          bool // the only one that leads back was found on another page than that by which this one was reached
}

// linksLocked sorts the links of a page. visited is how many pages of the site were, of those with unknown links a few only.
func (d *Detector) linksLocked(p Page, parent, own *lineage, visited int) counts {
	site := siteOf(p.URL)
	s := sorter{
		d: d, page: p, parent: parent, own: own, way: own, site: site, above: parent.way(), self: p.URL.hash(), via: p.Via.hash(),
		visited: visited,
	}
	if own == nil {
		s.way = parent
	}
	d.fresh, d.puts = d.fresh[:0], d.puts[:0]
	for i, u := range p.Links {
		switch h, k := d.hashes[i], d.known[i]; {
		case k.link == nil && int(s.c.fresh) < p.New:
			s.freshLocked(u, h)
		case k.link == nil: // forgotten, or a seed
			s.c.back++
			d.favourLocked(parent, 1)
		default:
			s.knownLocked(u, h, k)
		}
	}
	for _, p := range d.puts {
		d.links.Put(site, p.url, p.link)
	}
	if sampled := int(min(s.c.fresh, sampledLinks)); sampled > 0 {
		s.c.down = uint32(s.down / sampled)
		s.c.regular = uint32(s.regular/sampled) * (1 - s.c.down)
	}
	s.c.ends = uint32(one(p.New == 0))
	s.c.lateRegular = uint32(one(d.now.late && (s.on == int(s.c.back) || s.lone && s.c.back == 1)))
	return s.c
}

// freshLocked takes in a link that is new.
func (s *sorter) freshLocked(u URL, h uint64) {
	from := s.page.URL
	if s.c.fresh++; s.c.fresh <= sampledLinks { // each must do so, so that the first that does not ends the question
		s.regular += one(s.regular == int(s.c.fresh)-1 && goesOn(from.PathQuery, u.PathQuery))
		s.down += one(s.down == int(s.c.fresh)-1 && countsDown(from.PathQuery, u.PathQuery))
	}
	s.d.fresh = append(s.d.fresh, h)
	found := s.own
	if u.Domain != from.Domain {
		found = nil
	}
	s.d.puts = append(s.d.puts, put{h, link{found: found, by: uint32(s.self)}})
}

// knownLocked takes in a link that was found before.
func (s *sorter) knownLocked(u URL, h uint64, k known) {
	if found := k.link.found; found != s.last {
		s.last, s.shared = found, found.meet(s.way)
	}
	before := *k.link
	l := before
	l.meet(h, s.shared)
	if l != before {
		if k.young {
			*k.link = l
		} else {
			s.d.puts = append(s.d.puts, put{h, l})
		}
		l.leave(before.found, before.met)
	}
	isHub := int(l.met)*hubShare > s.visited
	if before.found != s.own && !isHub && !s.isOnTheWayLocked(h) {
		s.backLocked(u, h, before)
	}
	if h == s.via {
		s.d.now.returns = true
	}
}

// backLocked takes in a link that leads back into what is known, which it was as told.
func (s *sorter) backLocked(u URL, h uint64, before link) {
	now := &s.d.now
	s.c.back++
	s.d.backs = append(s.d.backs, h)
	s.d.met[s.shared]++
	if before.by != uint32(s.via) && h != s.via {
		now.late = s.page.New == 0
		s.on += one(now.late && s.on == int(s.c.back)-1 && countsUp(s.page.URL.PathQuery, u.PathQuery))
		s.lone = now.late && s.c.back == 1
	}
}

// isOnTheWayLocked reports whether a URL is one of the pages that led to this one.
func (s *sorter) isOnTheWayLocked(h uint64) bool {
	if s.above&bit(uint32(h)) == 0 {
		return false
	}
	l, ok := s.d.lineages.Get(s.site, h)
	return ok && l.isAbove(s.parent)
}

// A put is a link that is remembered when all links of a page were looked at.
type put struct {
	url  uint64
	link link
}

// favourLocked counts links as leading back into the place, which speaks for its end: what nobody knows counts in its favour.
func (d *Detector) favourLocked(parent *lineage, links int) {
	if parent != nil {
		d.met[parent.depth+1] += uint32(links)
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sampledLinks is how many new links of a page are looked at for what they add to its address.
const sampledLinks = 4

// A page is a hub that at least one of so many pages of a site links to; the count of that ends at maxMet.
const (
	hubShare = 10
	maxMet   = 1 << 15

	unknownHubs = 100 // pages with unknown links that count all the same, so that not every link is a hub when a crawl goes on
)

// A link is a URL that was found, in 16 bytes.
type link struct {
	found *lineage // by the page that begins it
	by    uint32   // of the hash of the page that it was found on first
	met   uint16   // how often since
	early bool     // it was asked about, or visited, before the page that it was found on was told
	end   uint8    // 0, or if it was visited and brought no new link, one more than how many of its links lead back, at most 255
}

// isEndLocked notes that a page of a lineage was visited, and is an end.
func (d *Detector) isEndLocked(site, url uint64, parent *lineage, c counts) {
	if l, _ := d.links.Get(site, url); l.found == parent {
		l.end = 1 + uint8(min(c.back, 254))
		d.links.Put(site, url, l)
	}
}

// leave takes in that a link can be reached by another way than by the place that it was found in: the links to it do not lead back
// into that place any more, and if it is an end, it is none of that place.
func (l *link) leave(place *lineage, met uint16) {
	c := counts{inside: uint32(met)}
	if l.end > 0 {
		c.pages, c.ends, c.back = 1, 1, uint32(l.end-1)
		c.inside += c.back
	}
	for ; place != l.found; place = place.parent {
		if place.all.sub(c); place.isApart() {
			return
		}
	}
}

// meet takes in that a URL was met again, and how many lineages the two ways have in common: what can be reached by another way
// does not belong to the place that it was found in first.
func (l *link) meet(url uint64, shared int) {
	if l.met < maxMet {
		l.met++
	}
	if l.found != nil && shared <= int(l.found.depth) && !l.found.isScouted(url) {
		l.found = l.found.ancestorAt(shared)
	}
}

// leastListed is how many known pages a page of a list leads to, at least, to which the list has not led before.
const leastListed = 3

// listsLocked returns to how many known pages the page that is taken in leads to which a place has not led before, and remembers
// to which it leads. What is forgotten counts in favour of the place.
func (d *Detector) listsLocked(site uint64, place *lineage) (n int) {
	links, reached := d.links.Of(site), d.reached.Of(site)
	for _, h := range d.backs {
		key := h ^ uint64(place.url)<<32
		at, young := reached.At(key)
		if l, _ := links.At(h); at == nil && (l == nil || l.found.finding() == nil) {
			n++
		}
		if !young {
			d.reached.Put(site, key, struct{}{})
		}
	}
	return n
}
