package crawler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
)

func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
		default:
			fmt.Fprint(w, `<a href="/about">about us</a> <a href="/private/diary">diary</a>`)
		}
	}))
	defer site.Close()
	dir, _ := os.MkdirTemp("", "robots")
	defer os.RemoveAll(dir)

	queue := memory.New()
	defer queue.Close()
	names := fetch.NewResolver(fetch.ResolverOptions{})
	defer names.Close()
	client := fetch.New(fetch.Options{UserAgent: "cybermapper/1.0", AllowPrivate: true, Resolver: names})
	defer client.Close()
	seed, _ := frontier.ParseURL(site.URL)
	c, err := crawler.New(crawler.Config{
		Frontier: queue, Fetch: client, Resolver: names, Product: "cybermapper",
		Robots:     robots.NewCache(robots.CacheOptions{Product: "cybermapper", Bodies: robots.DirBodies(dir)}),
		Scope:      crawler.Scope{Seeds: []frontier.URL{seed}},
		Limits:     crawler.Limits{Depth: 3},
		Politeness: crawler.Politeness{Delay: -1, Factor: -1}, // a server of our own
		Events: crawler.Events{
			Request: func(r crawler.Request) { fmt.Println(r.Status, r.URL.PathQuery()) },
			Refusal: func(r crawler.Refusal) { fmt.Println(r.Reason, "line", r.Verdict.Line, r.Verdict.Rule) },
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	end, err := c.Run(context.Background(), []frontier.URL{seed})
	fmt.Println(end, err)
	// Output:
	// 200 /robots.txt
	// 200 /
	// 200 /about
	// robots-disallow line 2 Disallow: /private/
	// done <nil>
}

func ExampleRead() {
	u, _ := frontier.ParseURL("http://www.example.org/dir/page.html")
	header := http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"noarchive"}}
	body := []byte(`<title>A page</title><meta name="robots" content="noindex"><a href="next.html">on</a>`)
	r, err := crawler.Read(context.Background(), extract.New(extract.Options{}), "cybermapper", u, header, body)
	fmt.Println(r.Page.Title, r.Directives.Strings(), r.Links(), err)
	// Output: A page [noarchive noindex] [http://www.example.org/dir/next.html] <nil>
}
