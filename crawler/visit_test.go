package crawler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/robots"
)

func TestVisit_PageDirectives(t *testing.T) {
	meta := func(name, content string, links ...string) webtest.Page {
		p := page(links...)
		p.Body = fmt.Sprintf("<meta name=%q content=%q>", name, content) + p.Body
		return p
	}
	bubble(t, func(t *testing.T, web *webtest.Web) {
		header := page("/from-header")
		header.Header = map[string]string{"X-Robots-Tag": "cybermapper: noindex, nofollow"}
		foreign := page("/from-foreign")
		foreign.Header = map[string]string{"X-Robots-Tag": "otherbot: none"}
		rel := webtest.Page{Body: `<a rel="nofollow" href="/rel">x</a><a rel="external ugc" href="/ugc">x</a><a href="/plain">x</a>`}
		site := web.Site(webtest.Pages{
			"/":         page("/noindex", "/nofollow", "/none", "/ours", "/header", "/foreign", "/rel-page"),
			"/noindex":  meta("robots", "noindex", "/from-noindex"),
			"/nofollow": meta("ROBOTS", "NOFOLLOW", "/from-nofollow"),
			"/none":     meta("robots", "none", "/from-none"),
			"/ours":     meta("CyberMapper", "nofollow", "/from-ours"),
			"/header":   header, "/foreign": foreign, "/rel-page": rel,
			"/from-noindex": page(), "/from-foreign": page(), "/plain": page(),
			"/from-nofollow": page(), "/from-none": page(), "/from-ours": page(), "/from-header": page(), "/rel": page(), "/ugc": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		u := func(paths ...string) []string {
			for i := range paths {
				paths[i] = site.URL + paths[i]
			}
			return paths
		}
		wantStrings(t, "stored", j.stored(), u("/", "/nofollow", "/ours", "/foreign", "/rel-page", "/from-noindex", "/from-foreign", "/plain"))
		for path, want := range map[string]crawler.Reason{
			"/noindex": crawler.ReasonNoindex, "/from-nofollow": crawler.ReasonNofollowPage, "/rel": crawler.ReasonNofollowLink, "/ugc": crawler.ReasonNofollowLink,
		} {
			if got := j.refused(site.URL + path); !slices.Equal(got, []crawler.Reason{want}) {
				t.Errorf("%s: refused for %q, want %q", path, got, want)
			}
		}
		for _, path := range []string{"/from-nofollow", "/from-none", "/from-ours", "/from-header", "/rel", "/ugc"} {
			if site.Hits().Count(path) > 0 {
				t.Errorf("%s was asked for", path)
			}
		}
	})
}

// A blog names its feed, that of the comments on each article, and each article once more for machines. The feed of a front page is
// asked for, and what it names as links of its own.
func TestVisit_Feeds(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		head := func(title, feed string, links ...string) webtest.Page {
			p := page(links...)
			p.Body = `<link rel=alternate type="application/rss+xml" href="` + feed + `">
				<link rel=alternate type="application/json" href="/wp-json` + title + `"><title>` + title + `</title>` + p.Body
			return p
		}
		feed := func(body string) webtest.Page {
			return webtest.Page{Type: "application/rss+xml; charset=utf-8", Body: body}
		}
		site := web.Site(webtest.Pages{
			"/":            head("/", "/feed/", "/a/"),
			"/a/":          head("/a/", "/a/feed/", "/b/", "/shown/feed/"),
			"/b/":          head("/b/", "/b/feed/", "/b/feed/"), // in its text as well
			"/in-feed/":    head("/in-feed/", "/in-feed/feed/"),
			"/feed/":       feed(`<rss><channel><link>/channel/</link><item><link>/in-feed/</link></item><item><link>/a/#comment</link></item></channel></rss>`),
			"/shown/feed/": feed(`<feed><entry><link href="/in-atom/"/></entry></feed>`),
			"/in-atom/":    page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "requests", site.Hits().Paths(),
			[]string{"/robots.txt", "/", "/feed/", "/a/", "/in-feed/", "/b/", "/shown/feed/", "/in-atom/"})
		for _, path := range []string{"/a/feed/", "/b/feed/", "/in-feed/feed/"} {
			if got := j.refused(site.URL + path); !slices.Equal(got, []crawler.Reason{crawler.ReasonPartFeed}) {
				t.Errorf("%s: refused for %q", path, got)
			}
		}
	})
}

// What a feed of Atom says its links are relative to counts, wherever it says it.
func TestVisit_FeedWithBases(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/feeds/all": {Type: "application/atom+xml", Body: `<feed xmlns="http://www.w3.org/2005/Atom" xml:base=" /blog/all.atom ">
				<entry><link href="2024/1"/></entry>
				<entry xml:base="2024/"><link href="2"/></entry>
				<entry xml:base="2024/"><link rel="edit" xml:base="/edit/" href="3"/><link xml:base="x/y" href="3"/></entry>
				<entry xml:base="http://["><link href="4"/></entry>
				<entry><link href="/5"/></entry></feed>`},
			"/blog/2024/1": page(), "/blog/2024/2": page(), "/blog/2024/x/3": page(), "/blog/4": page(), "/5": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/feeds/all")
		wantStrings(t, "requests", site.Hits().Paths(),
			[]string{"/robots.txt", "/feeds/all", "/blog/2024/1", "/blog/2024/2", "/blog/2024/x/3", "/blog/4", "/5"})
	})
}

// A feed whose entries stand in several parts leads from each part to the next one.
func TestVisit_FeedInParts(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		part := func(body string) webtest.Page {
			return webtest.Page{Type: "application/atom+xml", Body: `<feed xmlns="http://www.w3.org/2005/Atom">` + body + `</feed>`}
		}
		site := web.Site(webtest.Pages{
			"/feed":        part(`<link rel="next" href="?page=2"/><entry><link href="/1"/></entry>`),
			"/feed?page=2": part(`<link rel="previous" href="/feed"/><entry><link href="/2"/></entry>`),
			"/1":           page(), "/2": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/feed")
		got := site.Hits().Paths()
		slices.Sort(got)
		wantStrings(t, "requests", got, []string{"/1", "/2", "/feed", "/feed?page=2", "/robots.txt"})
	})
}

func TestVisit_LinksThatNeverBecomeRequests(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/": page("mailto:a@b.example", "javascript:alert(1)", "ftp://f.example/", "http://", "/vote?id=1", "/account/logout",
				"/list?action=delete", "http://elsewhere.example/", "/"+strings.Repeat("x", 3000), "/ok#part", "/ok"),
			"/ok": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "requests", site.Hits().Paths(), []string{"/robots.txt", "/", "/ok"})
		for url, want := range map[string]crawler.Reason{
			"mailto:a@b.example": crawler.ReasonBadURL, "javascript:alert(1)": crawler.ReasonBadURL,
			site.URL + "/vote?id=1": crawler.ReasonAction, "http://elsewhere.example/": crawler.ReasonOutOfScope,
			site.URL + "/" + strings.Repeat("x", 3000): crawler.ReasonURLLength,
		} {
			if got := j.refused(url); !slices.Equal(got, []crawler.Reason{want}) {
				t.Errorf("%.60s: refused for %q, want %q", url, got, want)
			}
		}
		if got := j.last.Status().Reasons[crawler.ReasonAction]; got != 3 {
			t.Errorf("%d action links counted, want 3", got)
		}
	})
}

// Ensure that pages which redirect to a form to sign in, as they do when a session has ended, are counted as such.
func TestVisit_RedirectsToSignIn(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/":      page("/a", "/b", "/login?next=/"),
			"/a":     webtest.Redirect(302, "/login?next=/a"),
			"/b":     webtest.Redirect(302, "/logout"),
			"/login": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "requests", site.Hits().Paths(), []string{"/robots.txt", "/", "/a", "/b"})
		for path, want := range map[string]crawler.Reason{
			"/login?next=/a": crawler.ReasonSignIn, "/login?next=/": crawler.ReasonAction, "/logout": crawler.ReasonAction,
		} {
			if got := j.refused(site.URL + path); !slices.Equal(got, []crawler.Reason{want}) {
				t.Errorf("%s: refused for %q, want %q", path, got, want)
			}
		}
	})
}

// A server that writes its Location in Latin-1 gets the bytes back that it wrote, and so does the ledger.
func TestVisit_RedirectThatIsNoUTF8(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/":          page("/old"),
			"/old":       webtest.Redirect(302, "/stra\xdfe?\xe4"),
			"/stra\xdfe": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/stra%DFe?%E4"})
		for _, r := range j.requests {
			if want := "/stra%DFe?%E4"; r.Status == 302 && r.Location != want {
				t.Errorf("the location of a redirect is told as %q, want %q", r.Location, want)
			}
		}
	})
}

// A status of success that HTTP does not know is 200 (RFC 9110 section 15), and browsers show what comes with 201 and 226, too.
func TestVisit_Successes(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{}
		var links, want []string
		for _, status := range []int{201, 202, 203, 204, 205, 207, 226, 230, 299} {
			path, next := fmt.Sprintf("/%d", status), fmt.Sprintf("/from/%d", status)
			links = append(links, path)
			p := page(next)
			p.Status = status
			pages[path], pages[next] = p, page()
			if status != 202 && status != 204 && status != 205 {
				want = append(want, path, next)
			}
		}
		pages["/"] = page(links...)
		site := web.Site(pages)
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		stored := j.stored()
		for i, url := range stored {
			stored[i] = strings.TrimPrefix(url, site.URL)
		}
		slices.Sort(stored)
		want = append(want, "/")
		slices.Sort(want)
		wantStrings(t, "stored", stored, want)
	})
}

func TestVisit_Redirects(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/":        page("/old", "/loop", "/self", "/long/0", "/away", "/nowhere"),
			"/old":     webtest.Redirect(301, "/new#there"),
			"/new":     page("/end"),
			"/end":     page(),
			"/loop":    webtest.Redirect(302, "/pool"),
			"/pool":    webtest.Redirect(302, "/loop"),
			"/self":    webtest.Redirect(307, "/self"),
			"/away":    webtest.Redirect(303, "http://elsewhere.example/x"),
			"/nowhere": {Status: 302},
			"/long/0":  webtest.Redirect(302, "/long/1"), "/long/1": webtest.Redirect(302, "/long/2"), "/long/2": webtest.Redirect(302, "/long/3"), "/long/3": page(),
		})
		j := newJob(t, web)
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Traps.Redirects = 2 }, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/new", site.URL + "/end"})
		for _, p := range j.pages {
			if p.FinalURL == site.URL+"/new" && p.URL != site.URL+"/old" {
				t.Errorf("page behind a redirect: url %s, want the redirecting one", p.URL)
			}
			if p.FinalURL == site.URL+"/new" && p.Depth != 1 {
				t.Errorf("redirect target has depth %d, want that of its source, 1", p.Depth)
			}
		}
		for url, want := range map[string]crawler.Reason{
			site.URL + "/self": crawler.ReasonRedirectLoop, site.URL + "/loop": crawler.ReasonRedirectLoop,
			site.URL + "/long/3": crawler.ReasonRedirectLimit, "http://elsewhere.example/x": crawler.ReasonOutOfScope,
		} {
			if got := j.refused(url); !slices.Equal(got, []crawler.Reason{want}) {
				t.Errorf("%s: refused for %q, want %q", url, got, want)
			}
		}
		for _, r := range j.refusals {
			if r.URL == site.URL+"/loop" && r.Rule != site.URL+"/loop -> "+site.URL+"/pool -> "+site.URL+"/loop" {
				t.Errorf("the loop is named %q", r.Rule)
			}
		}
	})
}

// Ensure that a page which was visited is not asked for again under its address with a session or a tracking parameter, as when it
// leads to itself so, while one that is only to be had with a session is.
func TestVisit_OnlyASessionMore(t *testing.T) {
	for _, delay := range []time.Duration{time.Second, -1} { // without a pause the page before is still being read
		bubble(t, func(t *testing.T, web *webtest.Web) { onlyASessionMore(t, web, delay) })
	}
}

func onlyASessionMore(t *testing.T, web *webtest.Web, delay time.Duration) {
	t.Helper()
	needsSession := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			http.Redirect(w, r, "/welcome", http.StatusFound)
			return
		}
		page().ServeHTTP(w, r)
	}
	site := web.Site(webtest.Pages{
		"/": page("/a", "/a?utm_source=front", "/a;jsessionid=1F", "/a?utm_source=front&id=7", "/b", "/member", "/member?sid=7",
			"/broken", "/broken?sid=7", "/c?fbclid=I1", "/c"),
		"/a": page("/a?utm_source=a"), "/b": webtest.Redirect(302, "/b?sid=1"), "/c": page(),
		"/member": {Handler: http.HandlerFunc(needsSession)}, "/welcome": page(),
		"/broken": {Status: http.StatusNotFound},
	})
	j := newJob(t, web)
	j.run(t, t.Context(), func(c *crawler.Config) { c.Politeness.Delay = delay }, site.URL+"/")
	wantStrings(t, "requests", site.Hits().Paths(), []string{
		"/robots.txt", "/", "/a", "/a?utm_source=front&id=7", "/b", "/member", "/member?sid=7", "/broken", "/broken?sid=7",
		"/c?fbclid=I1", "/c", "/b?sid=1", "/welcome",
	})
	for _, path := range []string{"/a?utm_source=front", "/a;jsessionid=1F", "/a?utm_source=a"} {
		if got := j.refused(site.URL + path); !slices.Equal(got, []crawler.Reason{crawler.ReasonPermutation}) {
			t.Errorf("%s: refused for %q, want %q", path, got, crawler.ReasonPermutation)
		}
	}
}

func TestVisit_EndlessSpaceIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.EndlessPages(2))
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Limits.Depth = 4
			c.Traps.Repeats = -1
		}, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		if got := len(j.pages); got != 1+2+4+8+16 {
			t.Errorf("%d pages of an endless tree to depth 4, want 31", got)
		}
		if j.last.Status().Reasons[crawler.ReasonDepth] != 32 {
			t.Errorf("reasons %v, want 32 links too deep", j.last.Status().Reasons)
		}
	})
}

// What is too deep here and was found nearer to a seed is no URL beyond the depth.
func TestVisit_TooDeepIsWhatIsNotKnown(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		menu := "<a href=/>home</a><a href=/a>a</a><a href=/b>b</a>"
		site := web.Site(webtest.Pages{"/": {Body: menu}, "/a": {Body: menu + "<a href=/deep>deep</a>"}, "/b": {Body: menu}})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Limits.Depth = 1 }, site.URL+"/")
		if got := j.last.Status().Reasons[crawler.ReasonDepth]; got != 1 {
			t.Errorf("%d URLs too deep, want 1", got)
		}
	})
}

func TestVisit_Limits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits crawler.Limits
		end    crawler.Reason
		pages  int
	}{
		{"pages", crawler.Limits{Depth: -1, Pages: 7}, crawler.EndPages, 7},
		{"pages per host", crawler.Limits{Depth: -1, PagesPerHost: 3}, crawler.EndPagesOfHost, 12},
		{"seeds only", crawler.Limits{SeedsOnly: true}, crawler.EndDone, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				var seeds []string
				for range 4 {
					seeds = append(seeds, web.Site(webtest.Pages{"/": page("/1", "/2", "/3", "/4", "/5"), "/1": page(), "/2": page(), "/3": page(), "/4": page(), "/5": page()}).URL+"/")
				}
				j := newJob(t, web)
				if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Limits = tt.limits }, seeds...); end != tt.end {
					t.Errorf("Run ended with %q, want %q", end, tt.end)
				}
				if got := len(j.pages); got != tt.pages {
					t.Errorf("%d pages, want %d", got, tt.pages)
				}
			})
		})
	}
}

func TestVisit_ShallowPagesFirst(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/": page("/a", "/b"), "/a": page("/a/1"), "/b": page("/b/1"), "/a/1": page("/a/1/x"), "/b/1": page(), "/a/1/x": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		want := []string{"/robots.txt", "/", "/a", "/b", "/a/1", "/b/1", "/a/1/x"}
		if got := site.Hits().Paths(); !slices.Equal(got, want) {
			t.Errorf("order %q, want %q", got, want)
		}
	})
}

func TestVisit_PrivateAddressesAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page()})
		j := newJob(t, web)
		j.public = true
		end := j.run(t, t.Context(), nil, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		if len(site.Hits()) > 0 {
			t.Errorf("a loopback address was asked: %q", site.Hits().Paths())
		}
		if got := j.refused(site.URL + "/"); !slices.Equal(got, []crawler.Reason{crawler.ReasonPrivate}) {
			t.Errorf("refused for %q, want private-address", got)
		}
		info, err := j.frontier.Lookup(t.Context(), frontiertest.URL(t, site.URL+"/"))
		if err != nil || info.Status != frontier.Refused {
			t.Errorf("frontier says %v, %v; want refused", info.Status, err)
		}
	})
}

func TestVisit_OneOfOnesOwnHosts(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := linked(12, webtest.Page{Handler: webtest.Delay(1e9, page())})
		mine, other := web.Site(pages), web.Site(pages)
		j := newJob(t, web)
		host := strings.TrimPrefix(mine.URL, "http://")
		j.run(t, t.Context(), func(c *crawler.Config) {
			c.Hosts = map[string]crawler.Override{host: {Connections: 3}}
		}, mine.URL+"/", other.URL+"/")
		if got := webtest.MaxInFlight(mine.Hits()); got != 3 {
			t.Errorf("%d requests in flight at one's own host with 3 connections, want 3", got)
		}
		if got := webtest.MaxInFlight(other.Hits()); got != 1 {
			t.Errorf("%d requests in flight at another host, want 1", got)
		}
	})
}

// Where the pause is so short that the lease goes on with what the first page links to, all connections take part.
func TestVisit_ConnectionsOfQuickHost(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(linked(12, webtest.Page{Handler: webtest.Delay(1e9, page())}))
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Hosts = map[string]crawler.Override{strings.TrimPrefix(site.URL, "http://"): {Delay: -1, Connections: 3}}
		}, site.URL+"/")
		if got := webtest.MaxInFlight(site.Hits()); got != 3 || end != crawler.EndDone {
			t.Errorf("%d requests in flight with 3 connections and no pause, the end is %q; want 3, done", got, end)
		}
	})
}

func TestVisit_Referer(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		other := web.Site(webtest.Pages{"/": page()})
		site := web.Site(webtest.Pages{
			"/": {Body: `<a href="/a#x">a</a><a rel="noreferrer" href="/b">b</a><a href="` + other.URL + `/">other</a>`}, "/a": page(), "/b": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Scope.Mode = crawler.ScopeAny }, site.URL+"/?secret=1#top")
		for _, h := range other.Hits() {
			if want := map[string]string{"/": site.URL + "/"}[h.Path]; h.Header.Get("Referer") != want {
				t.Errorf("another origin is told %q of the page with the link, want %q", h.Header.Get("Referer"), want)
			}
		}
		for _, h := range site.Hits() {
			want := ""
			if h.Path == "/a" {
				want = site.URL + "/?secret=1"
			}
			if got := h.Header.Get("Referer"); got != want {
				t.Errorf("%s: Referer %q, want %q", h.Path, got, want)
			}
			if h.Method != "GET" || h.Header.Get("Cookie") != "" {
				t.Errorf("%s: method %s, cookie %q", h.Path, h.Method, h.Header.Get("Cookie"))
			}
		}
	})
}

func TestVisit_Soft404(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		missing := webtest.Page{Body: `<title>Sorry, page not found</title><a href="/more-nothing">more</a>`}
		known := map[string]webtest.Page{
			"/robots.txt": {Body: "User-agent: *\nDisallow:\n"},
			"/":           page("/gone", "/essay"),
			"/essay":      {Body: "<title>Why pages are not found</title>"},
		}
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p, ok := known[r.URL.Path]
			if !ok {
				p = missing
			}
			p.ServeHTTP(w, r)
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/essay"})
		if got := j.outcome(site.URL + "/gone").Reason; got != crawler.ReasonSoft404 {
			t.Errorf("outcome of the page that is not there: reason %q, want soft-404", got)
		}
		if got := len(site.Hits()); got != 5 {
			t.Errorf("%d requests %q, want one probe and nothing behind the soft 404", got, site.Hits().Paths())
		}
	})
}

// A site that does not answer a probe does not keep what other sites have answered from being read.
func TestVisit_ProbeThatHangs(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		probed := make(chan struct{})
		hanging := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				webtest.Page{Body: "User-agent: *\nDisallow:\n"}.ServeHTTP(w, r)
			case "/gone":
				webtest.Page{Body: "<title>Page not found</title>"}.ServeHTTP(w, r)
			default:
				close(probed)
				<-r.Context().Done()
			}
		}))
		var stored time.Time
		other := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				<-probed
				webtest.Page{Body: "User-agent: *\nDisallow:\n"}.ServeHTTP(w, r)
			case "/":
				page("/next").ServeHTTP(w, r)
			default:
				stored = time.Now()
				page().ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		begin := time.Now()
		j.run(t, t.Context(), func(c *crawler.Config) { c.Answers = 1 }, hanging.URL+"/gone", other.URL+"/")
		if took := stored.Sub(begin); stored.IsZero() || took > 5*time.Second {
			t.Errorf("the second page of the other site was asked for after %v, want at once", took)
		}
	})
}

// A probe is a request like any other: a site that answers it with 429 is left alone.
func TestVisit_ProbeThatIsTooMuch(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				webtest.Page{Body: "User-agent: *\nDisallow:\n"}.ServeHTTP(w, r)
			case "/", "/next":
				webtest.Page{Body: `<title>Not found</title><a href="/next">next</a>`}.ServeHTTP(w, r)
			default:
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusTooManyRequests)
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonBusy {
			t.Fatalf("rests %+v, want one for too-many-requests", j.rests)
		}
		probe := j.requests[2]
		if probe.Purpose != crawler.ForProbe || probe.RetryAfter != "3600" {
			t.Errorf("request %+v, want the probe and what it was told", probe)
		}
		for _, r := range j.requests[3:] {
			if gap := r.Start.Sub(probe.End); gap < time.Hour {
				t.Errorf("%s was asked for after %v, want an hour at least", r.URL, gap)
			}
		}
	})
}

// An answer 429 is counted once, though it is an attempt of a page and a rest of its site.
func TestVisit_SignalsAreCountedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		asked := 0
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked == 2 || asked == 3 { // behind robots.txt
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			webtest.Page{}.ServeHTTP(w, r)
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		s := j.last.Status()
		if s.Codes[http.StatusTooManyRequests] != 2 || s.Reasons[crawler.ReasonBusy] != 2 {
			t.Errorf("%d answers 429, counted %d times; want 2 and 2", s.Codes[http.StatusTooManyRequests], s.Reasons[crawler.ReasonBusy])
		}
	})
}

// What a request for robots.txt brought is told with it, and on the last hop only.
func TestVisit_RobotsRequestsTellWhatTheyBrought(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				http.Redirect(w, r, "/robots2.txt", http.StatusFound)
			case "/robots2.txt":
				webtest.Page{Body: "User-agent: *\nDisallow:\n"}.ServeHTTP(w, r)
			default:
				page().ServeHTTP(w, r)
			}
		}))
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		if len(j.requests) != 3 {
			t.Fatalf("%d requests, want 3", len(j.requests))
		}
		hop, file, page := j.requests[0], j.requests[1], j.requests[2]
		if hop.Origin != site.URL || hop.Location != "/robots2.txt" || hop.Robots.Outcome != "" {
			t.Errorf("first hop %+v", hop)
		}
		if file.Origin != site.URL || file.Robots.Outcome != robots.Found || file.Robots.Digest != page.Verdict.Digest {
			t.Errorf("last hop %+v, want one that brought %s", file, page.Verdict.Digest)
		}
	})
}
