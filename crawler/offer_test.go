package crawler_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// What is offered meets every gate, and each link is told its fate.
func TestOffer_TellsWhatBecameOfEachLink(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: *\nDisallow: /no\n"}, "/": page(), "/new": page(),
		})
		j := newJob(t, web)
		j.run(t, t.Context(), nil, site.URL+"/")
		tests := []struct {
			url    string
			gate   crawler.Gate
			known  frontier.Status
			queued bool
		}{
			{site.URL + "/", "", frontier.Done, false},
			{site.URL + "/new", "", frontier.Unknown, true},
			{site.URL + "/new", "", frontier.Queued, false},
			{site.URL + "/no", crawler.GateRobots, frontier.Unknown, false},
			{site.URL + "/logout", crawler.GateAction, frontier.Unknown, false},
			{site.URL + "/a/a/a/a", crawler.GateTrap, frontier.Unknown, false},
			{"http://elsewhere.example/", crawler.GateScope, frontier.Unknown, false},
		}
		var links []frontier.Link
		for _, test := range tests {
			links = append(links, frontier.Link{URL: frontiertest.URL(t, test.url)})
		}
		fates, err := j.last.Offer(t.Context(), links)
		if err != nil {
			t.Fatal(err)
		}
		for i, test := range tests {
			if f := fates[i]; f.Gate != test.gate || f.Known.Status != test.known || f.Queued() != test.queued || (f.Gate != "") != (f.Reason != "") {
				t.Errorf("%s: %+v, want gate %q, status %v, queued %v", test.url, f, test.gate, test.known, test.queued)
			}
		}
		j.run(t, t.Context(), nil, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/new"})
	})
}
