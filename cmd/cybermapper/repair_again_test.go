package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A returner comes back to a job whose queue is lost and repaired.
type returner struct {
	site *webtest.Site
	dir  string
}

// newReturner crawls a site for the first time.
func newReturner(t *testing.T, pages webtest.Pages) *returner {
	t.Helper()
	r := &returner{site: webtest.New(t).Site(pages), dir: filepath.Join(t.TempDir(), "job")}
	r.crawl(t)
	return r
}

// crawl runs once and returns how many URLs were asked for, and what was printed.
func (r *returner) crawl(t *testing.T, args ...string) (asked int, out string) {
	t.Helper()
	before := len(r.site.Hits())
	args = append([]string{"crawl", "--job", r.dir, "--allow-private", "--requisites", "--delay", "0s", r.site.URL + "/"}, args...)
	_, out = runArgs(t, args...)
	hits := r.site.Hits()[before:]
	return len(hits) - hits.Count("/robots.txt"), out
}

// loseQueue has the queue built anew.
func (r *returner) loseQueue(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(r.dir, "frontier")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "repair", "--job", r.dir)
}

// A page counts as one, however often it was found unchanged before the queue was lost.
func TestRepair_CountsPagesThatWereVisitedAgain(t *testing.T) {
	r := newReturner(t, webtest.Pages{"/": {Body: "<a href=a>a</a>"}, "/a": {Body: "<p>hello"}})
	if asked, out := r.crawl(t, "--again=all"); asked != 2 {
		t.Fatalf("%d URLs are asked for again\n%s", asked, out)
	}
	r.loseQueue(t)
	if out := mustRun(t, "status", "--job", r.dir); !strings.Contains(out, "; 2 pages of 1 site") {
		t.Errorf("status says\n%s", out)
	}
}

// What the queue has forgotten is found by looking for it: what it remembers by now may be something else, and as much.
func TestAgain_AfterRepairAndAPart(t *testing.T) {
	r := newReturner(t, webtest.Pages{
		"/":  {Body: "<img src=1><img src=2><a href=a>a</a>"},
		"/1": {Type: "image/png", Body: "one"}, "/2": {Type: "image/png", Body: "two"},
		"/a": {Body: "<img src=3>"}, "/3": {Type: "image/png", Body: "three"},
	})
	r.loseQueue(t)
	for _, run := range []struct {
		args []string
		want int
	}{
		{[]string{"--again=all", "--max-pages", "3"}, 3},
		{[]string{"--again=all", "--max-pages", "0"}, 5},
	} {
		if asked, out := r.crawl(t, run.args...); asked != run.want {
			t.Errorf("%v asks for %d URLs, want %d\n%s", run.args, asked, run.want, out)
		}
	}
}

// A page has changed if it is not as it was stored last; what was stored before that does not count.
func TestAgain_AfterRepairComparesWithTheNewest(t *testing.T) {
	pages := webtest.Pages{"/": {Body: "<p>before"}}
	r := newReturner(t, pages)
	pages["/"] = webtest.Page{Body: "<p>afterwards"}
	r.crawl(t, "--again=all")
	list := mustRead(t, filepath.Join(r.dir, "pages", "pages.jsonl"))
	r.loseQueue(t)
	if asked, out := r.crawl(t, "--again=all"); asked != 1 || !strings.Contains(out, "unchanged") {
		t.Errorf("%d URLs are asked for\n%s", asked, out)
	}
	if now := mustRead(t, filepath.Join(r.dir, "pages", "pages.jsonl")); now != list {
		t.Errorf("what was stored already is stored again:\n%s", now)
	}
}

// A list of pages that is an older one has lost the newest versions: repair puts their files aside and has these pages asked for
// again, though an older version of each is there.
func TestAgain_AfterTheListLostVersions(t *testing.T) {
	pages := webtest.Pages{"/": {Body: "<p>before", Header: map[string]string{"ETag": `"1"`}}}
	r := newReturner(t, pages)
	list := filepath.Join(r.dir, "pages", "pages.jsonl")
	older := mustRead(t, list)
	pages["/"] = webtest.Page{Body: "<p>afterwards", Header: map[string]string{"ETag": `"2"`}}
	r.crawl(t, "--again=all")
	filetest.Write(t, list, older)
	if out := mustRun(t, "repair", "--job", r.dir); !strings.Contains(out, "1 page to be asked for again") {
		t.Errorf("repair says\n%s", out)
	}
	mustRun(t, "check", "--job", r.dir)
	if asked, out := r.crawl(t); asked != 1 {
		t.Errorf("%d URLs are asked for, want 1\n%s", asked, out)
	}
	if lines := linesOf(t, r.dir); len(lines) != 2 || lines[1].Digest != storage.DigestOf([]byte("<p>afterwards")) {
		t.Errorf("stored after repair: %v", lines)
	}
	mustRun(t, "check", "--job", r.dir)
	if out := mustRun(t, "repair", "--job", r.dir); !strings.Contains(out, "0 pages to be asked for again") {
		t.Errorf("repair says once more\n%s", out)
	}
}

// A page of which the newest version is lost is asked for again until a visit finds something else there, or nothing.
func TestRepair_OfALostVersionComesToAnEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	for name, then := range map[string]webtest.Page{
		"gone":       {Status: http.StatusGone},
		"moved":      {Status: http.StatusMovedPermanently, Header: map[string]string{"Location": "/"}},
		"noindex":    {Body: "<meta name=robots content=noindex>"},
		"no content": {Status: http.StatusNoContent},
		"as it was":  {Body: "<p>before"},
	} {
		t.Run(name, func(t *testing.T) {
			pages := webtest.Pages{"/": {Body: "<a href=a>a</a>"}, "/a": {Body: "<p>before"}}
			r := newReturner(t, pages)
			list := filepath.Join(r.dir, "pages", "pages.jsonl")
			older := mustRead(t, list)
			pages["/a"] = webtest.Page{Body: "<p>afterwards"}
			r.crawl(t, "--again=all")
			filetest.Write(t, list, older)
			if out := mustRun(t, "repair", "--job", r.dir); !strings.Contains(out, "1 page to be asked for again") {
				t.Errorf("repair says\n%s", out)
			}
			pages["/a"] = then
			if asked, out := r.crawl(t); asked != 1 {
				t.Errorf("%d URLs are asked for, want 1\n%s", asked, out)
			}
			if out := mustRun(t, "repair", "--job", r.dir); !strings.Contains(out, "0 pages to be asked for again") {
				t.Errorf("repair says once more\n%s", out)
			}
		})
	}
}

// A page that took the name of a lost file is what its own line says, and stays, though an older line says something else of it.
func TestRepair_KeepsWhatTookTheNameOfALostFile(t *testing.T) {
	pages := webtest.Pages{"/": {Body: "<p>before"}}
	r := newReturner(t, pages)
	filetest.Remove(t, filepath.Join(r.dir, "pages", filepath.FromSlash(linesOf(t, r.dir)[0].File)))
	mustRun(t, "repair", "--job", r.dir)
	pages["/"] = webtest.Page{Body: "<p>after"}
	r.crawl(t)
	if lines := linesOf(t, r.dir); len(lines) != 2 || lines[0].File != lines[1].File {
		t.Fatalf("stored: %v; want two versions of one name", lines)
	}
	if out := mustRun(t, "repair", "--job", r.dir); !strings.Contains(out, "0 pages to be asked for again") {
		t.Errorf("repair says\n%s", out)
	}
	mustRun(t, "check", "--job", r.dir)
}

// A page that the settings left out for a while is asked for under its condition when they let it be again, and counts once.
func TestAgain_OfWhatWasLeftOut(t *testing.T) {
	r := newReturner(t, webtest.Pages{
		"/":  {Body: "<a href=a>a</a>"},
		"/a": {Body: "<p>hello", Header: map[string]string{"ETag": `"1"`}},
	})
	r.crawl(t, "--again=all", "--exclude", "/a")
	asked, out := r.crawl(t, "--again=all", "--exclude", "")
	if asked != 2 || !strings.Contains(out, "; 2 pages of 1 site") || !strings.Contains(out, "2  unchanged") {
		t.Errorf("%d URLs are asked for\n%s", asked, out)
	}
	conditions := 0
	for _, h := range r.site.Hits() {
		if h.Path == "/a" && h.Header.Get("If-None-Match") == `"1"` {
			conditions++
		}
	}
	if conditions != 1 {
		t.Errorf("%d requests under a condition, want 1", conditions)
	}
}

// A page whose file was lost is asked for again, and is no second page, nor one that has changed.
func TestRepair_CountsALostPageOnce(t *testing.T) {
	t.Parallel()
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: `<a href="/a">a</a>`}, "/a": {Body: "a"}})
	dir := filepath.Join(t.TempDir(), "job")
	args := []string{"crawl", "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0", "--job", dir}
	mustRun(t, append(args, site.URL+"/")...)
	files, err := filepath.Glob(filepath.Join(dir, "pages", "*", "a~.html"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files of the page: %q, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "repair", "--job", dir)
	mustRun(t, args...)
	mustRun(t, "check", "--job", dir)
	if out := mustRun(t, "status", "--job", dir); !strings.Contains(out, "0 new, 1 visited again, 1 stored") ||
		!strings.Contains(out, "; 2 pages of 1 site") {
		t.Errorf("status: want one page visited again, and two in all\n%s", out)
	}
	if out := mustRun(t, "explain", "--job", dir, site.URL+"/a"); !strings.Contains(out, "2 visits so far, 0 changes found") {
		t.Errorf("explain: want no change\n%s", out)
	}
}
