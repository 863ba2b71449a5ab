package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// troubledSite asks for pauses, is busy now and then, moves pages, links to what pages need, and has everything else that makes a
// record longer.
func troubledSite(web *webtest.Web) *webtest.Site {
	var asked atomic.Int32
	busy := func(every int32, wait string) webtest.Page {
		return webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if asked.Add(1)%every == 1 {
				w.Header().Set("Retry-After", wait)
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})}
	}
	return web.Site(webtest.Pages{
		"/robots.txt":  {Status: http.StatusFound, Header: map[string]string{"Location": "/rules.txt"}},
		"/rules.txt":   {Type: "text/plain", Body: "User-agent: *\nDisallow: /closed\nCrawl-delay: 0.05\nSitemap: /sitemap.xml\n"},
		"/sitemap.xml": {Type: "application/xml", Body: "<urlset><url><loc>/listed</loc></url></urlset>"},
		"/": {Body: `<title>front</title><link rel="stylesheet" href="/style.css"><img src="/dot.gif"><a href="/a">a</a> <a href="/closed">c</a>
			<a href="/busy">b</a> <a href="/moved">m</a> <a href="/gone">g</a> <a href="/robots.txt">r</a> <a href="/dot.gif">d</a>`},
		"/a": {Body: "<title>a</title>a page"}, "/listed": {Body: "<title>listed</title>"}, "/later": {Body: "<title>later</title>"},
		"/style.css": {Type: "text/css", Body: "p { color: red }"}, "/dot.gif": {Type: "image/gif", Body: "GIF89a"},
		"/busy": busy(2, "1"), "/moved": {Status: http.StatusMovedPermanently, Header: map[string]string{"Location": "/a"}},
	})
}

// TestVerify_HonestJobs does to jobs what operators do: none of it is a reason to doubt what is on record.
func TestVerify_HonestJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls several times")
	}
	for name, steps := range map[string][]string{
		"pages, and what they need":      {"crawl --requisites --warc --index", "verify"},
		"once more":                      {"crawl", "crawl --again=all", "crawl --again=all --requisites", "verify"},
		"repaired":                       {"crawl", "lose frontier", "repair", "crawl", "verify"},
		"pages lost":                     {"crawl", "lose pages/page", "repair", "crawl", "verify"},
		"slow once":                      {"crawl --delay 150ms", "crawl --again=all", "crawl --again=all", "verify"},
		"submitted, while nobody crawls": {"crawl", "submit URL/later", "submit URL/closed", "crawl", "verify"},
		"signed, then not, then again":   {"crawl --config SIGNED", "crawl", "crawl --config SIGNED --again=all", "verify"},
		"repaired, once more":            {"crawl --requisites", "lose frontier", "repair", "crawl --again=all", "lose pages/page", "repair", "crawl", "verify"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := troubledSite(webtest.New(t))
			dir := t.TempDir()
			job, key := filepath.Join(dir, "job"), filepath.Join(dir, "key")
			mustRun(t, "key", "new", "--name", "test.example", key)
			const settings = "politeness:\n  host_rest: 100ms\ncrawl:\n  retry_delay: 50ms\n"
			for name, text := range map[string]string{"brisk.yaml": settings, "signed.yaml": settings + "evidence:\n  key: " + key + "\n"} {
				filetest.Write(t, filepath.Join(dir, name), text)
			}
			for _, step := range steps {
				step = strings.NewReplacer("URL", site.URL, "SIGNED", filepath.Join(dir, "signed.yaml")).Replace(step)
				args := strings.Fields(step)
				switch args[0] {
				case "lose":
					lose(t, job, args[1])
					continue
				case "crawl":
					args = append(args, "--allow-private", "--quiet", site.URL+"/")
					if !slices.Contains(args, "--delay") {
						args = append(args, "--delay", "20ms")
					}
					if !slices.Contains(args, "--config") {
						args = append(args, "--config", filepath.Join(dir, "brisk.yaml"))
					}
				}
				mustRun(t, append(args, "--job", job)...)
			}
		})
	}
}

// lose removes what a job has, or one of its pages.
func lose(t *testing.T, job, what string) {
	t.Helper()
	if what == "pages/page" {
		for _, l := range linesOf(t, job) {
			if strings.HasSuffix(l.URL, "/a") {
				what = "pages/" + l.File
			}
		}
	}
	if err := os.RemoveAll(filepath.Join(job, what)); err != nil {
		t.Fatal(err)
	}
}
