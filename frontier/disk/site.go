package disk

import (
	"container/list"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A site is what memory holds of a site: its records, the gate that requests pass, and who has leased it. All fields but
// id and name are guarded by Frontier.mu.
type site struct {
	id     siteID
	name   string
	rec    siteRecord // as of the last batch
	stored bool       // there is a record
	policy frontier.SitePolicy
	full   bool // policy has been read

	lease    *lease
	rested   time.Time // not leased before
	inFlight int
	own      bool          // a request of this process has ended
	dirty    bool          // lastEnd and gap are not in a batch yet
	lastEnd  int64         // when the last request ended; 0 if none is known
	gap      time.Duration // owed since
	next     time.Time     // the end of gap, if own
	changed  chan struct{}

	pins int           // why it must stay in memory
	idle *list.Element // in table.idle while pins is 0
}

// wait returns a channel that is closed when the gate should be tried again.
func (s *site) wait() <-chan struct{} {
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// wake lets those who wait at the gate try again.
func (s *site) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// exact reports whether what is in memory of s suffices to know when it is due.
func (f *Frontier) exact(s *site) bool { return s.full || s.own || s.lastEnd == 0 && !f.unclean }

// passable returns when the gate lets the next request pass, or, unless what is known of s is exact, a time before that.
//
// As long as no request of this process has ended, the gap is the longer of the one that was recorded and the delay of the
// policy. If the last process died, the time of the last request is not known: then the delay begins with this process.
func (f *Frontier) passable(s *site) int64 {
	if s.own {
		return max(moment(s.next), s.rec.blocked)
	}
	var t int64
	if s.lastEnd != 0 {
		t = later(s.lastEnd, f.owed(s))
	}
	if f.unclean && s.full {
		t = max(t, moment(f.start.Add(f.delay(s))))
	}
	return max(t, s.rec.blocked)
}

// owed returns the gap owed since lastEnd.
func (f *Frontier) owed(s *site) time.Duration {
	if s.own || !s.full {
		return s.gap
	}
	return max(s.gap, f.delay(s))
}

func (f *Frontier) delay(s *site) time.Duration {
	if s.policy.Delay > 0 {
		return s.policy.Delay
	}
	return f.opts.DefaultDelay
}

// due returns when s may be leased; ok is false if there is nothing to fetch.
func (f *Frontier) due(s *site) (due int64, ok bool) {
	if s.rec.waiting() == 0 {
		return 0, false
	}
	due = s.rec.retry
	if s.rec.queued > 0 {
		due = min(s.rec.since, now())
	}
	return max(due, f.passable(s), moment(s.rested)), true
}

func (f *Frontier) info(s *site) frontier.SiteInfo {
	r := &s.rec
	i := frontier.SiteInfo{
		Site: s.name, Policy: s.policy, LastEnd: wallTime(s.lastEnd), Leased: s.lease != nil,
		Queued: r.queued, Retrying: r.retrying, Done: r.done, Refused: r.refused, Failed: r.failed,
		Pages: r.pages, Bytes: r.bytes,
	}
	if due, ok := f.due(s); ok {
		i.Due = wallTime(due)
	}
	return i
}

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
