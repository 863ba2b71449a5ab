package crawler

import "sync"

// budget is what is left of the limits of a job. A page is reserved before it is fetched, so that many workers together
// do not fetch more than was asked for.
type budget struct {
	mu       sync.Mutex
	limits   Limits
	claimed  *claimed // with a Quota, instead of Pages and Bytes of limits; nil without
	needs    bool     // requisites of the last pages are fetched when there is room for no further page
	pages    int64    // fetched, over all runs
	bytes    int64    // received, over all runs
	reserved int64
	changed  chan struct{} // closed and replaced when a reservation is given back
	reached  func(Reason)  // called, perhaps more than once, when a limit is reached for good
}

// claimed is what a process has of limits that it shares.
type claimed struct {
	pages, bytes Allowance
	wanted       chan struct{} // asks for more
}

func newBudget(l Limits, needs bool, pages, bytes int64, reached func(Reason)) *budget {
	return &budget{limits: l, needs: needs, pages: pages, bytes: bytes, changed: make(chan struct{}), reached: reached}
}

// share makes the budget one of limits that are claimed, of which nothing is used yet.
func (b *budget) share() {
	b.pages, b.bytes, b.claimed = 0, 0, &claimed{wanted: make(chan struct{}, 1)}
}

// grow sets how much was claimed in all.
func (b *budget) grow(pages, bytes Allowance) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.claimed.pages, b.claimed.bytes = pages, bytes
	if _, end, _ := b.roomLocked(); end != "" {
		b.reached(end)
	}
	b.tellLocked()
}

// used returns how much was used; with a Quota, since the process began.
func (b *budget) used() (pages, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pages, b.bytes
}

// pagesLocked and bytesLocked return how much may be used.
func (b *budget) pagesLocked() Allowance {
	if b.claimed == nil {
		return Allowance{b.limits.Pages, true}
	}
	return b.claimed.pages
}

func (b *budget) bytesLocked() Allowance {
	if b.claimed == nil {
		return Allowance{b.limits.Bytes, true}
	}
	return b.claimed.bytes
}

// wantLocked asks for more of a limit when less than a quarter of what was claimed is left.
func (b *budget) wantLocked() {
	if b.claimed == nil {
		return
	}
	isShort := func(a Allowance, used int64) bool { return !a.IsLast && used >= a.All-a.All/4 }
	if !isShort(b.claimed.pages, b.pages+b.reserved) && !isShort(b.claimed.bytes, b.bytes) {
		return
	}
	select {
	case b.claimed.wanted <- struct{}{}:
	default:
	}
}

// tellLocked lets those look again who wait for room.
func (b *budget) tellLocked() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// room reports whether a page may be reserved. When not, end names the limit that is reached for good; if it is empty,
// reservations are out that may be given back, which changed tells.
func (b *budget) room() (ok bool, end Reason, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.roomLocked()
}

func (b *budget) roomLocked() (ok bool, end Reason, changed <-chan struct{}) {
	b.wantLocked()
	pages, bytes := b.pagesLocked(), b.bytesLocked()
	switch {
	case b.limits.Bytes > 0 && b.bytes >= bytes.All && bytes.IsLast:
		return false, EndBytes, nil
	case b.fullLocked() && b.needs:
		return true, "", nil
	case b.fullLocked():
		return false, EndPages, nil
	case b.limits.Bytes > 0 && b.bytes >= bytes.All, b.limits.Pages > 0 && b.pages+b.reserved >= pages.All:
		return false, "", b.changed
	}
	return true, "", nil
}

// reserve takes room for one page, if there is any. The reservation must be given back.
func (b *budget) reserve() (*reservation, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok, _, _ := b.roomLocked(); !ok {
		return nil, false
	}
	b.reserved++
	return &reservation{budget: b, full: b.fullLocked()}, true
}

// full reports whether there is room for no further page.
func (b *budget) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fullLocked()
}

func (b *budget) fullLocked() bool {
	pages := b.pagesLocked()
	return b.limits.Pages > 0 && b.pages >= pages.All && pages.IsLast
}

// A reservation is room for one page, and what it is used for. It has one owner at a time, who gives it back or hands it on.
type reservation struct {
	budget *budget // nil once given back or handed on
	full   bool    // there is no room for a page, only for what the last ones need
	page   bool    // a page was fetched
	bytes  int64   // received
}

// handOn returns the reservation for another owner; the former one has nothing to give back any more.
func (r *reservation) handOn() *reservation {
	next := *r
	r.budget = nil
	return &next
}

// giveBack ends the reservation and counts what it was used for. It does nothing for one that was given back or handed on.
func (r *reservation) giveBack() {
	b := r.budget
	if b == nil {
		return
	}
	r.budget = nil
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
	b.bytes += r.bytes
	if r.page {
		b.pages++
	}
	if _, end, _ := b.roomLocked(); end != "" {
		b.reached(end)
	}
	if b.limits.Pages > 0 {
		b.tellLocked()
	}
}
