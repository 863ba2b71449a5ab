package crawler

import (
	"sync"
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
}

func newSlots(workers int, slowMemory int64) *slots {
	return &slots{workers: make(chan struct{}, workers), slow: make(chan struct{}, max(slowMemory/SlowBytes, 1))}
}

// A slot is the right to serve a site. A nil slot is one that nobody waits for.
type slot struct {
	of *slots

	mu    sync.Mutex // guards the fields below
	isOut bool       // lent: the lease ends with the request under way
	ended bool
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
	if s.isOut || s.ended {
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
	if s.isOut {
		<-s.of.slow
	} else {
		<-s.of.workers
	}
}
