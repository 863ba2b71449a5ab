package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that of each endless place a few pages are asked for, and all the honest pages beside it.
func TestPromise_EndlessPlacesAreLeft(t *testing.T) {
	for i, e := range webtest.EndlessKinds() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(e.Name, func(t *testing.T) { testEndlessIsLeft(t, e, func(*crawler.Config) {}) })
	}
}

// Ensure that a maze on trial is asked for one page after the other where a site answers faster than its pages are stored.
func TestPromise_EndlessPlacesAreLeftByWhoStoresSlowly(t *testing.T) {
	const store = 100 * time.Millisecond
	asked := testEndlessIsLeft(t, webtest.EndlessKinds()[0], func(c *crawler.Config) { c.Sink = slowSink(store) })
	for i := len(asked) / 2; i < len(asked); i++ {
		if gap := asked[i].Start.Sub(asked[i-1].End); gap < store {
			t.Errorf("page %d of %d was asked for %v after the one before it was answered, which is stored after %v", i, len(asked), gap, store)
		}
	}
}

// testEndlessIsLeft crawls an endless site and returns the requests for pages of its endless place, in order.
func testEndlessIsLeft(t *testing.T, e *webtest.Endless, change func(*crawler.Config)) (within []webtest.Hit) {
	t.Helper()
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(e.Site, "www."+webtest.EndlessDomain, "*."+webtest.EndlessDomain)
		j := newJob(t, web)
		j.lookup = web.Lookup
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Politeness.Delay = time.Millisecond
			c.Limits.Pages = 1000
			c.Scope.Mode = crawler.ScopeDomain
			change(c)
		}, site.URL+"/")
		honest := map[string]bool{}
		for _, h := range web.Log() {
			host, _, _ := strings.Cut(h.Host, ":")
			switch {
			case h.Status != http.StatusOK || h.Path == "/robots.txt":
			case e.Within(host, h.Path):
				within = append(within, h)
			default:
				honest[h.Path] = true
			}
		}
		if len(within) > e.Most {
			t.Errorf("%d pages of the endless place were asked for, want at most %d", len(within), e.Most)
		}
		for _, path := range e.Honest {
			if !honest[path] {
				t.Errorf("%s was not asked for: %q", path, j.refused(site.URL+path))
			}
		}
		if end != crawler.EndDone {
			t.Errorf("the crawl ended with %q, want %q", end, crawler.EndDone)
		}
		t.Logf("%d pages of the endless place; %d URLs parked", len(within), j.last.Parked())
		if j.last.Parked() == 0 {
			t.Error("nothing is parked")
		}
	})
	return within
}

// Ensure that a comic is visited to its end, all pages of which have the same words.
func TestParked_ComicIsNot(t *testing.T) {
	const strips = 150
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
			if n > strips {
				http.NotFound(w, r)
				return
			}
			webtest.Page{Body: fmt.Sprintf(`<p>Drawn each week since the spring of the year in which we moved to the sea, with ink and a brush, `+
				`on paper, and never with any words</p><img src="/strips/%d.jpg"><a href="/%d">on</a><a href="/%d">back</a>`, n, n+1, max(n-1, 0)),
			}.ServeHTTP(w, r)
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }, site.URL+"/")
		if o := j.outcome(fmt.Sprintf("%s/%d", site.URL, strips)); o.Status != frontier.Done || j.last.Parked() > 0 {
			t.Errorf("the last strip is %v, and %d URLs are parked", o.Status, j.last.Parked())
		}
	})
}

// Ensure that what is parked is taken up when it is released, and told as parked until then.
func TestParked_IsReleased(t *testing.T) {
	for name, release := range map[string]func(c *crawler.Config, site string){
		"by a pattern": func(c *crawler.Config, _ string) { c.Traps.Released = []*regexp.Regexp{regexp.MustCompile("/place/")} },
		"by its host":  func(c *crawler.Config, site string) { c.Hosts = map[string]crawler.Override{site: {Release: true}} },
	} {
		t.Run(name, func(t *testing.T) { testReleased(t, release) })
	}
}

func testReleased(t *testing.T, release func(c *crawler.Config, site string)) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		e := webtest.EndlessKinds()[0]
		site := web.Site(e.Site)
		j := newJob(t, web)
		polite := func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }
		j.run(t, t.Context(), polite, site.URL+"/")
		parked := j.last.Parked()
		if parked == 0 {
			t.Fatal("nothing is parked")
		}
		var again []crawler.Refusal
		told := map[string]bool{}
		for _, r := range slices.Backward(j.refusals) { // what was asked last and then parked again is told twice
			if r.Reason == crawler.ReasonEndless && !told[r.URL] && j.outcome(r.URL).Status == frontier.Unknown {
				again = append(again, r)
				told[r.URL] = true
			}
		}
		if int64(len(again)) != parked {
			t.Errorf("%d URLs were told as parked, %d are", len(again), parked)
		}
		before := len(web.Log())
		j.before = func(c *crawler.Crawler) {
			var links []frontier.Link
			for _, r := range again {
				u := frontiertest.URL(t, r.URL)
				c.RecallParked(u, r.Reason, r.Rule)
				links = append(links, frontier.Link{URL: u, Via: r.Via, Depth: r.Depth})
			}
			if queued, err := c.Reconsider(t.Context(), links); err != nil || int64(queued) != parked {
				t.Errorf("Reconsider = %d, %v, want %d", queued, err, parked)
			}
			if n := c.Parked(); n != 0 {
				t.Errorf("%d URLs are still parked", n)
			}
		}
		j.run(t, t.Context(), func(c *crawler.Config) {
			polite(c)
			release(c, frontiertest.URL(t, site.URL+"/").Site())
			c.Limits.Pages = 800
		}, site.URL+"/")
		if more := len(web.Log()) - before; more < 100 {
			t.Errorf("%d requests after the release, want those for what was parked", more)
		}
	})
}

// Ensure that what is parked is asked last: a place that proves to be finite is visited whole, by this run or by the next.
func TestParked_IsAskedLast(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls nine thousand pages")
	}
	const pages, links, documents = 3400, 5, 6000
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chance := rand.New(rand.NewPCG(xxhash.Sum64String(r.URL.Path), 1))
		body := "<title>" + r.URL.Path + "</title><p>" + strings.Repeat(r.URL.Path+" ", 20)
		switch {
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
			return
		case r.URL.Path == "/":
			body += "<a href=/place/0>x</a>"
			for i := range documents {
				body += fmt.Sprintf("<a href=/document-%d>x</a>", i)
			}
		case strings.HasPrefix(r.URL.Path, "/place/"):
			for range links {
				body += fmt.Sprintf("<a href=/place/%x>x</a>", chance.IntN(pages)*7919)
			}
		}
		webtest.Page{Body: body}.ServeHTTP(w, r)
	})
	bubble(t, func(t *testing.T, web *webtest.Web) {
		at := web.Site(site)
		j := newJob(t, web)
		brisk := func(c *crawler.Config) { c.Politeness.Delay = time.Millisecond }
		j.run(t, t.Context(), func(c *crawler.Config) { brisk(c); c.Parked = nil }, at.URL+"/")
		if n := len(j.stored()); j.last.Parked() == 0 || n > documents+200 {
			t.Fatalf("%d pages, %d URLs are parked; some should be", n, j.last.Parked())
		}
		j.before = func(c *crawler.Crawler) {
			for _, o := range j.outcomes {
				c.Recall(crawler.Memory{URL: o.URL, Via: o.Via, New: o.New, Opens: o.Opens})
			}
			for l, _ := range j.parked {
				if j.outcome(l.URL.String()).Status == frontier.Unknown {
					c.RecallParked(l.URL, crawler.ReasonEndless, l.Rule)
				}
			}
		}
		j.run(t, t.Context(), brisk, at.URL+"/")
		if n := len(j.stored()); j.last.Parked() != 0 || n < documents+pages*99/100 {
			t.Errorf("%d pages, %d URLs are parked, want all of %d", n, j.last.Parked(), documents+pages)
		}
	})
}

// Ensure that twelve thousand articles that only a link to the next one leads to are all asked for, the last two thousand when
// nothing else is left: a chain is parked for its length.
func TestParked_LongChainIsFollowedToItsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls twelve thousand pages")
	}
	const articles = 12_000
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		body := "<title>" + r.URL.Path + "</title>"
		switch _, err := fmt.Sscanf(r.URL.Path, "/page/%d", &n); {
		case r.URL.Path == "/":
			body += "<a href=/page/1>first</a>"
		case err != nil || n > articles:
			http.NotFound(w, r)
			return
		default:
			chance := rand.New(rand.NewPCG(uint64(n), 1))
			for range 60 {
				body += fmt.Sprintf("w%x ", chance.IntN(4000)*7919)
			}
			body += fmt.Sprintf("<a href=/page/%d>before</a><a href=/page/%d>next</a>", max(n-1, 1), min(n+1, articles))
		}
		webtest.Page{Body: body}.ServeHTTP(w, r)
	})
	bubble(t, func(t *testing.T, web *webtest.Web) {
		at := web.Site(site)
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Politeness.Delay = time.Millisecond
			c.Limits.Depth = -1
		}, at.URL+"/")
		if n := len(j.stored()); n != articles+1 || j.last.Parked() != 0 || end != crawler.EndDone {
			t.Errorf("%d pages of %d are stored, %d URLs parked, the crawl ended with %q", n, articles+1, j.last.Parked(), end)
		}
		last := slices.ContainsFunc(j.refusals, func(r crawler.Refusal) bool { return r.Reason == crawler.ReasonEndless })
		if !last {
			t.Error("the chain was never parked")
		}
	})
}
