package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// BenchmarkProve proves a crawl of 2,000 sites. VERIFY_REQUESTS says how many requests it made, 100,000 if it does not; each
// page has an outcome, as in life, and each site a robots.txt of its own.
func BenchmarkProve(b *testing.B) {
	requests := 100_000
	if n, err := strconv.Atoi(os.Getenv("VERIFY_REQUESTS")); err == nil {
		requests = n
	}
	j := generate(b, requests, 2000)
	var peak uint64
	for b.Loop() {
		r := prove(b, j, verify.Options{})
		if r.Requests != int64(requests) || r.Promise(verify.Gaps).Verdict != verify.Proven || r.Promise(verify.Allowed).Verdict != verify.Proven {
			b.Fatalf("%+v", r)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapSys)
	}
	b.ReportMetric(float64(requests)*float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(peak)/(1<<20), "MiB")
}

// generate writes the ledger of a crawl.
func generate(b *testing.B, requests, sites int) verify.Job {
	b.Helper()
	dir := b.TempDir()
	j := verify.Job{Ledger: filepath.Join(dir, "ledger"), Robots: filepath.Join(dir, "robots")}
	l, err := ledger.Open(j.Ledger, ledger.Options{})
	if err != nil {
		b.Fatal(err)
	}
	add := func(r ledger.Record) {
		if err := l.Append(r); err != nil {
			b.Fatal(err)
		}
	}
	add(story()[0])
	digests := make([]string, sites)
	for i := range requests {
		n, round := i%sites, i/sites
		start := float64(round)*3 + float64(n)/float64(sites)
		origin := fmt.Sprintf("https://www.site-%d.example", n)
		r := request("", start)
		if round == 0 {
			r = robotsRequest(start)
			digests[n], err = robots.DirBodies(j.Robots).Put([]byte(file + "Disallow: /" + origin + "\n"))
			if err != nil {
				b.Fatal(err)
			}
			r.Origin, r.Digest, r.URL = origin, digests[n], origin+"/robots.txt"
		} else {
			r.URL = fmt.Sprintf("%s/a/path/of/some/length/page-%d.html?round=%d", origin, i, round)
			r.Via, r.Depth, r.RobotsDigest = origin+"/", 3, digests[n]
		}
		r.Expires = at(1e6)
		if round > 0 {
			r.Kept, r.Owed = secs(2.9), r.Gap
		}
		r.Site, r.Address = origin[len("https://"):], fmt.Sprintf("10.0.%d.%d:443", n/250, n%250)
		add(r)
		if round > 0 {
			add(ledger.Record{Type: ledger.Outcome, Time: r.End, URL: r.URL, Via: r.Via, Outcome: "done", Status: 200, LinksFound: 40, LinksNew: 3})
		}
	}
	add(ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(1).Add(time.Hour)})
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return j
}
