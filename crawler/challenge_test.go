package crawler_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
)

// anubis is a challenge as Anubis sends it, with status 200.
const anubis = `<html><head><title>Making sure you're not a bot!</title><meta name="robots" content="noindex,nofollow">
<script id="anubis_challenge" type="application/json">{}</script></head><body><a href="/never">Why?</a></body></html>`

// siteGround answers as SiteGround does, with a challenge of status 202.
func siteGround(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("SG-Captcha", "challenge")
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprint(w, `<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/">`)
}

// A challenge is no page, and no link of it is one of the site. It may be another answer next time.
func TestChallenge_IsNoPage(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/": page("/200", "/202", "/a"), "/a": page(),
			"/200": {Body: anubis}, "/202": {Handler: http.HandlerFunc(siteGround)},
		})
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/", site.URL + "/a"})
		for _, path := range []string{"/200", "/202"} {
			if o := j.outcome(site.URL + path); o.Status != frontier.Failed || o.Reason != crawler.ReasonChallenge {
				t.Errorf("%s ends as %v, %q; want failed, challenge", path, o.Status, o.Reason)
			}
			if got := site.Hits().Count(path); got != 3 {
				t.Errorf("%s was asked for %d times, want 3", path, got)
			}
		}
		if got := site.Hits().Count("/never"); got != 0 {
			t.Error("a link of the challenge was followed")
		}
	})
}

// A challenge in place of robots.txt says nothing of the rules, whatever its status: everything is forbidden until they are known.
func TestChallenge_InPlaceOfRobotsTxt(t *testing.T) {
	for name, p := range map[string]webtest.Page{
		"200": {Body: anubis}, "202": {Handler: http.HandlerFunc(siteGround)}, "202 without a mark": {Status: http.StatusAccepted},
		"403": {Status: http.StatusForbidden, Header: map[string]string{"Cf-Mitigated": "challenge"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(webtest.Pages{"/robots.txt": p, "/": page()})
				j := newJob(t, web)
				if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndWaiting {
					t.Errorf("Run ended with %q, want waiting", end)
				}
				wantStrings(t, "asked for", slices.Compact(site.Hits().Paths()), []string{"/robots.txt"})
			})
		})
	}
}

// One that says 429 or 503 as well is heeded as these are: the whole site rests.
func TestChallenge_ThatAsksForARest(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/": page("/429", "/a"), "/a": page(),
			"/429": {Status: http.StatusTooManyRequests, Header: map[string]string{"X-Vercel-Mitigated": "challenge", "Retry-After": "3600"}},
		})
		j := newJob(t, web)
		if end := j.run(t, t.Context(), nil, site.URL+"/"); end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonBusy {
			t.Errorf("rests = %+v, want one for too-many-requests", j.rests)
		}
	})
}

// A site that comes to stand behind challenges does not lose what is known of it, though they say noindex.
func TestChallenge_LeavesWhatIsKnown(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := newChanging(map[string]string{"/": "<a href=a>a</a>", "/a": "a"})
		base := web.Site(site).URL
		j := newJob(t, web)
		j.run(t, t.Context(), nil, base+"/")
		site.set("/a", webtest.Page{Body: anubis})
		time.Sleep(25 * time.Hour)
		j.again(t, crawler.ReturnRequest{}, nil, base+"/")
		if o := j.outcome(base + "/a"); o.Status != frontier.Failed || o.Reason != crawler.ReasonChallenge {
			t.Errorf("/a ends as %v, %q; want failed, challenge", o.Status, o.Reason)
		}
		if got := j.refused(base + "/a"); len(got) != 0 {
			t.Errorf("/a is refused for %q", got)
		}
		site.set("/a", webtest.Page{Body: "a"})
		time.Sleep(25 * time.Hour)
		j.again(t, crawler.ReturnRequest{}, nil, base+"/")
		if o := j.outcome(base + "/a"); o.Reason != crawler.ReasonUnchanged {
			t.Errorf("/a is %q after the challenge, want unchanged", o.Reason)
		}
	})
}
