package crawler_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// site is a site of two open pages, and one that titlebot is not to see.
func site() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: titlebot\nAllow: /\nDisallow: /private/\n\nUser-agent: *\nDisallow: /\n")
		default:
			fmt.Fprintf(w, `<title>The page %s</title> <a href="/about">about us</a> <a href="/private/diary">diary</a>`, r.URL.Path)
		}
	}))
}

// titles is a sink that prints the titles of the pages it is given.
type titles struct{}

func (titles) Put(_ context.Context, p *storage.Page) error {
	fmt.Println("title:", p.Title)
	return nil
}

// A polite robot: it asks for robots.txt first and heeds it, waits between two requests as long as the site wants or as is
// decent, rests where a site is in trouble, stays on the hosts of its seeds, and says who it is.
func Example() {
	home := site()
	defer home.Close()
	seed, err := frontier.ParseURL(home.URL)
	if err != nil {
		log.Fatal(err)
	}
	queue := memory.New()
	defer queue.Close()
	names := fetch.NewResolver(fetch.ResolverOptions{})
	defer names.Close()
	client := fetch.New(fetch.Options{
		UserAgent: "titlebot/1.0 (+https://operator.example/bot)", Resolver: names,
		AllowPrivate: true, // the site is on loopback
	})
	defer client.Close()
	c, err := crawler.New(crawler.Config{
		Frontier: queue, Resolver: names, Fetch: client, Sink: titles{},
		Robots: robots.NewCache(robots.CacheOptions{Product: "titlebot"}),
		Limits: crawler.Limits{Depth: 3, Pages: 100},
		Hosts:  map[string]crawler.Override{seed.Site(): {Delay: -1}}, // it is our own: no pause
		Events: crawler.Events{
			Request: func(r crawler.Request) {
				fmt.Println(strings.TrimSpace("asked for " + r.URL.PathQuery() + " " + r.Verdict.Rule))
			},
			Refusal: func(r crawler.Refusal) { fmt.Println("refused:", r.Reason, "line", r.Verdict.Line) },
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	end, err := c.Run(context.Background(), []frontier.URL{seed})
	fmt.Println(end, err)
	// Unordered output:
	// asked for /robots.txt
	// asked for / Allow: /
	// title: The page /
	// asked for /about Allow: /
	// title: The page /about
	// refused: robots-disallow line 3
	// done <nil>
}
