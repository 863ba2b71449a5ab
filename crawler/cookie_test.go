package crawler_test

import (
	"net/http"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A shop sends visitors to another host of its domain for a cookie. It is asked once more when its own cookies are taken, and no
// other host's word counts for it; it never is more often than that.
func TestRedirect_BackWithACookie(t *testing.T) {
	const shop, desk = "http://www.shop.test", "http://desk.shop.test"
	for _, test := range []struct {
		name   string
		takes  []string
		stored []string
		asked  int // for the front page
	}{
		{"both", []string{shop, desk}, []string{shop + "/"}, 2},
		{"the shop alone", []string{shop}, nil, 2},
		{"the desk alone", []string{desk}, nil, 1},
		{"neither", nil, nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, web *webtest.Web) {
				site := web.Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, err := r.Cookie("visitor")
					switch {
					case r.URL.Path == "/robots.txt":
						http.NotFound(w, r)
					case r.URL.Path == "/enter":
						http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "7", Path: "/", Domain: "shop.test"})
						http.Redirect(w, r, shop+"/", http.StatusFound)
					case err != nil:
						http.Redirect(w, r, desk+"/enter", http.StatusFound)
					default:
						webtest.Page{Body: "inside"}.ServeHTTP(w, r)
					}
				}), "www.shop.test", "desk.shop.test")
				j := newJob(t, web)
				j.lookup = web.Lookup
				cookies := fetch.NewCookies(true)
				j.access = map[string]*fetch.Access{}
				for _, origin := range test.takes {
					j.access[origin] = &fetch.Access{Cookies: cookies}
				}
				j.run(t, t.Context(), func(c *crawler.Config) { c.Scope.Mode = crawler.ScopeAny }, shop+"/")
				wantStrings(t, "stored", j.stored(), test.stored)
				if n := site.Hits().Count("/"); n != test.asked {
					t.Errorf("the front page was asked for %d times, want %d", n, test.asked)
				}
			})
		})
	}
}
