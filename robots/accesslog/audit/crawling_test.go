package audit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestCrawling_FromLinks: a client that sends where it found each link is blamed if it is known to crawl, or asked for robots.txt
// and got pages only; it is not if it got what belongs to them, or never asked.
func TestCrawling_FromLinks(t *testing.T) {
	for _, c := range []struct {
		name, agent      string
		asks, getsAssets bool
		blamed           int
	}{
		{"Scrapy", "Scrapy/2.11.2 (+https://scrapy.org)", false, false, 1},
		{"HTTrack", "Mozilla/4.5 (compatible; HTTrack 3.0x; Windows 98)", false, false, 1},
		{"a name that nobody knows, which asked for robots.txt", "Grebe/2.1", true, false, 1},
		{"one that never asked", "Grebe/2.1", false, false, 0},
		{"one that got what belongs to pages", "Grebe/2.1", true, true, 0},
		{"a browser", browser, true, false, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w logWriter
			get := func(second int, path string) {
				w.raw(fmt.Sprintf(`192.0.2.1 - - [%s] "GET %s HTTP/1.1" 200 10 "http://www.e.example/" "%s"`,
					start.Add(time.Duration(second)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), path, c.agent))
			}
			if c.asks {
				get(0, "/robots.txt")
			}
			for i := range 100 {
				get(60+3*i, fmt.Sprintf("/p/%d", i))
				get(60+3*i, fmt.Sprintf("/private/%d", i))
				if c.getsAssets {
					get(61+3*i, "/a.css")
					get(61+3*i, "/a.png")
				}
			}
			r := run(t, w.b.String(), audit.Options{Copies: history()})
			if robots, faults := r.Broken(); robots != c.blamed {
				t.Errorf("%d robots are blamed, want %d: %+v", robots, c.blamed, faults)
			}
		})
	}
}
