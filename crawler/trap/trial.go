package trap

import (
	"fmt"
	"slices"
)

// A trial tells a large place from an endless one: while the rest of the place waits, scouts follow its links from page to page. In
// a finite place they soon come to an end, in an endless one they do not.
type trial struct {
	place   *lineage
	first   int               // how deep in the place the first scout was sent; none before one is
	levels  int               // generations of scouts
	last    int               // that of the deepest ones so far, the first being zero
	lanes   map[uint32]*lane  // by the page below the first of the place that they lie behind
	sent    map[uint64]scout  // by URL
	parents map[*lineage]bool // of the first of them
	c       counts            // of what they visited
	returns int               // of that, the pages that lead back to where they were found
	waits   int               // answers that something should wait
	most    int               // parts that are scouted
	perLane int               // scouts of a part in one generation
	tree    bool              // the place looked like one when they were sent
	deep    bool              // they go deeper than usual
	shallow bool              // there is nothing to scout but the links of the first page

	scouts int      // that are sent at most
	begun  int      // that were sent, a redirected one counted once
	before *Finding // what is heard again; nil the first time
	wanted int      // URLs that were put aside and are still taken up for that
}

// A scout is a page that is asked for to tell how a place goes on.
type scout struct {
	level int // its generation
	seen  bool
}

// A lane is a part of a place that is scouted by itself.
type lane struct {
	level  int         // generation of the deepest scouts
	n      map[int]int // scouts of each generation
	under  int         // scouts under way
	ends   int         // that scouts came to, without the late ones
	spares []spare     // where to go on when all scouts have come to an end, the deepest last
}

// A spare is a link that is scouted when others have come to an end.
type spare struct {
	url   uint64
	level int
}

const (
	lanes   = 4 // parts of a place that are scouted, at most
	perLane = 3 // scouts of a part in one generation, the first time
	perPage = 2 // links of a page that are scouted
	spares  = 4 // links of a page that are kept for when these have come to an end

	treeLanes = 3   // parts of a tree with many ends that are scouted, by one scout at a time: side by side they mostly meet ends
	manyEnds  = 4   // one page of so many
	deepLanes = 2   // of these, that are scouted deeper
	deeper    = 170 // in percent

	treeScouts = 125 // of those of another place, in percent

	maxWaits = 100_000 // after which a place need not wait any more: it is large, or much is asked for before its scouts
)

// none is how deep scouts were sent when none was.
const none = -1

// newTrial is the first trial of a place.
func newTrial(place *lineage, levels int) *trial {
	t := newHearing(place, levels, perLane)
	if t.tree = place.isTree(); t.tree && manyEnds*place.all.ends >= place.all.pages {
		t.most, t.perLane, t.scouts = treeLanes, 1, t.scouts*treeScouts/100
	}
	return t
}

// newHearing is a trial whose scouts go side by side.
func newHearing(place *lineage, levels, perLane int) *trial {
	return &trial{
		place: place, levels: levels, most: lanes, perLane: perLane, scouts: lanes * perLane * levels, first: none,
		lanes: map[uint32]*lane{}, sent: map[uint64]scout{}, parents: map[*lineage]bool{},
	}
}

// undecidedLocked returns the place of a URL; nil when it is known to be endless.
func (d *Detector) undecidedLocked(u, via URL) *lineage {
	if parent := d.parentLocked(u, via); parent.finding() == nil {
		return parent
	}
	return nil
}

// Waits reports whether a URL should wait because scouts are under way in its place. It is asked in the order in which the URLs
// would be visited; what need not wait must then be visited.
func (d *Detector) Waits(u, via URL) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	parent := d.undecidedLocked(u, via)
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

// Lags reports whether pages that were answered and not told yet, of which there are so many, may decide about the place of a URL:
// it is on trial, or so many more pages of it would make it suspected. Until they are told the URL had better not be asked about.
func (d *Detector) Lags(u, via URL, untold int) bool {
	if untold <= 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for l := d.undecidedLocked(u, via); l != nil; l = l.parent {
		short := d.o.leastPages(l) - int(l.all.pages)
		if l.trial != nil || 0 < short && short <= untold && d.o.suspectsPlace(l) {
			return true
		}
	}
	return false
}

// Conclude ends the trial for which a URL waits, because nothing but what waits is left: the scouts have come to an end.
func (d *Detector) Conclude(u, via URL) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for l := d.parentLocked(u, via); l != nil; l = l.parent {
		switch t := l.trial; {
		case t == nil:
		case t.first == none && !t.shallow && t.before == nil:
			t.shallow = true
			d.trials++ // what waits is asked about anew
			return
		default:
			d.concludeLocked(l, u.Domain)
			return
		}
	}
}

// EndTrial ends the trial for which a URL waits, whatever its scouts have seen: there is no room for more that waits.
func (d *Detector) EndTrial(u, via URL) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for l := d.undecidedLocked(u, via); l != nil; l = l.parent {
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
	depth := int(parent.depth) - int(t.place.depth)
	if depth == 0 && !t.shallow || t.first != none && depth > t.first+1 {
		return false
	}
	if at := t.lanes[t.laneOf(url, parent)]; at != nil && t.mayBeginAnew(at) {
		t.sendIn(at, url, 0)
		return true
	}
	if depth > 0 && t.parents[parent] {
		return false
	}
	if !t.take(url, 0, t.laneOf(url, parent)) {
		return false
	}
	if t.first == none {
		t.first = depth
	}
	t.parents[parent] = true
	return true
}

// mostFirst is how many scouts begin in a part of a place when the first of them come to an end at once.
const mostFirst = 8

// mayBeginAnew reports whether all scouts of a part have come to an end where they began: others may find a way on.
func (t *trial) mayBeginAnew(at *lane) bool {
	return at.under == 0 && at.level <= 1 && len(at.spares) == 0 && at.n[0] < mostFirst && t.begun < t.scouts
}

// laneOf names the lane in which a URL lies that was found in a lineage.
func (t *trial) laneOf(url uint64, parent *lineage) uint32 {
	if parent == t.place {
		return uint32(url)
	}
	return parent.ancestor(t.place.depth + 1).url
}

// take sends a scout if there is room for it.
func (t *trial) take(url uint64, level int, key uint32) bool {
	at := t.lanes[key]
	if at == nil {
		if len(t.lanes) >= t.most {
			return false
		}
		at = &lane{n: map[int]int{}}
		t.lanes[key] = at
	}
	if at.n[level] >= t.perLane || t.begun >= t.scouts {
		return false
	}
	t.sendIn(at, url, level)
	return true
}

func (t *trial) sendIn(at *lane, url uint64, level int) {
	t.begun++
	at.n[level]++
	at.under++
	at.level = max(at.level, level)
	t.last = max(t.last, level)
	t.sent[url] = scout{level: level}
}

// visited takes in what a scout has seen, and sends others on from there, to links chosen by their hashes, which is by chance.
func (t *trial) visited(url uint64, c counts, v visit, parent *lineage, fresh []uint64) {
	s, ok := t.sent[url]
	if !ok || s.seen {
		return
	}
	s.seen = true
	t.sent[url] = s
	t.c.add(c)
	t.returns += one(v.returns)
	key := t.laneOf(url, parent)
	at := t.lanes[key]
	if at == nil {
		return
	}
	at.under--
	at.ends += int(c.ends - max(c.lateRegular, c.lateSame))
	level := s.level + 1
	slices.Sort(fresh)
	sends := perPage
	if t.deep || level >= t.reach() {
		sends = 0
	}
	for i, h := range fresh[:min(len(fresh), perPage+spares)] {
		if i < sends && t.take(h, level, key) {
			continue
		}
		at.spares = append(at.spares, spare{h, level})
	}
	t.goOn(at)
}

// moved takes in that a scout was sent on by a redirect.
func (t *trial) moved(from, to uint64) {
	s, sent := t.sent[from]
	if !sent || s.seen {
		return
	}
	t.sent[from] = scout{s.level, true}
	if _, sent := t.sent[to]; !sent {
		t.sent[to] = s
	}
}

// goOn sends one more scout where all others have come to an end, as deep as can be.
func (t *trial) goOn(at *lane) {
	if at.under > 0 || at.level >= t.reach()-1 || t.begun >= t.scouts {
		return
	}
	for i := len(at.spares) - 1; i >= 0; i-- {
		s := at.spares[i]
		at.spares = at.spares[:i]
		if _, sent := t.sent[s.url]; !sent {
			t.sendIn(at, s.url, s.level)
			return
		}
	}
}

// deepen sends scouts deeper into a tree, in two directions, and reports whether there is anything to see. That an end is
// so far away must be proved where many pages are ends.
func (t *trial) deepen() bool {
	if t.deep || !t.c.isOneWay() || !t.tree || t.alive() < deepLanes || 2*t.alive() < len(t.lanes) {
		return false
	}
	end := t.levels - 2
	t.deep = true
	t.levels = t.levels * deeper / 100
	n := 0
	for _, at := range t.lanes {
		if at.level >= end && n < deepLanes {
			n++
			t.goOn(at)
		}
	}
	return t.underWay()
}

// resume sends as many scouts once more, from where others have come to, and reports whether there is anything to see. It is for
// hearings that end in doubt: the more of a finite place is known, the more of its links lead back.
func (t *trial) resume() bool {
	if t.levels >= longestDoubt*hearingLevels {
		return false
	}
	t.levels += hearingLevels
	t.scouts += lanes * t.perLane * hearingLevels
	for _, at := range t.lanes {
		for n := len(at.spares); n > 0 && at.under < t.perLane && t.begun < t.scouts; n = len(at.spares) {
			s := at.spares[n-1]
			at.spares = at.spares[:n-1]
			if _, sent := t.sent[s.url]; !sent {
				t.sendIn(at, s.url, s.level)
			}
		}
	}
	return t.underWay()
}

// reach is how many generations of scouts there are: twice as many where a place is seen in one direction only.
func (t *trial) reach() int {
	switch {
	case len(t.lanes) > 1 || t.deep:
		return t.levels
	case t.before != nil:
		return lanes * t.levels
	}
	return 2 * t.levels
}

// alive returns in how many directions scouts have gone all the way.
func (t *trial) alive() (n int) {
	for _, at := range t.lanes {
		if at.level >= t.reach()-2 || t.deep && t.begun >= t.scouts && len(at.spares) > 0 {
			n++
		}
	}
	return n
}

// done reports whether the scouts have gone as far as they should.
func (t *trial) done() bool {
	if t.last < t.reach()-1 || t.underWay() {
		return false
	}
	for _, at := range t.lanes {
		if t.mayBeginAnew(at) {
			return false
		}
	}
	return true
}

func (t *trial) underWay() bool {
	for _, s := range t.sent {
		if !s.seen {
			return true
		}
	}
	return false
}

// verdict says what the place looks like to its scouts; empty when it is finite.
func (t *trial) verdict(o *Options) Kind {
	alive := t.alive()
	if t.deep {
		if alive >= deepLanes && t.c.isOneWay() {
			return Unclosed
		}
		return ""
	}
	if t.last < t.reach()-1 {
		return ""
	}
	k := o.judge(t.c)
	if k == "" && t.c.countsOn() && 10*t.returns <= int(t.c.pages) {
		k = Regular // where conditions can be taken back, as in shops, scouts come back to where they were sent from
	}
	if k != Unclosed {
		alive += t.elsewhere()
	}
	if 2*alive < len(t.lanes) || alive < min(len(t.lanes), 2) {
		return ""
	}
	if k == Unclosed && len(t.lanes) == 1 {
		return "" // a single way on may be long, and says nothing of its end unless it counts on
	}
	if k == Regular && 2*(t.c.fresh+t.c.back) < 3*t.c.pages && 2*t.returns >= int(t.c.pages) {
		return "" // one page after the other, each with its next and its previous, as comics are
	}
	return k
}

// elsewhere returns in how many directions scouts came to no end, nor all the way: to what was found elsewhere only.
func (t *trial) elsewhere() (n int) {
	for _, at := range t.lanes {
		n += one(at.ends == 0 && at.level < t.reach()-2)
	}
	return n
}

func (t *trial) String() string {
	return fmt.Sprintf("scouts followed %d links one after the other without coming to an end (directions: %d): %s",
		t.last+1, len(t.lanes), t.c)
}
