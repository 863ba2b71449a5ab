package disk_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A gathering is a frontier, some sites of which are being asked.
type gathering struct {
	*disk.Frontier
	log     *memLog
	leases  []frontier.Lease
	entries []frontier.Entry // one of each lease, under way
}

// gather opens a frontier of some sites, of which each has some URLs, and takes one of each. It has a log unless it has a barrier.
func gather(t *testing.T, sites, urls int, o disk.Options) *gathering {
	t.Helper()
	g := &gathering{log: &memLog{}}
	o.FS, o.Memory = vfs.NewMem(), 1
	if o.Barrier == nil {
		o.Log = g.log.take()
	}
	g.Frontier = open(t, "f", o)
	t.Cleanup(func() { g.Close() })
	for site := range sites {
		for i := range urls {
			frontiertest.Queue(t, g, fmt.Sprintf("http://site%d/%d", site, i))
		}
	}
	for range sites {
		l := frontiertest.MustLease(t, g, time.Hour)
		g.leases = append(g.leases, l)
		g.entries = append(g.entries, g.next(t, l))
	}
	return g
}

// next takes an entry and asks for it, which takes no time.
func (g *gathering) next(t *testing.T, l frontier.Lease) frontier.Entry {
	t.Helper()
	e := frontiertest.MustNext(t, l)
	return e
}

// settle settles the entry of a lease, with a link, and returns how long that took.
func (g *gathering) settle(t *testing.T, i int) time.Duration {
	begin := time.Now()
	o := frontier.Outcome{Entry: g.entries[i], Status: frontier.Done, Links: frontiertest.Links(t, fmt.Sprint(g.entries[i].URL, "/more"))}
	if _, err := g.leases[i].Settle(t.Context(), o); err != nil {
		t.Error(err)
	}
	return time.Since(begin)
}

// Ensure that pages which are settled within Options.Gather share a record of the log, and that none waits for longer; and that
// there is no such wait if it is not wanted, or without a log.
func TestGather(t *testing.T) {
	const sites = 6
	for _, tt := range []struct {
		name          string
		gather, every time.Duration
		records       int
		longest       time.Duration
	}{
		{"usual", 0, 30 * time.Millisecond, 2, 100 * time.Millisecond},
		{"longer", time.Second, 30 * time.Millisecond, 1, 150 * time.Millisecond}, // until the last
		{"none", -1, 30 * time.Millisecond, sites, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gather(t, sites, 3, disk.Options{Gather: tt.gather})
				before := g.log.len()
				var wg sync.WaitGroup
				var mu sync.Mutex
				var longest time.Duration
				for i := range sites {
					wg.Go(func() {
						took := g.settle(t, i)
						mu.Lock()
						defer mu.Unlock()
						longest = max(longest, took)
					})
					if i < sites-1 {
						time.Sleep(tt.every)
					}
				}
				wg.Wait()
				if n := g.log.len() - before; n != tt.records || longest != tt.longest {
					t.Errorf("%d records, the longest wait %v; want %d, %v", n, longest, tt.records, tt.longest)
				}
			})
		})
	}
}

// Ensure that without a log what is settled at about the same time shares a batch, and that nothing else waits.
func TestGather_WithoutLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sites = 5
		var batches atomic.Int32
		g := gather(t, sites, 3, disk.Options{Barrier: func() (uint64, error) { batches.Add(1); return 0, nil }})
		before := batches.Load()
		var wg sync.WaitGroup
		for i := range sites - 1 {
			wg.Go(func() {
				if took := g.settle(t, i); took > 5*time.Millisecond {
					t.Errorf("a page was settled after %v", took)
				}
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		if n := batches.Load() - before; n != 1 {
			t.Errorf("%d batches, want 1", n)
		}
		begin := time.Now()
		frontiertest.Queue(t, g, "http://c/")
		if err := g.leases[0].SetPolicy(t.Context(), frontier.SitePolicy{Delay: time.Second}); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("links and a policy waited %v", took)
		}
	})
}

// Ensure that nothing waits for company that cannot come, or longer than until its site could go on with what it brings.
func TestGather_Alone(t *testing.T) {
	const whole = 100 * time.Millisecond
	for _, tt := range []struct {
		name        string
		sites, urls int
		gap         time.Duration // of the site of the first
		do          func(t *testing.T, g *gathering)
		want        time.Duration
	}{
		{"one site, one page", 1, 1, 0, func(t *testing.T, g *gathering) { g.settle(t, 0) }, 0},
		{"one site, many pages", 1, 9, 0, func(t *testing.T, g *gathering) { g.settle(t, 0) }, 0},
		{"one of two sites, which has more", 2, 2, 0, func(t *testing.T, g *gathering) { g.settle(t, 0) }, whole},
		{"one of two sites, which stands still", 2, 1, 0, func(t *testing.T, g *gathering) { g.settle(t, 0) }, 0},
		{"... and rests for a while", 2, 1, 40 * time.Millisecond, func(t *testing.T, g *gathering) { g.settle(t, 0) },
			40 * time.Millisecond},
		{"... and rests for long", 2, 1, time.Second, func(t *testing.T, g *gathering) { g.settle(t, 0) }, whole},
		{"links, with nothing under way", 0, 0, 0, func(t *testing.T, g *gathering) { frontiertest.Queue(t, g, "http://c/") }, 0},
		{"links, with a page under way", 1, 1, 0, func(t *testing.T, g *gathering) { frontiertest.Queue(t, g, "http://c/") }, whole},
		{"many links", 1, 1, 0, func(t *testing.T, g *gathering) {
			var many []string
			for i := range 2000 {
				many = append(many, fmt.Sprint("http://c/", i))
			}
			frontiertest.Queue(t, g, many...)
		}, 0},
		{"the policy of the only site", 1, 9, 0, func(t *testing.T, g *gathering) {
			if err := g.leases[0].SetPolicy(t.Context(), frontier.SitePolicy{Delay: time.Second}); err != nil {
				t.Error(err)
			}
		}, 0},
		{"links, until the page is given up", 1, 1, 0, func(t *testing.T, g *gathering) {
			time.AfterFunc(30*time.Millisecond, func() { g.leases[0].Close() })
			frontiertest.Queue(t, g, "http://c/")
		}, 30 * time.Millisecond},
		{"links, until the frontier is closed", 1, 1, 0, func(t *testing.T, g *gathering) {
			time.AfterFunc(30*time.Millisecond, func() { g.Close() })
			frontiertest.Queue(t, g, "http://c/")
		}, 30 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gather(t, tt.sites, tt.urls, disk.Options{})
				if tt.gap > 0 {
					p, err := g.leases[0].Permit(t.Context(), g.leases[0].Site())
					if err != nil {
						t.Fatal(err)
					}
					p.Done(tt.gap)
				}
				begin := time.Now()
				if tt.do(t, g); time.Since(begin) != tt.want {
					t.Errorf("it waits %v, want %v", time.Since(begin), tt.want)
				}
			})
		})
	}
}

// Ensure that what is enough for a record waits no longer.
func TestGather_Enough(t *testing.T) {
	for _, tt := range []struct {
		name        string
		sites, each int
	}{
		{"of one site", 2, 8},
		{"of many", 33, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := gather(t, tt.sites, tt.each+1, disk.Options{})
				before, begin := g.log.len(), time.Now()
				var wg sync.WaitGroup
				for i, l := range g.leases[:tt.sites-1] {
					entries := []frontier.Entry{g.entries[i]}
					for range tt.each { // the last stays under way
						entries = append(entries, g.next(t, l))
					}
					for _, e := range entries[:tt.each] {
						wg.Go(func() {
							if _, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done}); err != nil {
								t.Error(err)
							}
						})
					}
				}
				wg.Wait()
				if n := g.log.len() - before; n != 1 || time.Since(begin) != 0 {
					t.Errorf("%d records after %v, want one at once", n, time.Since(begin))
				}
			})
		})
	}
}

// Ensure that a crawl of one site, which may be asked without a pause, takes as long as it would if nothing waited: whether it has
// many pages queued or each page leads to one only.
func TestGather_OneSite(t *testing.T) {
	const pages, fetch, appending = 200, 5 * time.Millisecond, 2 * time.Millisecond
	for _, queued := range []int{1, pages} {
		t.Run(fmt.Sprint(queued), func(t *testing.T) {
			var took [2]time.Duration
			for i, wait := range []time.Duration{-1, 0} {
				synctest.Test(t, func(t *testing.T) {
					owner := (&memLog{}).take()
					f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: owner, Gather: wait})
					defer f.Close()
					owner.before = func(int) error { time.Sleep(appending); return nil }
					for i := range queued {
						frontiertest.Queue(t, f, fmt.Sprintf("http://a/%d", i))
					}
					begin := time.Now()
					crawlOneSite(t, f, pages, fetch, pages-queued)
					took[i] = time.Since(begin)
				})
			}
			if took[1] > took[0]+took[0]/10 {
				t.Errorf("%d pages take %v, want %v", pages, took[1], took[0])
			}
		})
	}
}

// crawlOneSite fetches pages of one site, and settles sixteen at a time beside the next, of which some lead to one more.
func crawlOneSite(t *testing.T, f *disk.Frontier, pages int, fetch time.Duration, more int) {
	var settled sync.WaitGroup
	defer settled.Wait()
	room := make(chan struct{}, 16)
	for n := 0; n < pages; {
		l := frontiertest.MustLease(t, f, time.Hour)
		for ; n < pages; n++ {
			e, ok, err := l.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			g := frontiertest.MustPermit(t, l, l.Site())
			time.Sleep(fetch)
			g.Done(0)
			o := frontier.Outcome{Entry: e, Status: frontier.Done, Page: true}
			if n < more {
				o.Links = frontiertest.Links(t, fmt.Sprintf("http://a/more/%d", n))
			}
			room <- struct{}{}
			settled.Go(func() {
				if _, err := l.Settle(t.Context(), o); err != nil {
					t.Error(err)
				}
				<-room
			})
		}
		settled.Wait()
		l.Close()
	}
}
