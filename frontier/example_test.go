package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
)

func ExampleURL_Resolve() {
	base, err := frontier.ParseURL("HTTP://Example.com:80/docs/./index.html#top")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(base)
	for _, href := range []string{"../a b", `\images\%7ejoe.png`, "//user@bücher.example", "?page=2", "mailto:joe@example.com"} {
		u, err := base.Resolve(href)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(u, u.Site(), u.PathQuery())
	}
	// Output:
	// http://example.com/docs/index.html
	// http://example.com/a%20b example.com /a%20b
	// http://example.com/images/~joe.png example.com /images/~joe.png
	// http://xn--bcher-kva.example/ xn--bcher-kva.example /
	// http://example.com/docs/index.html?page=2 example.com /docs/index.html?page=2
	// scheme mailto is not http or https
}

// A crawl of a web of three pages.
func ExampleFrontier() {
	web := map[string][]string{
		"http://example.com/":  {"/a", "/b", "/"},
		"http://example.com/a": {"/b"},
		"http://example.com/b": {},
	}
	visit := func(ctx context.Context, l frontier.Lease, e frontier.Entry) (frontier.Outcome, error) {
		g, err := l.Permit(ctx, l.Site())
		if err != nil {
			return frontier.Outcome{}, err
		}
		fmt.Println("fetch", e.URL, "at depth", e.Depth)
		hrefs := web[e.URL.String()]
		g.Done(10 * time.Millisecond) // from now to the next request
		o := frontier.Outcome{Entry: e, Status: frontier.Done, Code: 200, Page: true}
		for _, href := range hrefs {
			u, err := e.URL.Resolve(href)
			if err != nil {
				return o, err
			}
			o.Links = append(o.Links, frontier.Link{URL: u, Via: e.URL, Depth: e.Depth + 1})
		}
		return o, nil
	}

	ctx := context.Background()
	f := memory.New()
	defer f.Close()
	seed, err := frontier.ParseURL("http://example.com")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.Add(ctx, []frontier.Link{{URL: seed}}); err != nil {
		log.Fatal(err)
	}
	for {
		l, err := f.Lease(ctx, time.Minute)
		if errors.Is(err, frontier.ErrIdle) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for {
			e, ok, err := l.Next(l.Context())
			if err != nil {
				log.Fatal(err)
			}
			if !ok {
				break
			}
			o, err := visit(l.Context(), l, e)
			if err != nil {
				log.Fatal(err)
			}
			if _, err := l.Settle(ctx, o); err != nil {
				log.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			log.Fatal(err)
		}
	}
	stats, err := f.Stats(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Done, "of", stats.Known, "done")
	// Output:
	// fetch http://example.com/ at depth 0
	// fetch http://example.com/a at depth 1
	// fetch http://example.com/b at depth 1
	// 3 of 3 done
}
