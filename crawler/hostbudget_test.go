package crawler_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// wide is a site of so many pages behind its front page, each of 1,000 bytes.
func wide(n int) webtest.Pages {
	return linked(n, webtest.Page{Body: strings.Repeat("x", 1000)})
}

// pagesOf counts the requests for pages of a site.
func pagesOf(s *webtest.Site) int {
	return len(slices.DeleteFunc(s.Hits().Paths(), func(p string) bool { return p == "/robots.txt" }))
}

// A host is asked for exactly as many pages as it may be, also without pauses and by several connections, over all runs.
func TestHostBudget_PagesAreExact(t *testing.T) {
	for _, connections := range []int{1, 4} {
		for _, most := range []int64{1, 3} {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(wide(20))
				j := newJob(t, web)
				change := func(most int64) func(*crawler.Config) {
					return func(c *crawler.Config) {
						c.Limits.PagesPerHost = most
						c.Hosts = map[string]crawler.Override{strings.TrimPrefix(site.URL, "http://"): {Delay: -1, Connections: connections}}
					}
				}
				if end := j.run(t, t.Context(), change(most), site.URL+"/"); end != crawler.EndPagesOfHost {
					t.Errorf("Run ended with %q, want max-pages-per-host", end)
				}
				if got := pagesOf(site); got != int(most) {
					t.Errorf("%d connections: %d pages, want %d", connections, got, most)
				}
				if end := j.run(t, t.Context(), change(most), site.URL+"/"); end != crawler.EndDone || pagesOf(site) != int(most) {
					t.Errorf("once more: %q, %d pages", end, pagesOf(site))
				}
			})
		}
	}
}

// A host may cost so many bytes and so much time, of its own if an override says so.
func TestHostBudget_BytesAndTime(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits crawler.Limits
		own    crawler.HostLimits
		end    crawler.Reason
		pages  int
	}{
		{"bytes", crawler.Limits{BytesPerHost: 3500}, crawler.HostLimits{}, crawler.EndBytesOfHost, 5},
		{"time", crawler.Limits{TimePerHost: 4500 * time.Millisecond}, crawler.HostLimits{}, crawler.EndTimeOfHost, 4},
		{"its own", crawler.Limits{PagesPerHost: 2}, crawler.HostLimits{Pages: 7}, crawler.EndPagesOfHost, 7},
		{"none of its own", crawler.Limits{PagesPerHost: 2}, crawler.HostLimits{Pages: -1}, crawler.EndDone, 21},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(wide(20))
				j := newJob(t, web)
				change := func(c *crawler.Config) {
					c.Limits = tt.limits
					c.Hosts = map[string]crawler.Override{strings.TrimPrefix(site.URL, "http://"): {Limits: tt.own}}
				}
				if end := j.run(t, t.Context(), change, site.URL+"/"); end != tt.end {
					t.Errorf("Run ended with %q, want %q", end, tt.end)
				}
				if got := pagesOf(site); got != tt.pages {
					t.Errorf("%d pages, want %d", got, tt.pages)
				}
				if tt.end == crawler.EndDone {
					return
				}
				at := slices.IndexFunc(j.refusals, func(r crawler.Refusal) bool { return crawler.EndFor(r.Reason) == tt.end })
				if at < 0 || j.refusals[at].Rule == "" {
					t.Fatalf("refusals %+v, want one for the limit", j.refusals)
				}
				u := frontiertest.URL(t, j.refusals[at].URL)
				reconsider := func() int {
					n, err := j.last.Reconsider(t.Context(), []frontier.Link{{URL: u, Depth: 1}})
					if err != nil {
						t.Fatal(err)
					}
					return n
				}
				if n := reconsider(); n != 0 {
					t.Errorf("%s is queued again though the limit holds", u)
				}
				j.run(t, t.Context(), nil, site.URL+"/") // without limits
				if n := reconsider(); n != 1 {
					t.Errorf("%s is not queued again without the limit", u)
				}
			})
		})
	}
}

// When the last page that may be fetched is there, the run ends: no site has to become due for that.
func TestRun_EndsWithItsLastPage(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(wide(5))
		j := newJob(t, web)
		start := time.Now()
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Limits.Pages = 1
			c.Politeness.Delay = time.Minute
		}, site.URL+"/")
		if took := time.Since(start); end != crawler.EndPages || took > 61*time.Second {
			t.Errorf("ended with %q after %v, want the pause after robots.txt and no other", end, took)
		}
	})
}

// Why robots.txt cannot be had is told apart: no such name, no connection, no answer in time, or the site itself.
func TestRest_SaysWhyRobotsCannotBeHad(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		closed := web.Site(webtest.Pages{"/robots.txt": {Status: 503}}, "busy.example")
		silent := web.Site(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "silent.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = 2 * time.Second }, closed.URL+"/", silent.URL+"/",
			"http://nowhere.example/", "http://busy.example:8080/")
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		got := map[string]crawler.Reason{}
		for _, r := range j.rests {
			got[r.Site] = r.Reason
		}
		for site, want := range map[string]crawler.Reason{
			"busy.example": crawler.ReasonUnreachable, "silent.example": crawler.ReasonTimeout,
			"nowhere.example": crawler.ReasonDNS, "busy.example:8080": crawler.ReasonRefused,
		} {
			if got[site] != want {
				t.Errorf("%s rests for %q, want %q", site, got[site], want)
			}
		}
	})
}

// A port that nobody listens at is told at once, as long as it never answered; while there is other work it is asked again.
func TestRun_DoesNotWaitForPortsThatNeverAnswered(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		closed := web.Site(webtest.Pages{"/": page()})
		closed.Close()
		j := newJob(t, web)
		start := time.Now()
		if end := j.run(t, t.Context(), nil, closed.URL+"/"); end != crawler.EndWaiting || time.Since(start) > time.Second {
			t.Errorf("nobody listens: ended with %q after %v, want waiting at once", end, time.Since(start))
		}
	})
	bubble(t, func(t *testing.T, web *webtest.Web) {
		var paths []string
		pages := webtest.Pages{}
		for i := range 200 { // at 3 s a page
			paths = append(paths, fmt.Sprintf("/%d", i))
			pages[paths[i]] = page()
		}
		pages["/"] = page(paths...)
		other, closed := web.Site(pages), web.Site(webtest.Pages{"/": page()})
		closed.Close()
		j := newJob(t, web)
		j.run(t, t.Context(), nil, other.URL+"/", closed.URL+"/")
		refused := 0
		for _, r := range j.rests {
			refused += map[bool]int{true: 1}[r.Reason == crawler.ReasonRefused]
		}
		if refused < 2 {
			t.Errorf("a port that nobody listens at was tried %d times while there was other work, want a second try", refused)
		}
	})
}

// A name that does not exist is told at once: who mistyped it does not wait for it.
func TestRun_DoesNotWaitForNamesThatDoNotExist(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		j := newJob(t, web)
		j.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: host != "flaky.example"}
		}
		start := time.Now()
		end := j.run(t, t.Context(), nil, "http://nowhere.example/")
		if took := time.Since(start); end != crawler.EndWaiting || took > time.Second {
			t.Errorf("ended with %q after %v, want waiting at once", end, took)
		}
		start = time.Now()
		end = j.run(t, t.Context(), nil, "http://flaky.example/")
		if took := time.Since(start); end != crawler.EndWaiting || took < time.Minute {
			t.Errorf("no answer about the name: ended with %q after %v, want a second try", end, took)
		}
	})
}
