package main

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// liveSites names the environment variable with the addresses, on this machine, of programs that make pages: a blog, a wiki, a
// forum, a shop. Copies of their pages lack what they offer besides, and most of the requests can go there.
const liveSites = "CYBERMAPPER_LIVE_SITES"

// Ensure that a crawl of a live site ends and is proven. What it asked for is logged by shape, for who knows what is there.
func TestLiveSites(t *testing.T) {
	sites := strings.Fields(os.Getenv(liveSites))
	if len(sites) == 0 {
		t.Skip("no addresses in " + liveSites)
	}
	for _, site := range sites {
		t.Run(strings.ReplaceAll(site, "/", ""), func(t *testing.T) {
			job := filepath.Join(t.TempDir(), "job")
			mustRun(t, "crawl", "--quiet", "--allow-private", "--contact", "https://live.example/", "--delay", "1ms", "--delay-factor", "0",
				"--job", job, site)
			mustRun(t, "verify", "--job", job)
			shapes, requests := map[string]int{}, 0
			for _, r := range recordsOf(t, job, ledger.Request) {
				shapes[shapeOf(t, r.URL)]++
				requests++
			}
			t.Logf("%d requests in %d shapes", requests, len(shapes))
			most := slices.SortedFunc(maps.Keys(shapes), func(a, b string) int { return shapes[b] - shapes[a] })
			for _, s := range most[:min(40, len(most))] {
				t.Logf("%7d %s", shapes[s], s)
			}
		})
	}
}

// shapeOf writes an address without what makes it one of many: numbers, words of titles in the path, values in the query.
func shapeOf(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	shape := u.Path
	if names := slices.Sorted(maps.Keys(u.Query())); len(names) > 0 {
		shape += "?" + strings.Join(names, "&")
	}
	return wordsOfTitles.ReplaceAllString(numbers.ReplaceAllString(shape, "N"), "TITLE")
}

var (
	numbers       = regexp.MustCompile(`\d+`)
	wordsOfTitles = regexp.MustCompile(`[^/?&]*[-_ ][^/?&]*[-_ ][^/?&]*`)
)
