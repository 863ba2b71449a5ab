package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
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
