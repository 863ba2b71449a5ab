package crawler_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// BenchmarkEngine crawls a web of 200 hosts with a frontier in memory and nothing stored: what the engine itself costs,
// and its servers, which run in the same process.
func BenchmarkEngine(b *testing.B) {
	web := webtest.New(b)
	bench := web.Bench(webtest.BenchShape{Hosts: 200, Pages: 20})
	for b.Loop() {
		j := newJob(b, web)
		j.forget = true
		end := j.run(b, b.Context(), func(c *crawler.Config) {
			c.Politeness = crawler.Politeness{Delay: -1, Factor: -1}
		}, bench.Seeds()...)
		if end != crawler.EndDone {
			b.Fatalf("Run ended with %q", end)
		}
		if got := j.last.Status().Pages; got != int64(bench.Total()) {
			b.Fatalf("%d pages, want %d", got, bench.Total())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*bench.Total()), "µs/page")
}
