package crawler_test

import (
	"context"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/storage"
)

// Workers wait for sites, not for a disk: with more sites than workers, nearly all of them have a request under way all the time,
// though each page waits for a disk until it is stored, and settled.
func TestWorkers_WaitForNoDisk(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		hosts, pages, workers  int
		latency, store, settle time.Duration
		percent                int // of the requests that the workers could make
	}{
		{"many hosts", 200, 40, 64, 50 * time.Millisecond, 2 * time.Millisecond, 25 * time.Millisecond, 90},
		{"few pages each", 400, 6, 64, 50 * time.Millisecond, 2 * time.Millisecond, 25 * time.Millisecond, 80},
		{"one host", 1, 500, 64, 5 * time.Millisecond, time.Millisecond, 25 * time.Millisecond, 90},
	} {
		if testing.Short() && tt.hosts > 1 {
			tt.hosts /= 4
			tt.workers /= 4
		}
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				bench := web.Bench(webtest.BenchShape{Hosts: tt.hosts, Pages: tt.pages, PageBytes: 5000, Latency: tt.latency})
				j := newJob(t, web)
				j.frontier = &slowDisk{memory.New(), tt.settle}
				start := time.Now()
				end := j.run(t, t.Context(), func(c *crawler.Config) {
					c.Workers, c.Politeness, c.Events, c.Sink = tt.workers, crawler.Politeness{Delay: -1, Factor: -1}, crawler.Events{}, slowSink(tt.store)
					c.Traps.Released = []*regexp.Regexp{regexp.MustCompile(".")}
				}, bench.Seeds()...)
				took := time.Since(start)
				if got := bench.Served(); end != crawler.EndDone || got != bench.Total() {
					t.Fatalf("ended with %q after %d pages of %d", end, got, bench.Total())
				}
				requests := bench.Total() + tt.hosts // and a robots.txt each
				least := time.Duration(requests) * tt.latency / time.Duration(min(tt.workers, tt.hosts))
				t.Logf("%d %% of what the workers could do", 100*least/took)
				if int(100*least/took) < tt.percent {
					t.Errorf("%d requests took %v, want at most %v, which is %d %% of the pace possible", requests, took, least*100/time.Duration(tt.percent), tt.percent)
				}
			})
		})
	}
}

// What a site forbids is turned away without a wait of each for the disk: lists of seeds have thousands of such URLs.
func TestWorkers_RefusalsShareTheDisk(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		const settle, urls = 25 * time.Millisecond, 320
		site := web.Site(webtest.Pages{"/robots.txt": {Body: "User-agent: *\nDisallow: /no\n"}})
		var seeds []string
		for i := range urls {
			seeds = append(seeds, fmt.Sprintf("%s/no/%d", site.URL, i))
		}
		j := newJob(t, web)
		j.frontier = &slowDisk{memory.New(), settle}
		start := time.Now()
		j.run(t, t.Context(), func(c *crawler.Config) { c.Workers = 1 }, seeds...)
		if took := time.Since(start); took > urls*settle/4 {
			t.Errorf("%d refusals took %v; one by one they take %v", urls, took, urls*settle)
		}
		if n, err := j.frontier.Stats(t.Context()); err != nil || n.Refused != urls {
			t.Errorf("%d of %d URLs are refused, %v", n.Refused, urls, err)
		}
	})
}

// The largest site decides when a crawl ends, so it is served nearly all the time, whatever else there is to do.
func TestWorkers_LargestSiteIsNotLeftForTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		const latency, workers, large, small = 20 * time.Millisecond, 8, 600, 60
		big := web.Bench(webtest.BenchShape{Hosts: 1, Pages: large, PageBytes: 5000, Latency: latency})
		others := web.Bench(webtest.BenchShape{Hosts: small, Pages: 40, PageBytes: 5000, Latency: latency})
		j := newJob(t, web)
		j.frontier = &slowDisk{memory.New(), 5 * time.Millisecond}
		start := time.Now()
		j.run(t, t.Context(), func(c *crawler.Config) {
			c.Workers, c.Politeness, c.Events, c.Sink = workers, crawler.Politeness{Delay: -1, Factor: -1}, crawler.Events{}, nil
			c.Traps.Released = []*regexp.Regexp{regexp.MustCompile(".")}
		}, append(others.Seeds(), big.Seeds()...)...)
		took, least := time.Since(start), (large+1)*latency
		if big.Served() != large || others.Served() != others.Total() {
			t.Fatalf("%d and %d pages served", big.Served(), others.Served())
		}
		t.Logf("took %v, at least %v", took, least)
		if took > least*4/3 {
			t.Errorf("took %v, want little more than %v, which the largest site takes by itself", took, least)
		}
	})
}

// slowSink takes that long to keep a page.
type slowSink time.Duration

func (s slowSink) Put(context.Context, *storage.Page) error { time.Sleep(time.Duration(s)); return nil }

// slowDisk is a frontier whose steps take time until they are durable.
type slowDisk struct {
	*memory.Frontier
	takes time.Duration
}

func (f *slowDisk) Add(ctx context.Context, links []frontier.Link) (frontier.AddResult, error) {
	time.Sleep(f.takes)
	return f.Frontier.Add(ctx, links)
}

func (f *slowDisk) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	l, err := f.Frontier.Lease(ctx, patience)
	if err != nil {
		return nil, err
	}
	return &slowLease{l, f.takes}, nil
}

type slowLease struct {
	frontier.Lease
	takes time.Duration
}

func (l *slowLease) Settle(ctx context.Context, outcomes ...frontier.Outcome) (frontier.AddResult, error) {
	time.Sleep(l.takes)
	return l.Lease.Settle(ctx, outcomes...)
}

func (l *slowLease) SetPolicy(ctx context.Context, p frontier.SitePolicy) error {
	time.Sleep(l.takes)
	return l.Lease.SetPolicy(ctx, p)
}
