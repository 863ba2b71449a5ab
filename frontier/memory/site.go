package memory

import (
	"cmp"
	"container/heap"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A record is what is known of one URL.
type record struct {
	info frontier.Info // Leased is not kept here
	site *site
	by   *lease // who has taken it

	remembered *frontier.Return // nil when nothing is
}

// waits reports whether r is in the queue or taken from it.
func (r *record) waits() bool {
	return r.info.Status == frontier.Queued || r.info.Status == frontier.Retrying
}

func (r *record) describe() frontier.Info {
	info := r.info
	info.Leased = r.by != nil
	if r.remembered != nil {
		copied := *r.remembered
		info.Return = &copied
	}
	return info
}

// A site is a queue and the gate that requests to its host pass.
type site struct {
	name   string
	info   frontier.SiteInfo // counters, policy and LastEnd; the rest is filled in by describe
	links  int               // URLs known; a site without is only the aim of a redirect
	fresh  records           // entries that wait for their turn
	retry  records           // entries that wait for their time
	lease  *lease            // who has leased it
	ready  time.Time         // since when fresh is not empty
	rested time.Time         // not leased before: when the last lease ended, or what it asked for
	place  int               // in the schedule, -1 if absent

	inFlight int
	next     time.Time     // no request leaves before
	passed   chan struct{} // closed and replaced when the gate should be tried again
}

func newSite(name string) *site {
	return &site{
		name:   name,
		info:   frontier.SiteInfo{Site: name},
		fresh:  records{less: byTurn},
		retry:  records{less: byTime},
		place:  -1,
		passed: make(chan struct{}),
	}
}

// enqueue puts r in the queue it belongs to.
func (s *site) enqueue(r *record, now time.Time) {
	if r.info.Status == frontier.Retrying {
		heap.Push(&s.retry, r)
		return
	}
	if s.fresh.Len() == 0 {
		s.ready = now
	}
	heap.Push(&s.fresh, r)
}

// take removes the entry whose turn it is, nil if there is none.
func (s *site) take(now time.Time) *record {
	if s.retry.Len() > 0 && !s.retry.all[0].info.NotBefore.After(now) {
		return heap.Pop(&s.retry).(*record)
	}
	if s.fresh.Len() > 0 {
		return heap.Pop(&s.fresh).(*record)
	}
	return nil
}

// due returns when s may be leased, and false if there is nothing to fetch.
func (s *site) due() (time.Time, bool) {
	owed, ok := s.owedUntil()
	if !ok {
		return time.Time{}, false
	}
	return latest(owed, s.rested), true
}

// owedUntil returns when the next request may leave at the earliest, and false if there is none to send.
func (s *site) owedUntil() (time.Time, bool) {
	var due time.Time
	switch {
	case s.fresh.Len() > 0:
		due = s.ready
	case s.retry.Len() > 0:
		due = s.retry.all[0].info.NotBefore
	default:
		return time.Time{}, false
	}
	return latest(due, s.opens()), true
}

// turn returns when s counts as due among sites that are due.
func (s *site) turn(due time.Time) time.Time {
	if s.fresh.Len() == 0 {
		return due
	}
	return due.Add(-time.Duration(s.fresh.all[0].info.Entry.Priority) * frontier.PriorityLead)
}

// opens returns when the gate lets the next request pass.
func (s *site) opens() time.Time { return latest(s.next, s.info.Policy.BlockedUntil) }

// count adds n to the counter of entries in that state.
func (s *site) count(status frontier.Status, n int64) {
	switch status {
	case frontier.Queued:
		s.info.Queued += n
	case frontier.Retrying:
		s.info.Retrying += n
	case frontier.Done:
		s.info.Done += n
	case frontier.Refused:
		s.info.Refused += n
	case frontier.Failed:
		s.info.Failed += n
	}
}

func (s *site) describe() frontier.SiteInfo {
	info := s.info
	info.Policy.State = append([]byte(nil), info.Policy.State...)
	info.Due, _ = s.owedUntil()
	info.Leased = s.lease != nil
	return info
}

func latest(times ...time.Time) (t time.Time) {
	for _, u := range times {
		if u.After(t) {
			t = u
		}
	}
	return t
}

// records is a heap of records.
type records struct {
	all  []*record
	less func(a, b *record) bool
}

// byTurn orders by depth less priority, then priority, then age.
func byTurn(a, b *record) bool {
	x, y := &a.info.Entry, &b.info.Entry
	return cmp.Or(cmp.Compare(level(x), level(y)), cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.ID, y.ID)) < 0
}

func level(e *frontier.Entry) int { return e.Depth - int(e.Priority) }

// byTime orders by the time of the next attempt.
func byTime(a, b *record) bool {
	if !a.info.NotBefore.Equal(b.info.NotBefore) {
		return a.info.NotBefore.Before(b.info.NotBefore)
	}
	return byTurn(a, b)
}

func (h *records) Len() int           { return len(h.all) }
func (h *records) Less(i, j int) bool { return h.less(h.all[i], h.all[j]) }
func (h *records) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *records) Push(x any)         { h.all = append(h.all, x.(*record)) }

func (h *records) Pop() any {
	last := len(h.all) - 1
	r := h.all[last]
	h.all[last] = nil
	h.all = h.all[:last]
	return r
}
