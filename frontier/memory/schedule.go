package memory

import (
	"container/heap"
	"context"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Lease implements frontier.Frontier.
func (f *Frontier) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	for {
		l, changed, until, err := f.tryLease(ctx, patience)
		if err != nil {
			return nil, err
		}
		if l != nil {
			return l, nil
		}
		if err := f.wait(ctx, changed, until); err != nil {
			return nil, err
		}
	}
}

// tryLease leases the first site of the schedule if it is due. Otherwise it says what to wait for.
func (f *Frontier) tryLease(ctx context.Context,
	patience time.Duration) (l *lease, changed <-chan struct{}, until time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.usableLocked(ctx); err != nil {
		return nil, nil, time.Time{}, err
	}
	now := time.Now()
	if len(f.schedule) > 0 {
		first := f.schedule[0]
		if !first.due.After(now) {
			return f.leaseLocked(f.bestDueLocked(now)), nil, time.Time{}, nil
		}
		until = first.due
	}
	switch {
	case f.leases > 0:
	case until.IsZero():
		return nil, nil, until, frontier.ErrIdle
	case until.Sub(now) > patience:
		return nil, nil, until, frontier.ErrWaiting
	}
	return nil, f.changed, until, nil
}

// bestDueLocked returns the site that comes first of those that are due, one of which there must be.
func (f *Frontier) bestDueLocked(now time.Time) *site {
	best := f.schedule[0]
	if !f.prioritized {
		return best.site
	}
	for _, a := range f.schedule {
		if !a.due.After(now) && a.site.turn(a.due).Before(best.site.turn(best.due)) {
			best = a
		}
	}
	return best.site
}

func (f *Frontier) leaseLocked(s *site) *lease {
	f.leases++
	l := newLease(f, s)
	s.lease = l
	f.rescheduleLocked(s)
	return l
}

// rescheduleLocked puts s where it belongs in the schedule. It must be called after whatever may change when s is due.
func (f *Frontier) rescheduleLocked(s *site) {
	due, ok := s.due()
	if s.lease != nil || !ok {
		if s.place >= 0 {
			heap.Remove(&f.schedule, s.place)
			broadcast(&f.changed)
		}
		return
	}
	switch {
	case s.place < 0:
		heap.Push(&f.schedule, appointment{due, s})
	case f.schedule[s.place].due.Equal(due):
		return
	default:
		f.schedule[s.place].due = due
		heap.Fix(&f.schedule, s.place)
	}
	if s.place == 0 {
		broadcast(&f.changed)
	}
}

// An appointment is the time at which a site is due.
type appointment struct {
	due  time.Time
	site *site
}

// schedule is a heap of appointments.
type schedule []appointment

func (h schedule) Len() int           { return len(h) }
func (h schedule) Less(i, j int) bool { return h[i].due.Before(h[j].due) }

func (h schedule) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].site.place = i
	h[j].site.place = j
}

func (h *schedule) Push(x any) {
	a := x.(appointment)
	a.site.place = len(*h)
	*h = append(*h, a)
}

func (h *schedule) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	a.site.place = -1
	(*h)[last] = appointment{}
	*h = (*h)[:last]
	return a
}
