package crawler_test

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// optOut is a list that changes while the crawl runs.
type optOut struct {
	mu        sync.Mutex
	hosts     map[string]bool
	addresses map[netip.Addr]bool
}

func (o *optOut) Host(host string) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return host, o.hosts[host]
}

func (o *optOut) Address(a netip.Addr) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return a.String(), o.addresses[a]
}

// set makes host, and address unless it is none, the whole list.
func (o *optOut) set(host string, a netip.Addr) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hosts, o.addresses = map[string]bool{host: true}, map[netip.Addr]bool{a: a.IsValid()}
}

// manyPages is a site with n pages besides its front page, which links to all of them.
func manyPages(n int) webtest.Pages {
	pages := linked(n, page())
	pages["/robots.txt"] = webtest.Page{Body: "User-agent: *\nDisallow:\n"}
	return pages
}

// Whoever is opted out in the middle of a crawl is asked for nothing from that moment on, by name or by address; the rest of
// its queue is refused, the others go on, and when it is lifted it goes on as well.
func TestOptOut_StopsASiteAtOnceAndIsLifted(t *testing.T) {
	for name, list := range map[string]func(o *optOut, u frontier.URL){
		"by name":    func(o *optOut, u frontier.URL) { o.set(u.Hostname(), netip.Addr{}) },
		"by address": func(o *optOut, u frontier.URL) { o.set("", netip.MustParseAddr(u.Hostname())) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site, other := web.Site(manyPages(20)), web.Site(manyPages(20))
				j := newJob(t, web)
				u, out := frontiertest.URL(t, site.URL+"/"), &optOut{}
				const after = 10*time.Second + 500*time.Millisecond
				at := time.Now().Add(after)
				timer := time.AfterFunc(after, func() { list(out, u) })
				defer timer.Stop()
				end := j.run(t, t.Context(), func(c *crawler.Config) { c.OptOut = out }, site.URL+"/", other.URL+"/")
				if end != crawler.EndDone {
					t.Errorf("Run ended with %q, want done", end)
				}
				for _, h := range site.Hits() {
					if h.Start.After(at) {
						t.Errorf("%s was asked for %v after the opt-out", h.Path, h.Start.Sub(at))
					}
				}
				before := len(site.Hits())
				if before < 8 || before > 14 || len(other.Hits()) != 22 {
					t.Errorf("%d requests to the site and %d to the other one, want about 10 and 22", before, len(other.Hits()))
				}
				var refused []frontier.Link
				for _, r := range j.refusals {
					if r.Gate != crawler.GateOptOut || r.Reason != crawler.ReasonOptedOut || r.Rule == "" {
						t.Errorf("refusal %+v, want one by the opt-out gate", r)
					}
					refused = append(refused, frontier.Link{URL: frontiertest.URL(t, r.URL), Depth: r.Depth, Via: r.Via})
				}
				if len(refused) != 22-before {
					t.Errorf("%d URLs refused, want the %d that were left", len(refused), 22-before)
				}

				fates, err := j.last.Offer(t.Context(), refused)
				if byName := name == "by name"; err != nil || byName && fates[0].Gate != crawler.GateOptOut {
					t.Errorf("offered again: %+v, %v", fates[0], err)
				}
				out.set("", netip.Addr{})
				if _, err = j.last.Offer(t.Context(), refused); err != nil {
					t.Fatal(err)
				}
				j.run(t, t.Context(), func(c *crawler.Config) { c.OptOut = out }, site.URL+"/", other.URL+"/")
				if got := site.Hits(); len(got) != 22 || len(webtest.Repeated(got)) != 0 {
					t.Errorf("%d requests after the opt-out was lifted, repeated %q, want each page once", len(got), webtest.Repeated(got))
				}
			})
		})
	}
}

// Opted out from the start, a site is asked for nothing, not for robots.txt either, and a link or redirect to it is refused.
func TestOptOut_NotEvenRobots(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		out := web.Site(webtest.Pages{"/": page(), "/robots.txt": {Body: "User-agent: *\nAllow: /\n"}})
		site := web.Site(webtest.Pages{
			"/":      page(out.URL+"/", "/moved"),
			"/moved": webtest.Redirect(301, out.URL+"/there"),
		})
		ruled := web.Site(webtest.Pages{"/": page(), "/robots.txt": webtest.Redirect(302, out.URL+"/robots.txt")})
		j := newJob(t, web)
		list := &optOut{}
		list.set(frontiertest.URL(t, out.URL+"/").Hostname(), netip.Addr{})
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.OptOut, c.Scope.Mode = list, crawler.ScopeAny }, site.URL+"/", out.URL+"/seed", ruled.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		if len(out.Hits()) > 0 {
			t.Errorf("the site that is opted out was asked for %q", out.Hits().Paths())
		}
		wantStrings(t, "asked of the site whose rules are there", ruled.Hits().Paths(), []string{"/robots.txt"})
		for _, url := range []string{out.URL + "/", out.URL + "/there", out.URL + "/seed", ruled.URL + "/"} {
			if got := j.refused(url); len(got) != 1 || got[0] != crawler.ReasonOptedOut {
				t.Errorf("%s refused for %q, want opted-out", url, got)
			}
		}
	})
}

// A permit may be waited for: an opt-out counts until the request leaves.
func TestOptOut_CountsWhileWaitingForThePermit(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/robots.txt": {Body: "User-agent: *\nCrawl-delay: 30\n"}, "/": page("/a"), "/a": page()})
		j := newJob(t, web)
		out := &optOut{}
		timer := time.AfterFunc(15*time.Second, func() { out.set(frontiertest.URL(t, site.URL+"/").Hostname(), netip.Addr{}) })
		defer timer.Stop()
		j.run(t, t.Context(), func(c *crawler.Config) { c.OptOut = out }, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt"})
	})
}
