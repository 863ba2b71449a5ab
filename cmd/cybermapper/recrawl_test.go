package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// editions are sites whose pages have validators. A page whose number can be divided by seven is another one in each edition.
type editions struct {
	pages   int // of each site
	edition atomic.Int64
}

func (e *editions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p"))
	if r.URL.Path == "/" {
		n, err = 1, nil
	}
	if err != nil || n < 1 || n > e.pages {
		http.NotFound(w, r)
		return
	}
	tag := fmt.Sprintf(`"%d.%d"`, n, e.editionOf(n))
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprintf(w, "<title>Page %d</title><p>Edition %d of a page of %s.", n, e.editionOf(n), r.Host)
	for child := 8 * (n - 1); child < min(8*n, e.pages-1); child++ {
		text := strings.Repeat("and what else there is to say of it, ", 60)
		fmt.Fprintf(w, "<p><a href=/p%d>Page %d</a> %s", child+2, child+2, text)
	}
}

func (e *editions) editionOf(n int) int64 {
	if n%7 == 0 {
		return e.edition.Load()
	}
	return 0
}

// open serves the sites and returns the arguments that crawl them.
func (e *editions) open(t *testing.T, web *webtest.Web, hosts int) (job string, args []string) {
	seeds := ""
	for range hosts {
		seeds += web.Site(e).URL + "/\n"
	}
	list := filepath.Join(t.TempDir(), "seeds")
	filetest.Write(t, list, seeds)
	job = filepath.Join(t.TempDir(), "job")
	return job, []string{
		"crawl", "--seeds", list, "--job", job, "--allow-private", "--quiet", "--delay", "1ms", "--delay-factor", "0",
		"--config", configured(t, "politeness: {per_address: 64}"), // all sites are at one address
	}
}

// runs the command to its end and returns the processor time it took.
func ranFor(t *testing.T, args ...string) time.Duration {
	t.Helper()
	cmd := process(t, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// A site on which nothing has changed is asked once for each page, under a condition, and sends nothing that would be stored.
func TestRecrawl_UnchangedSite(t *testing.T) {
	t.Parallel()
	web := webtest.New(t)
	sites, hosts := &editions{pages: 500}, 20
	if testing.Short() {
		sites.pages, hosts = 100, 2
	}
	job, args := sites.open(t, web, hosts)
	first := ranFor(t, args...)
	before := len(web.Log())
	list := mustRead(t, filepath.Join(job, "pages", "pages.jsonl"))
	again := ranFor(t, append(args, "--again=all")...)
	asked := 0
	for _, h := range web.Log()[before:] {
		if h.Path == "/robots.txt" {
			continue
		}
		if asked++; h.Header.Get("If-None-Match") == "" || h.Status != http.StatusNotModified {
			t.Fatalf("%s was asked for with %v, and answered %d", h.URL(), h.Header, h.Status)
		}
	}
	if asked != hosts*sites.pages {
		t.Errorf("%d conditional requests, want one for each of %d pages", asked, hosts*sites.pages)
	}
	if now, err := os.ReadFile(filepath.Join(job, "pages", "pages.jsonl")); err != nil || string(now) != list {
		t.Errorf("the list of pages is another one (%v)", err)
	}
	t.Logf("%d pages: %v of processor time, again %v: %.2f of it", asked, first, again, again.Seconds()/first.Seconds())
	mustBeProven(t, job)
}

// A recrawl that is killed again and again, and started again until it is done, has every page in its new edition and loses none.
func TestPromise_ARecrawlLosesNothingByKill9(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	web := webtest.New(t)
	sites, hosts := &editions{pages: 200}, 6
	job, args := sites.open(t, web, hosts)
	ranFor(t, args...)
	sites.edition.Store(1)
	before, kills := len(web.Log()), 0
	args = append(args, "--delay", "8ms")
	if killed, err := startAndKill(t, append(args, "--again=all", "--max-time", "400ms"), false); killed || err == nil {
		t.Fatalf("killed: %v, %v; want the end of the time", killed, err)
	}
	args = append(args, "--max-time", "0s")
	for deadline := time.Now().Add(2 * time.Minute); ; kills++ {
		if time.Now().After(deadline) {
			t.Fatal("the crawl does not come to an end")
		}
		if !runAndKill(t, args, kills < 6) {
			break
		}
	}
	if kills == 0 {
		t.Error("never killed; the test does not test much")
	}
	asked := 0
	for _, h := range web.Log()[before:] {
		if h.Path != "/robots.txt" {
			asked++
		}
	}
	if most := hosts*sites.pages + kills*4*hosts; asked < hosts*sites.pages || asked > most {
		t.Errorf("%d requests after %d kills, want %d to %d", asked, kills, hosts*sites.pages, most)
	}
	versions := map[string]int{}
	for _, l := range linesOf(t, job) {
		versions[l.FinalURL]++
	}
	for url, n := range versions {
		number, _ := strconv.Atoi(url[strings.LastIndex(url, "/p")+2:])
		if want := 1 + int(sites.editionOf(max(number, 1))); n != want {
			t.Errorf("%s is kept in %d versions, want %d", url, n, want)
		}
	}
	if len(versions) != hosts*sites.pages {
		t.Errorf("%d pages, want %d", len(versions), hosts*sites.pages)
	}
	mustBeProven(t, job)
	ranFor(t, "check", "--job", job)
}

// The archive of a crawl that is killed again and again is whole after each start, and sound at the end.
func TestPromise_AnArchiveIsWholeAfterKill9(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	t.Parallel()
	web := webtest.New(t)
	sites := &editions{pages: 150}
	job, args := sites.open(t, web, 4)
	args = append(args, "--warc", "--delay", "8ms")
	kills := 0
	for deadline := time.Now().Add(2 * time.Minute); ; kills++ {
		if time.Now().After(deadline) {
			t.Fatal("the crawl does not come to an end")
		}
		if !runAndKill(t, args, kills < 8) {
			break
		}
	}
	if kills < 3 {
		t.Errorf("killed %d times only; the test does not test much", kills)
	}
	ranFor(t, "archive", "check", filepath.Join(job, "archive"))
	if open, err := filepath.Glob(filepath.Join(job, "archive", "*.open")); err != nil || len(open) > 0 {
		t.Errorf("still open: %q (%v)", open, err)
	}
	out := mustRun(t, "archive", "list", filepath.Join(job, "archive"))
	for _, l := range linesOf(t, job) {
		if !strings.Contains(out, l.FinalURL) {
			t.Errorf("%s is stored, and not in the archive", l.FinalURL)
		}
	}
	mustBeProven(t, job)
	ranFor(t, "check", "--job", job)
}
