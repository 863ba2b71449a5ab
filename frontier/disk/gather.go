package disk

import (
	"sync"
	"time"
)

// Bounds of what gathers for one batch.
const (
	gatherRequests = 32   // of callers: more would make each no cheaper to speak of
	gatherOps      = 2000 // links and entries, of which a new one takes about a hundred bytes
	gatherOfLease  = 8    // settlements of one site: who asks it may have room for no more
)

// A gathering is what waits to be committed, as far as it matters for how long that gathers company.
type gathering struct {
	came chan struct{} // has something in it when there is something new to look at

	mu     sync.Mutex // guards what follows
	n, ops int
	of     map[*lease]int // settlements
	until  time.Time      // the first moment at which somebody waits for what waits
	enough bool
}

// add counts a request, which may wait until a moment. It reports whether that shortens the wait.
func (g *gathering) add(r *request) (shorter bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n++; g.n == 1 || r.until.Before(g.until) {
		g.until, shorter = r.until, true
	}
	g.ops += len(r.ops) + len(r.out)
	if r.lease != nil {
		g.of[r.lease]++
	}
	g.enough = g.enough || g.n >= gatherRequests || g.ops >= gatherOps || g.of[r.lease] >= gatherOfLease
	return shorter || g.enough
}

// look returns how long what waits may wait; 0 when it is enough.
func (g *gathering) look() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.enough {
		return 0
	}
	return time.Until(g.until)
}

// end begins the next one.
func (g *gathering) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n, g.ops, g.enough = 0, 0, false
	clear(g.of)
}

// poke makes a leader that waits for company look again.
func (g *gathering) poke() {
	select {
	case g.came <- struct{}{}:
	default: // it will see this too
	}
}

// gathers reports whether requests wait for company.
func (f *Frontier) gathers() bool { return f.opts.Gather > 0 }

// gather waits for company, as a batch costs the same for one request as for many: until the first of those that wait has been
// waiting for Options.Gather, or its site could go on with what it brings; less when enough have come, or when no page is under way
// that could bring another.
func (f *Frontier) gather() {
	g := &f.committer.gathering
	for {
		wait := g.look()
		if wait <= 0 || !f.mayBring() {
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-g.came:
		case <-timer.C:
		case <-f.closed:
			wait = 0
		case <-f.failed:
			wait = 0
		}
		timer.Stop()
		if wait == 0 {
			return
		}
	}
}

// mayBring reports whether an entry is under way: who has it can end it without waiting for what is to be committed.
func (f *Frontier) mayBring() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for l := range f.leases {
		if l.setting > 0 {
			continue
		}
		for _, t := range l.taken {
			if !t.settling {
				return true
			}
		}
	}
	return false
}

// mayWaitLocked returns until when a settlement of the lease may wait: somebody waits for it when the site may be asked again, if
// nothing else of it is queued.
func (l *lease) mayWaitLocked(now time.Time) time.Time {
	f, s := l.f, l.site
	until := now.Add(f.opts.Gather)
	settling := 0
	for _, t := range l.taken {
		if !t.settling {
			return until // it is asked for that
		}
		settling++
	}
	if s.rec.queued+s.rec.retrying > int64(settling) {
		return until
	}
	if wait := time.Duration(f.passableLocked(s) - f.core.clock.now()); wait < f.opts.Gather {
		return now.Add(max(wait, 0))
	}
	return until
}
