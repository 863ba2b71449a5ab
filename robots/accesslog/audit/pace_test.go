package audit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestAuditor_Windows: to Bing's robot Crawl-delay is the length of windows of time, each of which has one page at any moment.
// Who gets more is blamed, and so is a robot that knows no windows.
func TestAuditor_Windows(t *testing.T) {
	const bing = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0 Safari/537.36"
	for seed := range uint64(20) {
		for name, c := range map[string]struct {
			agent  string
			each   int
			asked  string
			blamed bool
		}{
			"one page a window":       {bing, 1, "10", false},
			"two pages":               {bing, 2, "10", true},
			"a robot without windows": {"SomeBot/1 (+http://some.example/)", 1, "10", true},
			"the longest window":      {bing, 1, "60", false},
		} {
			random := rand.New(rand.NewPCG(seed, 1))
			copies := []audit.Copy{{Name: "robots.txt", File: robots.Parse([]byte("User-agent: *\nCrawl-delay: "+c.asked+"\n"), robots.RFC9309)}}
			window := 10.0
			if c.asked == "60" {
				window = 30
			}
			var times []float64
			for i := range 400 {
				for range c.each {
					times = append(times, window*(float64(i)+random.Float64()))
				}
			}
			slices.Sort(times)
			var w logWriter
			for i, at := range times {
				w.at(at, "192.0.2.1", c.agent, fmt.Sprintf("/%d", i), 200, 1)
			}
			if one := run(t, w.b.String(), audit.Options{Copies: copies}).Robots[0]; (len(one.Faults) > 0) != c.blamed {
				t.Errorf("%d, %s: %+v, %+v", seed, name, one.Faults, one.Pace)
			}
		}
	}
}

// TestAuditor_Loading: a robot that looks at a page with a browser gets at once what belongs to it, and names the page. Who gets
// pages or images without a pause is blamed whatever it names.
func TestAuditor_Loading(t *testing.T) {
	copies := []audit.Copy{{Name: "robots.txt", File: robots.Parse([]byte("User-agent: *\nCrawl-delay: 10\n"), robots.RFC9309)}}
	for name, c := range map[string]struct {
		path, referrer string
		blamed         bool
	}{
		"what belongs to pages": {"/%d.css", "http://www.e.example/", false},
		"images":                {"/%d.png", "-", true},
		"pages":                 {"/%d", "http://www.e.example/", true},
	} {
		var w logWriter
		for i := range 100 {
			for n := range 8 {
				path, referrer := fmt.Sprintf("/%d", i), "-"
				if n > 0 {
					path, referrer = fmt.Sprintf(c.path, n), c.referrer
				}
				when := start.Add(time.Duration(11*i+n/4) * time.Second).Format("02/Jan/2006:15:04:05 -0700")
				w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "%s" "Mozilla/5.0 (compatible; bingbot/2.0)"`, when, path, referrer))
			}
		}
		if one := run(t, w.b.String(), audit.Options{Copies: copies}).Robots[0]; (len(one.Faults) > 0) != c.blamed {
			t.Errorf("%s: %+v, %+v", name, one.Faults, one.Pace)
		}
	}
	var w logWriter
	for i := range 400 {
		when := start.Add(time.Duration(i) * time.Second).Format("02/Jan/2006:15:04:05 -0700")
		w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET /%d.png HTTP/1.1" 200 10 "http://www.e.example/" "Mozilla/5.0 (compatible; bingbot/2.0)"`, when, i))
	}
	if one := run(t, w.b.String(), audit.Options{Copies: copies}).Robots[0]; len(one.Faults) == 0 {
		t.Errorf("images only: %+v", one.Pace)
	}
}
