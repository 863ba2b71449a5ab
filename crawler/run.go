package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
)

// Run adds the seeds, which are in scope from then on, and serves sites until nothing is left, a limit is reached, or ctx ends;
// then no new request starts and those under way may take Config.DrainTime. What is cut then goes back to the queue. Run returns
// why it ended. The error is that of a store that failed; what was settled before is safe, and the Run of another Crawler goes on
// from there. A Crawler that was used before is an error, too, and nothing is done.
func (c *Crawler) Run(ctx context.Context, seeds []frontier.URL) (Reason, error) {
	if c.used.Swap(true) {
		return EndFailed, errUsed
	}
	c.Extend(seeds)
	first := min(len(seeds), seedsAtOnce)
	if err := c.addSeeds(ctx, seeds[:first]); err != nil {
		return unbegun(ctx, err)
	}
	stats, err := c.config.Frontier.Stats(ctx)
	if err != nil {
		return unbegun(ctx, err)
	}
	r := &run{crawl: c, outer: ctx, slots: newSlots(c.config.Workers, c.config.SlowMemory), seeded: make(chan struct{})}
	if c.config.Recrawl.Run {
		stats.Pages = 0
	}
	c.budget = newBudget(c.config.Limits, c.config.Requisites.Fetch, stats.Pages, stats.Bytes,
		func(end Reason) { r.stop(endError(end)) })
	ctx, r.stop = context.WithCancelCause(ctx)
	defer r.stop(nil)
	if c.config.Quota != nil {
		c.budget.share()
		isLast, err := r.claimOnce(ctx)
		if err != nil {
			return unbegun(r.outer, err)
		}
		defer c.returnQuota(context.WithoutCancel(ctx))
		if !isLast {
			r.hosts.Go(func() { r.claim(ctx) })
		}
	}
	if c.config.Limits.Time > 0 {
		timer := time.AfterFunc(c.config.Limits.Time, func() { r.stop(endError(EndTime)) })
		defer timer.Stop()
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { r.drain(ctx, work, cancel) })()

	c.config.Log.Info("crawl starts", zap.Int("seeds", max(len(seeds), c.given)),
		zap.Int64("queued", stats.Queued+stats.Retrying), zap.Int64("pages", stats.Pages))
	c.seeding.Store(c.config.MoreSeeds != nil)
	r.hosts.Go(func() { r.seed(ctx, seeds[first:]) })
	end, err := r.leases(ctx, work)
	if end != "" {
		r.stop(endError(end))
	}
	r.hosts.Wait()
	c.readers.end()
	c.settlers.end()
	end, err = r.reason(ctx, end, err)
	if end == EndDone {
		end = c.stats.endOfHosts()
	}
	c.config.Log.Info("crawl ends", zap.String("reason", string(end)), zap.Error(err))
	return end, err
}

// errUsed says that a Crawler was used before: it has let go of what a run needs.
var errUsed = errors.New("crawler: a Crawler is used for one Run or one Survey; make another")

// unbegun is how a run ends that nothing was asked for in: its context has ended, or a store failed.
func unbegun(ctx context.Context, err error) (Reason, error) {
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		return EndInterrupted, nil
	}
	return EndFailed, err
}

// seedsAtOnce is how many seeds are made durable in one step.
const seedsAtOnce = 1000

// seed offers the seeds, step by step, while those before are visited.
func (r *run) seed(ctx context.Context, seeds []frontier.URL) {
	defer close(r.seeded)
	for batch := range slices.Chunk(seeds, seedsAtOnce) {
		if ctx.Err() != nil {
			return // the next run offers them again
		}
		if err := r.crawl.addSeeds(ctx, batch); err != nil && ctx.Err() == nil {
			r.stop(err)
			return
		}
	}
	if r.crawl.config.MoreSeeds == nil {
		return
	}
	defer r.crawl.seeding.Store(false)
	for batch, err := range r.crawl.config.MoreSeeds(ctx) {
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			r.crawl.Extend(batch)
			err = r.crawl.addSeeds(ctx, batch)
		}
		if err != nil && ctx.Err() == nil {
			r.stop(err)
			return
		}
	}
}

// addSeeds offers seeds to the frontier. They pass the same gates as links, and are told when they do not.
func (c *Crawler) addSeeds(ctx context.Context, seeds []frontier.URL) error {
	links := make([]frontier.Link, 0, len(seeds))
	for _, u := range seeds {
		l := frontier.Link{URL: u}
		if r, refused := c.admit(l); refused {
			c.tellRefusedLink(r.of(l))
			continue
		}
		links = append(links, l)
	}
	if _, err := c.config.Frontier.Add(ctx, links); err != nil {
		return fmt.Errorf("add seeds: %w", err)
	}
	return nil
}

// run is the state of one Run.
type run struct {
	crawl  *Crawler
	outer  context.Context // what the caller gave; ended means interrupted
	stop   context.CancelCauseFunc
	slots  *slots
	seeded chan struct{} // closed when all seeds have been offered
	hosts  sync.WaitGroup
}

// endError carries the reason of an orderly end through a context.
type endError Reason

func (e endError) Error() string { return string(e) }

// overtime is how much of Config.DrainTime there is when Limits.Time ends the run: who asks for a time means it.
const overtime = 2 * time.Second

// drain gives requests under way their last moments after the stop, which ended ctx.
func (r *run) drain(ctx, work context.Context, cancel context.CancelFunc) {
	left := r.crawl.config.DrainTime
	if errors.Is(context.Cause(ctx), endError(EndTime)) {
		left = min(left, overtime)
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
		cancel()
	case <-work.Done():
	}
}

// leases starts a goroutine for each site that becomes due, as long as there is a slot, until nothing is left to start.
func (r *run) leases(ctx, work context.Context) (Reason, error) {
	for {
		if !r.slots.take(ctx) {
			return "", nil
		}
		if end := r.room(ctx); end != "" || ctx.Err() != nil {
			return end, nil
		}
		if end := r.awaitHours(ctx); end != "" || ctx.Err() != nil {
			return end, nil
		}
		all := r.hasSeeded()
		lease, err := r.crawl.config.Frontier.Lease(ctx, r.crawl.config.Patience)
		switch {
		case !all && (errors.Is(err, frontier.ErrIdle) || errors.Is(err, frontier.ErrWaiting)):
			<-r.slots.workers
			select {
			case <-r.seeded:
			case <-time.After(seedWait):
			}
			continue
		case r.crawl.budget.full() && (errors.Is(err, frontier.ErrIdle) || errors.Is(err, frontier.ErrWaiting)):
			return EndPages, nil
		case errors.Is(err, frontier.ErrIdle):
			queued, err := r.crawl.askLast(ctx)
			if err != nil && ctx.Err() == nil {
				return EndFailed, err
			}
			if queued == 0 {
				return EndDone, nil
			}
			<-r.slots.workers
			continue
		case errors.Is(err, frontier.ErrWaiting):
			return EndWaiting, nil
		case ctx.Err() != nil && err != nil:
			return "", nil
		case err != nil:
			return EndFailed, fmt.Errorf("lease a site: %w", err)
		}
		r.hosts.Go(func() {
			s := &slot{of: r.slots}
			defer s.giveBack()
			r.serve(ctx, work, lease, s)
		})
	}
}

// seedWait is how long sites are not looked for when there are none, while seeds are still being offered.
const seedWait = 50 * time.Millisecond

func (r *run) hasSeeded() bool {
	select {
	case <-r.seeded:
		return true
	default:
		return false
	}
}

// room waits until the budget has room for a page and returns the limit that is reached when it never will.
func (r *run) room(ctx context.Context) Reason {
	for {
		ok, end, changed := r.crawl.budget.room()
		if ok || end != "" {
			return end
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ""
		}
	}
}

// serve visits one leased site. An error of a store stops the whole crawl; that the site is no longer this node's to ask does not.
func (r *run) serve(ctx, work context.Context, lease frontier.Lease, s *slot) {
	r.crawl.stats.serving(1)
	defer r.crawl.stats.serving(-1)
	err := newHost(r.crawl, lease, s).serve(ctx, work)
	if cerr := lease.Close(); err == nil {
		err = cerr
	}
	switch {
	case err == nil || work.Err() != nil:
	case errors.Is(err, frontier.ErrLost):
		r.crawl.config.Log.Warn("a site has gone to another node; what was under way is asked for there",
			zap.String("site", lease.Site()))
	default:
		r.stop(fmt.Errorf("%s: %w", lease.Site(), err))
	}
}

// reason turns the ways a run can end into one.
func (r *run) reason(ctx context.Context, end Reason, err error) (Reason, error) {
	if err != nil {
		return EndFailed, err
	}
	var ended endError
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return end, nil
	case r.outer.Err() != nil:
		return EndInterrupted, nil
	case errors.As(cause, &ended):
		return Reason(ended), nil
	default:
		return EndFailed, cause
	}
}
