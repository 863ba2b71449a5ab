package crawler_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// RFC 9309 section 2.3.1: whether there is a robots.txt the status says. Of an answer that is no file the body may break off; a
// file must be whole.
func TestRules_BodyThatBreaksOff(t *testing.T) {
	broken := func(status string, fields ...string) webtest.Page {
		head := fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: 500\r\n\r\n", status, strings.Join(fields, ""))
		return webtest.Page{Handler: webtest.Raw(head + "User-agent: *\n")}
	}
	for name, tt := range map[string]struct {
		robots webtest.Page
		asked  []string
		detail string // of the rest, if there is one
	}{
		"not found":     {broken("404 Not Found"), []string{"/robots.txt", "/", "/no"}, ""},
		"forbidden":     {broken("403 Forbidden"), []string{"/robots.txt", "/", "/no"}, ""},
		"moved":         {broken("301 Moved Permanently", "Location: /rules\r\n"), []string{"/robots.txt", "/rules", "/"}, ""},
		"found":         {broken("200 OK"), []string{"/robots.txt"}, "robots.txt is not whole: disconnect"},
		"server error":  {broken("500 Internal Server Error"), []string{"/robots.txt"}, "Internal Server Error"},
		"a part":        {broken("206 Partial Content"), []string{"/robots.txt"}, "robots.txt is not whole: disconnect"},
		"unknown error": {broken("999 Request denied"), []string{"/robots.txt"}, "status 999"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(webtest.Pages{
					"/robots.txt": tt.robots, "/rules": {Body: "User-agent: *\nDisallow: /no\n"},
					"/": page("/no"), "/no": page(),
				})
				j := newJob(t, web)
				j.run(t, t.Context(), func(c *crawler.Config) { c.Patience = time.Minute }, site.URL+"/")
				wantStrings(t, "asked", site.Hits().Paths(), tt.asked)
				var details []string
				for _, r := range j.rests {
					details = append(details, r.Detail)
				}
				if got := strings.Join(details, "; "); got != tt.detail {
					t.Errorf("rests because of %q, want %q", got, tt.detail)
				}
			})
		})
	}
}

// To refuse what robots.txt forbids takes no request, so a site that is to be left alone for long need not be waited for.
func TestRules_RefuseAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		const rules = "User-agent: *\nCrawl-delay: 30\nDisallow: /\nAllow: /open\n"
		site := web.Site(webtest.Pages{"/open": page(), "/robots.txt": {Body: rules}}, "closed.example")
		j := newJob(t, web)
		j.lookup = web.Lookup
		start := time.Now()
		var mu sync.Mutex
		var refused []time.Duration
		j.run(t, t.Context(), func(c *crawler.Config) {
			c.Events.Refusal = func(crawler.Refusal) {
				mu.Lock()
				defer mu.Unlock()
				refused = append(refused, time.Since(start))
			}
		}, site.URL+"/a", site.URL+"/b", site.URL+"/c", site.URL+"/open")
		if len(refused) != 3 || refused[2] > time.Second {
			t.Errorf("refused after %v, want three at once", refused)
		}
		if hits := site.Hits(); len(hits) != 2 || hits[1].Start.Sub(hits[0].End) < 30*time.Second {
			t.Errorf("requests %v, want the page 30s after robots.txt", hits)
		}
	})
}
