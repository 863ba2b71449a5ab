package crawler_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
)

// survey surveys places of web and returns what was told, in the order of the places.
func survey(t *testing.T, web *webtest.Web, private bool, places ...crawler.Origin) []crawler.Surveyed {
	t.Helper()
	return surveyWith(t, web, private, crawler.Sitemaps{}, places...)
}

func surveyWith(t *testing.T, web *webtest.Web, private bool, sitemaps crawler.Sitemaps, places ...crawler.Origin) []crawler.Surveyed {
	t.Helper()
	var scope crawler.Scope
	for _, p := range places {
		scope.Seeds = append(scope.Seeds, p.URL)
	}
	resolver := fetch.NewResolver(fetch.ResolverOptions{})
	defer resolver.Close()
	client := fetch.New(fetch.Options{UserAgent: "cybermapper/test", AllowPrivate: private, Resolver: resolver, Dial: web.Dial})
	defer client.Close()
	f := memory.New()
	defer f.Close()
	c, err := crawler.New(crawler.Config{
		Frontier: f, Fetch: client, Resolver: resolver, Robots: robots.NewCache(robots.CacheOptions{Product: "cybermapper"}),
		Scope: scope, Sitemaps: sitemaps, Limits: crawler.Limits{Depth: -1}, Workers: 2, Politeness: crawler.Politeness{Delay: 3 * time.Second, Factor: -1, Jitter: -1, PerAddress: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	var prospects []crawler.Surveyed
	if err := c.Survey(t.Context(), places, func(p crawler.Surveyed) { prospects = append(prospects, p) }); err != nil {
		t.Fatal(err)
	}
	rank := func(p crawler.Surveyed) int {
		return slices.IndexFunc(places, func(of crawler.Origin) bool { return of.URL.Origin() == p.Origin })
	}
	slices.SortFunc(prospects, func(a, b crawler.Surveyed) int { return cmp.Compare(rank(a), rank(b)) })
	return prospects
}

func place(t *testing.T, raw string) crawler.Origin {
	t.Helper()
	return crawler.Origin{URL: frontiertest.URL(t, raw)}
}

func TestSurveyAsksForRobotsTxtOnly(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		slow := web.Site(webtest.Pages{"/robots.txt": {Body: "User-agent: *\nCrawl-delay: 10\nDisallow: /x\n"}, "/": page("/a")})
		none := web.Site(webtest.Pages{"/": page("/a")})
		down := web.Site(webtest.Pages{"/robots.txt": {Status: http.StatusBadGateway}, "/": page("/a")})
		got := survey(t, web, true, place(t, slow.URL+"/x"), place(t, slow.URL+"/y"), place(t, none.URL+"/"), place(t, down.URL+"/"))
		if len(got) != 3 {
			t.Fatalf("told of %d origins, want 3", len(got))
		}
		if d, line := got[0].Answer.Rules.Delay(); d != 10*time.Second || line != 2 {
			t.Errorf("Crawl-delay %v (line %d), want 10s (line 2)", d, line)
		}
		for i, want := range []robots.Outcome{robots.Found, robots.Unavailable, robots.Unreachable} {
			if got[i].Answer.State.Outcome != want || got[i].Err != nil {
				t.Errorf("outcome of %s is %q, %v, want %q", got[i].Origin, got[i].Answer.State.Outcome, got[i].Err, want)
			}
		}
		for _, s := range []*webtest.Site{slow, none, down} {
			if paths := s.Hits().Paths(); !slices.Equal(paths, []string{"/robots.txt"}) {
				t.Errorf("%s was asked for %q, want robots.txt once", s.URL, paths)
			}
		}
	})
}

// The pause between two requests to a site holds for a robots.txt that redirects, too.
func TestSurveyIsPolite(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt":  {Status: http.StatusFound, Header: map[string]string{"Location": "/robots2.txt"}},
			"/robots2.txt": {Body: "User-agent: *\nDisallow:\n"},
		})
		other := web.Site(webtest.Pages{"/robots.txt": {Status: http.StatusFound, Header: map[string]string{"Location": site.URL + "/robots2.txt"}}})
		survey(t, web, true, place(t, site.URL+"/"), place(t, other.URL+"/"))
		hits := site.Hits()
		if len(hits) != 3 {
			t.Fatalf("%d requests, want 3", len(hits))
		}
		if n := webtest.MaxInFlight(hits); n > 1 {
			t.Errorf("%d requests in flight, want 1", n)
		}
		if gap := webtest.MinGap(hits); gap < 3*time.Second {
			t.Errorf("a gap of %v, want 3s", gap)
		}
	})
}

func TestSurveyUsesWhatIsKnown(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		known := web.Site(webtest.Pages{"/": page()})
		resting := web.Site(webtest.Pages{"/": page()})
		a, b := place(t, known.URL+"/"), place(t, resting.URL+"/")
		state, err := json.Marshal(map[string]any{"robots": map[string]robots.State{
			known.URL: {Origin: known.URL, Outcome: robots.Unavailable, FetchedAt: time.Now(), Expires: time.Now().Add(time.Hour)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		a.Policy.State = state
		b.Policy.BlockedUntil = time.Now().Add(time.Hour)
		got := survey(t, web, true, a, b)
		var blocked *frontier.BlockedError
		if got[0].Err != nil || got[0].Answer.Fetched || !errors.As(got[1].Err, &blocked) {
			t.Errorf("told %+v, want what is known and a rest", got)
		}
		if n := len(known.Hits()) + len(resting.Hits()); n != 0 {
			t.Errorf("%d requests, want none", n)
		}
	})
}

func TestSurveyRefusesPrivateAddresses(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{})
		if got := survey(t, web, false, place(t, site.URL+"/")); got[0].Err == nil || got[0].Answer.Rules.Test("/").Allowed {
			t.Errorf("told %+v, want an error and no permission", got[0])
		}
	})
}

// A network that wants a login first says nothing of a sitemap: the site is left alone before the next one is asked for.
func TestSurveyRestsAfterANetworkLogin(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				w.WriteHeader(http.StatusNetworkAuthenticationRequired)
				return
			}
			fmt.Fprintf(w, "Sitemap: http://%s/a.xml\nSitemap: http://%s/b.xml\n", r.Host, r.Host)
		}))
		surveyWith(t, web, true, crawler.Sitemaps{Read: true}, place(t, site.URL+"/"))
		hits := site.Hits()
		if len(hits) < 2 {
			t.Fatalf("asked for %q, want a sitemap, too", hits.Paths())
		}
		for i := 2; i < len(hits); i++ {
			if rest := hits[i].Start.Sub(hits[i-1].Start); rest < time.Minute {
				t.Errorf("%s %v after 511, want a minute at least", hits[i].Path, rest)
			}
		}
	})
}
