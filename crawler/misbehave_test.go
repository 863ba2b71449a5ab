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
)

// A site that misbehaves in every way is crawled to its end; what it does well is kept, and each bad page costs no more
// requests than its retries.
func TestMisbehavingWeb(t *testing.T) {
	bad := webtest.Pages{
		"/drop":    {Handler: webtest.Drop()},
		"/stall":   {Handler: webtest.Stall()},
		"/cut":     {Handler: webtest.Cut("<a href=/from-cut>x</a>")},
		"/chunk":   {Handler: webtest.BadChunk("<a href=/from-chunk>x</a>")},
		"/garbage": {Handler: webtest.Garbage()},
		"/header":  {Handler: webtest.EndlessHeader()},
		"/slow":    {Handler: webtest.SlowHeader(time.Second)},
		"/drip":    {Handler: webtest.Drip("<a href=/from-drip>x</a>", time.Second)},
		"/body":    {Handler: webtest.StallBody("<a href=/from-body>x</a>")},
		"/short":   {Handler: webtest.WrongLength(100, "<p>less")},
		"/long":    {Handler: webtest.WrongLength(10, "<p>0123456789 and more than was said")},
		"/reset":   {Handler: webtest.Reset(100)},
		"/none":    {Handler: webtest.NoBody()},
		"/gzip":    {Handler: webtest.Bomb("gzip", 64<<20)},
		"/br":      {Handler: webtest.Bomb("br", 64<<20)},
		"/zstd":    {Handler: webtest.Bomb("zstd", 64<<20)},
		"/lie":     {Handler: webtest.Mislabelled("gzip", "<a href=/from-lie>x</a>")},
		"/loop":    {Handler: webtest.RedirectLoop(3)},
		"/hints":   {Handler: webtest.Hints(3, page("/from-hints"))},
	}
	good := []string{"/from-cut", "/from-chunk", "/from-drip", "/from-body", "/from-hints"}
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{"/robots.txt": {Handler: webtest.HugeRobots(2 << 20)}}
		var links []string
		for path, p := range bad {
			pages[path] = p
			links = append(links, path)
		}
		slices.Sort(links)
		for _, path := range good {
			pages[path] = page()
		}
		pages["/"] = page(append(links, "/first", "/fine")...)
		pages["/fine"] = page()
		site := web.Site(pages)
		j := newJob(t, web)
		end := j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/")
		if end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		for _, path := range append(good, "/fine", "/none", "/long", "/gzip", "/br", "/zstd") {
			if !slices.Contains(j.stored(), site.URL+path) {
				t.Errorf("%s was not stored", path)
			}
		}
		if n := site.Hits().Count("/first"); n > 0 {
			t.Errorf("/first was asked for, which the beginning of a huge robots.txt forbids")
		}
		for _, path := range links {
			if n := site.Hits().Count(path); n < 1 || n > 3 {
				t.Errorf("%s was asked for %d times, want 1 to 3", path, n)
			}
		}
		if n := webtest.MaxInFlight(site.Hits()); n != 1 {
			t.Errorf("%d requests in flight at once, want 1", n)
		}
		for _, p := range j.pages {
			if len(p.Body) > 16<<20 {
				t.Errorf("%s: body of %d bytes", p.FinalURL, len(p.Body))
			}
		}
	})
}

// Hosts that drip, as many as there are workers, keep nobody waiting: what is healthy is visited as if they were not there, and
// what they hold is bounded.
func TestDrippingHostsStarveNobody(t *testing.T) {
	const workers, healthy, slow = 64, 40, 20
	period := 300 * time.Second
	if testing.Short() {
		period = 80 * time.Second
	}
	drip := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := 0; r.Context().Err() == nil; i++ {
			fmt.Fprintf(w, "<a href=/%s%d>%s</a>\n", r.URL.Path[1:], i, strings.Repeat("x", 1000))
			http.NewResponseController(w).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
			}
		}
	})
	sites := []http.Handler{drip, webtest.Pages{"/robots.txt": {Status: 404}, "/": {Handler: drip}}}
	// served returns how many requests the healthy hosts see, and how many of all are under way at once, beside dripping hosts.
	served := func(t *testing.T, dripping int, change func(*crawler.Config)) (hits, atOnce int) {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			var seeds []string
			for i := range dripping {
				seeds = append(seeds, web.Site(sites[i%len(sites)]).URL+"/")
			}
			well := map[string]bool{}
			for range healthy {
				site := web.Site(webtest.EndlessPages(3))
				well[site.URL] = true
				seeds = append(seeds, site.URL+"/")
			}
			newJob(t, web).run(t, t.Context(), func(c *crawler.Config) {
				c.Workers, c.Limits.Time = workers, period
				c.Traps.Repeats, c.Traps.PathSegments = -1, -1
				if change != nil {
					change(c)
				}
			}, seeds...)
			for _, h := range web.Log() {
				if well[h.Site] {
					hits++
				}
			}
			atOnce = webtest.MaxInFlight(web.Log())
		})
		return hits, atOnce
	}
	alone, _ := served(t, 0, nil)
	beside, _ := served(t, workers, nil)
	if beside < alone*9/10 {
		t.Errorf("healthy hosts saw %d requests beside %d dripping hosts, and %d without", beside, workers, alone)
	}
	_, atOnce := served(t, 3*workers, func(c *crawler.Config) { c.SlowMemory = slow * crawler.SlowBytes })
	if atOnce > workers+slow {
		t.Errorf("%d requests under way at once, want %d at most: %d workers, and slow ones within the memory for them", atOnce, workers+slow, workers)
	}
}
