package fetch

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// errNoRoom is what a body gets that does not want to wait for room.
var errNoRoom = errors.New("no room for the body now")

// memory is the room that all large bodies share.
//
// Bodies claim room bit by bit as their bytes arrive, so a server that only announces a large body holds none. Claiming in
// bits can deadlock: all room is taken by bodies that each wait for more. Therefore a part of the memory, enough for the
// largest body possible, is kept out of the common pool; when the pool is empty, one body at a time gets the whole of
// that reserve and so can always complete (Dijkstra's banker with one loan).
type memory struct {
	mu       sync.Mutex // guards the fields below and share.held
	free     int64      // of the common pool
	borrower *share     // who has the reserve; nil means nobody
	queue    []*claim   // first come, first served
}

// newMemory returns total bytes of room of which reserve is for one body at a time. If total is too small there is only
// the reserve.
func newMemory(total, reserve int64) *memory {
	return &memory{free: max(total-reserve, 0)}
}

// A share is the room that one body holds. The zero share holds none and may be settled and released. Only one goroutine
// uses it at a time.
type share struct {
	memory  *memory
	claimed bool  // most bodies are small, claim nothing, and need not lock the memory to give it back
	credit  int64 // of held: claimed ahead and not used yet
	held    int64 // of the common pool; guarded by memory.mu
}

type claim struct {
	share   *share
	n       int64
	granted chan struct{}
}

// try adds n bytes to the share if there is room now.
func (s *share) try(n int64) bool {
	if s.credit >= n {
		s.credit -= n
		return true
	}
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	s.claimed = true
	overtakes := len(m.queue) > 0 && m.borrower != s
	return !overtakes && m.grantLocked(s, n)
}

// claim adds n bytes to the share. When there is no room it waits, with the clock of w stopped, until there is or ctx ends.
func (s *share) claim(ctx context.Context, w *watch, n int64) error {
	if s.try(n) {
		return nil
	}
	c := s.memory.enqueue(s, n)
	w.pause()
	defer w.resume()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
		return s.memory.withdraw(ctx, c)
	}
}

// prepay claims n bytes of which later claims are paid without waiting.
func (s *share) prepay(ctx context.Context, n int64) error {
	if err := s.claim(ctx, nil, n); err != nil {
		return err
	}
	s.credit += n
	return nil
}

// settle reduces the share to n bytes, for a body that is complete and takes no more. A loan of the reserve ends if the
// pool has room for it.
func (s *share) settle(n int64) {
	if !s.claimed {
		return
	}
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	s.credit = 0
	switch {
	case m.borrower != s:
		n = min(n, s.held)
		m.free += s.held - n
	case m.free >= n:
		m.borrower = nil
		m.free -= n
	default:
		return
	}
	s.held = n
	m.serveLocked()
}

// release gives everything back. Releasing twice does nothing.
func (s *share) release() {
	if !s.claimed {
		return
	}
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.borrower == s {
		m.borrower = nil
	}
	m.free += s.held
	s.held, s.credit = 0, 0
	m.serveLocked()
}

func (m *memory) enqueue(s *share, n int64) *claim {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &claim{share: s, n: n, granted: make(chan struct{})}
	m.queue = append(m.queue, c)
	m.serveLocked() // what was taken at the try may be free by now
	return c
}

// withdraw removes a claim from the queue, unless it has been granted meanwhile.
func (m *memory) withdraw(ctx context.Context, c *claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.queue, c)
	if i < 0 {
		return nil
	}
	m.queue = slices.Delete(m.queue, i, i+1)
	m.serveLocked()
	return context.Cause(ctx)
}

// serveLocked grants claims in their order until one must go on waiting.
func (m *memory) serveLocked() {
	for len(m.queue) > 0 && m.grantLocked(m.queue[0].share, m.queue[0].n) {
		close(m.queue[0].granted)
		m.queue = slices.Delete(m.queue, 0, 1)
	}
}

// grantLocked adds n bytes to a share, from the pool or as the loan of the reserve.
func (m *memory) grantLocked(s *share, n int64) bool {
	switch {
	case m.borrower == s:
	case m.free >= n:
		m.free -= n
		s.held += n
	case m.borrower == nil:
		m.borrower = s
		m.free += s.held // the reserve covers all of it
		s.held = 0
	default:
		return false
	}
	return true
}
