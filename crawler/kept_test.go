package crawler_test

import (
	"net/http"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
)

// What an earlier run has stored is not asked for again: it leads where it led, by its text and by its header, needs what it
// needed, and stays where it asked to. What robots.txt forbids by now is not taken either.
func TestRun_TakesWhatIsKeptInsteadOfAsking(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		html := func(body string, header map[string]string) webtest.Page {
			return webtest.Page{Body: body, Header: header}
		}
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /private\n"},
			"/":           html(`<a href="/kept">1</a> <a href="/silent">2</a> <a href="/private">3</a>`, nil),
			"/kept":       html(`<a href="/by-text"><img src="/image.png">`, map[string]string{"Link": `</by-header>; rel="next"`}),
			"/silent":     html(`<a href="/never">`, map[string]string{"X-Robots-Tag": "nofollow"}),
			"/by-text":    html("one", nil), "/by-header": html("two", nil), "/never": html("three", nil),
			"/image.png": png(),
		})
		first := newJob(t, web)
		first.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "stored at first", first.stored(), []string{
			site.URL + "/", site.URL + "/kept", site.URL + "/silent", site.URL + "/by-text", site.URL + "/by-header"})
		before := len(site.Hits())

		kept := map[string]*fetch.Response{site.URL + "/private": {Status: http.StatusOK, Body: []byte(`<a href="/never">`)}}
		for _, p := range first.pages {
			switch u := p.FinalURL; u {
			case site.URL + "/kept", site.URL + "/silent":
				h := http.Header(p.Header).Clone()
				h.Set("Content-Type", p.Type+"; charset="+p.Charset)
				kept[u] = &fetch.Response{Status: p.Status, Header: h, Body: p.Body, WireBytes: 100}
			}
		}
		second := newJob(t, web)
		second.run(t, t.Context(), func(c *crawler.Config) {
			fetchRequisites(c)
			c.Kept = func(e frontier.Entry) *fetch.Response { return kept[e.URL.String()] }
		}, site.URL+"/")
		wantStrings(t, "asked for", site.Hits()[before:].Paths(), []string{"/robots.txt", "/", "/image.png", "/by-text", "/by-header"})
		if o := second.outcome(site.URL + "/kept"); o.Status != frontier.Done || !o.Page || !o.Stored || o.New != 3 || o.Bytes != 100 {
			t.Errorf("the outcome of what was kept is %+v", o)
		}
		if got := second.refused(site.URL + "/private"); len(got) != 1 || got[0] != crawler.ReasonDisallowed {
			t.Errorf("/private, which robots.txt forbids by now: %q", got)
		}
	})
}
