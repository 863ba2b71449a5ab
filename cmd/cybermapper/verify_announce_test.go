package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// The log of a site is a witness: what a request for robots.txt said of the ledger is a head that the ledger continues, and a
// ledger that was made anew does not.
func TestCrawl_AnnouncesTheHeadOfItsLedger(t *testing.T) {
	dir := t.TempDir()
	key, config, job := filepath.Join(dir, "key"), filepath.Join(dir, "config.yaml"), filepath.Join(dir, "job")
	self(t, "key", "new", "--name", "crawler.example", key)
	filetest.Write(t, config, "evidence:\n  key: "+key+"\n  announce: true\n")
	web := webtest.New(t)
	site := web.Site(webtest.Pages{"/robots.txt": {Body: "User-agent: *\nDisallow:\n"}, "/": {Body: `<a href="/a">a</a>`}, "/a": {Body: "a"}})
	crawl := func(job string) {
		self(t, "crawl", "--quiet", "--allow-private", "--delay", "1ms", "--config", config, "--job", job, "--contact", "x@example.org", site.URL+"/")
	}
	crawl(job)
	var head string
	for _, h := range site.Hits() {
		found := regexp.MustCompile(`^cybermapper/\S+ \(\+x@example\.org; log (\d+@[0-9a-f]{16})\)$`).FindStringSubmatch(h.Header.Get("User-Agent"))
		if h.Path == "/robots.txt" {
			if found == nil {
				t.Fatalf("User-Agent %q", h.Header.Get("User-Agent"))
			}
			head = found[1]
		} else if found != nil {
			t.Errorf("%s is asked for with the head", h.Path)
		}
	}
	ask := func(job string) string { return string(self(t, "verify", "--job", job, "--head", head)) }
	if out := ask(job); !strings.Contains(out, "proven     the ledger continues what was noted of it earlier") {
		t.Error(out)
	}
	crawl(job + "2")
	if out := ask(job + "2"); !strings.Contains(out, "records 1 to 1 were rewritten") {
		t.Error(out)
	}
}
