package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// An archive notes what it is given, a line each, or fails.
type archive struct {
	mu    sync.Mutex
	lines []string
	err   error
}

func (a *archive) Record(_ context.Context, x *storage.Exchange) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err != nil {
		return a.err
	}
	answer, err := io.ReadAll(x.Response)
	first, _, _ := strings.Cut(string(answer[:x.HeadLen]), "\r\n")
	a.lines = append(a.lines, fmt.Sprintf("%s %s %s via %q depth %d redirects %d noindex %v line %d %q",
		x.Purpose, x.URL, first, x.Via, x.Depth, x.Redirects, x.Noindex, x.RobotsLine, x.RobotsRule))
	if !strings.HasPrefix(string(x.Request), "GET /") || x.Start.IsZero() || x.End.Before(x.Start) {
		a.lines = append(a.lines, fmt.Sprintf("request %q from %v to %v", x.Request, x.Start, x.End))
	}
	return err
}

func TestArchive_EveryExchange(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		s := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /no\nAllow: /a\n"},
			"/":           {Body: `<a href=/a>a</a><a href=/moved>m</a><a href=/gone>g</a><a href=/no>n</a><a href=/hidden>h</a>`},
			"/a":          {Body: "a"},
			"/moved":      webtest.Redirect(301, "/target"),
			"/target":     {Body: "t"},
			"/hidden":     {Body: "<meta name=robots content=noindex>secret"},
		})
		j, a := newJob(t, web), &archive{}
		j.wire = &fetch.WireOptions{Dir: t.TempDir()}
		j.run(t, t.Context(), func(c *crawler.Config) { c.Archive = a }, s.URL+"/")
		u, via := s.URL, fmt.Sprintf("%q", s.URL+"/")
		wantStrings(t, "archived", a.lines, []string{
			"robots " + u + `/robots.txt HTTP/1.1 200 OK via "" depth 0 redirects 0 noindex false line 0 "robots-txt"`,
			"page " + u + `/ HTTP/1.1 200 OK via "" depth 0 redirects 0 noindex false line 0 "no-rule"`,
			"page " + u + "/a HTTP/1.1 200 OK via " + via + ` depth 1 redirects 0 noindex false line 3 "Allow: /a"`,
			"page " + u + "/moved HTTP/1.1 301 Moved Permanently via " + via + ` depth 1 redirects 0 noindex false line 0 "no-rule"`,
			"page " + u + `/target HTTP/1.1 200 OK via "` + u + `/moved" depth 1 redirects 1 noindex false line 0 "no-rule"`,
			"page " + u + "/gone HTTP/1.1 404 Not Found via " + via + ` depth 1 redirects 0 noindex false line 0 "no-rule"`,
			"page " + u + "/hidden HTTP/1.1 200 OK via " + via + ` depth 1 redirects 0 noindex true line 0 "no-rule"`,
		})
	})
}

// A witness, of which only the head is read, is not archived, and its answer ends no crawl.
func TestArchive_Witness(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		s := web.Site(webtest.Pages{"/": page("/a"), "/a": {Status: 500}})
		j, a := newJob(t, web), &archive{}
		j.wire = &fetch.WireOptions{Dir: t.TempDir()}
		if end := j.run(t, t.Context(), func(c *crawler.Config) { c.Archive = a }, s.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		witnesses := 0
		for _, r := range j.requests {
			if r.Purpose == crawler.ForWitness {
				witnesses++
			}
		}
		if n := len(a.lines); witnesses != 1 || n != 5 {
			t.Errorf("%d witnesses, %d lines in the archive, want 1, and robots.txt, a page and three attempts: %q", witnesses, n, a.lines)
		}
	})
}

// What cannot be archived ends the crawl, and does not count as visited.
func TestArchive_FailureEndsTheCrawl(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		s := web.Site(webtest.Pages{"/": {Body: "x"}})
		full := errors.New("disk full")
		resolver := fetch.NewResolver(fetch.ResolverOptions{})
		defer resolver.Close()
		client := fetch.New(fetch.Options{
			UserAgent: "cybermapper/test", AllowPrivate: true, Resolver: resolver, Dial: web.Dial, Wire: &fetch.WireOptions{},
		})
		defer client.Close()
		front := memory.New()
		defer front.Close()
		c, err := crawler.New(crawler.Config{
			Frontier: front, Fetch: client, Resolver: resolver, Archive: &archive{err: full},
			Robots:     robots.NewCache(robots.CacheOptions{Product: "cybermapper", Bodies: robots.DirBodies(t.TempDir())}),
			Politeness: crawler.Politeness{Delay: time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context(), []frontier.URL{frontiertest.URL(t, s.URL+"/")}); !errors.Is(err, full) {
			t.Errorf("Run = %v, want %v", err, full)
		}
		if got := len(s.Hits()); got != 1 {
			t.Errorf("%d requests, want 1", got)
		}
	})
}
