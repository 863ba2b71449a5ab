package crawler

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// lendAfter is how long a request may take before it lends the slot of its site on.
const lendAfter = 3 * time.Second

// SlowBytes is what Config.SlowMemory counts for a slow request; fetch.Options.BodyMemory bounds what it holds beyond.
const SlowBytes = 128 << 10

// slots bound the sites that are served at once. A site whose request is slow lends its slot to another, so that as many slow
// hosts as there are workers do not keep everybody waiting; what bounds those is the memory they hold.
type slots struct {
	workers chan struct{} // one for each site that holds a slot
	slow    chan struct{} // one for each that has lent its own
	leaving chan struct{} // one for each whose last pages are being settled
	wanted  atomic.Bool   // somebody waits for a slot
}

func newSlots(workers int, slowMemory int64) *slots {
	return &slots{
		workers: make(chan struct{}, workers), slow: make(chan struct{}, max(slowMemory/SlowBytes, 1)),
		leaving: make(chan struct{}, workers),
	}
}

// take waits for a slot, and returns false when ctx ends.
func (s *slots) take(ctx context.Context) bool {
	select {
	case s.workers <- struct{}{}:
		return true
	default:
	}
	s.wanted.Store(true)
	defer s.wanted.Store(false)
	select {
	case s.workers <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// A slot is the right to serve a site. A nil slot is one that nobody waits for.
type slot struct {
	of *slots

	mu    sync.Mutex // guards the fields below
	isOut bool       // lent: the lease ends with the request under way
	left  bool       // given to others: no request is made any more
	ended bool
}

// wanted reports whether somebody waits for a slot.
func (s *slot) wanted() bool { return s != nil && s.of.wanted.Load() }

// leave lets another have the slot while the last pages of this site are being settled, which is waiting for the disk. If too many
// sites do so already, it stays taken.
func (s *slot) leave() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isOut || s.left {
		return
	}
	select {
	case s.of.leaving <- struct{}{}:
		s.left = true
		<-s.of.workers
	default:
	}
}

// lendWhenSlow lends the slot on unless stop is called soon.
func (s *slot) lendWhenSlow() (stop func()) {
	if s == nil {
		return func() {}
	}
	var timer *time.Timer
	s.mu.Lock() // until timer is set
	defer s.mu.Unlock()
	timer = time.AfterFunc(lendAfter, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.lendLocked() {
			timer.Reset(lendAfter) // no room among the slow ones
		}
	})
	return func() { timer.Stop() }
}

// lendLocked lends the slot on if there is room for one more slow site, and reports whether there is nothing left to do.
func (s *slot) lendLocked() bool {
	if s.isOut || s.left || s.ended {
		return true
	}
	select {
	case s.of.slow <- struct{}{}:
		s.isOut = true
		<-s.of.workers
	default:
	}
	return s.isOut
}

// lent reports whether another site has the slot.
func (s *slot) lent() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isOut
}

// giveBack ends the right. It is called once.
func (s *slot) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	switch {
	case s.isOut:
		<-s.of.slow
	case s.left:
		<-s.of.leaving
	default:
		<-s.of.workers
	}
}
