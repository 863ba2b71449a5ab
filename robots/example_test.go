package robots_test

import (
	"context"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// What a site lets a robot do, and which line says so.
func Example() {
	file := robots.Parse([]byte("User-agent: *\nDisallow: /private/\nCrawl-delay: 5\n"), robots.Cautious)
	rules := file.Rules("titlebot")
	for _, path := range []string{"/", "/private/diary"} {
		v := rules.Test(path)
		fmt.Printf("%s %v %q\n", path, v.Allowed, v.Rule)
	}
	delay, line := rules.Delay()
	fmt.Println("wait", delay, "says line", line)
	// Output:
	// / true ""
	// /private/diary false "Disallow: /private/"
	// wait 5s says line 3
}

// In Cautious a misspelt line forbids as well, and the verdict tells so.
func Example_leniency() {
	file := robots.Parse([]byte(`
User-agent: *
Disallow: /cyberworld/map/ # infinite
Dissallow: /tmp/
Allow: /cyberworld/map/index.html
`), robots.Cautious)

	rules := file.Rules("cybermapper")
	for _, path := range []string{"/", "/cyberworld/map/1", "/cyberworld/map/index.html", "/tmp/x"} {
		v := rules.Test(path)
		fmt.Printf("%-26s %-5v %s %d %q %q\n", path, v.Allowed, v.Reason, v.Line, v.Rule, v.Leniency)
	}
	// Output:
	// /                          true  no-rule 0 "" ""
	// /cyberworld/map/1          false rule 3 "Disallow: /cyberworld/map/" ""
	// /cyberworld/map/index.html true  rule 5 "Allow: /cyberworld/map/index.html" ""
	// /tmp/x                     false rule 4 "Dissallow: /tmp/" "misspelt-field"
}

func ExampleCache() {
	cache := robots.NewCache(robots.CacheOptions{Product: "cybermapper"})

	// A crawler would make one polite request here.
	fetch := func(ctx context.Context, url, etag, lastModified string) robots.Response {
		fmt.Println("GET", url)
		return robots.Response{Status: 200, Body: []byte("User-agent: *\nDisallow: /private\n")}
	}

	var state robots.State // kept with the site, across restarts
	for range 2 {
		answer, err := cache.Rules(context.Background(), "http://site.example", state, fetch)
		if err != nil {
			fmt.Println(err)
			return
		}
		state = answer.State
		fmt.Println(state.Outcome, answer.Rules.Test("/private/x").Allowed, answer.Fetched)
	}
	// Output:
	// GET http://site.example/robots.txt
	// found false true
	// found false false
}

func ExampleHeaderDirectives() {
	page := robots.MetaDirectives([]robots.Meta{{Name: "robots", Content: "all"}}, "cybermapper")
	header := robots.HeaderDirectives([]string{"otherbot: none, cybermapper: noindex"}, "cybermapper")
	d := page.Merge(header)
	fmt.Println(d.MayIndex(time.Now()), d.MayFollow(), d.Strings())
	// Output: false true [noindex]
}
