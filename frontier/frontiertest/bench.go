package frontiertest

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

const (
	benchBatch   = 50 // links of one page
	benchSites   = 1000
	benchWorkers = 64 // pages in hand at once, whatever the number of processors
)

// Benchmark measures what a crawl does most: adding the links of a page when all of them are new, and when four of five
// are known, and leasing a site to fetch one page of it. Each operation is one page.
func Benchmark(b *testing.B, open Open) {
	b.Run("AddNew", func(b *testing.B) { benchmarkAdd(b, open, benchBatch) })
	b.Run("AddKnown80", func(b *testing.B) { benchmarkAdd(b, open, benchBatch/5) })
	b.Run("LeaseNextSettle", func(b *testing.B) { benchmarkLease(b, open) })
}

// benchmarkAdd adds batches of links of which that many are new, and of the same site. The known ones are of many.
func benchmarkAdd(b *testing.B, open Open, fresh int) {
	f := open(b)
	defer closeBench(b, f)
	var serial atomic.Int64
	b.ReportAllocs()
	inParallel(b, func() error {
		links := make([]frontier.Link, benchBatch)
		n := int(serial.Add(int64(fresh)))
		for i := range links {
			page := n - fresh + i
			if i >= fresh { // known, from a while ago
				page = max(n-(i+1)*997, 0)
			}
			links[i] = frontier.Link{URL: benchURL(page/benchBatch, page), Depth: 1}
		}
		_, err := f.Add(context.Background(), links)
		return err
	})
	b.ReportMetric(float64(b.N)*benchBatch/b.Elapsed().Seconds(), "links/s")
}

// benchmarkLease leases, takes one entry, settles it with two new links, and closes.
func benchmarkLease(b *testing.B, open Open) {
	f := open(b)
	defer closeBench(b, f)
	ctx := context.Background()
	var serial atomic.Int64
	more := func(n int) []frontier.Link {
		links := make([]frontier.Link, n)
		for i := range links {
			page := int(serial.Add(1))
			links[i] = frontier.Link{URL: benchURL(page, page)}
		}
		return links
	}
	if _, err := f.Add(ctx, more(2*benchSites)); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	inParallel(b, func() error {
		l, err := f.Lease(ctx, time.Minute)
		if err != nil {
			return err
		}
		e, ok, err := l.Next(ctx)
		if err == nil && ok {
			_, err = l.Settle(ctx, frontier.Outcome{Entry: e, Status: frontier.Done, Page: true, Links: more(2)})
		}
		if err != nil {
			return err
		}
		return l.Close()
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

// benchURL returns the URL of a page of one of benchSites sites.
func benchURL(site, page int) frontier.URL {
	var room [64]byte
	buf := append(room[:0], "http://site"...)
	buf = strconv.AppendInt(buf, int64(site%benchSites), 10)
	buf = append(buf, ".example/section/article-"...)
	buf = strconv.AppendInt(buf, int64(page), 10)
	u, err := frontier.ParseURL(string(append(buf, ".html"...)))
	if err != nil {
		panic(err) // it is a constant but for the numbers
	}
	return u
}

func inParallel(b *testing.B, do func() error) {
	b.SetParallelism(benchWorkers)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func closeBench(b *testing.B, f frontier.Frontier) {
	b.StopTimer()
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
