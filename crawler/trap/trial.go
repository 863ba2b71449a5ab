package trap

import (
	"fmt"
	"slices"
)

// A trial tells a large place from an endless one: while the rest of the place waits, scouts follow its links from page to page. In
// a finite place they soon come to an end, in an endless one they do not.
type trial struct {
	place   *lineage
	first   int                // generation that the first scouts are of
	levels  int                // generations that are scouted
	last    int                // that of the deepest ones so far
	lanes   map[*lineage]*lane // by the page below the first of the place that they lie behind
	sent    map[uint64]bool    // URLs of scouts; true when visited
	parents map[*lineage]bool  // of the first of them
	c       counts             // of what they visited
	waits   int                // answers that something should wait
	perLane int                // scouts of a part in one generation

	before *Finding // what is heard again; nil the first time
	wanted int      // URLs that were put aside and are still taken up for that
}

// A lane is a part of a place that is scouted by itself.
type lane struct {
	level int         // generation of the deepest scouts
	n     map[int]int // scouts of each generation
}

const (
	lanes   = 4 // parts of a place that are scouted
	perLane = 3 // scouts of a part in one generation, the first time
	perPage = 2 // links of a page that are scouted

	maxWaits = 100_000 // after which a place need not wait any more: it is large, or much is asked for before its scouts
)

func newTrial(place *lineage, levels, perLane int) *trial {
	return &trial{
		place: place, levels: levels, perLane: perLane,
		lanes: map[*lineage]*lane{}, sent: map[uint64]bool{}, parents: map[*lineage]bool{},
	}
}

// Waits reports whether a URL should wait because scouts are under way in its place. It is asked in the order in which the URLs
// would be visited; what need not wait must then be visited.
func (d *Detector) Waits(u, via URL) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	parent := d.parentLocked(u, via)
	if parent.finding() != nil {
		return false
	}
	for l := parent; l != nil; l = l.parent {
		if l.trial == nil {
			continue
		}
		if l.trial.send(u.hash(), parent) {
			return false
		}
		if l.trial.waits++; l.trial.waits < maxWaits {
			return true
		}
		d.concludeLocked(l, u.Domain)
		return false
	}
	return false
}

// Conclude ends the trial for which a URL waits, because nothing but what waits is left: the scouts have come to an end.
func (d *Detector) Conclude(u, via URL) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for l := d.parentLocked(u, via); l != nil; l = l.parent {
		if l.trial != nil {
			d.concludeLocked(l, u.Domain)
			return
		}
	}
}

// Trials returns how many trials have ended: when there is one more, what waited should be asked about anew.
func (d *Detector) Trials() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trials
}

// send reports whether a URL that was found in a lineage is to be scouted. The first scouts are those that come first, one for each
// page that leads on.
func (t *trial) send(url uint64, parent *lineage) bool {
	if _, ok := t.sent[url]; ok {
		return true
	}
	level := int(parent.depth) - int(t.place.depth)
	if level == 0 || t.first != 0 && level > t.first+1 || t.parents[parent] {
		return false
	}
	if t.first == 0 {
		t.first = level
	}
	if !t.take(url, level, parent) {
		return false
	}
	t.parents[parent] = true
	return true
}

// take sends a scout if there is room for it.
func (t *trial) take(url uint64, level int, parent *lineage) bool {
	key := parent.ancestor(t.place.depth + 1)
	at := t.lanes[key]
	if at == nil {
		if len(t.lanes) >= lanes {
			return false
		}
		at = &lane{n: map[int]int{}}
		t.lanes[key] = at
	}
	if at.n[level] >= t.perLane {
		return false
	}
	at.n[level]++
	at.level = max(at.level, level)
	t.last = max(t.last, level)
	t.sent[url] = false
	return true
}

// visited takes in what a scout has seen, and sends others on from there, to links chosen by their hashes, which is by chance.
func (t *trial) visited(url uint64, c counts, parent *lineage, fresh []uint64) {
	if seen, ok := t.sent[url]; !ok || seen {
		return
	}
	t.sent[url] = true
	t.c.add(c)
	level := int(parent.depth) - int(t.place.depth) + 1
	if level >= t.first+t.levels {
		return
	}
	slices.Sort(fresh)
	for _, h := range fresh[:min(len(fresh), perPage)] {
		t.take(h, level, parent)
	}
}

// done reports whether the scouts have gone as far as they should.
func (t *trial) done() bool {
	return t.last == t.first+t.levels-1 && !t.underWay()
}

func (t *trial) underWay() bool {
	for _, seen := range t.sent {
		if !seen {
			return true
		}
	}
	return false
}

// verdict says what the place looks like to its scouts; empty when it is finite.
func (t *trial) verdict(o *Options) Kind {
	alive := 0
	for _, l := range t.lanes {
		if l.level >= t.first+t.levels-2 {
			alive++
		}
	}
	if t.last < t.first+t.levels-1 || 2*alive < len(t.lanes) {
		return ""
	}
	k := o.judge(t.c)
	if k == Regular && 2*(t.c.fresh+t.c.back) < 3*t.c.pages && 2*t.c.returns >= t.c.pages {
		return "" // one page after the other, each with its next and its previous, as comics are
	}
	return k
}

func (t *trial) String() string {
	return fmt.Sprintf("scouts followed %d links one after the other without coming to an end (directions: %d): %s",
		t.last-t.first+1, len(t.lanes), t.c)
}
