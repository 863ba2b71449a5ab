package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// Promise 3: a crawl that is killed at random moments, and started again until it is done, balances the books: every page is
// on disk, nothing that was forbidden was asked for, nothing was asked for again but what was in flight, and no gap was too
// short, restarts included.
func TestPromise_NothingIsLostByKill9(t *testing.T) {
	t.Parallel()
	const delay = 25 * time.Millisecond
	web := webtest.New(t)
	bench := web.Bench(webtest.BenchShape{Hosts: 6, Pages: 150, PageBytes: 4000, Links: 20, Logged: true})
	seeds := filepath.Join(t.TempDir(), "seeds")
	filetest.Write(t, seeds, strings.Join(bench.Seeds(), "\n"))
	job := filepath.Join(t.TempDir(), "job")
	args := []string{
		"crawl", "--seeds", seeds, "--job", job, "--allow-private", "--quiet",
		"--delay", delay.String(), "--delay-factor", "0", "--patience", "10s",
	}
	kills := runUntilDone(t, args, 12, 2*time.Minute)
	if len(kills) < 3 {
		t.Errorf("killed %d times only; the test does not test much", len(kills))
	}
	checkBooks(t, bench, kills.judge(web.Log()), job, len(kills), delay)
}

func checkBooks(t *testing.T, bench *webtest.Bench, log webtest.Hits, job string, kills int, delay time.Duration) {
	t.Helper()
	stored := map[string]int{}
	f, err := os.Open(filepath.Join(job, "pages", "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line struct{ URL string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("pages.jsonl: %v in %q", err, lines.Text())
		}
		stored[line.URL]++
	}
	for url := range bench.URLs() {
		if stored[url] != 1 {
			t.Errorf("%s has %d lines in pages.jsonl, want 1", url, stored[url])
		}
	}
	asked := 0
	for _, h := range log {
		if strings.HasPrefix(h.Path, "/private/") {
			t.Errorf("forbidden %s was asked for", h.URL())
		}
		if h.Path != "/robots.txt" {
			asked++
		}
	}
	if again, most := asked-bench.Total(), kills*bench.Shape.Hosts; again > most {
		t.Errorf("%d pages were asked for again after %d kills, want at most what was in flight: %d", again, kills, most)
	}
	for site, hits := range log.BySite() {
		if n := webtest.MaxInFlight(hits); n > 1 {
			t.Errorf("%s: %d requests in flight at once, want 1", site, n)
		}
		if gap := webtest.MinGap(hits); gap < delay {
			t.Errorf("%s: shortest gap %v, want at least %v", site, gap, delay)
		}
	}
	mustBeProven(t, job)
}
