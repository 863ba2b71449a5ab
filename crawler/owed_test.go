package crawler_test

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// What an earlier crawl owes to a site is kept, also when the robots.txt of another leads there.
func TestDebts_ArePaid(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		owed := web.Site(webtest.Pages{"/": page(), "/robots.txt": {Body: "User-agent: *\nDisallow:\n"}}, "owed.example")
		web.Site(webtest.Pages{"/": page(), "/robots.txt": webtest.Redirect(301, "http://owed.example/robots.txt")}, "other.example")
		free := web.Site(webtest.Pages{"/": page()}, "free.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		start := time.Now()
		end := j.run(t, t.Context(), func(c *crawler.Config) {
			c.Patience = time.Hour
			c.Debts = map[string]crawler.Debt{
				"owed.example": {Until: start.Add(10 * time.Minute), Reason: "unavailable", Failures: 2},
				"free.example": {Until: start.Add(-time.Minute), Reason: "delay"},
			}
		}, "http://other.example/", "http://owed.example/", "http://free.example/")
		if end != crawler.EndDone || len(j.pages) != 3 {
			t.Fatalf("ended with %q and %d pages, want all three", end, len(j.pages))
		}
		if first := owed.Hits()[0].Start.Sub(start); first < 10*time.Minute {
			t.Errorf("a site that is owed ten minutes was asked after %v", first)
		}
		if first := free.Hits()[0].Start.Sub(start); first > time.Second {
			t.Errorf("a site that is owed nothing any more was asked after %v only", first)
		}
	})
}
