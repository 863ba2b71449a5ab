package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// The Crawl-delay of a robots.txt that redirects to another site is kept from the first page on, and explain says why more was
// waited than was owed.
func TestExplain_CrawlDelayFromElsewhere(t *testing.T) {
	t.Parallel()
	web := webtest.New(t)
	target := web.Site(webtest.Pages{"/robots.txt": {Body: "User-agent: *\nCrawl-delay: 1\n"}})
	site := web.Site(webtest.Pages{"/robots.txt": webtest.Redirect(301, target.URL+"/robots.txt"), "/": {Body: "home"}})
	dir := filepath.Join(t.TempDir(), "job")
	mustRun(t, "crawl", "--quiet", "--allow-private", "--delay", "10ms", "--delay-factor", "0", "--job", dir, site.URL)
	if gap := webtest.MinGap(site.Hits()); gap < time.Second {
		t.Errorf("the first page was asked for after %v", gap)
	}
	if _, out := runArgs(t, "explain", "--job", dir, site.URL+"/"); !strings.Contains(out, "not known yet when it began") {
		t.Error(out)
	}
	mustRun(t, "verify", "--job", dir)
}
