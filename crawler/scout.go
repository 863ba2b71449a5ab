package crawler

import (
	"context"

	"github.com/cybermapper/cybermapper/frontier"
)

// While scouts are under way in a place that looks endless (package trap), the rest of it waits: an entry that is taken and not
// settled is back in its old place when the lease ends, as durable as it was. So nothing is lost, nor told, for waiting.

// How many entries may wait, in memory: a large site whose sitemaps name all of it has more.
const (
	mostWaiting = 50_000 // of all sites
	fewWaiting  = 500    // of a site, whatever others have
)

// scouting is what waits under a lease.
type scouting struct {
	visits  int             // entries taken that need not wait
	waits   int64           // that do
	waiting *frontier.Entry // one that does, nil when none does
	trials  int             // that had ended when the first one had to wait
	drained bool            // nothing else was due at last
}

// next takes the next entry that need not wait for scouts.
func (h *host) next(ctx context.Context) (frontier.Entry, bool, error) {
	for {
		e, ok, err := h.nextQueued(ctx)
		if err != nil {
			return e, false, err
		}
		if ok {
			h.awaitJudgment(ctx, e)
		}
		if waits := ok && h.crawl.parking.waits(e, h.waiting()); !h.took(e, ok, waits) {
			return e, ok, nil
		}
	}
}

// awaitJudgment waits for pages that are being read, if these may decide about the place of an entry: a site that may be asked
// faster than its pages are read would be asked for more of a place than it takes to judge it.
func (h *host) awaitJudgment(ctx context.Context, e frontier.Entry) {
	for left := h.reading(); left > 0 && h.crawl.parking.lags(e, left); left = min(left-1, h.reading()) {
		if !h.awaitConclusion(ctx) {
			return
		}
	}
}

// waiting returns how many entries wait under the lease.
func (h *host) waiting() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.scouting.waits
}

// took notes what Next gave, and reports whether the entry waits.
func (h *host) took(e frontier.Entry, ok, waits bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &h.scouting
	s.drained = !ok
	switch {
	case waits:
		s.waits++
		h.crawl.parking.waiting.Add(1)
		if s.waiting == nil {
			s.waiting, s.trials = &e, h.crawl.parking.trials()
		}
	case ok:
		s.visits++
	}
	return waits
}

// waitedEnough reports whether a trial has ended since something had to wait: the lease should end, so that it is taken anew.
func (h *host) waitedEnough() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.scouting.waiting != nil && h.crawl.parking.trials() > h.scouting.trials
}

// endWaiting gives back what waits, with the lease, and ends a trial if nothing but what waits for it is left: its scouts have come
// to an end.
func (h *host) endWaiting() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.crawl.parking.waiting.Add(-h.scouting.waits)
	if s := &h.scouting; s.waiting != nil && s.drained && s.visits == 0 {
		h.crawl.parking.conclude(*s.waiting)
	}
}
