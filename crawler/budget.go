package crawler

import "sync"

// budget is what is left of the limits of a job. A page is reserved before it is fetched, so that many workers together
// do not fetch more than was asked for.
type budget struct {
	mu       sync.Mutex
	limits   Limits
	pages    int64 // fetched, over all runs
	bytes    int64 // received, over all runs
	reserved int64
	changed  chan struct{} // closed and replaced when a reservation is given back
}

func newBudget(l Limits, pages, bytes int64) *budget {
	return &budget{limits: l, pages: pages, bytes: bytes, changed: make(chan struct{})}
}

// room reports whether a page may be reserved. When not, end names the limit that is reached for good; if it is empty,
// reservations are out that may be given back, which changed tells.
func (b *budget) room() (ok bool, end Reason, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.limits.Bytes > 0 && b.bytes >= b.limits.Bytes:
		return false, EndBytes, nil
	case b.limits.Pages > 0 && b.pages >= b.limits.Pages:
		return false, EndPages, nil
	case b.limits.Pages > 0 && b.pages+b.reserved >= b.limits.Pages:
		return false, "", b.changed
	}
	return true, "", nil
}

// reserve takes room for one page, if there is any. Every true is followed by one settle.
func (b *budget) reserve() bool {
	if ok, _, _ := b.room(); !ok {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limits.Pages > 0 && b.pages+b.reserved >= b.limits.Pages {
		return false
	}
	b.reserved++
	return true
}

// settle gives a reservation back and counts what it was used for.
func (b *budget) settle(page bool, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved--
	b.bytes += bytes
	if page {
		b.pages++
	}
	if b.limits.Pages > 0 {
		close(b.changed)
		b.changed = make(chan struct{})
	}
}
