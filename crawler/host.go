package crawler

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// How many entries are taken under one lease while other sites wait for their turn: in small portions sites end together. A site
// that has much queued is given a portion of it, as it is served longer than the others.
const (
	leastPages = 8
	mostPages  = 256
	portion    = 4 // of what it has queued, a part in so many
)

// When a site gives its worker to another, and for how long it is put back.
const (
	holdGap   = 200 * time.Millisecond // it must be left alone for longer
	dnsHold   = 100 * time.Millisecond // its name takes longer to look up
	dnsYield  = time.Second
	seedYield = time.Second            // it is out of scope, and seeds are still being taken in
	busyYield = 250 * time.Millisecond // its address has no slot free
	fullYield = time.Minute            // it has only pages queued, for which there is no room: beyond the patience
)

// How much of one site is under way beside its next request.
const (
	readAtOnce   = 4    // pages that are read and stored
	settleAtOnce = 64   // likewise, or settled, if they have
	fewLinks     = 1000 // at most: one with more counts as being read until it is settled
)

// host is one leased site being served. Its methods are safe for concurrent use.
type host struct {
	crawl    *Crawler
	config   *Config // of crawl
	lease    frontier.Lease
	slot     *slot // nil in a survey
	site     string
	pages    int // taken while other sites wait for their turn
	standing *standing
	budget   *hostBudget
	requests *requester
	rules    *siteRules
	tdm      *tdmFiles

	conclusions sync.WaitGroup // pages being read, stored and settled
	readSlots   chan struct{}
	settleSlots chan struct{}

	mu         sync.Mutex    // guards all below
	concluding int           // conclusions under way
	visiting   int           // connections that take entries, and do not wait for news
	changed    chan struct{} // closed when a conclusion ends, or the last visit; nil while nobody waits for that
	scouting   scouting
	probed     bool             // the site is well, or an entry was taken that shows whether it is
	held       []frontier.Entry // that failed before, until then
	turnsAway  bool             // the last entry was refused, which needs no gap, and the next may be
	outside    bool             // of its hours, which has been told
	err        error            // of a store
}

func newHost(c *Crawler, lease frontier.Lease, s *slot) *host {
	info := lease.Info()
	q := &requester{
		crawl: c, config: &c.config, lease: lease, slot: s, site: lease.Site(), standing: newStanding(c, lease),
		budget: newHostBudget(c.config.ofHost(lease.Site()), costOf(info)),
	}
	return &host{
		crawl: c, config: &c.config, lease: lease, slot: s, site: q.site, standing: q.standing, budget: q.budget,
		requests: q, rules: newSiteRules(q), tdm: &tdmFiles{requests: q},
		probed:    info.Policy.Failures == 0,
		pages:     int(min(max(info.Queued/portion, leastPages), mostPages)),
		readSlots: make(chan struct{}, readAtOnce), settleSlots: make(chan struct{}, settleAtOnce),
	}
}

// serve visits pages of the site until the lease has been used enough. ctx ends when no new request may start, work when
// those under way must end.
func (h *host) serve(ctx, work context.Context) error {
	work, cancel := mergeDone(work, h.lease.Context())
	defer cancel()
	if wait := h.notNow(ctx); wait > 0 {
		h.lease.Yield(time.Now().Add(wait))
		return nil
	}
	if h.isOutside() {
		return nil
	}
	if d, owed := h.crawl.debtTo(h.site); owed {
		return h.standing.takeOver(work, d)
	}
	var others sync.WaitGroup
	h.visiting = max(h.config.Hosts[h.site].Connections, 1)
	for range h.visiting - 1 {
		others.Go(func() { h.fail(h.visits(ctx, work)) })
	}
	h.fail(h.visits(ctx, work)) // here: a goroutine more for each site is memory
	others.Wait()
	h.slot.leave()
	h.conclusions.Wait()
	h.endWaiting()
	if err := h.yieldWhenFull(ctx); err != nil {
		h.fail(ignoreEnd(ctx, err))
	}
	if spent, matters := h.budget.spent(); matters {
		h.fail(ignoreEnd(work, h.standing.learnSpent(work, spent)))
	}
	return h.failure()
}

// yieldWhenFull puts a site back that has nothing queued but pages, for which there is no room.
func (h *host) yieldWhenFull(ctx context.Context) error {
	if !h.crawl.budget.needs || !h.crawl.budget.full() {
		return nil
	}
	e, ok, err := h.lease.Next(ctx) // it goes back when the lease is closed
	if ok && !isRequisite(e.Kind) {
		h.lease.Yield(time.Now().Add(h.config.Patience + fullYield))
	}
	return err
}

// mergeDone returns a context that ends with either of two.
func mergeDone(a, b context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(a)
	stop := context.AfterFunc(b, cancel)
	return ctx, func() { stop(); cancel() }
}

// notNow returns how long the site should be put back: while its name is still being looked up or its address is busy with
// other sites, the worker serves somebody else.
func (h *host) notNow(ctx context.Context) time.Duration {
	if h.crawl.seeding.Load() && !h.crawl.scope.mayWant(h.site) {
		return seedYield
	}
	lookup, cancel := context.WithTimeout(ctx, dnsHold)
	defer cancel()
	addrs, err := h.config.Resolver.Lookup(lookup, hostname(h.site))
	switch {
	case err != nil && lookup.Err() != nil:
		return dnsYield
	case err == nil && len(addrs) > 0 && h.crawl.addresses.busy(addrs[0]):
		return busyYield
	}
	return 0 // a name that does not resolve is found out, and told, by the request
}

// visits takes one entry after the other.
func (h *host) visits(ctx, work context.Context) error {
	defer h.visitingEnds()
	for n := 0; n < h.pages || !h.slot.wanted(); n++ {
		if ctx.Err() != nil || h.over() && !h.mayTurnAway() {
			return nil
		}
		more, err := h.visitNext(ctx, work)
		if err != nil {
			return ignoreEnd(ctx, err)
		}
		if !more && !h.awaitNews(ctx) {
			return nil
		}
	}
	return nil
}

// awaitNews waits until a page has been settled, which may have brought links of this site; false when none is under way, not even
// at another connection, or when it is better not to wait.
func (h *host) awaitNews(ctx context.Context) bool {
	if h.slot.wanted() {
		return false
	}
	h.visitingEnds()
	defer h.visitingGoesOn()
	return h.await(ctx, func() bool { return h.concluding+h.visiting > 0 })
}

// visitingEnds notes that a connection takes no more entries, and wakes the others if none of them has anything to hope for.
func (h *host) visitingEnds() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.visiting--
	if h.visiting+h.concluding == 0 {
		h.tellLocked()
	}
}

func (h *host) visitingGoesOn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.visiting++
}

// awaitConclusion waits until a conclusion ends; false when none is under way.
func (h *host) awaitConclusion(ctx context.Context) bool {
	return h.await(ctx, func() bool { return h.concluding > 0 })
}

// await waits until something changes, if it may: mayLocked is asked with the lock held.
func (h *host) await(ctx context.Context, mayLocked func() bool) bool {
	h.mu.Lock()
	if !mayLocked() {
		h.mu.Unlock()
		return false
	}
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	changed := h.changed
	h.mu.Unlock()
	select {
	case <-changed:
		return true
	case <-ctx.Done():
		return false
	}
}

// tellLocked wakes those that await something.
func (h *host) tellLocked() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// reading returns how many conclusions are under way.
func (h *host) reading() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.concluding
}

// visitNext visits the next entry, if one is due and the budget has room for it. more is false when the visits are over.
func (h *host) visitNext(ctx, work context.Context) (more bool, err error) {
	room, ok := h.crawl.budget.reserve()
	if !ok {
		return false, nil
	}
	defer room.giveBack()
	e, ok, err := h.next(ctx)
	if err != nil || !ok {
		return false, err
	}
	if room.full && !isRequisite(e.Kind) {
		return false, nil // it goes back to the queue
	}
	err = h.visit(ctx, work, e, room)
	if r, ok := errors.AsType[*restError](err); ok && r.reason == ReasonHours {
		h.restOutside(r)
		return false, nil
	}
	return err == nil, h.standing.heed(work, err)
}

// ignoreEnd drops an error that only says that ctx has ended: what was not settled goes back to the queue.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil
	}
	return err
}

// over reports whether the lease should end: the site must wait, or its slot is lent, or what it gave could not be stored, or what
// waited for scouts need not wait any more.
func (h *host) over() bool { return h.standing.mustWait() || h.ends() }

func (h *host) ends() bool {
	return h.isOutside() || h.slot.lent() || h.failure() != nil || h.waitedEnough()
}

// mayTurnAway reports whether the next entry may be one that is refused, for which a site that must wait need not wait.
func (h *host) mayTurnAway() bool {
	h.mu.Lock()
	turns := h.turnsAway
	h.mu.Unlock()
	return turns && !h.ends()
}

// turns takes down whether the entry that was visited last was refused.
func (h *host) turns(away bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turnsAway = away
}

func (h *host) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = errors.Join(h.err, err)
}

func (h *host) failure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}
