package crawler_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

// Ensure that a crawl goes on when a site has gone to another node while it was visited, and asks for nothing again when it comes
// back before anybody has asked for more.
func TestRun_SiteGoesToAnotherNode(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		sites := web.Bench(webtest.BenchShape{Hosts: 3, Pages: 20, PageBytes: 2000, Links: 10})
		j := newJob(t, web)
		fleeting := &fleetingFrontier{Frontier: memory.New()}
		j.frontier = fleeting
		if end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Politeness = crawler.Politeness{Delay: -1, Factor: -1}
		}, sites.Seeds()...); end != crawler.EndDone {
			t.Errorf("the crawl ends with %q, want %q", end, crawler.EndDone)
		}
		if fleeting.lost.Load() == 0 {
			t.Error("no site was lost")
		}
		if st, err := fleeting.Stats(t.Context()); err != nil || st.Done != int64(sites.Total()) || st.Queued > 0 {
			t.Errorf("Stats = %+v, %v, want %d pages", st, err, sites.Total())
		}
		if asked := sites.Served(); asked != sites.Total() {
			t.Errorf("%d requests for %d pages", asked, sites.Total())
		}
	})
}

// A fleetingFrontier is one whose sites go to another node now and then, and come back.
type fleetingFrontier struct {
	*memory.Frontier
	lost atomic.Int64
}

func (f *fleetingFrontier) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	l, err := f.Frontier.Lease(ctx, patience)
	if err != nil {
		return nil, err
	}
	return &fleetingLease{Lease: l, of: f}, nil
}

type fleetingLease struct {
	frontier.Lease
	of      *fleetingFrontier
	settled atomic.Int64
}

func (l *fleetingLease) Settle(ctx context.Context, outcomes ...frontier.Outcome) (frontier.AddResult, error) {
	if l.settled.Add(1) > 4 {
		l.of.lost.Add(1)
		return frontier.AddResult{}, fmt.Errorf("settle: %w", frontier.ErrLost)
	}
	return l.Lease.Settle(ctx, outcomes...)
}
