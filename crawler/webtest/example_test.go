package webtest_test

import (
	"fmt"
	"net/http"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A script stands in for the *testing.T that a test has.
type script struct{ cleanups []func() }

func (s *script) Helper()                      {}
func (s *script) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
func (s *script) Cleanup(f func())             { s.cleanups = append(s.cleanups, f) }

func Example() {
	t := new(script)
	web := webtest.New(t)
	defer web.Close()
	site := web.Site(webtest.Pages{
		"/robots.txt": {Body: "User-agent: *\nDisallow: /tmp/\n"},
		"/cut":        {Handler: webtest.Cut("only the begin")},
	})
	for _, path := range []string{"/robots.txt", "/cut", "/robots.txt"} {
		if resp, err := http.Get(site.URL + path); err == nil {
			resp.Body.Close()
		}
	}
	http.DefaultClient.CloseIdleConnections()
	for _, hit := range site.Hits() {
		fmt.Println(hit.Method, hit.Path)
	}
	fmt.Println(len(webtest.Repeated(site.Hits())), "asked for again")
	// Output:
	// GET /robots.txt
	// GET /cut
	// GET /robots.txt
	// 1 asked for again
}
