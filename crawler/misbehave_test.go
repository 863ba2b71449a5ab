package crawler_test

import (
	"slices"
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
