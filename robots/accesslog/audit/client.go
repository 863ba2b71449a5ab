package audit

import (
	"bytes"
	"hash/maphash"
	"math"
	"math/bits"
	"net/netip"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A client is what is kept of one address in one unit. What every request needs stands first, so that it lies together.
type client struct {
	hash               uint64 // of the name
	unit               int32
	requests           int32
	network            *network // nil when it is no address
	robot              *robot   // nil for people
	first, last, bytes int64
	assets, documents  int32
	minute             int32
	inMinute, peak     int32     // documents
	sheets, mostSheets int32     // of those, without what a page got that had got others
	askers             uint64    // a bit for each page that asked for documents in the minute, of 64
	recent             [8]uint32 // hashes of pages that it turned to, and of referrers of assets
	oldest             uint8     // of those
	busyMinutes        int32     // with busyPace times the documents of a person
	asked, disallowed  int32
	unseen             int32 // of a robot: asked for what was allowed by a copy that it may have got unseen
	referred, probes   int32
	moved, typed       int32  // of the documents, to elsewhere; and robots.txt without a referrer
	looked, named      uint64 // a bit for each URL of a person, of 64; likewise of pages that it named as referrers
	feeds              int32
	hasSite            bool          // likewise a host, if it has no network; see missing.addSite
	taken              time.Duration // of people's answers
	fetched            int64         // when it last got robots.txt, as a robot
	agent              *agent
	name               string
}

// clientName returns the name of a client as it is told: addresses in their usual form, for one may be written in many.
func clientName(s []byte) string {
	if bytes.IndexByte(s, ':') >= 0 && len(s) < 64 {
		if addr, err := netip.ParseAddr(string(s)); err == nil {
			return addr.Unmap().String()
		}
	}
	return clip(s)
}

func newClient(name string, hash uint64, u *unit, g *agent) client {
	return client{name: name, hash: hash, unit: u.id, agent: g, first: math.MaxInt64}
}

// count counts a request.
func (c *client) count(e *accesslog.Entry) {
	at := e.Time.UnixNano()
	c.first, c.last = min(c.first, at), max(c.last, at)
	c.requests++
	c.bytes += e.Bytes
	if isRobotsTxt(e.Target) {
		c.asked++
	}
}

// addPerson counts a request of a client that does not say that it is a robot.
func (c *client) addPerson(a *Auditor, rules *rulebook, e *accesslog.Entry, p place, asset bool) {
	c.count(e)
	if e.Taken > 0 {
		c.taken += e.Taken
	}
	if asset {
		c.assets++
		if len(e.Referrer) > 0 {
			c.remember(maphash.Bytes(a.seed, e.Referrer))
		}
		a.site.missing.count(a.seed, c, e)
		return
	}
	if len(e.Target) == 0 { // browsers open connections ahead of need, and servers log those that were never used
		return
	}
	c.documents++
	bit := bitOf(a.seed, e.Target)
	isKnown := c.looked&bit != 0
	c.looked |= bit
	if isFeed(pathOf(e.Target)) {
		c.feeds++
	}
	if isRedirect(e.Status) {
		c.moved++
	}
	if len(e.Referrer) > 0 {
		c.referred++
		a.site.refer(e.Referrer)
	} else if isRobotsTxt(e.Target) {
		c.typed++
	}
	if a.site.isProbing {
		c.probes++
	}
	if !isKnown || string(e.Method) != "POST" { // an application in a page posts to one URL all the time, which nobody reads
		c.addPace(a, e)
	}
	if len(rules.copies) == 0 || len(e.Authority) > 0 || e.IsIndex() {
		return
	}
	at := e.Time.UnixNano()
	if v, name, excused := rules.judge(string(e.Target), at, a.span.began(at)); !v.Allowed && !excused &&
		!rules.mayAllow(rules.at(at), v, e) {
		c.disallowed++
		if a.visitors.strays.keeps(c) {
			a.visitors.strays.add(c, a.evidence(e, p, v, name))
		}
	}
}

// addPace counts a document in its minute. As sheets, all that one page gets, which the client got a short while ago, or for
// which it got assets, or its script or worker, count as one. Some sites let browsers name no more of a page than its host.
func (c *client) addPace(a *Auditor, e *accesslog.Entry) {
	if minute := int32(floorDiv(e.Time.Unix(), 60)); minute != c.minute {
		c.minute, c.inMinute, c.sheets, c.askers = minute, 0, 0, 0
	}
	c.inMinute++
	c.peak = max(c.peak, c.inMinute)
	if int(c.inMinute) == busyPace*a.o.HumanPace {
		c.busyMinutes++
	}
	if _, page := namedPage(e.Referrer); len(page) > 0 && string(e.Method) != "POST" {
		h := maphash.Bytes(a.seed, page)
		bit := uint64(1) << (h % 64)
		if c.askers&bit != 0 {
			return
		}
		if isAsset(page) || c.recalls(h) || c.recalls(maphash.Bytes(a.seed, e.Referrer)) {
			c.askers |= bit
		}
	}
	c.sheets++
	c.mostSheets = max(c.mostSheets, c.sheets)
	c.remember(maphash.Bytes(a.seed, e.Target))
}

// remember keeps a hash in place of the oldest, unless it is there.
func (c *client) remember(h uint64) {
	if !slices.Contains(c.recent[:], uint32(h)) {
		c.recent[c.oldest] = uint32(h)
		c.oldest = (c.oldest + 1) % uint8(len(c.recent))
	}
}

// recalls reports whether a hash is there, and keeps it for longer.
func (c *client) recalls(h uint64) bool {
	if c.recent[c.oldest] == uint32(h) {
		c.oldest = (c.oldest + 1) % uint8(len(c.recent))
		return true
	}
	return slices.Contains(c.recent[:], uint32(h))
}

// A page asks by itself slowly for long, or fast for a short while. Who gets so many times as many documents as a person reads, in
// so many minutes, empties the site, and names one page of it all the time.
const (
	busyPace        = 4
	manyBusyMinutes = 15
)

// isApplication reports whether a client looks at pages that ask for many documents by themselves, as those do that look for news
// every second, have images without an ending, or fill their lists: it got what belongs to pages, if anybody does here, and turned
// to no more of them in a minute than a person reads.
func (c *client) isApplication(a *Auditor) bool {
	return 2*c.referred > c.documents-c.typed && (c.assets*oneOfTen > c.mostSheets || !a.site.hasAssets) &&
		int(c.mostSheets) <= a.o.HumanPace && c.busyMinutes < manyBusyMinutes
}

// isProber reports whether a client looks for hardly anything but what attackers look for.
func (c *client) isProber() bool { return c.probes > 2 && 2*c.probes > c.documents }

// browses reports whether a client comes from links and gets what belongs to documents, as browsers do.
func (c *client) browses() bool {
	pages := c.documents - c.typed // hardly anybody comes to robots.txt from a link
	return 2*c.referred > pages && c.assets*oneOfTen > pages
}

// asksLikeRobots reports whether a client asked for robots.txt otherwise than people do, who look at it between pages.
func (c *client) asksLikeRobots() bool { return c.asked > 0 && !(c.browses() && c.disallowed == 0) }

// isMany reports whether a client may be many people behind one address with one browser, as in a school, who are fast together:
// it browses, and with each page comes what a browser gets that has nothing yet.
func (c *client) isMany() bool { return c.browses() && c.assets >= wholePage*c.documents }

// isReader reports whether a client gets feeds, or few URLs again and again, as a feed reader or a monitor does that calls itself
// a browser.
func (c *client) isReader() bool {
	urls := int32(bits.OnesCount64(c.looked))
	return 5*c.feeds >= 4*c.documents || urls <= fewWatchedURLs && c.documents >= manyRounds*urls
}

// A clientTable finds clients by unit and name. Each line needs one of many, so that it is small and touches little memory: a hash
// table of numbers, and clients that lie next to each other, whose names are not looked at: a hash of 64 bits with a seed that
// nobody knows stands for one. Of a million clients two are taken for one in one of 37 million audits.
type clientTable struct {
	list  []*client             // as they came
	slots []clientSlot          // a power of two; at most half of them are taken
	rooms []*[clientRoom]client // where they are: a number leads there without looking at list
}

// A clientSlot says which client is found there.
type clientSlot struct {
	hash   uint32 // of unit and name; it tells nearly all that are not meant
	number int32  // in the list, counted from 1; 0 when the slot is free
}

// clientRoom is for how many clients room is made at once, a power of two.
const clientRoom = 128

// find returns the client; nil when it is not there. hash is that of its name.
func (t *clientTable) find(unit int32, hash uint64) *client {
	if len(t.slots) == 0 {
		return nil
	}
	h := slotHash(unit, hash)
	for i := h; ; i++ {
		s := t.slots[int(i)&(len(t.slots)-1)]
		if s.number == 0 {
			return nil
		}
		if s.hash == h {
			if c := &t.rooms[(s.number-1)/clientRoom][(s.number-1)%clientRoom]; c.unit == unit && c.hash == hash {
				return c
			}
		}
	}
}

// add adds a client that is not there yet.
func (t *clientTable) add(name string, hash uint64, u *unit, g *agent) *client {
	if 2*len(t.list) >= len(t.slots) {
		t.grow()
	}
	if len(t.list) == len(t.rooms)*clientRoom {
		t.rooms = append(t.rooms, &[clientRoom]client{})
	}
	c := &t.rooms[len(t.rooms)-1][len(t.list)%clientRoom]
	*c = newClient(name, hash, u, g)
	t.list = append(t.list, c)
	t.place(clientSlot{slotHash(u.id, hash), int32(len(t.list))})
	return c
}

// grow makes the table twice as large.
func (t *clientTable) grow() {
	before := t.slots
	t.slots = make([]clientSlot, max(clientRoom, 2*len(before)))
	for _, s := range before {
		if s.number > 0 {
			t.place(s)
		}
	}
}

// place puts a slot where the first free one is, from where it belongs.
func (t *clientTable) place(s clientSlot) {
	i := int(s.hash)
	for t.slots[i&(len(t.slots)-1)].number > 0 {
		i++
	}
	t.slots[i&(len(t.slots)-1)] = s
}

// slotHash returns what tells a unit and the hash of a name in a slot.
func slotHash(unit int32, hash uint64) uint32 {
	const odd = 0x9e3779b97f4a7c15
	return uint32((hash ^ uint64(unit)*odd) >> 32)
}
