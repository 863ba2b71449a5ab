package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A thousand names may be one machine: it is asked at most PerAddress times at once.
func TestAddress_NamesShareTheSlotsOfTheirAddress(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		shared := web.Site(webtest.Pages{
			"/": {Handler: webtest.Delay(2*time.Second, page("/a"))}, "/a": {Handler: webtest.Delay(2*time.Second, page())},
		})
		other := web.Site(webtest.Pages{"/": page("/a", "/b", "/c"), "/a": page(), "/b": page(), "/c": page()})
		j := newJob(t, web)
		j.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
			return []netip.Addr{shared.Addr.Addr()}, nil
		}
		var seeds []string
		for i := range 30 {
			seeds = append(seeds, fmt.Sprintf("http://name%d.example/", i))
		}
		start := time.Now()
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Workers = 8 }, append(seeds, other.URL+"/")...)
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		if got := webtest.MaxInFlight(shared.Hits()); got != 4 {
			t.Errorf("%d requests in flight at one address, want 4", got)
		}
		if got := len(shared.Hits()); got != 90 {
			t.Errorf("%d requests, want robots.txt and two pages for each of 30 names", got)
		}
		if last := other.Hits()[len(other.Hits())-1]; last.Start.Sub(start) > 15*time.Second {
			t.Errorf("a site at another address was done after %v: it had to wait for the busy one", last.Start.Sub(start))
		}
	})
}

// A burst of names that do not resolve stalls nobody else.
func TestAddress_DeadNamesStallNobody(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page("/a", "/b"), "/a": page(), "/b": page()})
		j := newJob(t, web)
		j.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			if !strings.HasPrefix(host, "dead") {
				return []netip.Addr{site.Addr.Addr()}, nil
			}
			<-ctx.Done()
			return nil, errors.New("no answer from any name server")
		}
		var seeds []string
		for i := range 300 {
			seeds = append(seeds, fmt.Sprintf("http://dead%d.example/", i))
		}
		start := time.Now()
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Workers = 16
			c.Patience = time.Minute
		}, append(seeds, "http://alive.example/")...)
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		if len(site.Hits()) != 4 {
			t.Fatalf("%d requests to the living site, want 4", len(site.Hits()))
		}
		if took := site.Hits()[3].End.Sub(start); took > 10*time.Second {
			t.Errorf("the living site was done after %v: it had to wait for dead names", took)
		}
		if got := len(j.rests); got != 300 {
			t.Errorf("%d sites rest, want 300", got)
		}
	})
}

// A name that leads to a private address for a while, as all names do while a router has no line, or where robots.txt is redirected
// to a form to log in: nobody connects there, and no page is lost.
func TestAddress_APrivateOnePasses(t *testing.T) {
	good, bad := netip.MustParseAddr("11.0.0.1"), netip.MustParseAddr("192.168.1.1")
	tests := []struct {
		name       string
		from, till time.Duration // of the trouble, since the start
		patience   time.Duration
		end        crawler.Reason
		took       time.Duration // of the run, at most
		robots     bool          // the trouble is a redirect of robots.txt
	}{
		{name: "in the middle", from: 9 * time.Minute, till: 15 * time.Minute, patience: time.Hour, end: crawler.EndDone, took: time.Hour},
		{name: "from the start", till: 15 * time.Minute, patience: 5 * time.Minute, end: crawler.EndWaiting, took: time.Second},
		{name: "a redirect", till: 15 * time.Minute, patience: 5 * time.Minute, end: crawler.EndWaiting, took: 10 * time.Second, robots: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				start := time.Now()
				inTrouble := func() bool { return time.Since(start) >= test.from && time.Since(start) < test.till }
				site := web.Site(webtest.Pages{
					"/": page("/a", "/b", "/c"), "/a": page(), "/b": page(), "/c": page(),
					"/robots.txt": {Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if test.robots && inTrouble() {
							http.Redirect(w, r, "http://192.168.1.1/login", http.StatusFound)
						}
					})},
				}, "site.example")
				j := newJob(t, web)
				j.lookup = func(context.Context, string) ([]netip.Addr, error) {
					if !test.robots && inTrouble() {
						return []netip.Addr{bad}, nil
					}
					return []netip.Addr{good}, nil
				}
				change := func(c *crawler.Config) {
					c.Fetch = fetch.New(fetch.Options{UserAgent: "cybermapper/test", Resolver: c.Resolver,
						Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
							return web.Dial(ctx, network, site.Addr.String())
						}})
					t.Cleanup(c.Fetch.Close)
					c.Patience, c.Politeness.Delay = test.patience, 4*time.Minute
				}
				if end := j.run(t, t.Context(), change, site.URL+"/"); end != test.end {
					t.Errorf("Run ended with %q, want %q", end, test.end)
				}
				if took := time.Since(start); took > test.took {
					t.Errorf("the run took %v, want %v at most", took, test.took)
				}
				if !slices.ContainsFunc(j.rests, func(r crawler.Rest) bool { return r.Reason == crawler.ReasonPrivate }) {
					t.Errorf("no rest for a private address: %v", j.rests)
				}
				if test.end == crawler.EndWaiting {
					time.Sleep(test.till)
					if end := j.run(t, t.Context(), change, site.URL+"/"); end != crawler.EndDone {
						t.Errorf("the run after that ended with %q, want done", end)
					}
				}
				wantStrings(t, "pages", j.stored(), []string{site.URL + "/", site.URL + "/a", site.URL + "/b", site.URL + "/c"})
			})
		})
	}
}

// A name that always leads to a private address is refused in the end.
func TestAddress_APrivateOneThatStays(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page()}, "site.example")
		j := newJob(t, web)
		j.lookup, j.public = web.Lookup, true
		start := time.Now()
		end := crawler.EndWaiting
		for runs := 0; end == crawler.EndWaiting && runs < 200; runs++ {
			end = j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, site.URL+"/")
			time.Sleep(6 * time.Hour)
		}
		if got := j.refused(site.URL + "/"); !slices.Equal(got, []crawler.Reason{crawler.ReasonPrivate}) || end != crawler.EndDone {
			t.Errorf("refused for %q, and the last run ended with %q", got, end)
		}
		if took := time.Since(start); took < 30*24*time.Hour || took > 33*24*time.Hour {
			t.Errorf("refused after %v, want a month", took)
		}
	})
}

// localhost leads to this machine for good (RFC 6761 section 6.3), whatever a name server says: it is not waited for.
func TestAddress_Localhost(t *testing.T) {
	for _, name := range []string{"localhost", "app.localhost"} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			site := web.Site(webtest.Pages{"/": page()}, name)
			j := newJob(t, web)
			j.lookup, j.public = web.Lookup, true
			end := j.run(t, t.Context(), nil, site.URL+"/")
			if got := j.refused(site.URL + "/"); !slices.Equal(got, []crawler.Reason{crawler.ReasonPrivate}) || end != crawler.EndDone {
				t.Errorf("%s is refused for %q, and Run ended with %q", name, got, end)
			}
			if len(site.Hits()) > 0 || len(j.rests) > 0 {
				t.Errorf("%s: %d requests, rests %v", name, len(site.Hits()), j.rests)
			}
		})
	}
}

// 511 is of a network before the site (RFC 6585 section 6): no page is given up for it.
func TestVisit_ANetworkThatWantsALogin(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		start := time.Now()
		captive := func(p webtest.Page) webtest.Page {
			return webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if passed := time.Since(start); passed > 1500*time.Millisecond && passed < 10*time.Minute {
					w.WriteHeader(http.StatusNetworkAuthenticationRequired)
					return
				}
				p.ServeHTTP(w, r)
			})}
		}
		site := web.Site(webtest.Pages{"/": captive(page("/a", "/b")), "/a": captive(page()), "/b": captive(page())})
		j := newJob(t, web)
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		wantStrings(t, "pages", j.stored(), []string{site.URL + "/", site.URL + "/a", site.URL + "/b"})
		if n := len(site.Hits()); n > 12 {
			t.Errorf("%d requests: the site did not rest: %q", n, site.Hits().Paths())
		}
		if len(j.rests) == 0 || j.rests[0].Reason != crawler.ReasonNetworkLogin {
			t.Errorf("rests: %+v, want those for a login first", j.rests)
		}
	})
}

// Whatever is asked for, 511 in its place makes the site rest.
func TestVisit_ANetworkThatWantsALoginForOtherFiles(t *testing.T) {
	for _, path := range []string{tdmPath, "/cybermapper-asks"} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/robots.txt":
					http.NotFound(w, r)
				case strings.HasPrefix(r.URL.Path, path):
					w.WriteHeader(http.StatusNetworkAuthenticationRequired)
				default:
					fmt.Fprint(w, "<title>404 not found</title>")
				}
			}))
			j := newJob(t, web)
			j.run(t, t.Context(), func(c *crawler.Config) { j.wantTDM(c); c.Patience = time.Hour }, site.URL+"/")
			if len(j.rests) == 0 || j.rests[0].Reason != crawler.ReasonNetworkLogin {
				t.Errorf("511 for %s: rests %+v, want one for a login first", path, j.rests)
			}
		})
	}
}
