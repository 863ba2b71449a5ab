package crawler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

func TestRetry_FailingPageDoesNotHoldUpItsSite(t *testing.T) {
	for _, tt := range []struct {
		name    string
		failing webtest.Page
		reason  crawler.Reason
		tries   int
	}{
		{"500", webtest.Page{Status: 500}, crawler.ReasonServerError, 3},
		{"reset", webtest.Page{Handler: webtest.Drop()}, crawler.ReasonReset, 3},
		{"garbage", webtest.Page{Handler: webtest.Garbage()}, crawler.ReasonProtocol, 3},
		{"404 is an answer", webtest.Page{Status: 404}, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(webtest.Pages{"/": page("/bad", "/a", "/b"), "/bad": tt.failing, "/a": page(), "/b": page()})
				j := newJob(t, web)
				if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone {
					t.Errorf("Run ended with %q, want done", end)
				}
				if got := site.Hits().Count("/bad"); got != tt.tries {
					t.Errorf("the failing page was asked for %d times, want %d", got, tt.tries)
				}
				paths := site.Hits().Paths()
				if tt.tries > 1 && !slices.Equal(paths[2:5], []string{"/bad", "/a", "/b"}) {
					t.Errorf("order of requests %q: the other pages had to wait for the failing one", paths)
				}
				o := j.outcome(site.URL + "/bad")
				if o.Reason != tt.reason {
					t.Errorf("outcome reason %q, want %q", o.Reason, tt.reason)
				}
				if tt.tries > 1 && o.Status != frontier.Failed {
					t.Errorf("outcome status %v, want failed", o.Status)
				}
			})
		})
	}
}

func TestRetry_DelayDoubles(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": webtest.Page{Status: 500}})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		hits := site.Hits()[1:]
		for i, want := range []time.Duration{10 * time.Second, 20 * time.Second} {
			if got := hits[i+1].Start.Sub(hits[i].End); got < want || got > want+time.Second {
				t.Errorf("retry %d came after %v, want %v", i+1, got, want)
			}
		}
	})
}

func TestRest_CutOffPageIsKeptAfterTheLastTry(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": {Handler: webtest.Cut(`<a href="/a">a</a> and then`)}, "/a": page()})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		if got := site.Hits().Count("/"); got != 3 {
			t.Errorf("cut-off page asked for %d times, want 3", got)
		}
		if len(j.pages) != 2 || j.pages[0].Truncated == "" || string(j.pages[0].Body) != `<a href="/a">a</a> and then` {
			t.Errorf("stored %q, want the cut page, marked, and the page it links to", j.stored())
		}
	})
}

func TestRest_BusyHostRestsAsAWhole(t *testing.T) {
	for _, status := range []int{429, 503, 408, 500, 502} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			site := web.Site(webtest.Pages{
				"/": page("/busy", "/a"), "/a": page(),
				"/busy": {Handler: webtest.Busy(4, status, "90", page("/b"))}, "/b": page(),
			})
			j := newJob(t, web)
			if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/"); end != crawler.EndDone {
				t.Errorf("Run ended with %q, want done", end)
			}
			hits := site.Hits()
			for i, h := range hits[:len(hits)-1] {
				if h.Status == status && hits[i+1].Start.Sub(h.End) < 90*time.Second {
					t.Errorf("%s was asked %v after a %d that wanted 90s", hits[i+1].Path, hits[i+1].Start.Sub(h.End), status)
				}
			}
			reason := crawler.ReasonUnavailable
			if status == 429 {
				reason = crawler.ReasonBusy
			}
			if got := j.last.Status().Reasons; got[reason] != 4 || len(got) != 1 {
				t.Errorf("after 4 answers %d the reasons are %v, want 4 times %s", status, got, reason)
			}
			if hits[3].Path != "/a" {
				t.Errorf("after the rest came %s first, want /a: the busy page goes behind the others", hits[3].Path)
			}
			wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/a", site.URL + "/b", site.URL + "/busy"})
		})
	}
}

// Some sites tell with 403 that they are asked too much. What is denied after the rests, too, is denied.
func TestRest_DenialForNow(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/": page("/busy", "/closed", "/a"), "/a": page(),
			"/busy":   {Handler: webtest.Busy(2, 403, "90", page())},
			"/closed": {Handler: webtest.Busy(9, 403, "90", page())},
		})
		j := newJob(t, web)
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/a", site.URL + "/busy"})
		hits := site.Hits()
		for i, h := range hits[:len(hits)-1] {
			if h.Status == 403 && hits[i+1].Start.Sub(h.End) < 90*time.Second {
				t.Errorf("%s was asked %v after a 403 that wanted 90s", hits[i+1].Path, hits[i+1].Start.Sub(h.End))
			}
		}
		if o := j.outcome(site.URL + "/closed"); hits.Count("/closed") != 3 || o.Status != frontier.Done || o.Code != 403 {
			t.Errorf("/closed was asked for %d times and is %s, %d, want 3, done and 403", hits.Count("/closed"), o.Status, o.Code)
		}
	})
}

// Of several Retry-After headers the one that asks for most is heeded, and is what is told, by which the ledger proves it.
func TestRest_SeveralRetryAfter(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var asked atomic.Bool
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.WriteHeader(http.StatusNotFound)
			} else if !asked.Swap(true) {
				w.Header()["Retry-After"] = []string{"soon", "90", "5"}
				w.WriteHeader(http.StatusForbidden)
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/")
		if len(j.rests) != 1 || j.rests[0].Detail != "90" {
			t.Errorf("rests %+v, want one for 90", j.rests)
		}
		for _, r := range j.requests {
			if r.Status == http.StatusForbidden && r.RetryAfter != "90" {
				t.Errorf("%s is told with Retry-After %q, want 90", r.URL, r.RetryAfter)
			}
		}
	})
}

// What other connections were asked for before does not end the rest that a site asks for.
func TestRest_OtherConnections(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		slow := webtest.Page{Handler: webtest.Delay(2*time.Second, page("/c", "/d", "/e", "/f"))}
		site := web.Site(webtest.Pages{
			"/": page("/a", "/b", "/busy"), "/a": slow, "/b": slow, "/busy": {Handler: webtest.Busy(1, 503, "90", page())},
			"/c": page(), "/d": page(), "/e": page(), "/f": page(),
		})
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Patience = time.Hour
			c.Hosts = map[string]crawler.Override{strings.TrimPrefix(site.URL, "http://"): {Connections: 3}}
		}, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		hits := site.Hits()
		busy := hits[slices.IndexFunc(hits, func(h webtest.Hit) bool { return h.Status == 503 })]
		for _, h := range hits {
			if after := h.Start.Sub(busy.End); after > 0 && after < 90*time.Second {
				t.Errorf("%s was asked for %v after an answer that wanted 90s", h.Path, after)
			}
		}
	})
}

func TestRest_RefusedConnection(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{})
		other := web.Site(webtest.Pages{"/": page("/a"), "/a": page()})
		site.Close()
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, site.URL+"/", other.URL+"/")
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonRefused || !j.rests[0].NeverAnswered {
			t.Errorf("rests = %+v, want one for connection-refused, of a site that never answered", j.rests)
		}
		wantStrings(t, "stored", j.stored(), []string{other.URL + "/", other.URL + "/a"})
		other.Close()
		j.run(t, t.Context(), nil, other.URL+"/b")
		if r := j.rests[len(j.rests)-1]; r.Reason != crawler.ReasonRefused || r.NeverAnswered {
			t.Errorf("the last rest is %+v, want one for connection-refused, of a site that has answered", r)
		}
	})
}

// What an origin has in the queue fails in the end when its robots.txt can never be had: a crawl does not go on for ever for it.
func TestRest_GivesUp(t *testing.T) {
	const day = 24 * time.Hour
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/robots.txt": {Status: 500}, "/": page(), "/a": page()})
		j := newJob(t, web)
		start := time.Now()
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = day }, site.URL+"/", site.URL+"/a")
		if took := time.Since(start); end != crawler.EndDone || took < 30*day || took > 31*day {
			t.Errorf("the run ended with %q after %v, want done after 30 days", end, took)
		}
		for _, path := range []string{"/", "/a"} {
			if o := j.outcome(site.URL + path); o.Status != frontier.Failed || o.Reason != crawler.ReasonUnreachable {
				t.Errorf("%s ends as %s, %q; want failed, %q", path, o.Status, o.Reason, crawler.ReasonUnreachable)
			}
		}
		for _, h := range site.Hits() {
			if h.Path != "/robots.txt" {
				t.Errorf("%s was asked for without a robots.txt", h.Path)
			}
		}
	})
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/robots.txt": {Status: 500}})
		j := newJob(t, web)
		for range 3 { // too few tries to tell
			if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Second }, site.URL+"/"); end != crawler.EndWaiting {
				t.Errorf("run ended with %q, want waiting", end)
			}
			time.Sleep(31 * day)
		}
	})
}

// Pages that always answer 503 are asked for again when the others of their site have been, and not instead of them.
func TestRest_BusyPagesComeLast(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		busy := webtest.Page{Status: 503}
		site := web.Site(webtest.Pages{
			"/": page("/busy1", "/busy2", "/busy3", "/a", "/b"), "/busy1": busy, "/busy2": busy, "/busy3": busy, "/a": page(), "/b": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience, c.Politeness.SignalsPerPage = 24*time.Hour, 3 }, site.URL+"/")
		wantStrings(t, "asked at first", site.Hits().Paths()[:6], []string{"/robots.txt", "/", "/busy1", "/busy2", "/busy3", "/a"})
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/a", site.URL + "/b"})
		for _, path := range []string{"/busy1", "/busy2", "/busy3"} {
			if got := j.outcome(site.URL + path).Status; got != frontier.Failed {
				t.Errorf("%s ends as %s, want failed", path, got)
			}
		}
	})
}

// Nor are they instead of others beside an origin whose pages are passed over, which shows nothing of how the site is.
func TestRest_BusyPagesComeLastBesideAClosedOrigin(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		busy, pages := webtest.Page{Status: 503}, webtest.Pages{}
		var links, want []string
		for i := range 20 {
			links = append(links, fmt.Sprintf("https://half.example/%d", i))
		}
		for i := range 6 {
			p := fmt.Sprintf("/busy%d", i)
			pages[p], links, want = busy, append(links, p), append(want, p)
		}
		pages["/"] = page(links...)
		site := web.Site(pages, "half.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience, c.Politeness.SignalsPerPage = 24*time.Hour, 3 }, site.URL+"/")
		wantStrings(t, "asked at first", site.Hits().Paths()[2:2+len(want)], want)
	})
}

// A page that was asked for while its site was busy is given up no sooner than any other: after two rests, one error lost it.
func TestRest_CountsNotAgainstThePage(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		busy, broken := webtest.Page{Status: 503}, webtest.Page{Status: 500}
		site := web.Site(webtest.Pages{"/": page("/a"), "/a": {Handler: inTurn(busy, busy, busy, broken, broken, page())}})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 24 * time.Hour }, site.URL+"/")
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/a"})
	})
}

// A site has two origins. Where nobody answers at one, the pages of the other have their turn: they waited behind its first URL for
// ever.
func TestRest_ClosedOrigin(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		open := web.Site(webtest.Pages{
			"/": page("https://half.example/1", "https://half.example/2", "/a"), "/a": page("/b", "https://half.example/3"), "/b": page(),
		}, "half.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		run := func() {
			j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, open.URL+"/")
		}
		run()
		wantStrings(t, "stored", j.stored(), []string{open.URL + "/", open.URL + "/a", open.URL + "/b"})
		if n := len(open.Hits().Paths()); n != 4 || len(j.rests) != 0 {
			t.Errorf("%d requests were answered, and the site rests: %v; want robots.txt and three pages", n, j.rests)
		}
		time.Sleep(25 * time.Hour) // by then nothing that is known of robots.txt holds
		run()
		for _, path := range []string{"/1", "/2", "/3"} {
			if u, _ := j.frontier.Lookup(t.Context(), frontiertest.URL(t, "https://half.example"+path)); u.Status != frontier.Retrying ||
				u.Entry.Attempt != 0 {
				t.Errorf("%s is %s after %d attempts, want retrying and none", path, u.Status, u.Entry.Attempt)
			}
		}
	})
}

// To be passed over is no attempt at a page: the first request is the first one, and as many errors and signals may follow as at
// any other page.
func TestRest_OpenedOrigin(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		j := newJob(t, web)
		j.lookup, j.trusting = web.Lookup, true
		run := func(seed string) {
			j.run(t, t.Context(), func(c *crawler.Config) { c.Patience, c.Politeness.SignalsPerPage = 2*time.Hour, 3 }, seed)
		}
		for range 4 {
			run(web.Site(webtest.Pages{"/": page("https://half.example/a", "https://half.example/b")}, "half.example").URL + "/")
			time.Sleep(25 * time.Hour)
		}
		busy, broken := webtest.Page{Status: 503}, webtest.Page{Status: 500}
		open := web.TLSSite(webtest.Pages{
			"/a": {Handler: inTurn(busy, page())}, "/b": {Handler: inTurn(broken, broken, page())},
		}, "half.example")
		run(open.URL + "/a")
		wantStrings(t, "stored", j.stored()[1:], []string{open.URL + "/a", open.URL + "/b"})
		attempts := map[string]int{}
		for _, r := range j.requests {
			if path := r.URL.PathQuery(); r.URL.Scheme() == "https" && r.Status != 0 && r.Purpose == crawler.ForPage {
				if attempts[path]++; r.Attempt != attempts[path] {
					t.Errorf("request %d for %s is attempt %d", attempts[path], path, r.Attempt)
				}
			}
		}
	})
}

// After so many pages in a row that are passed over the site rests as a whole: nothing of it is answered.
func TestRest_ClosedOriginOfVeryManyPages(t *testing.T) {
	for n, rests := range map[int]bool{990: false, 1010: true} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			links := make([]string, n)
			for i := range links {
				links[i] = fmt.Sprintf("https://half.example/%d", i)
			}
			site := web.Site(webtest.Pages{"/": page(links...)}, "half.example")
			j := newJob(t, web)
			j.lookup = web.Lookup
			j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, site.URL+"/")
			if len(site.Hits()) != 2 || (len(j.rests) > 0) != rests {
				t.Errorf("%d pages: %d requests and rests %v, want two and rests %t", n, len(site.Hits()), j.rests, rests)
			}
		})
	}
}

func TestRest_TimeoutsInARow(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{"/": page("/1", "/2", "/3", "/4", "/5", "/6", "/7")}
		for _, p := range []string{"/1", "/2", "/3", "/4", "/5", "/6", "/7"} {
			pages[p] = webtest.Page{Handler: webtest.Drop()}
		}
		site := web.Site(pages)
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 30 * time.Second }, site.URL+"/")
		if got := len(site.Hits()); got != 2+5 {
			t.Errorf("%d requests, want the site to rest after 5 failures in a row", got)
		}
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonFailures {
			t.Errorf("rests = %+v, want one for failures-in-a-row", j.rests)
		}
	})
}

func TestRest_SiteThatDeniesUs(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		deny := webtest.Page{Status: 403}
		site := web.Site(webtest.Pages{"/robots.txt": deny, "/": deny, "/a": deny, "/b": deny})
		j := newJob(t, web)
		end := j.run(t, t.Context(), nil, site.URL+"/", site.URL+"/a", site.URL+"/b")
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		if got := len(site.Hits()); got != 2 {
			t.Errorf("%d requests to a site that refuses robots.txt and its first page, want 2", got)
		}
	})
}

// A part that is for members only is no sign that the owner does not want us: a page that does not exist is answered as such.
func TestRest_PartForMembers(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages, front := webtest.Pages{}, ""
		for i := range 50 {
			front += fmt.Sprintf(`<a href="/attachment/%d">a</a>`, i)
			pages[fmt.Sprintf("/attachment/%d", i)] = webtest.Page{Status: 403}
		}
		pages["/topic"] = webtest.Page{Body: "a topic"}
		pages["/"] = webtest.Page{Body: front + `<a href="/topic">t</a>`}
		site := web.Site(pages)
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		if len(j.rests) > 0 {
			t.Errorf("rests = %+v, want none", j.rests)
		}
		probes := 0
		for _, r := range j.requests {
			if r.Purpose == crawler.ForProbe {
				probes++
			}
		}
		if probes != 2 || len(site.Hits()) != 1+1+50+1+2 {
			t.Errorf("%d of %d requests were probes, want 2, one after 20 denials each, of 55", probes, len(site.Hits()))
		}
	})
}

// A site that has given pages, and then denies all, does not want us any more, and rests for a day.
func TestRest_SiteThatBansUs(t *testing.T) {
	forbidden := webtest.Page{Status: http.StatusForbidden}
	t.Run("what is not there is denied", func(t *testing.T) { testBan(t, forbidden, forbidden) })
	t.Run("what is not there fails", func(t *testing.T) { testBan(t, forbidden, webtest.Page{Status: http.StatusInternalServerError}) })
	t.Run("challenges for all", func(t *testing.T) { testBan(t, webtest.Page{Body: anubis}, webtest.Page{Body: anubis}) })
}

// testBan tests how a site is met that answers with pages of its own at first, then for what is there and what is not with these.
func testBan(t *testing.T, there, missing http.Handler) {
	t.Helper()
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var asked atomic.Int64
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch n := asked.Add(1); {
			case strings.Contains(r.URL.Path, "does-not-exist"):
				missing.ServeHTTP(w, r)
				return
			case n > 10 && r.URL.Path != "/robots.txt":
				there.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			for i := range 100 {
				fmt.Fprintf(w, `<a href="/page/%d">p</a>`, i)
			}
		}))
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonDenied {
			t.Errorf("rests = %+v, want one for access-denied", j.rests)
		}
		if got := asked.Load(); got != 10+20+1 {
			t.Errorf("%d requests, want 10 that were answered, 20 denied, and one whether all is denied", got)
		}
	})
}
