package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// Promise 3: a crawl that lives by sitemaps alone, is killed at random moments, and started again until it is done, has every
// page that is named somewhere, and asked for nothing again but what was in flight.
func TestPromise_SitemapsSurviveKill9(t *testing.T) {
	t.Parallel()
	const files, each = 8, 12
	site := webtest.New(t).Site(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		base, file := "http://"+r.Host, 0
		switch path := r.URL.Path; {
		case path == "/robots.txt":
			fmt.Fprintf(w, "Sitemap: %s/index.xml\n", base)
		case path == "/index.xml":
			fmt.Fprint(w, "<sitemapindex>")
			for i := range files {
				fmt.Fprintf(w, "<sitemap><loc>%s/s%d.txt</loc></sitemap>", base, i)
			}
			fmt.Fprint(w, "</sitemapindex>")
		case strings.HasSuffix(path, ".txt"):
			fmt.Sscanf(path, "/s%d.txt", &file)
			for i := range each {
				fmt.Fprintf(w, "%s/%d/%d.html\n", base, file, i)
			}
		default:
			fmt.Fprintf(w, "<title>%s</title>", path)
		}
	}))
	job := filepath.Join(t.TempDir(), "job")
	args := []string{"crawl", "--sitemaps", "--job", job, "--allow-private", "--quiet", "--delay", "25ms", "--delay-factor", "0", site.URL + "/"}
	kills := len(runUntilDone(t, args, 10, 2*time.Minute))
	if kills < 3 {
		t.Errorf("killed %d times only; the test does not test much", kills)
	}
	stored := 0
	for l, err := range pages.Read(filepath.Join(job, "pages")) {
		if stored++; err != nil || strings.HasSuffix(l.URL, ".txt") || strings.HasSuffix(l.URL, ".xml") {
			t.Errorf("pages.jsonl: %s, %v", l.URL, err)
		}
	}
	if want := 1 + files*each; stored != want {
		t.Errorf("%d pages stored, want %d", stored, want)
	}
	asked := len(site.Hits()) - site.Hits().Count("/robots.txt")
	if again := asked - (2 + files + files*each); again > kills {
		t.Errorf("%d asked for again after %d kills, want at most what was in flight", again, kills)
	}
	mustRun(t, "verify", "--job", job)
}
