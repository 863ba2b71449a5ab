package crawler_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/robots"
)

func page(links ...string) webtest.Page {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "<a href=%q>%s</a>\n", l, l)
	}
	return webtest.Page{Body: b.String()}
}

// linked returns n pages that are like p, with a number each, and a front page with a link to each.
func linked(n int, p webtest.Page) webtest.Pages {
	pages := webtest.Pages{}
	var links []string
	for i := range n {
		links = append(links, fmt.Sprintf("/p%d", i))
		pages[links[i]] = p
		if p.Handler == nil {
			p.Body += fmt.Sprint(i % 10)
		}
	}
	pages["/"] = page(links...)
	return pages
}

// Promise 1: no request leaves without a robots decision for that origin, redirect targets included.
func TestPromise_NoRequestWithoutRobotsDecision(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		other := web.Site(webtest.Pages{
			"/robots.txt":  {Body: "User-agent: *\nDisallow: /private\n"},
			"/private":     {Body: "secret"},
			"/public":      {Body: "public"},
			"/secret-path": {Body: "nobody links here"},
		})
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /no\nAllow: /no/but\n\nUser-agent: cybermapper\nDisallow: /only-ours\n"},
			"/":           page("/a", "/no", "/only-ours/x", "/to-private", "/to-public"),
			"/a":          page("/"),
			"/no":         page(),
			"/to-private": webtest.Redirect(302, other.URL+"/private"),
			"/to-public":  webtest.Redirect(301, other.URL+"/public"),
		})
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Scope.Mode = crawler.ScopeAny }, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		wantStrings(t, "asked of the site", site.Hits().Paths(), []string{"/robots.txt", "/", "/a", "/no", "/to-private", "/to-public"})
		wantStrings(t, "asked of the redirect target", other.Hits().Paths(), []string{"/robots.txt", "/public"})
		for _, s := range []*webtest.Site{site, other} {
			if first := s.Hits()[0].Path; first != "/robots.txt" {
				t.Errorf("%s: first request was %s, want /robots.txt", s.URL, first)
			}
		}
		for _, r := range j.requests {
			if r.Purpose == crawler.ForPage && (!r.Verdict.Allowed || r.Verdict.Digest == "" || r.Verdict.Reason == "") {
				t.Errorf("request for %s names no rule: %+v", r.URL, r.Verdict)
			}
		}
		if got := j.refused(other.URL + "/private"); !slices.Equal(got, []crawler.Reason{crawler.ReasonDisallowed}) {
			t.Errorf("redirect into a disallowed place: refused for %q, want robots-disallow", got)
		}
	})
}

// Promise 2: at most one request in flight per site, never sooner after the last one ended than the delay.
func TestPromise_GapAndOneInFlight(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{"/robots.txt": {Body: "User-agent: *\nDisallow:\n"}}
		var links []string
		for i := range 20 {
			path := fmt.Sprintf("/p%d", i)
			links = append(links, path)
			pages[path] = webtest.Page{Handler: webtest.Delay(700*time.Millisecond, page("/", path))}
		}
		pages["/"] = page(links...)
		site := web.Site(pages)
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = 3 * time.Second }, site.URL+"/")
		hits := site.Hits()
		if len(hits) != 22 {
			t.Fatalf("%d requests, want 22", len(hits))
		}
		if got := webtest.MaxInFlight(hits); got != 1 {
			t.Errorf("%d requests in flight at once, want 1", got)
		}
		if got := webtest.MinGap(hits); got < 3*time.Second {
			t.Errorf("shortest gap %v, want at least 3s", got)
		}
	})
}

// Promise 2: Crawl-delay counts from the first request on, which is robots.txt itself.
func TestPromise_CrawlDelayHoldsFromTheFirstPage(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nCrawl-delay: 12\n"},
			"/":           page("/a", "/b"), "/a": page(), "/b": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		if got := webtest.MinGap(site.Hits()); got < 12*time.Second {
			t.Errorf("shortest gap %v, want at least the Crawl-delay of 12s", got)
		}
		if got := len(site.Hits()); got != 4 {
			t.Errorf("%d requests, want 4", got)
		}
	})
}

// Promise 2: the gap follows the response time, up to its bound.
func TestPromise_SlowSitesAreVisitedSlowly(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/":  {Handler: webtest.Delay(2*time.Second, page("/a"))},
			"/a": {Handler: webtest.Delay(9*time.Second, page("/b"))},
			"/b": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Factor = 5 }, site.URL+"/")
		hits := site.Hits()
		if gap := hits[2].Start.Sub(hits[1].End); gap < 10*time.Second || gap > 11*time.Second {
			t.Errorf("gap after an answer of 2s = %v, want 10s", gap)
		}
		if gap := hits[3].Start.Sub(hits[2].End); gap < 30*time.Second || gap > 31*time.Second {
			t.Errorf("gap after an answer of 9s = %v, want the bound of 30s", gap)
		}
	})
}

// Promise 2: the gap is kept across runs of a job.
func TestPromise_GapIsKeptAcrossRuns(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page("/a", "/b"), "/a": page(), "/b": page()})
		j := newJob(t, web)
		slow := func(c *crawler.Config) { c.Politeness.Delay = time.Minute; c.Limits.Pages++ }
		if end := j.run(t, t.Context(), slow, site.URL+"/"); end != crawler.EndPages {
			t.Errorf("first run ended with %q, want max-pages", end)
		}
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = time.Minute }, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("second run ended with %q, want done", end)
		}
		if got := webtest.MinGap(site.Hits()); got < time.Minute {
			t.Errorf("shortest gap over two runs %v, want at least 1m", got)
		}
		if again := webtest.Repeated(site.Hits()); len(again) > 0 {
			t.Errorf("asked more than once over two runs: %q", again)
		}
	})
}

// Hosts that are always busy are used to the full: H/D requests per second.
func TestPromise_ManyHostsAtTheirPace(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		const hosts, seconds = 40, 60
		var seeds []string
		for range hosts {
			seeds = append(seeds, web.Site(webtest.EndlessPages(3)).URL+"/")
		}
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Workers = 8 // far fewer than hosts: sites that wait hold no worker
			c.Limits.Time = seconds * time.Second
			c.Traps.Repeats, c.Traps.PathSegments = -1, -1
		}, seeds...)
		if end != crawler.EndTime {
			t.Errorf("Run ended with %q, want max-time", end)
		}
		if got, want := len(web.Log()), hosts*seconds*98/100; got < want {
			t.Errorf("%d requests to %d hosts in %d s at 1/s each, want at least %d", got, hosts, seconds, want)
		}
		if got := webtest.MinGap(web.Log()); got < time.Second {
			t.Errorf("shortest gap %v, want at least 1s", got)
		}
	})
}

// Promise 1: while robots.txt is unreachable nothing else is asked, and the site says when it is tried again.
func TestPromise_UnreachableRobotsClosesTheSite(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		ok := webtest.Page{Body: "User-agent: *\nDisallow: /x\n"}
		site := web.Site(webtest.Pages{
			"/robots.txt": {Handler: webtest.Busy(2, 503, "", ok)},
			"/":           page("/x", "/y"), "/x": page(), "/y": page(),
		})
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, site.URL+"/")
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		wantStrings(t, "asked while robots.txt is unreachable", site.Hits().Paths(), []string{"/robots.txt"})
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonUnreachable || time.Until(j.rests[0].Until) < 4*time.Minute {
			t.Errorf("rests = %+v, want one for robots-unreachable of about 5m", j.rests)
		}
		end = j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("second Run ended with %q, want done", end)
		}
		wantStrings(t, "asked in all", site.Hits().Paths(), []string{"/robots.txt", "/robots.txt", "/robots.txt", "/", "/y"})
	})
}

// Promise 2: robots.txt that redirects elsewhere governs the origin that was asked (RFC 9309 section 2.3.1.2), and the other site's
// politeness counts.
func TestPromise_RobotsRedirectsArePolite(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		target := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /b\nCrawl-delay: 8\n"},
			"/":           page("/1", "/2"), "/1": page(), "/2": page(),
		})
		site := web.Site(webtest.Pages{
			"/robots.txt": webtest.Redirect(301, target.URL+"/robots.txt"),
			"/":           page("/a", "/b"), "/a": page(), "/b": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/", target.URL+"/")
		wantStrings(t, "asked of the redirecting site", site.Hits().Paths(), []string{"/robots.txt", "/", "/a"})
		for _, s := range []*webtest.Site{site, target} {
			hits := s.Hits()
			for i, h := range hits[1:] {
				least := 8 * time.Second
				if h.Path == "/robots.txt" { // nothing is known yet for its own sake
					least = time.Second
				}
				if got := h.Start.Sub(hits[i].End); got < least {
					t.Errorf("%s: %v before %s, want at least %v", s.URL, got, h.Path, least)
				}
			}
		}
	})
}

// A robots.txt that leads where we do not go, as to an address within a house, is not asked for again for each URL.
func TestPromise_RobotsRedirectToWhereWeDoNotGo(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/robots.txt": webtest.Redirect(301, "http://elsewhere.example:1/robots.txt"), "/a": page()})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, site.URL+"/a", site.URL+"/b", site.URL+"/c")
		wantStrings(t, "asked of the site", site.Hits().Paths(), []string{"/robots.txt"})
	})
}

// Whatever status a redirect of robots.txt has that is followed, it is told where it led.
func TestPromise_RobotsRedirectIsTold(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		for _, status := range []int{300, 302, 305, 308, 399} {
			site := web.Site(webtest.Pages{"/robots.txt": webtest.Redirect(status, "/r"), "/r": {Body: "User-agent: *\nDisallow: /\n"}})
			j := newJob(t, web)
			j.run(t, t.Context(), nil, site.URL+"/")
			wantStrings(t, "asked", site.Hits().Paths(), []string{"/robots.txt", "/r"})
			if r := j.requests[0]; r.Location != "/r" {
				t.Errorf("%d is told to lead to %q, want /r", status, r.Location)
			}
		}
	})
}

// Promise 1: robots.txt is asked for again when it is a day old, not sooner, and new rules hold from then on.
func TestPromise_RulesAreRefreshed(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := linked(30, page())
		first := webtest.Page{Body: "User-agent: *\nCrawl-delay: 3600\n"}
		pages["/robots.txt"] = webtest.Page{Handler: inTurn(first, webtest.Page{Body: "User-agent: *\nDisallow: /\n"})}
		site := web.Site(pages)
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience, c.Politeness.LongDelay = 2*time.Hour, -1 }, site.URL+"/")
		if got := site.Hits().Count("/robots.txt"); got != 2 {
			t.Errorf("robots.txt asked for %d times, want 2", got)
		}
		if n := len(site.Hits()) - 2; n < 23 || n > 25 {
			t.Errorf("%d pages asked for in the day that the first rules held, want about 24", n)
		}
	})
}

// Promise 3: nothing is lost when a run is interrupted: the next one goes on and nothing is asked twice.
func TestPromise_InterruptedRunGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(linked(20, webtest.Page{Handler: webtest.Delay(300*time.Millisecond, page())}))
		j := newJob(t, web)
		runs := 0
		for end := crawler.Reason(""); end != crawler.EndDone; runs++ {
			ctx, cancel := context.WithTimeout(t.Context(), 5100*time.Millisecond)
			end = j.run(t, ctx, nil, site.URL+"/")
			cancel()
			if end != crawler.EndDone && end != crawler.EndInterrupted {
				t.Fatalf("run %d ended with %q", runs, end)
			}
		}
		if runs < 3 {
			t.Errorf("all done after %d runs; the test interrupts nothing", runs)
		}
		if again := webtest.Repeated(site.Hits()); len(again) > 0 {
			t.Errorf("asked more than once: %q", again)
		}
		if got := len(j.stored()); got != 21 {
			t.Errorf("%d pages stored, want 21", got)
		}
		if got := webtest.MinGap(site.Hits()); got < time.Second {
			t.Errorf("shortest gap %v, want at least 1s", got)
		}
	})
}

// Promise 6: a run ends when it is told to, whatever the servers do: what is under way is cut and waits for the next run.
func TestPromise_TheEndIsOnTime(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*crawler.Config)
		after  time.Duration // after this long, the caller ends the run
		end    crawler.Reason
		by     time.Duration
	}{
		{"a limit of time", func(c *crawler.Config) { c.Limits.Time = 5 * time.Second }, time.Hour, crawler.EndTime, 8 * time.Second},
		{"an interrupt", func(*crawler.Config) {}, 5 * time.Second, crawler.EndInterrupted, 11 * time.Second},
		{"a limit of bytes", func(c *crawler.Config) { c.Limits.Bytes = 1 }, time.Hour, crawler.EndBytes, 7 * time.Second},
		{"at once", func(c *crawler.Config) { c.DrainTime = -1 }, 5 * time.Second, crawler.EndInterrupted, 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				var seeds []string
				for _, h := range []http.Handler{webtest.Stall(), webtest.StallBody("half"), webtest.Drip(strings.Repeat("x", 1000), time.Second)} {
					seeds = append(seeds, web.Site(webtest.Pages{"/": {Handler: h}}).URL+"/")
					seeds = append(seeds, web.Site(webtest.Pages{"/robots.txt": {Handler: h}, "/": page()}).URL+"/")
				}
				seeds = append(seeds, web.Site(webtest.Pages{"/": {Body: "some"}}).URL+"/")
				j := newJob(t, web)
				ctx, cancel := context.WithTimeout(t.Context(), tt.after)
				defer cancel()
				start := time.Now()
				if end := j.run(t, ctx, tt.change, seeds...); end != tt.end {
					t.Errorf("Run ended with %q, want %q", end, tt.end)
				}
				if took := time.Since(start); took > tt.by {
					t.Errorf("Run ended after %v, want %v at most", took, tt.by)
				}
				s, err := j.frontier.Stats(t.Context())
				if err != nil || s.Queued != 6 || s.Retrying+s.Failed+s.Refused+s.Leased != 0 {
					t.Errorf("%+v, %v; want the 6 pages that were cut back in the queue", s, err)
				}
				for _, r := range j.requests {
					if r.Failure != "" && r.Failure != crawler.EndInterrupted {
						t.Errorf("the request for %s failed for %q, and we have cut it", r.URL, r.Failure)
					}
				}
			})
		})
	}
}

// Who ends a run before it has begun has interrupted it; no store has failed.
func TestRun_EndedBeforeItBegins(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		seed := web.Site(webtest.Pages{"/": {Body: "home"}}).URL + "/"
		interrupted, cancel := context.WithCancel(t.Context())
		cancel()
		late, cancel := context.WithTimeout(t.Context(), 0)
		defer cancel()
		for _, ctx := range []context.Context{interrupted, late} {
			j := newJob(t, web)
			if end := j.run(t, ctx, func(*crawler.Config) {}, seed); end != crawler.EndInterrupted || len(j.requests) > 0 {
				t.Errorf("Run ended with %q after %d requests, want %q after none", end, len(j.requests), crawler.EndInterrupted)
			}
		}
	})
}

// Promise 7: leniency may add a restriction, it may never invent a permission.
func TestPromise_DamagedRobotsNeverOpens(t *testing.T) {
	for _, d := range []robots.Dialect{robots.Cautious, robots.RFC9309} {
		f := robots.Parse([]byte("User-agent: *\nAlow: /a/b\nDissallow: /a\nDisallow: /a/\n"), d)
		if v := f.Rules("cybermapper").Test("/a/b"); v.Allowed {
			t.Errorf("%s: misspelt Allow lifted a Disallow: %+v", d, v)
		}
	}
}

// Promise 1: a robots.txt may redirect to a site which rests: nobody knows the rules, and the crawl goes on elsewhere.
func TestPromise_RobotsRedirectToARestingSite(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		resting := web.Site(webtest.Pages{"/": {Handler: webtest.Busy(100, 503, "600", page())}})
		site := web.Site(webtest.Pages{
			"/robots.txt": webtest.Redirect(301, resting.URL+"/rules"), "/": {Body: "open"},
		})
		fine := web.Site(webtest.Pages{"/": page("/a"), "/a": page()})
		j := newJob(t, web)
		patient := func(c *crawler.Config) { c.Patience = 10 * time.Second }
		j.run(t, t.Context(), patient, resting.URL+"/")
		if end := j.run(t, t.Context(), patient, site.URL+"/", fine.URL+"/"); end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		wantStrings(t, "asked of the redirecting site", site.Hits().Paths(), []string{"/robots.txt"})
		wantStrings(t, "stored", j.stored(), []string{fine.URL + "/", fine.URL + "/a"})
		if last := j.rests[len(j.rests)-1]; last.Reason != crawler.ReasonUnreachable || time.Until(last.Until) < 9*time.Minute {
			t.Errorf("last rest %+v, want as long as the site rests that the redirect leads to", last)
		}
	})
}
