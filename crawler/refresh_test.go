package crawler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// Rules that change while a site waits in the queue hold from their expiry on: no page is asked for under rules that are over,
// and what has become forbidden is refused under the new file, by its line.
func TestRefresh_NoPageUnderExpiredRules(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		pages := webtest.Pages{}
		var links []string
		for i := range 20 {
			links = append(links, fmt.Sprintf("/old/%d", i), fmt.Sprintf("/new/%d", i))
			pages[links[2*i]], pages[links[2*i+1]] = page(), page()
		}
		pages["/"] = page(links...)
		rules := func(text string) webtest.Page {
			return webtest.Page{Body: text, Header: map[string]string{"Cache-Control": "max-age=3600"}}
		}
		pages["/robots.txt"] = webtest.Page{Handler: inTurn(
			rules("User-agent: *\nCrawl-delay: 290\n"), rules("User-agent: *\nCrawl-delay: 290\nDisallow: /old/\n"))}
		site := web.Site(pages)
		j := newJob(t, web)
		j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Hour }, site.URL+"/")

		var expires time.Time
		digests := map[string]bool{}
		for _, r := range j.requests {
			if r.Purpose == crawler.ForRobots {
				expires = r.Robots.Expires
				digests[r.Robots.Digest] = true
				continue
			}
			if r.Start.After(expires) {
				t.Errorf("%s was asked for %v after the rules had expired", r.URL, r.Start.Sub(expires))
			}
		}
		if len(digests) != 2 {
			t.Fatalf("%d versions of robots.txt, want 2", len(digests))
		}
		if len(j.refusals) == 0 || len(j.refusals)+len(j.outcomes) != 41 {
			t.Errorf("%d URLs refused and %d visited, want 41 together", len(j.refusals), len(j.outcomes))
		}
		now := j.requests[len(j.requests)-1].Verdict.Digest
		for _, r := range j.refusals {
			if r.Reason != crawler.ReasonDisallowed || r.Verdict.Line != 3 || r.Verdict.Digest != now {
				t.Errorf("refusal %+v, want one by line 3 of the new robots.txt", r)
			}
		}
	})
}
