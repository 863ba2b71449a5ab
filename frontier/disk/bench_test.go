package disk_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/cputime"
)

func BenchmarkFrontier(b *testing.B) {
	frontiertest.Benchmark(b, func(t testing.TB) frontier.Frontier { return open(t, t.TempDir(), disk.Options{}) })
}

// Links as pages have them: about 87 bytes long, 50 on a page, 70 of a hundred to the page's own site.
const (
	linksPerPage = 50
	ownSite      = 70
)

// A synthetic web hands out pages to callers, each of which has its own part of it. known of a hundred links lead to URLs
// that came before.
type web struct {
	sites   int
	known   int
	urls    atomic.Uint64           // made up to now
	callers [callers][]frontier.URL // the URLs made for each, as long as any are to come again
}

// page fills links with those of another page for a caller. To make a URL costs a tenth of what it costs to add it, to
// take one that came before costs next to nothing.
func (w *web) page(caller int, rng *rand.Rand, links []frontier.Link) []frontier.Link {
	links = links[:0]
	own, depth := rng.IntN(w.sites), rng.IntN(7)
	came := &w.callers[caller]
	for range linksPerPage {
		if len(*came) > 0 && rng.IntN(100) < w.known {
			links = append(links, frontier.Link{URL: (*came)[rng.IntN(len(*came))]})
			continue
		}
		site, n := own, w.urls.Add(1)
		if rng.IntN(100) >= ownSite {
			site = rng.IntN(w.sites)
		}
		u := makeURL(site, n)
		links = append(links, frontier.Link{URL: u, Depth: depth})
		if w.known > 0 {
			*came = append(*came, u)
		}
	}
	return links
}

func hash(n uint64) uint64 { return n * 0x9e3779b97f4a7c15 >> 20 }

func makeURL(site int, n uint64) frontier.URL {
	var room [128]byte
	b := append(room[:0], "http://www.site-"...)
	b = strconv.AppendInt(b, int64(site), 10)
	b = append(b, ".example.com/archive/articles/category-"...)
	b = strconv.AppendUint(b, n%97, 10)
	b = append(b, "/title-of-article-"...)
	b = strconv.AppendUint(b, hash(n), 36)
	b = append(b, ".html"...)
	u, err := frontier.ParseURL(string(b))
	if err != nil {
		panic(err)
	}
	return u
}

// callers is how many pages are settled at once.
const callers = 32

// add adds n links from many callers at once, and returns how many were new.
func (w *web) add(tb testing.TB, f frontier.Frontier, n int) (fresh int64) {
	var wg sync.WaitGroup
	var left, added atomic.Int64
	left.Store(int64(n))
	for i := range callers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), w.urls.Load()))
			links := make([]frontier.Link, 0, linksPerPage)
			for left.Add(-linksPerPage) > -linksPerPage {
				links = w.page(i, rng, links)
				res, err := f.Add(context.Background(), links)
				if err != nil {
					tb.Error(err)
					return
				}
				added.Add(int64(res.New))
			}
		})
	}
	wg.Wait()
	return added.Load()
}

// The figures for adding links: all new, and four of five known.
func BenchmarkAdd(b *testing.B) {
	for _, known := range []int{0, 80} {
		b.Run(fmt.Sprintf("known=%d%%", known), func(b *testing.B) {
			f := open(b, b.TempDir(), disk.Options{})
			defer f.Close()
			w := &web{sites: 10_000, known: known}
			w.add(b, f, 100_000)
			b.ReportAllocs()
			b.ResetTimer()
			cpu := cputime.Used()
			w.add(b, f, b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "links/s")
			b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N), "cpu-s/Mlinks")
		})
	}
}

// The figures for a large crawl: FRONTIER_LINKS URLs (default a million; the goal is for ten million), all queued, and how
// the rate of the last fifth compares with that of the first.
func BenchmarkGrow(b *testing.B) {
	total := 1_000_000
	if s := os.Getenv("FRONTIER_LINKS"); s != "" {
		var err error
		if total, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(128 << 20)) // as the command does
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for b.Loop() {
		grow(b, total)
	}
}

func grow(b *testing.B, total int) {
	dir := b.TempDir()
	f := open(b, dir, disk.Options{})
	w := &web{sites: 100_000}
	var rates, costs []float64 // by tenth: links a second; processor microseconds a link
	peak, part := int64(0), total/10
	for range 10 {
		start, cpu := time.Now(), cputime.Used()
		w.add(b, f, part)
		rates = append(rates, float64(part)/time.Since(start).Seconds())
		costs = append(costs, float64((cputime.Used()-cpu).Microseconds())/float64(part))
		peak = max(peak, residentSet())
		b.Logf("%.0f links/s, %.1f cpu-s/Mlinks, RSS %d MB", rates[len(rates)-1], costs[len(costs)-1], residentSet()>>20)
	}
	// Merges come in bursts of about a tenth, so fifths are compared: 1/r is the time for a link.
	first, last := 2/(1/rates[0]+1/rates[1]), 2/(1/rates[8]+1/rates[9])
	b.ReportMetric(last, "links/s-last")
	b.ReportMetric(last/first, "last/first")
	b.ReportMetric((costs[8]+costs[9])/2, "cpu-s/Mlinks-last")
	b.ReportMetric((costs[0]+costs[1])/(costs[8]+costs[9]), "last/first-by-cpu")
	b.ReportMetric(float64(peak>>20), "RSS-MB")
	start := time.Now()
	frontiertest.MustClose(b, f)
	closed := time.Now()
	b.ReportMetric(float64(diskUsage(b, dir))/float64(total), "disk-B/link")
	f = open(b, dir, disk.Options{})
	b.Logf("close %v, open %v", closed.Sub(start), time.Since(closed))
	f.Close()
}

// diskUsage returns the sum of the sizes of the files in dir.
func diskUsage(b *testing.B, dir string) (sum int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// How long it takes to open a frontier that is new, and one of a small crawl; the command should start in 50 ms.
func BenchmarkOpen(b *testing.B) {
	for _, links := range []int{0, 20_000} {
		b.Run(fmt.Sprintf("links=%d", links), func(b *testing.B) {
			dir := b.TempDir()
			if links > 0 {
				f := open(b, dir, disk.Options{})
				(&web{sites: 100}).add(b, f, links)
				f.Close()
			}
			for i := 0; b.Loop(); i++ {
				sub := dir
				if links == 0 {
					sub = fmt.Sprintf("%s/%d", dir, i)
				}
				f := open(b, sub, disk.Options{})
				b.StopTimer()
				f.Close()
				b.StartTimer()
			}
		})
	}
}

// residentSet returns the resident set of this process, in bytes; 0 where it is not known.
func residentSet() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}
