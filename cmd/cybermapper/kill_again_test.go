package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Promise 3, counted: what a kill costs the servers, and what it costs the ledger. Pages that are on disk are not asked for again
// though the queue did not know yet that they are; and a request that the ledger does not have was under way. What was under way
// has to be asked for again, and how much that is depends on how busy the machine is: it is bounded by the sites, not by a number.
func TestPromise_AKillCostsFewRequests(t *testing.T) {
	const (
		delay = 20 * time.Millisecond
		most  = 20 // pages asked for again, per kill, that were not under way
		runs  = 8
	)
	web := webtest.New(t)
	bench := web.Bench(webtest.BenchShape{Hosts: 40, Pages: 60, PageBytes: 4000, Links: 20, Logged: true})
	seeds := filepath.Join(t.TempDir(), "seeds")
	filetest.Write(t, seeds, strings.Join(bench.Seeds(), "\n"))
	job := filepath.Join(t.TempDir(), "job")
	args := []string{
		"crawl", "--seeds", seeds, "--job", job, "--allow-private", "--quiet", "--workers", "64",
		"--delay", delay.String(), "--delay-factor", "0", "--patience", "10s",
		// All sites are at one address; files of the ledger are being packed when the crawl is killed.
		"--config", configured(t, "{politeness: {per_address: 64}, storage: {ledger_file: 1MiB}}"),
	}
	kills := runUntilDone(t, args, runs, 2*time.Minute)
	log := kills.judge(web.Log())
	asked := 0
	for _, h := range log {
		if h.Path != "/robots.txt" {
			asked++
		}
	}
	missing, underWay := missingRequests(t, log, job, kills), 0
	for at, n := range missing {
		underWay += n
		if n > 1 {
			t.Errorf("%d requests to %s before kill %d are not in the ledger; one was under way", n, at.site, at.kill)
		}
	}
	again := asked - bench.Total()
	t.Logf("%d kills, %d of %d pages asked for again, %d requests were under way", len(kills), again, bench.Total(), underWay)
	if again-underWay > most*len(kills) {
		t.Errorf("%d pages that were not under way were asked for again after %d kills, want at most %d each",
			again-underWay, len(kills), most)
	}
	checkBooks(t, bench, log, job, len(kills), delay)
}

// A span of a site is the time before a kill and after the one before it.
type spanOfSite struct {
	site string
	kill int
}

// missingRequests counts the requests that servers have seen and the ledger of a job does not have.
func missingRequests(t *testing.T, log webtest.Hits, job string, kills []time.Time) map[spanOfSite]int {
	t.Helper()
	of := func(site string, at time.Time) spanOfSite {
		for i, k := range kills {
			if at.Before(k) {
				return spanOfSite{site, i}
			}
		}
		return spanOfSite{site, len(kills)}
	}
	missing := map[spanOfSite]int{}
	for site, hits := range log.BySite() {
		for _, h := range hits {
			missing[of(site, h.Start)]++
		}
	}
	for _, r := range recordsOf(t, job, ledger.Request) {
		site, _, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), "/")
		missing[of("http://"+site, r.Start)]--
	}
	for at, n := range missing {
		if n == 0 {
			delete(missing, at)
		}
	}
	return missing
}
