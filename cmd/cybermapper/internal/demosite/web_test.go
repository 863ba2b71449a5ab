package demosite_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demosite"
)

func Example() {
	web, err := demosite.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer web.Close()
	fmt.Println(web.Sites[2].Name)
	fmt.Print(web.Sites[2].Robots)
	// Output:
	// example-3
	// # go away
	// User-agent: *
	// Disallow: /
}

// Every lesson can be learned: its path answers, so a crawler that does not ask for it had a reason.
func TestLessonsExist(t *testing.T) {
	web := start(t)
	for _, s := range web.Sites {
		for _, l := range s.Lessons {
			path := strings.TrimSuffix(strings.TrimPrefix(l.Path, "/"), "*")
			if path == "tmp/" || path == "hidden/" {
				continue // there is no index
			}
			if status, _ := get(t, s.URL+path); status == http.StatusNotFound {
				t.Errorf("%s%s: not found", s.URL, path)
			}
		}
	}
}

// Every page that a lesson is about is linked from somewhere on its site, or named in a sitemap of it.
func TestLessonsAreLinked(t *testing.T) {
	web := start(t)
	href := regexp.MustCompile(`href="([^"]+)"|(http://[^"<\s]+)`)
	for _, s := range web.Sites {
		linked := map[string]bool{"/": true}
		todo := []string{"/", "/robots.txt"} // which names sitemaps
		for visited := 0; len(todo) > 0 && visited < 200; visited++ {
			_, body := get(t, s.URL+strings.TrimPrefix(todo[0], "/"))
			todo = todo[1:]
			for _, m := range href.FindAllStringSubmatch(body, -1) {
				p := strings.TrimPrefix(strings.ReplaceAll(m[1]+m[2], "&amp;", "&"), s.URL)
				if !strings.HasPrefix(p, "/") {
					p = "/" + p
				}
				if !linked[p] {
					linked[p] = true
					todo = append(todo, p)
				}
			}
		}
		for _, l := range s.Lessons {
			prefix, wild := strings.CutSuffix(l.Path, "*")
			found := linked[l.Path] || slices.Contains(demosite.Submitted(), strings.TrimPrefix(l.Path, "/"))
			for p := range linked {
				found = found || wild && linked[p] && strings.HasPrefix(p, prefix)
			}
			if !found {
				t.Errorf("%s: nothing links to %s", s.Name, l.Path)
			}
		}
	}
}

func TestHitsAreLogged(t *testing.T) {
	web := start(t)
	get(t, web.Sites[0].URL+"robots.txt")
	get(t, web.Sites[7].URL+"robots.txt?a=b")
	hits := web.Hits()
	if len(hits) != 2 || hits[0].Path != "/robots.txt" || hits[0].Status != 200 || hits[1].Site != web.Sites[7] || hits[1].Path != "/robots.txt?a=b" {
		t.Errorf("hits: %+v", hits)
	}
}

func TestTwoWebsAtOnce(t *testing.T) {
	first, second := start(t), start(t)
	if first.Sites[0].URL == second.Sites[0].URL {
		t.Errorf("both webs serve %s", first.Sites[0].URL)
	}
}

func start(t *testing.T) *demosite.Web {
	t.Helper()
	web, err := demosite.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := web.Close(); err != nil {
			t.Error(err)
		}
	})
	return web
}

// get returns the status and the body of url, with a redirect to the same site added as a link.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if to := r.Header.Get("Location"); strings.HasPrefix(to, "/") {
		b = append(b, ` href="`+to+`"`...)
	}
	return r.StatusCode, string(b)
}
