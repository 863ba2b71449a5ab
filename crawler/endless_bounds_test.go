package crawler_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// TestTraps_EachBoundAlone states what each bound stops: how many pages of all endless places are asked for, within the first
// 600 of each site, when it is the only one; those that stop nothing of these are told of with -v. What it costs on real pages
// TestRealSites in cmd/cybermapper tells.
func TestTraps_EachBoundAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("it crawls a hundred sites")
	}
	off := crawler.Traps{
		URLLength: -1, PathSegments: -1, Repeats: -1, QueriesPerPath: -1, PrefixPages: -1, PrefixSample: -1, EndlessSample: -1,
		Spellings: -1, Archives: -1, HostsPerDomain: -1,
	}
	none := endlessPages(t, off)
	for _, tt := range []struct {
		name string
		on   func(*crawler.Traps)
		less bool // it stops something in these places
	}{
		{"url_length", func(t *crawler.Traps) { t.URLLength = 0 }, false},
		{"path_segments", func(t *crawler.Traps) { t.PathSegments = 0 }, false},
		{"repeated_segments", func(t *crawler.Traps) { t.Repeats = 0 }, false},
		{"queries_per_path", func(t *crawler.Traps) { t.QueriesPerPath = 100 }, true},
		{"hosts_per_domain", func(t *crawler.Traps) { t.HostsPerDomain = 100 }, false}, // of one kind only
		{"pages_per_directory", func(t *crawler.Traps) { t.PrefixPages = 0 }, false},
		{"endless_sample, scout_depth", func(t *crawler.Traps) { t.EndlessSample = 0 }, true},
		{"the same with directory_sample", func(t *crawler.Traps) { t.EndlessSample, t.PrefixSample = 0, 0 }, true},
		{"the same with spellings", func(t *crawler.Traps) { t.EndlessSample, t.PrefixSample, t.Spellings = 0, 0, 0 }, true},
	} {
		if !tt.less && !testing.Verbose() {
			continue // nothing is asserted of it
		}
		traps := off
		tt.on(&traps)
		got := endlessPages(t, traps)
		t.Logf("%-32s %6d pages, without any bound %d", tt.name, got, none)
		if tt.less && got >= none {
			t.Errorf("%s: %d pages, without any bound %d", tt.name, got, none)
		}
	}
}

// endlessPages crawls each endless site with these bounds and returns how many pages of the endless places were asked for.
func endlessPages(t *testing.T, traps crawler.Traps) (pages int) {
	t.Helper()
	for _, e := range webtest.EndlessKinds() {
		synctest.Test(t, func(t *testing.T) {
			web := webtest.InMemory(t)
			site := web.Site(e.Site, "www."+webtest.EndlessDomain, "*."+webtest.EndlessDomain)
			j := newJob(t, web)
			j.lookup, j.forget = web.Lookup, true
			j.run(t, t.Context(), func(c *crawler.Config) {
				c.Politeness.Delay = time.Millisecond
				c.Limits.Pages = 600
				c.Scope.Mode = crawler.ScopeDomain
				c.Traps = traps
			}, site.URL+"/")
			for _, h := range web.Log() {
				host, _, _ := strings.Cut(h.Host, ":")
				if h.Status == http.StatusOK && h.Path != "/robots.txt" && e.Within(host, h.Path) {
					pages++
				}
			}
		})
	}
	return pages
}
