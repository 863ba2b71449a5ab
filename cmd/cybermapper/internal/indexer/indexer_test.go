package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

const origin = "https://example.org"

// A testJob is a job that a crawl might have left.
type testJob struct {
	testing.TB
	dir    string
	job    *job.Job
	pages  *pages.Store
	ledger *ledger.Ledger
}

func newJob(tb testing.TB) *testJob {
	tb.Helper()
	j := &testJob{TB: tb, dir: tb.TempDir()}
	var err error
	if j.job, err = job.Open(j.dir, job.Crawl); err != nil {
		tb.Fatal(err)
	}
	c := config.Default()
	yaml, err := c.YAML()
	if err == nil {
		err = j.job.WriteConfig(yaml)
	}
	if err != nil {
		tb.Fatal(err)
	}
	if j.pages, err = pages.Open(filepath.Join(j.dir, job.PagesDir), pages.Options{}); err != nil {
		tb.Fatal(err)
	}
	if j.ledger, err = ledger.Open(filepath.Join(j.dir, job.LedgerDir), ledger.Options{}); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		j.pages.Close()
		j.ledger.Close()
		j.job.Close()
	})
	return j
}

func (j *testJob) append(r ledger.Record) {
	j.Helper()
	if err := j.ledger.Append(r); err != nil {
		j.Fatal(err)
	}
	if err := j.ledger.Flush(); err != nil {
		j.Fatal(err)
	}
}

// robots notes that a robots.txt was fetched.
func (j *testJob) robots(body string) {
	j.Helper()
	digest, err := robots.DirBodies(filepath.Join(j.dir, job.RobotsDir)).Put([]byte(body))
	if err != nil {
		j.Fatal(err)
	}
	j.append(ledger.Record{
		Type: ledger.Request, URL: origin + "/robots.txt", Purpose: "robots", Origin: origin, Outcome: string(robots.Found),
		Digest:  digest,
		Address: "192.0.2.7:443", Start: time.Now(), End: time.Now(), Status: 200,
	})
}

// put stores a page.
func (j *testJob) put(path, body string, edit func(*storage.Page)) {
	j.Helper()
	p := &storage.Page{
		URL: origin + path, FinalURL: origin + path, Fetched: time.Now(), Status: 200, Type: "text/html", Charset: "utf-8",
		Body: []byte(body), Lang: "en",
	}
	if edit != nil {
		edit(p)
	}
	if err := j.pages.Put(context.Background(), p); err != nil {
		j.Fatal(err)
	}
}

// sync brings the index up to date.
func (j *testJob) sync(recheck bool) *indexer.Report {
	j.Helper()
	d, err := indexer.Open(context.Background(), j.dir, indexer.Options{})
	if err != nil {
		j.Fatal(err)
	}
	defer d.Close()
	r, err := d.Sync(context.Background(), recheck)
	if err != nil {
		j.Fatal(err)
	}
	return r
}

// find returns the paths of pages that have a word, in order, and why others are not in the index.
func (j *testJob) find(word string) (found string, why map[string]index.Reason) {
	j.Helper()
	x, err := index.Open(indexer.File(j.dir), index.Options{ReadOnly: true})
	if err != nil {
		j.Fatal(err)
	}
	defer x.Close()
	r, err := x.Search(context.Background(), index.Query{Text: word, Ungrouped: true})
	if err != nil {
		j.Fatal(err)
	}
	var paths []string
	for _, h := range r.Hits {
		paths = append(paths, strings.TrimPrefix(h.URL, origin))
	}
	slices.Sort(paths)
	why = map[string]index.Reason{}
	entries, err := x.Entries(context.Background(), origin, "", 1000)
	if err != nil {
		j.Fatal(err)
	}
	for _, e := range entries {
		if e.Refusal != "" {
			why[strings.TrimPrefix(e.URL, origin)] = e.Refusal
		}
	}
	return strings.Join(paths, " "), why
}

func (j *testJob) expect(when, want string, refused map[string]index.Reason) {
	j.Helper()
	found, why := j.find("fox")
	if found != want {
		j.Errorf("%s: found %q, want %q", when, found, want)
	}
	if refused == nil {
		refused = map[string]index.Reason{}
	}
	if !maps.Equal(why, refused) {
		j.Errorf("%s: refused %v, want %v", when, why, refused)
	}
}

// Ensure that an answer tells of a page of which words are not in the index, for it has too many.
func TestWhy_LongPage(t *testing.T) {
	j := newJob(t)
	j.robots("")
	j.put("/long", "<p>"+strings.Repeat("cat ", index.MaxBody/4)+"fox", nil)
	j.put("/long.txt", strings.Repeat("cat\n", index.MaxBody/4)+"fox", func(p *storage.Page) { p.Type = "text/plain" })
	j.put("/whole", "<p>"+strings.Repeat("<!-- cat -->", index.MaxBody/4)+"fox", nil)
	j.sync(false)
	j.expect("long pages", "/whole", nil)
	v, err := job.Look(j.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for path, want := range map[string]bool{"/long": true, "/long.txt": true, "/whole": false} {
		u, err := frontier.ParseURL(origin + path)
		if err != nil {
			t.Fatal(err)
		}
		a, err := indexer.Why(t.Context(), v, u)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(a.Text, "only the first MiB"); !a.Found || got != want {
			t.Errorf("%s: found %t, %q", path, a.Found, a.Text)
		}
	}
}

// Ensure that only what may be found is found, by the rules of today and not by those of the visit.
func TestSync_OwnersWishes(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow: /x/\n")
	j.put("/a", "<p>a fox", nil)
	j.put("/b", "<p>another fox", nil)
	j.put("/dated", "<p>a fox until", func(p *storage.Page) { p.Directives = []string{"unavailable_after:2001-01-01T00:00:00Z"} })
	j.put("/volatile", "<p>a fox, now", func(p *storage.Page) {
		p.DocumentState, p.Fetched = "dynamic", time.Now().AddDate(0, -3,
			0)
	})
	j.put("/noindex", "<p>a fox, stored by an older version", func(p *storage.Page) { p.Directives = []string{"noindex"} })
	j.put("/header", "<p>a fox not to be searched", func(p *storage.Page) {
		p.Preferences = []storage.Preference{{Use: "search", Value: "disallow", Source: "content-usage", Place: "header",
			Text: "search=n"}}
	})
	j.put("/data.json", "{}", func(p *storage.Page) { p.Type = "application/json" })
	always := map[string]index.Reason{
		"/dated": index.Expired, "/volatile": index.Expired, "/noindex": index.NoIndex, "/header": index.Preference,
		"/data.json": index.Excluded,
	}
	with := func(more map[string]index.Reason) map[string]index.Reason {
		all := maps.Clone(always)
		maps.Copy(all, more)
		return all
	}
	j.sync(false)
	j.expect("at first", "/a /b", always)

	j.robots("User-agent: *\nDisallow: /b\n")
	j.sync(false)
	j.expect("forbidden today", "/a", with(map[string]index.Reason{"/b": index.Disallowed}))
	j.robots("User-agent: *\nDisallow:\n")
	if r := j.sync(false); r.Returned != 1 {
		t.Errorf("%d pages came back", r.Returned)
	}
	j.expect("allowed again", "/a /b", always)

	j.robots("User-agent: *\nContent-Signal: search=no\nDisallow:\n")
	j.sync(false)
	j.expect("a preference of today", "", with(map[string]index.Reason{"/a": index.Preference, "/b": index.Preference}))
	j.robots("User-agent: *\nDisallow:\n")
	j.sync(false)

	filetest.Write(t, filepath.Join(j.dir, job.OptOutFile), "192.0.2.0/24\n")
	j.sync(false)
	if found, _ := j.find("fox"); found != "" {
		t.Errorf("opted out by address: found %q", found)
	}
	filetest.Remove(t, filepath.Join(j.dir, job.OptOutFile))
	j.sync(true)
	j.expect("lifted", "/a /b", always)

	later := time.Now().Add(time.Minute)
	j.append(ledger.Record{Type: ledger.Refusal, Time: later, URL: origin + "/a", Gate: "meta", Reason: "noindex",
		Rule: "noindex in META ROBOTS"})
	j.append(ledger.Record{Type: ledger.Outcome, Time: later, URL: origin + "/b", Outcome: "done", Status: 410})
	j.sync(false)
	j.expect("visited again", "", with(map[string]index.Reason{"/a": index.NoIndex, "/b": index.Gone}))
	j.put("/b", "<p>the fox is back", func(p *storage.Page) { p.Fetched = later.Add(time.Minute) })
	j.sync(false)
	j.expect("back", "/b", with(map[string]index.Reason{"/a": index.NoIndex}))
	if r := j.sync(false); r.Added != 0 || len(r.Refused) != 0 {
		t.Errorf("nothing has changed: %+v", r)
	}
}

// Ensure that a page whose file could not be read is taken in when all pages are asked of again, and its file can.
func TestSync_ReadableAgain(t *testing.T) {
	j := newJob(t)
	j.robots("")
	j.put("/a", "<title>A</title>fox", nil)
	if err := j.pages.Sync(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(j.dir, job.PagesDir, "example.org")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	unreadable := map[string]index.Reason{"/a": index.Unreadable}
	j.sync(false)
	j.expect("first", "", unreadable)
	j.sync(true)
	j.expect("still away", "", unreadable)
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	j.sync(true)
	j.expect("back", "/a", nil)
}

// Ensure that who has the index of a job open that is started over reads the pages that are stored from then on, as crawl --fresh
// makes a new directory for them.
func TestSync_StartedOver(t *testing.T) {
	j := newJob(t)
	j.robots("")
	j.put("/a", "<title>A</title>fox", nil)
	d, err := indexer.Open(t.Context(), j.dir, indexer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	filetest.Close(t, j.pages)
	if err := os.RemoveAll(filepath.Join(j.dir, job.PagesDir)); err != nil {
		t.Fatal(err)
	}
	if j.pages, err = pages.Open(filepath.Join(j.dir, job.PagesDir), pages.Options{}); err != nil {
		t.Fatal(err)
	}
	j.put("/b", "<title>B</title>fox", nil)
	if _, err := d.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	j.expect("started over", "/b", nil)
}

// Ensure that what a later visit has found out holds until a visit finds otherwise, also for a page that returns as it was stored:
// the list of pages has no further line of it.
func TestSync_LaterVisits(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow:\n")
	j.put("/a", "<p>a fox", nil)
	j.put("/b", "<p>another fox", nil)
	j.sync(false)
	minute := time.Now()
	visit := func(r ledger.Record) {
		t.Helper()
		minute = minute.Add(time.Minute)
		r.Time = minute
		j.append(r)
	}
	noindex := ledger.Record{Type: ledger.Refusal, URL: origin + "/a", Gate: "meta", Reason: "noindex", Rule: "noindex in META ROBOTS"}
	notStored := ledger.Record{Type: ledger.Outcome, URL: origin + "/a", Outcome: "done", Status: 200, Reason: "changed"}
	gone := ledger.Record{Type: ledger.Outcome, URL: origin + "/b", Outcome: "done", Status: 410, Reason: "gone"}
	refused := map[string]index.Reason{"/a": index.NoIndex, "/b": index.Gone}
	for range 2 {
		visit(noindex)
		visit(notStored)
		visit(gone)
		j.sync(false)
		j.expect("visited again", "", refused)
		j.sync(true)
		j.expect("judged again", "", refused)
	}
	j.robots("User-agent: *\nDisallow: /c\n")
	j.sync(false)
	j.expect("another robots.txt", "", refused)

	for _, path := range []string{"/a", "/b"} {
		visit(ledger.Record{Type: ledger.Outcome, URL: origin + path, Outcome: "done", Status: 200, Reason: "changed", File: "x"})
	}
	if r := j.sync(false); r.Returned != 2 {
		t.Errorf("%d pages came back", r.Returned)
	}
	j.expect("back as they were", "/a /b", nil)
	if err := index.Remove(indexer.File(j.dir)); err != nil {
		t.Fatal(err)
	}
	j.sync(false)
	j.expect("made anew", "/a /b", nil)
}

// Ensure that a page that has moved for good is found no longer where it was, and that it is when it returns, changed or not.
func TestSync_Moved(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow:\n")
	j.put("/a", "<p>a fox", nil)
	j.put("/b", "<p>another fox", nil)
	j.sync(false)
	minute := time.Now()
	visit := func(path string, r ledger.Record) {
		t.Helper()
		minute = minute.Add(time.Minute)
		r.Type, r.URL, r.Time, r.Outcome = ledger.Outcome, origin+path, minute, "done"
		j.append(r)
	}
	moved := ledger.Record{Status: 301, Reason: "moved", Location: origin + "/c"}
	same := ledger.Record{Status: 304, Reason: "unchanged"}
	visit("/a", ledger.Record{Status: 302, Reason: "moved", Location: origin + "/c"})
	visit("/b", moved)
	j.put("/b", "<p>a wolf", func(p *storage.Page) { p.FinalURL = origin + "/c" })
	j.sync(false)
	j.expect("one of them for good", "/a", map[string]index.Reason{"/b": index.Moved})
	j.sync(true)
	j.expect("judged again", "/a", map[string]index.Reason{"/b": index.Moved})
	visit("/b", same)
	j.sync(false)
	j.expect("back as it was", "/a /b", nil)
	visit("/b", moved)
	visit("/b", ledger.Record{Status: 200, Reason: "changed", File: "x"})
	j.sync(false)
	j.expect("there and back", "/a /b", nil)
	visit("/b", ledger.Record{Status: 404, Reason: "gone"})
	j.sync(false)
	j.expect("gone", "/a", map[string]index.Reason{"/b": index.Gone})
	visit("/b", same) // a visit before that, which found it, was killed
	j.sync(false)
	j.expect("not gone any more", "/a /b", nil)
	minute = minute.Add(time.Minute)
	j.append(ledger.Record{Type: ledger.Request, Purpose: "page", Time: minute, URL: origin + "/b", Status: 410}) // and killed
	j.sync(false)
	j.expect("gone, as its request says", "/a", map[string]index.Reason{"/b": index.Gone})
	visit("/b", same)
	j.sync(false)
	j.expect("back again", "/a /b", nil)

	visit("/a", moved)
	j.append(ledger.Record{Type: ledger.Refusal, Time: minute.Add(time.Second), URL: origin + "/b", Gate: "meta", Reason: "noindex",
		Rule: "noindex in X-Robots-Tag"})
	visit("/b", same)
	j.sync(false)
	refused := map[string]index.Reason{"/a": index.Moved, "/b": index.NoIndex}
	j.expect("unchanged, and not to be indexed", "", refused)
	visit("/b", same)
	j.sync(false)
	j.expect("unchanged again", "", refused)
	if err := index.Remove(indexer.File(j.dir)); err != nil {
		t.Fatal(err)
	}
	j.sync(false)
	j.expect("made anew", "", refused)
}

// Ensure that all of it can be made again, and is when it must be.
func TestSync_MadeAnew(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow:\n")
	for i := range 30 {
		j.put(fmt.Sprint("/", i), fmt.Sprintf("<title>%d</title><p>fox number %d <a href=/%d>the next fox</a>", i, i, i+1), nil)
	}
	j.sync(false)
	before, _ := j.find("fox")
	file := indexer.File(j.dir)
	for name, damage := range map[string]func(data []byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"no index":  func([]byte) []byte { return []byte("something else") },
		"torn":      func(d []byte) []byte { return d[:len(d)/2] },
		"scribbled": func(d []byte) []byte { copy(d[len(d)/2:], strings.Repeat("x", len(d)/4)); return d },
	} {
		data := filetest.Read(t, file)
		for _, suffix := range []string{"-wal", "-shm"} {
			os.Remove(file + suffix)
		}
		filetest.Write(t, file, damage(data))
		d, err := indexer.Open(t.Context(), j.dir, indexer.Options{Check: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := d.Sync(t.Context(), false)
		if err != nil || r.Index.Pages != 30 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if after, _ := j.find("fox"); after != before {
			t.Errorf("%s: found %q, want %q", name, after, before)
		}
	}
}

// Ensure that a reader sees whole changes while an indexer writes.
func TestSync_SearchedMeanwhile(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow:\n")
	j.put("/first", "<p>a fox", nil)
	j.sync(false)
	x, err := index.Open(indexer.File(j.dir), index.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	d, err := indexer.Open(t.Context(), j.dir, indexer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range 20 {
		j.put(fmt.Sprint("/", i), "<p>one more fox", nil)
		if _, err := d.Sync(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		r, err := x.Search(t.Context(), index.Query{Text: "fox"})
		if err != nil || r.Total != i+2 {
			t.Fatalf("after %d pages: %+v, %v", i+1, r, err)
		}
	}
}

// Of two that bring an index up to date each goes on from where the other has come to.
func TestSync_SecondIndexer(t *testing.T) {
	j := newJob(t)
	j.put("/a", "<p>fox", nil)
	a, err := indexer.Open(t.Context(), j.dir, indexer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := indexer.Open(t.Context(), j.dir, indexer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := a.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if r, err := b.Sync(t.Context(), false); err != nil || r.Added != 0 {
		t.Errorf("a second indexer took in the same page: %+v, %v", r, err)
	}
	j.put("/b", "<p>fox", nil)
	if r, err := b.Sync(t.Context(), false); err != nil || r.Added != 1 {
		t.Errorf("a second indexer: %+v, %v; want the new page", r, err)
	}
	if r, err := a.Sync(t.Context(), false); err != nil || r.Added != 0 {
		t.Errorf("the first one again: %+v, %v", r, err)
	}
	if found, _ := j.find("fox"); found != "/a /b" {
		t.Errorf("found %q", found)
	}
}

// What other pages call a page may be held back, and comes with the next Sync that does not.
func TestSync_Hold(t *testing.T) {
	j := newJob(t)
	j.put("/a", "<p>A page", nil)
	j.sync(false)
	j.put("/b", "<p>see <a href=/a>about fox</a>", nil)
	d, err := indexer.Open(t.Context(), j.dir, indexer.Options{Hold: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Sync(t.Context(), false)
	if err := errors.Join(err, d.Close()); err != nil || r.Added != 1 || r.Refreshed != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	j.expect("held back", "/b", nil)
	if r := j.sync(false); r.Refreshed != 1 {
		t.Errorf("refreshed %d pages", r.Refreshed)
	}
	j.expect("no longer", "/a /b", nil)
}

// While an index is made anew the one there is answers, also to those who open it then; one that was not completed leaves nothing.
// What has come meanwhile is in the new one.
func TestSync_Rebuild(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow:\n")
	page := func(path string) { j.put(path, "<title>"+path+"</title><p>a fox", nil) }
	page("/a")
	page("/b")
	j.sync(false)
	reader, err := index.Open(indexer.File(j.dir), index.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	want := func(about string, n int) {
		t.Helper()
		r, err := reader.Search(t.Context(), index.Query{Text: "fox", Ungrouped: true})
		if err != nil || r.Total != n {
			t.Errorf("%s: %d pages, %v, want %d", about, r.Total, err, n)
		}
	}
	rebuild := func(during func() context.Context) error {
		d, err := indexer.Open(t.Context(), j.dir, indexer.Options{Check: true, Rebuild: true})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.Sync(during(), false)
		return errors.Join(err, d.Close())
	}
	err = rebuild(func() context.Context {
		want("when it begins", 2)
		j.expect("when it begins", "/a /b", nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	want("it was cancelled", 2)
	err = rebuild(func() context.Context {
		page("/c")
		j.sync(false) // as a crawl does
		want("one has come", 3)
		page("/d")
		return t.Context()
	})
	if err != nil {
		t.Fatal(err)
	}
	want("it is made", 4)
	left, err := filepath.Glob(indexer.File(j.dir) + ".*")
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
