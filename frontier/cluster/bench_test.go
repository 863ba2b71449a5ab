package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/cluster/tenure"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// The figures for a crawl of two nodes at three brokers that sync each write: pages of 50 links, four of five of them known, 70 of
// a hundred to the site of the page. What a page costs the brokers depends on how many there are at a time: so there are sites
// without a pause between requests, many sites with one, and few.
func BenchmarkCrawl(b *testing.B) {
	for _, bb := range []struct {
		name       string
		sites      int
		partitions int
		gap, fetch time.Duration
	}{
		{"sites=2000/gap=0", 2000, 8, 0, 0},
		{"sites=400/gap=1s", 400, 16, time.Second, 50 * time.Millisecond},
		{"sites=400/gap=100ms", 400, 16, 100 * time.Millisecond, 50 * time.Millisecond},
		{"sites=4/gap=100ms", 4, 4, 100 * time.Millisecond, 20 * time.Millisecond},
		{"sites=1/gap=0", 1, 4, 0, 5 * time.Millisecond},
	} {
		for name, gather := range map[string]time.Duration{"none": -1, "usual": 0} {
			b.Run(bb.name+"/gather="+name, func(b *testing.B) {
				c := brokertest.Start(b, 3)
				s := stream.Options{Servers: c.URLs(), Job: "test", Partitions: bb.partitions}
				var nodes []*cluster.Member
				for i := range 2 {
					m, err := cluster.Join(b.Context(), cluster.JoinOptions{
						Node: fmt.Sprint("node", i), Stream: s, Tenure: tenure.Options{Settle: time.Second},
						Frontier: cluster.Options{Dir: b.TempDir(), Disk: disk.Options{Gather: gather}},
					})
					if err != nil {
						b.Fatal(err)
					}
					defer m.Close()
					nodes = append(nodes, m)
				}
				time.Sleep(8 * time.Second) // until both own what they shall
				looker, err := stream.Connect(b.Context(), s)
				if err != nil {
					b.Fatal(err)
				}
				defer looker.Close()
				w := &busyWeb{sites: bb.sites, gap: bb.gap, fetch: bb.fetch}
				w.left.Store(int64(b.N))
				for site := range bb.sites {
					w.seeds = append(w.seeds, frontier.Link{URL: w.url(site, 0)})
				}
				if _, err := nodes[0].Add(b.Context(), w.seeds); err != nil {
					b.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				before, cpu := messages(b, looker, bb.partitions), brokertest.CPU(c)
				b.ResetTimer()
				ctx, stop := context.WithCancel(b.Context())
				w.stop = stop
				var running sync.WaitGroup
				for _, n := range nodes {
					running.Go(func() { w.crawl(ctx, b, n) })
				}
				running.Wait()
				b.StopTimer()
				pages := float64(b.N)
				b.ReportMetric(pages/b.Elapsed().Seconds(), "pages/s")
				b.ReportMetric(pages*50/b.Elapsed().Seconds(), "links/s")
				after := messages(b, looker, bb.partitions)
				b.ReportMetric(float64(after-before)/pages, "messages/page")
				b.ReportMetric((brokertest.CPU(c)-cpu).Seconds()*1000/pages, "broker-cpu-ms/page")
				b.ReportMetric(float64(w.settling.Load())/pages/1e6, "ms/settle")
			})
		}
	}
}

func messages(b *testing.B, s *stream.Brokers, partitions int) (sum uint64) {
	for p := range partitions {
		_, last, _, err := s.Extent(b.Context(), p)
		if err != nil {
			b.Fatal(err)
		}
		sum += last
	}
	return sum
}

// A busyWeb is one of pages that lead on for ever.
type busyWeb struct {
	sites      int
	gap, fetch time.Duration
	seeds      []frontier.Link
	left       atomic.Int64 // pages to be settled
	urls       atomic.Uint64
	settling   atomic.Int64 // nanoseconds
	stop       func()

	mu    sync.Mutex
	known []frontier.URL
}

func (w *busyWeb) url(site int, n uint64) frontier.URL {
	u, err := frontier.ParseURL(fmt.Sprintf("http://www.site-%d.com/archive/articles/category-%d/title-of-article-%d.html",
		site, n%97, n*0x9e3779b97f4a7c15>>20))
	if err != nil {
		panic(err)
	}
	return u
}

// page returns the links of a page.
func (w *busyWeb) page(of frontier.URL) (links []frontier.Link) {
	w.mu.Lock()
	known := w.known
	w.mu.Unlock()
	own, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(of.Site(), "www.site-"), ".com"))
	for range 50 {
		if len(known) > 1000 && rand.IntN(100) < 80 {
			links = append(links, frontier.Link{URL: known[rand.IntN(len(known))]})
			continue
		}
		site := own
		if rand.IntN(100) >= 70 {
			site = rand.IntN(w.sites)
		}
		links = append(links, frontier.Link{URL: w.url(site, w.urls.Add(1)), Depth: rand.IntN(7)})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range links {
		if len(w.known) < 1<<20 && l.Depth > 0 {
			w.known = append(w.known, l.URL)
		}
	}
	return links
}

// crawl serves sites as the engine does: pages are settled beside the next requests.
func (w *busyWeb) crawl(ctx context.Context, b *testing.B, f frontier.Frontier) {
	var hosts sync.WaitGroup
	defer hosts.Wait()
	workers, answers := make(chan struct{}, 250), make(chan struct{}, 256)
	for {
		workers <- struct{}{}
		l, err := f.Lease(ctx, time.Hour)
		if err != nil {
			if ctx.Err() == nil {
				b.Error(err)
			}
			return
		}
		hosts.Go(func() {
			defer func() { <-workers }()
			defer l.Close()
			if err := w.serve(ctx, l, answers); err != nil && ctx.Err() == nil && !errors.Is(err, frontier.ErrLost) {
				b.Error(err)
			}
		})
	}
}

func (w *busyWeb) serve(ctx context.Context, l frontier.Lease, answers chan struct{}) error {
	var settled sync.WaitGroup
	defer settled.Wait()
	room := make(chan struct{}, 16)
	for range 64 {
		e, ok, err := l.Next(ctx)
		if err != nil || !ok {
			return err
		}
		g, err := l.Permit(ctx, l.Site())
		if err != nil {
			return err
		}
		if w.fetch > 0 {
			time.Sleep(w.fetch)
		}
		g.Done(w.gap)
		room <- struct{}{}
		answers <- struct{}{}
		settled.Go(func() {
			begin := time.Now()
			_, err := l.Settle(ctx, frontier.Outcome{Entry: e, Status: frontier.Done, Page: true, Links: w.page(e.URL)})
			w.settling.Add(int64(time.Since(begin)))
			<-answers
			<-room
			if err == nil && w.left.Add(-1) <= 0 {
				w.stop()
			}
		})
		if w.gap > 200*time.Millisecond {
			break
		}
	}
	return nil
}
