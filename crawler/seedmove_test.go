package crawler_test

import (
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier"
)

// What a seed redirects to within its registrable domain is a seed too, and its host in scope; where other redirects and links lead
// stays out.
func TestSeed_RedirectWithinItsDomainJoinsTheScope(t *testing.T) {
	for _, tt := range []struct {
		name   string
		seed   string
		mode   crawler.ScopeMode
		moves  []string // what becomes a seed
		stored []string
	}{
		{"apex to www", "http://one.example/", crawler.ScopeHost, []string{"http://www.one.example/"},
			[]string{"http://www.one.example/", "http://www.one.example/a"}},
		{"by way of another", "http://old.one.example/", crawler.ScopeHost, []string{"http://one.example/", "http://www.one.example/"},
			[]string{"http://www.one.example/", "http://www.one.example/a"}},
		{"another directory", "http://www.one.example/docs/", crawler.ScopePrefix, []string{"http://www.one.example/manual/"},
			[]string{"http://www.one.example/manual/", "http://www.one.example/manual/b"}},
		{"elsewhere", "http://one.example/away", crawler.ScopeHost, nil, nil},
		{"excluded", "http://one.example/secret", crawler.ScopeHost, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				web.Site(webtest.Pages{
					"/": webtest.Redirect(301, "http://www.one.example/"), "/away": webtest.Redirect(301, "http://two.example/"),
					"/secret": webtest.Redirect(301, "http://www.one.example/secret"),
				}, "one.example")
				web.Site(webtest.Pages{"/": webtest.Redirect(302, "http://one.example/")}, "old.one.example")
				web.Site(webtest.Pages{
					"/": page("/a", "http://shop.one.example/", "/shop"), "/a": page(), "/secret": page(), "/shop": webtest.Redirect(301, "http://shop.one.example/x"),
					"/docs/": webtest.Redirect(301, "/manual/"), "/manual/": page("/manual/b", "/a"), "/manual/b": page(),
				}, "www.one.example")
				other := web.Site(webtest.Pages{"/": page(), "/x": page()}, "shop.one.example", "two.example")
				j := newJob(t, web)
				j.lookup = web.Lookup
				var mu sync.Mutex
				var moves []string
				j.run(t, t.Context(), func(c *crawler.Config) {
					c.Scope.Mode = tt.mode
					c.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile("www.*secret")}
					c.SeedMoved = func(seed, target frontier.URL) error {
						mu.Lock()
						defer mu.Unlock()
						moves = append(moves, target.String())
						return nil
					}
				}, tt.seed)
				if !slices.Equal(moves, tt.moves) {
					t.Errorf("became seeds: %q, want %q", moves, tt.moves)
				}
				wantStrings(t, "stored", j.stored(), tt.stored)
				if n := len(other.Hits()); n > 0 {
					t.Errorf("%d requests to where a link or a page leads", n)
				}
			})
		})
	}
}
