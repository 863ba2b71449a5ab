package crawler

import (
	"context"
	"net/netip"
	"sync"
)

// addressGate bounds the requests in flight per IP address: a thousand names may be one machine.
type addressGate struct {
	most int

	mu    sync.Mutex
	slots map[netip.Addr]*addressSlots // only addresses in use
}

type addressSlots struct {
	users int // holding or waiting
	free  chan struct{}
}

func newAddressGate(most int) *addressGate {
	return &addressGate{most: most, slots: map[netip.Addr]*addressSlots{}}
}

// busy reports whether a request to addr would have to wait.
func (g *addressGate) busy(addr netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.slots[addr]
	return g.most > 0 && s != nil && s.users >= g.most
}

// enter waits for a slot of addr; leave gives it back. It returns ctx.Err() when ctx ends first.
func (g *addressGate) enter(ctx context.Context, addr netip.Addr) (leave func(), err error) {
	if g.most <= 0 {
		return func() {}, nil
	}
	g.mu.Lock()
	s := g.slots[addr]
	if s == nil {
		s = &addressSlots{free: make(chan struct{}, g.most)}
		g.slots[addr] = s
	}
	s.users++
	g.mu.Unlock()
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free; g.forget(addr, s) }, nil
	case <-ctx.Done():
		g.forget(addr, s)
		return nil, ctx.Err()
	}
}

func (g *addressGate) forget(addr netip.Addr, s *addressSlots) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(g.slots, addr)
	}
}
