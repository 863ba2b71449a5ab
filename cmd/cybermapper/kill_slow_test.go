package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Promise 2, judged where it is hardest: the servers answer slowly, ask for a delay, and ask to be left alone, and the crawl is
// killed again and again. What an answer made the next request owe is kept by whatever process makes it: by the servers' own log,
// and by what the ledger says.
func TestPromise_PausesSurviveKill9(t *testing.T) {
	t.Parallel()
	const floor, factor = 20 * time.Millisecond, 5
	runs := 12
	if testing.Short() {
		runs = 5
	}
	web := webtest.New(t)
	sites := []*slowSite{
		{took: 60 * time.Millisecond, pages: 12},
		{took: 90 * time.Millisecond, pages: 10},
		{took: 130 * time.Millisecond, pages: 10, crawlDelay: 700 * time.Millisecond},
		{took: 5 * time.Millisecond, pages: 10, busyEvery: 4, retryAfter: time.Second},
	}
	job := filepath.Join(t.TempDir(), "job")
	args := []string{
		"crawl", "--job", job, "--allow-private", "--quiet", "--delay", floor.String(), "--delay-factor", strconv.Itoa(factor), "--patience", "20s",
		"--retry-delay", "100ms", "--config", configured(t, "politeness: {host_rest: 100ms}"),
	}
	for _, s := range sites {
		s.Site = web.Site(s)
		args = append(args, s.URL+"/0")
	}
	kills := runUntilDone(t, args, runs, 3*time.Minute)
	log := kills.judge(web.Log()).BySite()
	recorded := map[string][]ledger.Record{}
	for _, r := range recordsOf(t, job, ledger.Request) {
		recorded[r.URL] = append(recorded[r.URL], r)
	}
	for _, s := range sites {
		s.judge(t, log[s.URL], recorded, floor, factor)
	}
	for at, n := range missingRequests(t, kills.judge(web.Log()), job, kills) {
		if n > 1 {
			t.Errorf("%d requests to %s before kill %d are not in the ledger; one was under way", n, at.site, at.kill)
		}
	}
	mustBeProven(t, job)
}

// A slowSite is a chain of pages.
type slowSite struct {
	*webtest.Site
	took       time.Duration // by every answer
	pages      int
	crawlDelay time.Duration
	busyEvery  int64 // every so manieth page is 429, with retryAfter
	retryAfter time.Duration
	asked      atomic.Int64
}

func (s *slowSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(s.took):
	case <-r.Context().Done():
		return
	}
	if r.URL.Path == "/robots.txt" {
		body := "User-agent: *\nDisallow: /private/\n"
		if s.crawlDelay > 0 {
			body += fmt.Sprintf("Crawl-delay: %g\n", s.crawlDelay.Seconds())
		}
		webtest.Page{Body: body}.ServeHTTP(w, r)
		return
	}
	if s.busyEvery > 0 && s.asked.Add(1)%s.busyEvery == 0 {
		webtest.Page{Status: http.StatusTooManyRequests, Header: map[string]string{"Retry-After": strconv.Itoa(int(s.retryAfter.Seconds()))}}.ServeHTTP(w, r)
		return
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
	body := fmt.Sprintf("<p>page %d of %s", n, r.Host)
	if n+1 < s.pages {
		body += fmt.Sprintf(` <a href="/%d">next</a>`, n+1)
	}
	webtest.Page{Body: body}.ServeHTTP(w, r)
}

// judge looks at every pause. An answer that is not in the ledger was under way when a process was killed, and nobody knows what it
// asked for: what is owed to the site in any case is owed from the kill on.
func (s *slowSite) judge(t *testing.T, hits webtest.Hits, recorded map[string][]ledger.Record, floor time.Duration, factor int) {
	t.Helper()
	known := false // robots.txt
	for i, h := range hits[:max(len(hits)-1, 0)] {
		lost := !slices.ContainsFunc(recorded[h.URL()], func(r ledger.Record) bool {
			return !h.Start.Before(r.Start) && !h.Start.After(r.End)
		})
		known = known || h.Path == "/robots.txt" && h.Status == http.StatusOK && !lost
		owed := floor
		if known {
			owed = max(owed, s.crawlDelay)
		}
		if !lost {
			owed = max(owed, time.Duration(factor)*s.took)
			if h.Status == http.StatusTooManyRequests {
				owed = max(owed, s.retryAfter)
			}
		}
		if kept := hits[i+1].Start.Sub(h.End); kept < owed {
			t.Errorf("%s was asked %v after %s had been answered with %d; %v was owed", hits[i+1].URL(), kept, h.URL(), h.Status, owed)
		}
	}
	for n := range s.pages {
		if hits.Count("/"+strconv.Itoa(n)) == 0 {
			t.Errorf("%s/%d was never asked for", s.URL, n)
		}
	}
}
