package crawler_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// What a page says of itself is stored with it. That it is a copy is a note, and no reason to ask for the master.
func TestPagesDescribeThemselves(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		head := func(h string) webtest.Page { return webtest.Page{Body: "<head>" + h + "</head>"} }
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /master\n"},
			"/":           page("/canonical", "/meta", "/both", "/self", "/relative", "/dynamic"),
			"/canonical":  head(`<link rel=canonical href="/master">`),
			"/meta":       head(`<meta name=url content="http://master.example/x">`),
			"/both":       head(`<link rel=canonical href="/open"><meta name=url content="http://master.example/x">`),
			"/self":       head(`<link rel=canonical href="/self"><meta name=url content="http://master.example/x">`),
			"/relative":   head(`<meta name=url content="master"><meta name=url content="http://master.example/x">`),
			"/dynamic":    head(`<meta name=document-state content=dynamic><meta name=description content="The news"><meta name=keywords content="news, now">`),
			"/master":     page(), "/open": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/canonical", "/meta", "/both", "/self", "/relative", "/dynamic"})
		mirrors := map[string][2]string{
			"/canonical": {site.URL + "/master", crawler.ByCanonical}, "/both": {site.URL + "/open", crawler.ByCanonical},
			"/meta": {"http://master.example/x", crawler.ByMetaURL},
		}
		for _, p := range j.pages {
			path := frontiertest.URL(t, p.FinalURL).PathQuery()
			if got := [2]string{p.MirrorOf, p.MirrorBy}; got != mirrors[path] {
				t.Errorf("%s: mirror of %q, want %q", path, got, mirrors[path])
			}
			if path == "/dynamic" && (p.DocumentState != "dynamic" || p.Description != "The news" || len(p.Keywords) != 2) {
				t.Errorf("%s: %+v", path, p)
			}
		}
	})
}
