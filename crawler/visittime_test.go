package crawler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Pages are asked for within Visit-time only; the wait is durable, and robots.txt alone may be asked for before. Time in a
// bubble begins at midnight, UTC.
func TestVisitTime(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nVisit-time: 0200-0300\nCrawl-delay: 1200\nDisallow: /closed\n"},
			"/":           page("/a", "/b", "/c", "/closed"), "/a": page(), "/b": page(), "/c": page(),
		})
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/", site.URL+"/closed")
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		wantStrings(t, "asked for before the window", site.Hits().Paths(), []string{"/robots.txt"})
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonVisitTime || j.rests[0].Until.UTC().Format("15:04") != "02:00" ||
			j.rests[0].Detail != "robots.txt line 2: Visit-time: 0200-0300 (UTC)" {
			t.Errorf("rests: %+v", j.rests)
		}
		info, _, err := j.frontier.Site(t.Context(), frontiertest.URL(t, site.URL).Site())
		if err != nil || !info.Policy.BlockedUntil.Equal(j.rests[0].Until) || info.Policy.BlockReason != string(crawler.ReasonVisitTime) {
			t.Errorf("remembered: %+v, %v", info.Policy, err)
		}

		end = j.run(t, t.Context(), func(c *crawler.Config) { c.Patience, c.Politeness.LongDelay = 25*time.Hour, -1 }, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		pages := 0
		for _, r := range j.requests {
			if r.Purpose == crawler.ForPage {
				pages++
				if r.Start.UTC().Hour() != 2 {
					t.Errorf("%s asked for at %v", r.URL, r.Start.UTC())
				}
			}
		}
		if pages != 4 {
			t.Errorf("%d pages asked for, want 4", pages)
		}
	})
}

// A window that closes while a page waits for its turn is closed for that page too.
func TestVisitTime_EndsWhileWaiting(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{"/robots.txt": {Body: "User-agent: *\nVisit-time: 0000-0001\n"}}
		var links []string
		for i := range 500 {
			links = append(links, fmt.Sprintf("/%d", i))
			pages[links[i]] = page(links[i])
		}
		pages["/"] = page(links...)
		site := web.Site(pages)
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay, c.Patience = 190*time.Millisecond, time.Minute }, site.URL+"/")
		last := j.requests[len(j.requests)-1].Start.UTC()
		if end != crawler.EndWaiting || last.Minute() != 0 || last.Second() < 59 || len(j.rests) != 1 {
			t.Errorf("ended with %q, the last request left at %v, rests %+v", end, last, j.rests)
		}
	})
}

// A site whose Crawl-delay is very long is visited at its pace, for the seeds alone; an override for one's own host lifts that.
func TestLongCrawlDelay(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := func(delay string) webtest.Pages {
			return webtest.Pages{
				"/robots.txt": {Body: "User-agent: *\nDisallow:\nCrawl-delay: " + delay + "\n"},
				"/":           page("/linked"), "/seed": page(), "/linked": page(),
			}
		}
		slow, bearable, own := web.Site(pages("301")), web.Site(pages("300")), web.Site(pages("86400"))
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) {
			c.Hosts = map[string]crawler.Override{frontiertest.URL(t, own.URL).Site(): {Delay: time.Second}}
			c.Patience = time.Hour
		}, slow.URL+"/", slow.URL+"/seed", bearable.URL+"/", own.URL+"/")
		wantStrings(t, "asked of the slow site", slow.Hits().Paths(), []string{"/robots.txt", "/", "/seed"})
		wantStrings(t, "asked of a bearable one", bearable.Hits().Paths(), []string{"/robots.txt", "/", "/linked"})
		wantStrings(t, "asked of one's own", own.Hits().Paths(), []string{"/robots.txt", "/", "/linked"})
		if got := webtest.MinGap(slow.Hits()); got < 301*time.Second {
			t.Errorf("shortest gap at the slow site %v, want 301s", got)
		}
		n := len(j.refusals)
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, slow.URL+"/linked"); end != crawler.EndDone || slow.Hits().Count("/linked") != 1 {
			t.Errorf("a seed was not visited although only a link to it was refused: %q", end)
		}
		r := j.refusals[0]
		if n != 1 || r.URL != slow.URL+"/linked" || r.Gate != crawler.GateLimit || r.Reason != crawler.ReasonLongDelay ||
			r.Verdict.Line != 3 || r.Verdict.Digest == "" || r.Rule != "asks for 5m1s between two requests; above 5m0s only seeds are visited" {
			t.Errorf("refusals: %+v", j.refusals)
		}
	})
}

// Clean-param takes URLs for the same that differ in nothing else, and asks for none that was not linked. It opens nothing.
func TestCleanParam(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /*secret\nClean-param: ref&secret /shop/\n"},
			"/": page("/shop/a?ref=1&x=1", "/shop/a?x=1&ref=2", "/shop/a?x=1", "/shop/a?x=2", "/other?ref=1", "/other?ref=2",
				"/shop/b?secret=1", "/shop/b", "/shop/c?ref=1", "/shop/c"),
			"/shop/a": page(), "/shop/b": page(), "/other": page(),
			"/shop/c?ref=1": webtest.Redirect(302, "/shop/c?ref=2"), "/shop/c?ref=2": page(), "/shop/c": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{
			"/robots.txt", "/", "/shop/a?ref=1&x=1", "/shop/a?x=2", "/other?ref=1", "/other?ref=2", "/shop/b", "/shop/c?ref=1", "/shop/c?ref=2",
		})
		for path, want := range map[string]crawler.Reason{
			"/shop/a?x=1&ref=2": crawler.ReasonCleanParam, "/shop/a?x=1": crawler.ReasonCleanParam, "/shop/c": crawler.ReasonCleanParam,
			"/shop/b?secret=1": crawler.ReasonDisallowed,
		} {
			if got := j.refused(site.URL + path); len(got) != 1 || got[0] != want {
				t.Errorf("%s refused for %q, want %q", path, got, want)
			}
		}
		for _, r := range j.refusals {
			if r.URL == site.URL+"/shop/a?x=1&ref=2" && (r.Verdict.Line != 3 || r.Verdict.Digest == "" || r.Rule != "Clean-param: ref&secret /shop/") {
				t.Errorf("no evidence: %+v", r)
			}
		}
	})
}
