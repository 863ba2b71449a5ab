package crawler_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
)

// A crawler that asks by one name and obeys the rules for another would fetch, unnoticed, what its own group forbids.
func TestNew_RefusesADividedIdentity(t *testing.T) {
	for _, tt := range []struct{ product, userAgent, wrong string }{
		{"titlebot", "titlebot/1.0 (+https://operator.example/)", ""},
		{"TitleBot", "titlebot", ""},
		{"titlebot", "Mozilla/5.0 (compatible; TitleBot/2.1; +https://operator.example/)", ""},
		{"titlebot", "", `"cybermapper" does not contain the product token "titlebot"`},
		{"cybermapper", "titlebot/1.0", `"titlebot/1.0" does not contain the product token "cybermapper"`},
		{"titlebot", "Mozilla/5.0", `"Mozilla/5.0" does not contain`},
	} {
		_, err := newCrawler(t, tt.product, tt.userAgent)
		if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)) {
			t.Errorf("product %q, User-Agent %q: %v, want an error with %q", tt.product, tt.userAgent, err, tt.wrong)
		}
	}
	if _, err := crawler.New(crawler.Config{}); err == nil {
		t.Error("New made a crawler of nothing")
	}
}

func newCrawler(t *testing.T, product, userAgent string) (*crawler.Crawler, error) {
	t.Helper()
	resolver := fetch.NewResolver(fetch.ResolverOptions{})
	t.Cleanup(resolver.Close)
	client := fetch.New(fetch.Options{UserAgent: userAgent, Resolver: resolver})
	t.Cleanup(client.Close)
	return crawler.New(crawler.Config{
		Frontier: memory.New(), Resolver: resolver, Fetch: client,
		Robots: robots.NewCache(robots.CacheOptions{Product: product}),
	})
}

// A crawler that was used is refused, and asks for nothing: what a run needs was let go of at its end.
func TestCrawler_IsUsedOnce(t *testing.T) {
	for _, first := range []string{"run", "survey"} {
		c, err := newCrawler(t, "titlebot", "titlebot/1.0")
		if err != nil {
			t.Fatal(err)
		}
		none := func(crawler.Surveyed) { t.Error("told of an origin") }
		if first == "run" {
			_, err = c.Run(t.Context(), nil)
		} else {
			err = c.Survey(t.Context(), nil, none)
		}
		if err != nil {
			t.Fatal(err)
		}
		if end, err := c.Run(t.Context(), []frontier.URL{frontiertest.URL(t, "http://a.example/")}); err == nil || end != crawler.EndFailed {
			t.Errorf("Run after a %s: %s, %v", first, end, err)
		}
		if err := c.Survey(t.Context(), []crawler.Origin{place(t, "http://a.example/")}, none); err == nil {
			t.Errorf("Survey after a %s: no error", first)
		}
		if n := c.Status().Requests; n != 0 {
			t.Errorf("%d requests", n)
		}
	}
}

// Whoever the cache obeys rules for is who the crawler is: a group with its name forbids, a page's META with its name too.
func TestNew_OneProductForAll(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{
			"/robots.txt": {Body: "User-agent: titlebot\nDisallow: /no\n\nUser-agent: *\nAllow: /\n"},
			"/":           page("/no", "/unkept"),
			"/no":         page(),
			"/unkept":     {Body: `<meta name="titlebot" content="noindex">`},
		})
		j := newJob(t, web)
		j.userAgent = "titlebot/1.0"
		j.run(t, t.Context(), func(c *crawler.Config) {
			c.Robots = robots.NewCache(robots.CacheOptions{Product: "titlebot", Bodies: j.bodies})
		}, site.URL+"/")
		wantStrings(t, "asked for", site.Hits().Paths(), []string{"/robots.txt", "/", "/unkept"})
		wantStrings(t, "stored", j.stored(), []string{site.URL + "/"})
	})
}

// Seeds that only Run is given are in scope, and what they link to on their hosts.
func TestRun_SeedsAreInScope(t *testing.T) {
	for _, mode := range []crawler.ScopeMode{"", crawler.ScopeDomain, crawler.ScopePrefix} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			site := web.Site(webtest.Pages{"/": page("/a"), "/a": page()})
			elsewhere := web.Site(webtest.Pages{"/": page("/b"), "/b": page()})
			j := newJob(t, web)
			j.run(t, t.Context(), func(c *crawler.Config) {
				c.Scope = crawler.Scope{Mode: mode, Seeds: []frontier.URL{frontiertest.URL(t, elsewhere.URL+"/")}}
			}, site.URL+"/")
			wantStrings(t, "asked for in scope "+string(mode), site.Hits().Paths(), []string{"/robots.txt", "/", "/a"})
		})
	}
}

// Retries follow the rule of all options: zero is the default, negative is none.
func TestConfig_Retries(t *testing.T) {
	for retries, attempts := range map[int]int{0: 3, -1: 1, 1: 2} {
		bubble(t, func(t *testing.T, web *webtest.Web) {
			site := web.Site(webtest.Pages{"/": {Status: 500}})
			j := newJob(t, web)
			j.run(t, t.Context(), func(c *crawler.Config) { c.Retries = retries }, site.URL+"/")
			if got := site.Hits().Count("/"); got != attempts {
				t.Errorf("Retries %d: %d attempts, want %d", retries, got, attempts)
			}
		})
	}
}
