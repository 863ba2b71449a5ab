//go:build unix

package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/cputime"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// TestRealSites crawls real documentation, and compares what it got with an independent walk. Make a folder with
//
//	apt-get download python3.11-doc debian-handbook && for d in *.deb; do dpkg -x $d sites/${d%%_*}; done
//
// and name it in CYBERMAPPER_REAL_SITES. Each subfolder is a site of its own, with a seed for each topmost index.html in it,
// or where there is none, each topmost HTML file. The crawl is one run of the command, with its default bounds and without
// pauses.
func TestRealSites(t *testing.T) {
	folder := os.Getenv(realSitesFolder)
	if folder == "" {
		t.Skip("no folder of sites in " + realSitesFolder)
	}
	dirs, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no sites in %s: %v", folder, err)
	}
	web := webtest.New(t)
	var sites []*realSite
	var seeds []string
	for _, dir := range dirs {
		s := newRealSite(t, web, dir)
		if len(s.seeds) == 0 {
			t.Logf("%s has no index.html", s.name)
			continue
		}
		s.truth.walk(s.seeds)
		sites, seeds = append(sites, s), append(seeds, s.seeds...)
	}
	work := t.TempDir()
	list, job := filepath.Join(work, "seeds"), filepath.Join(work, "job")
	filetest.Write(t, list, strings.Join(seeds, "\n"))
	cpu, ready := cputime.Used(), readyTime(os.Getpid())
	run := crawlRealSites(t, list, job)
	both := coreUse{run.took, run.cpu + cputime.Used() - cpu, run.ready + readyTime(os.Getpid()) - ready}
	judged := realVerdict{name: "all"}
	refusals := refusedBy(t, filepath.Join(job, "ledger"))
	lines := storedLines(t, filepath.Join(job, "pages"))
	t.Log(realHead)
	for _, s := range sites {
		v := s.judge(t, lines, refusals.why, filepath.Join(job, "pages"))
		t.Log(v)
		judged.add(v)
	}
	t.Log(judged)
	for _, r := range slices.Sorted(maps.Keys(refusals.count)) {
		t.Logf("refused  %7d %s", refusals.count[r], r)
	}
	logBounds(t, sites)
	t.Logf("%.1f s, %.0f pages/s, %.1f CPU seconds, %.2f ms a page", run.took.Seconds(), float64(judged.pages)/run.took.Seconds(),
		run.cpu.Seconds(), 1000*run.cpu.Seconds()/float64(judged.pages))
	t.Logf("crawl: %s; with the servers: %s", run, both)
	if most := judged.pages / 1000; judged.parked > most {
		t.Errorf("%d URLs are parked, want at most %d", judged.parked, most)
	}
}

func crawlRealSites(t *testing.T, seeds, job string) coreUse {
	t.Helper()
	var stderr bytes.Buffer
	cmd := process(t, append([]string{
		"crawl", "--seeds", seeds, "--job", job, "--allow-private", "--quiet",
		"--delay", "0", "--delay-factor", "0", "--patience", "10s",
	}, strings.Fields(os.Getenv(realSitesFolder+"_FLAGS"))...)...)
	cmd.Stderr = &stderr
	start := time.Now()
	mustStart(t, cmd)
	ready := watchReady(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		t.Logf("the crawl ended with %v\n%s", err, &stderr)
	}
	return coreUse{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), ready()}
}

// A realSite is one folder that is served.
type realSite struct {
	name  string
	site  *webtest.Site
	seeds []string
	truth *realWalk

	mu    sync.Mutex // guards asked
	asked map[string]int
}

func newRealSite(t *testing.T, web *webtest.Web, dir string) *realSite {
	t.Helper()
	tree := webtest.OpenTree(t, dir)
	s := &realSite{name: filepath.Base(dir), asked: map[string]int{}}
	s.site = web.Site(webtest.Quiet(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.RequestURI]++
		s.mu.Unlock()
		tree.ServeHTTP(w, r)
	})))
	s.truth = newRealWalk(tree, s.site.URL)
	for _, name := range []string{"index.html", "*.html"} { // the second where there is none of the first
		if s.seeds = topmost(t, s.site.URL, dir, name); len(s.seeds) > 0 {
			break
		}
	}
	return s
}

// topmost returns the URLs of the topmost folders with an index.html, or of the files that match name in the topmost folders.
func topmost(t *testing.T, base, dir, name string) (seeds []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(folder string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(folder, name))
		if err != nil || len(files) == 0 {
			return err
		}
		for _, file := range files {
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				return err
			}
			path := "/" + strings.TrimSuffix(filepath.ToSlash(rel), "index.html")
			seeds = append(seeds, base+(&url.URL{Path: path}).EscapedPath())
		}
		return fs.SkipDir
	})
	if err != nil {
		t.Fatal(err)
	}
	return seeds
}

// judge compares what was stored with the truth.
func (s *realSite) judge(t *testing.T, lines map[string][]pages.Line, why map[string]string, store string) realVerdict {
	v := realVerdict{name: s.name, pages: len(s.truth.pages)}
	complain := func(n *int, what string, args ...any) {
		if *n++; *n <= 3 {
			t.Errorf("%s: %s", s.name, fmt.Sprintf(what, args...))
		}
	}
	for key, p := range s.truth.pages {
		got := lines[key]
		if p.noindex {
			continue
		}
		if len(got) == 0 {
			complain(&v.missing, "missing %s (%s)", p.url, cmp.Or(why[key], "nothing is known of it"))
			continue
		}
		if len(got) > 1 {
			complain(&v.double, "%d times %s", len(got), p.url)
		}
		line := got[0]
		if line.Title != p.title {
			complain(&v.titles, "title %q of %s, want %q", line.Title, p.url, p.title)
		}
		body, err := os.ReadFile(filepath.Join(store, filepath.FromSlash(line.File)))
		switch sum := sha256.Sum256(body); {
		case err != nil:
			complain(&v.bytes, "%v", err)
		case line.Truncated != "":
			v.cut++
		case hex.EncodeToString(sum[:]) != p.digest:
			complain(&v.bytes, "%d other bytes of %s, want %d", len(body), p.url, p.bytes)
		}
	}
	for path, n := range s.asked {
		if n > 1 {
			complain(&v.double, "asked %d times for %s", n, path)
		}
	}
	host := strings.TrimPrefix(s.site.URL, "http://")
	for key, got := range lines {
		if strings.HasPrefix(key, host+"/") && s.truth.pages[key] == nil {
			complain(&v.extra, "extra %s", got[0].FinalURL)
		}
	}
	for key, reason := range why {
		if strings.HasPrefix(key, host+"/") && strings.HasPrefix(reason, "looks-endless") {
			v.parked++
		}
	}
	return v
}

// A realVerdict is how a site came out. cut are pages longer than the bound on a body.
type realVerdict struct {
	name                                                      string
	pages, missing, extra, double, titles, bytes, cut, parked int
}

var realHead = fmt.Sprintf("%-26s %7s %7s %7s %7s %7s %7s %7s %7s", "site", "pages", "missing", "extra", "double", "titles", "bytes", "cut", "parked")

func (v realVerdict) String() string {
	return fmt.Sprintf("%-26s %7d %7d %7d %7d %7d %7d %7d %7d", v.name, v.pages, v.missing, v.extra, v.double, v.titles, v.bytes, v.cut, v.parked)
}

func (v *realVerdict) add(o realVerdict) {
	v.pages, v.missing, v.extra, v.double = v.pages+o.pages, v.missing+o.missing, v.extra+o.extra, v.double+o.double
	v.titles, v.bytes, v.cut, v.parked = v.titles+o.titles, v.bytes+o.bytes, v.cut+o.cut, v.parked+o.parked
}

// storedLines returns what is stored, by the key of the URL that answered.
func storedLines(t *testing.T, dir string) map[string][]pages.Line {
	t.Helper()
	lines := map[string][]pages.Line{}
	for l, err := range pages.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		lines[keyOf(l.FinalURL)] = append(lines[keyOf(l.FinalURL)], l)
	}
	return lines
}

type realRefusals struct {
	why   map[string]string // by URL key
	count map[string]int    // by gate and reason
}

func refusedBy(t *testing.T, dir string) realRefusals {
	t.Helper()
	r := realRefusals{map[string]string{}, map[string]int{}}
	for rec, err := range ledger.Read(dir, ledger.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch rec.Type {
		case ledger.Refusal:
			r.why[keyOf(rec.URL)] = rec.Reason + ": " + rec.Rule
			r.count[rec.Gate+" "+rec.Reason]++
		case ledger.Outcome:
			r.why[keyOf(rec.URL)] = fmt.Sprint("outcome ", rec.Outcome, rec.Status, rec.Reason)
		}
	}
	return r
}
