package changescmd

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

const site = "https://example.org"

// A testJob is a job that several runs might have left, a minute after each other.
type testJob struct {
	testing.TB
	dir    string
	pages  *pages.Store
	ledger *ledger.Ledger
	now    time.Time
	ahead  int // days, of the clock
	runs   int
}

func newJob(tb testing.TB) *testJob {
	tb.Helper()
	j := &testJob{TB: tb, dir: tb.TempDir(), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	opened, err := job.Open(j.dir, job.Crawl)
	if err != nil {
		tb.Fatal(err)
	}
	if err = opened.WriteConfig(nil); err == nil {
		j.pages, err = pages.Open(filepath.Join(j.dir, job.PagesDir), pages.Options{})
	}
	if err == nil {
		j.ledger, err = ledger.Open(filepath.Join(j.dir, job.LedgerDir), ledger.Options{})
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		j.pages.Close()
		j.ledger.Close()
		opened.Close()
	})
	return j
}

func (j *testJob) append(r ledger.Record) {
	j.Helper()
	j.now = j.now.Add(time.Second)
	r.Time = j.now
	if err := j.ledger.Append(r); err != nil {
		j.Fatal(err)
	}
	if err := j.ledger.Flush(); err != nil {
		j.Fatal(err)
	}
}

// run begins a run.
func (j *testJob) run() {
	j.Helper()
	j.runs++
	j.now = time.Date(2026, 1, 1+j.ahead, 0, j.runs, 0, 0, time.UTC)
	j.append(ledger.Record{Type: ledger.Run, Event: ledger.EventStart, Format: 1})
	if j.runs > 1 {
		j.append(ledger.Record{Type: ledger.Run, Event: ledger.EventAgain})
	}
}

// finds notes that a visit found a page.
func (j *testJob) finds(path, body string) {
	j.Helper()
	j.stores(path, body)
	j.append(ledger.Record{Type: ledger.Outcome, URL: site + path, Outcome: "done", Status: 200, File: "x"})
}

// stores keeps a page.
func (j *testJob) stores(path, body string) {
	j.Helper()
	title, _, _ := strings.Cut(body, "<")
	p := &storage.Page{
		URL: site + path, FinalURL: site + path, Fetched: j.now, Status: 200, Type: "text/html", Charset: "utf-8",
		Title: title, Body: []byte("<title>" + title + "</title><p>" + body),
	}
	if err := j.pages.Put(context.Background(), p); err != nil {
		j.Fatal(err)
	}
}

// asks notes a request, of which nothing is heard any more if the run is killed now.
func (j *testJob) asks(path string, status int, location string) {
	j.Helper()
	end := j.now.Add(time.Second)
	j.append(ledger.Record{Type: ledger.Request, Purpose: "page", URL: site + path, Status: status, Location: location, End: end})
}

// answers notes that it found something else.
func (j *testJob) answers(path string, status int, location string) {
	j.Helper()
	j.append(ledger.Record{Type: ledger.Outcome, URL: site + path, Outcome: "done", Status: status, Location: location})
}

func (j *testJob) forbids(path string) {
	j.Helper()
	j.append(ledger.Record{Type: ledger.Refusal, URL: site + path, Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /"})
}

func (j *testJob) expect(s Span, want string) *Report {
	j.Helper()
	r, err := Gather(context.Background(), j.dir, s)
	if err != nil {
		j.Fatal(err)
	}
	var got []string
	for c, err := range r.All() {
		if err != nil {
			j.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %s", c.Kind, strings.TrimPrefix(c.URL, site), c.Time.Format("04:05")))
	}
	if text := strings.Join(got, ", "); text != want {
		j.Errorf("runs %d to %d:\n got %s\nwant %s", s.First, s.Last, text, want)
	}
	return r
}

// changes returns those of a report that has them in memory.
func changes(r *Report) (list []*Change) {
	for c := range r.All() {
		list = append(list, c)
	}
	return list
}

// Ensure that what was so before is not told again, that times are those when it was noticed, and that a page that is back is told.
func TestGather_SeveralRuns(t *testing.T) {
	j := newJob(t)
	j.run()
	for _, path := range []string{"/changed", "/forbidden", "/gone", "/moved"} {
		j.finds(path, "as it was")
	}
	for range 2 {
		j.run()
		j.finds("/changed", "otherwise")
		j.forbids("/forbidden")
		j.answers("/gone", 410, "")
		j.answers("/moved", 301, site+"/to")
	}
	j.run()
	j.finds("/changed", "otherwise")
	j.finds("/forbidden", "as it was")
	j.finds("/gone", "as it was")
	j.answers("/moved", 301, site+"/elsewhere")

	found := "changed /changed 02:02, gone /gone 02:05, moved /moved 02:06, forbidden /forbidden 02:04"
	j.expect(Span{First: 2, Last: 2}, found)
	j.expect(Span{First: 2, Last: 3}, found)
	j.expect(Span{First: 3, Last: 3}, "")
	j.expect(Span{First: 4, Last: 4}, "new /forbidden 04:04, new /gone 04:05, moved /moved 04:06")
	j.expect(Span{First: 2, Last: 4}, "changed /changed 02:02, moved /moved 04:06")
	for _, c := range changes(j.expect(Span{First: 4, Last: 4, Kinds: []Kind{New}}, "new /forbidden 04:04, new /gone 04:05")) {
		if c.Before != nil || c.After == nil || c.Title() != "as it was" {
			t.Errorf("%s is back: before %v, after %v", c.URL, c.Before, c.After)
		}
	}
}

// Ensure that a page that is back is new, whether or not it is as it was, and whatever was unchanged meanwhile.
func TestGather_Back(t *testing.T) {
	j := newJob(t)
	j.run()
	for _, path := range []string{"/gone", "/noindex", "/otherwise"} {
		j.finds(path, "as it was")
	}
	j.run()
	j.answers("/gone", 404, "")
	j.append(ledger.Record{Type: ledger.Refusal, URL: site + "/noindex", Gate: "meta", Reason: "noindex"})
	j.answers("/noindex", 200, "")
	j.answers("/otherwise", 410, "")
	j.run()
	j.answers("/noindex", 304, "") // it still asks not to be kept
	j.run()
	j.finds("/gone", "as it was")
	j.finds("/noindex", "as it was")
	j.finds("/otherwise", "otherwise")

	j.expect(Span{First: 3, Last: 3}, "")
	back := "new /gone 04:03, new /noindex 04:04, new /otherwise 04:05"
	j.expect(Span{First: 3, Last: 4}, back)
	j.expect(Span{First: 4, Last: 4}, back)
	j.expect(Span{First: 2, Last: 4}, "changed /otherwise 04:04")
}

// Ensure that an answer that is neither a page nor says what became of one tells nothing: what was gone is not back with 403,
// nor with 300 and no Location.
func TestGather_Denied(t *testing.T) {
	for _, status := range []int{202, 204, 205, 300, 302, 401, 403, 451, 500} {
		j := newJob(t)
		j.run()
		for _, path := range []string{"/gone", "/moved", "/there"} {
			j.finds(path, "as it was")
		}
		j.run()
		j.answers("/gone", 404, "")
		j.answers("/moved", 301, site+"/there")
		j.run()
		for _, path := range []string{"/gone", "/moved", "/there"} {
			j.answers(path, status, "")
		}
		j.run()
		j.answers("/gone", 410, "")
		j.finds("/moved", "as it was")
		j.finds("/there", "as it was")
		j.expect(Span{First: 3, Last: 3}, "")
		j.expect(Span{First: 4, Last: 4}, "new /moved 04:04")
	}
}

// Ensure that a visit that was cut short is told of together with the runs that ended it.
func TestGather_CutShort(t *testing.T) {
	j := newJob(t)
	stop := func(why string) { j.append(ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Why: why}) }
	j.run()
	for _, path := range []string{"/a", "/b", "/c"} {
		j.finds(path, "as it was")
	}
	stop("done")
	j.run()
	j.answers("/c", 404, "")
	stop("done")
	j.run()
	j.answers("/a", 404, "") // then it is killed
	for _, why := range []string{"interrupted", "failed"} {
		j.run()
		stop(why)
	}
	j.run()
	j.answers("/b", 404, "")
	stop("done")
	j.expect(Span{}, "gone /a 03:03, gone /b 06:03")
	j.run()
	stop("max-time")
	j.expect(Span{}, "")
}

// Ensure that an answer of which a kill left the request alone is told, and not once more.
func TestGather_Killed(t *testing.T) {
	j := newJob(t)
	j.run()
	for _, path := range []string{"/back", "/changed", "/gone", "/moved", "/round"} {
		j.finds(path, "as it was")
	}
	j.answers("/back", 301, site+"/gone")
	j.run()
	j.asks("/back", 200, "")
	j.asks("/changed", 200, "")
	j.stores("/changed", "otherwise")
	j.asks("/gone", 404, "")
	j.asks("/moved", 302, "/gone")
	j.asks("/new", 200, "")
	j.stores("/new", "as it is")
	j.asks("/round", 302, "/round")
	j.append(ledger.Record{Type: ledger.Refusal, URL: site + "/round", Gate: "trap", Reason: "redirect-loop"})
	j.run()
	j.asks("/back", 304, "")
	j.answers("/back", 304, "")
	j.run()
	j.answers("/moved", 302, site+"/gone")
	j.expect(Span{First: 2, Last: 3}, "new /back 03:04, new /new 02:07, changed /changed 02:04, gone /gone 02:05, moved /moved 02:06, "+
		"moved /round 02:08")
	j.expect(Span{First: 3, Last: 4}, "new /back 03:04")
}

// Ensure that a page of which a kill left the request alone is back if it was stored; it may have been none, or not to be kept.
func TestGather_KilledBack(t *testing.T) {
	j := newJob(t)
	j.run()
	paths := []string{"/back", "/gone", "/same", "/soft"}
	for _, path := range paths {
		j.finds(path, "as it was")
	}
	j.run()
	for _, path := range paths {
		j.answers(path, 404, "")
	}
	j.run()
	for _, path := range paths {
		j.asks(path, 200, "")
		if path == "/back" {
			j.stores(path, "otherwise")
		}
	}
	j.run()
	j.asks("/back", 304, "")
	j.answers("/back", 304, "")
	j.asks("/gone", 404, "")
	j.answers("/gone", 404, "")
	j.asks("/same", 200, "")
	j.answers("/same", 200, "")
	j.asks("/soft", 200, "")
	j.append(ledger.Record{Type: ledger.Outcome, URL: site + "/soft", Outcome: "done", Status: 200, Reason: "soft-404"})

	j.expect(Span{First: 3, Last: 3}, "new /back 03:03")
	j.expect(Span{First: 4, Last: 4}, "new /same 04:08")
	j.expect(Span{First: 3, Last: 4}, "new /back 03:03, new /same 04:08")
}

// Ensure that runs are told apart by their order, whatever the clock was set to: without a word and by their numbers.
func TestGather_ClockSet(t *testing.T) {
	for name, days := range map[string][4]int{
		"ahead once": {0, 1, 0, 0}, "behind once": {0, -1, 0, 0}, "set back": {1, 1, 0, 0}, "ahead last": {0, 0, 0, 1}, "behind last": {0, 0, 0, -1},
		"one day and another": {0, -1, 1, 0}, "while it is visited": {0, 0, -1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t)
			visit := func(run int, changed string, gone bool) {
				j.ahead = days[run-1]
				j.run()
				defer func() { j.append(ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Why: "done"}) }()
				j.asks("/changed", 200, "")
				j.stores("/changed", changed)
				j.append(ledger.Record{Type: ledger.Outcome, URL: site + "/changed", Outcome: "done", Status: 200, File: "x"})
				if !gone {
					j.finds("/gone", "as it was")
					return
				}
				j.answers("/gone", 404, "")
			}
			visit(1, "one", false)
			visit(2, "two", true)
			visit(3, "two", true)
			visit(4, "four", true)
			j.expect(Span{First: 2, Last: 2}, "changed /changed 02:03, gone /gone 02:05")
			j.expect(Span{First: 3, Last: 3}, "")
			j.expect(Span{}, "changed /changed 04:03")
			for _, c := range changes(j.expect(Span{First: 2, Last: 4}, "changed /changed 04:03, gone /gone 02:05")) {
				if c.Kind == Changed && (c.Before.Title != "one" || c.After.Title != "four") {
					t.Errorf("changed from %q to %q", c.Before.Title, c.After.Title)
				}
			}
		})
	}
}

// Ensure that a page that may be kept again as it was is new, and only once.
func TestGather_AllowedAgain(t *testing.T) {
	j := newJob(t)
	j.run()
	j.finds("/noindex", "as it was")
	j.finds("/robots", "as it was")
	j.run()
	j.asks("/noindex", 200, "")
	j.append(ledger.Record{Type: ledger.Refusal, URL: site + "/noindex", Gate: "meta", Reason: "noindex"})
	j.answers("/noindex", 200, "")
	j.forbids("/robots")
	for range 2 {
		j.run()
		j.asks("/noindex", 200, "")
		j.answers("/noindex", 200, "")
		j.asks("/robots", 304, "")
		j.answers("/robots", 304, "")
	}
	j.expect(Span{First: 2, Last: 2}, "forbidden /noindex 02:04, forbidden /robots 02:06")
	j.expect(Span{First: 3, Last: 3}, "new /noindex 03:04, new /robots 03:06")
	j.expect(Span{First: 4, Last: 4}, "")
}

// Ensure that a page that robots.txt forbade, and that then asked not to be kept itself, is back when it does so no more, and that
// one that was removed stays told as removed.
func TestGather_ForbiddenTwice(t *testing.T) {
	j := newJob(t)
	j.run()
	j.finds("/kept", "as it was")
	j.run()
	j.forbids("/kept")
	j.append(ledger.Record{Type: ledger.Purge, URL: site + "/removed", Reason: "robots-disallow", Rule: "Disallow: /"})
	j.run()
	for _, path := range []string{"/kept", "/removed"} {
		j.asks(path, 200, "")
		j.append(ledger.Record{Type: ledger.Refusal, URL: site + path, Gate: "meta", Reason: "noindex"})
		j.answers(path, 200, "")
	}
	j.run()
	j.asks("/kept", 200, "")
	j.answers("/kept", 200, "")

	j.expect(Span{First: 3, Last: 3}, "")
	j.expect(Span{First: 2, Last: 3}, "forbidden /kept 03:04, forbidden /removed 02:04")
	j.expect(Span{First: 4, Last: 4}, "new /kept 04:04")
}

// Ensure that a page which is gone, or has moved, is told as that once, though robots.txt forbids it for a while.
func TestGather_GoneAndForbidden(t *testing.T) {
	j := newJob(t)
	j.run()
	j.finds("/gone", "as it was")
	j.finds("/moved", "as it was")
	visit := func() {
		j.run()
		j.answers("/gone", 404, "")
		j.answers("/moved", 301, site+"/other")
	}
	visit()
	j.run()
	j.forbids("/gone")
	j.forbids("/moved")
	visit()

	j.expect(Span{First: 2, Last: 2}, "gone /gone 02:03, moved /moved 02:04")
	j.expect(Span{First: 3, Last: 3}, "")
	j.expect(Span{First: 4, Last: 4}, "")
	j.expect(Span{First: 2, Last: 4}, "gone /gone 02:03, moved /moved 02:04")
}

// Ensure that what a page says does not steer the terminal.
func TestPrint_Strangers(t *testing.T) {
	j := newJob(t)
	j.run()
	j.finds("/", "as it was")
	j.run()
	j.finds("/", "\x1b[31mred \u202eturned")
	r := j.expect(Span{Compare: true}, "changed / 02:02")
	r.found.held[0].Diff += "+\x1b[2J\tx\r\n"
	var b bytes.Buffer
	if err := (&options{diff: -1}).print(&b, r); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.ContainsAny(text, "\x1b\u202e\r\t") || !strings.Contains(text, "red") || !strings.Contains(text, "    x\n") {
		t.Errorf("printed %q", text)
	}
}

// Ensure that pages which say something else are told of before those of which each answer has a token of its own in the markup.
func TestCompare_MarkupAlone(t *testing.T) {
	j := newJob(t)
	j.run()
	for _, path := range []string{"/a", "/b", "/c"} {
		j.finds(path, "as it was <script>token = 1</script>")
	}
	j.run()
	j.finds("/a", "as it was <script>token = 2</script>")
	j.finds("/b", "it is otherwise <script>token = 3</script>")
	j.finds("/c", "as it was <script>token = 4</script>")
	j.expect(Span{}, "changed /a 02:02, changed /b 02:03, changed /c 02:04")
	r := j.expect(Span{Compare: true}, "changed /b 02:03, changed /a 02:02, changed /c 02:04")
	for format, write := range map[string]func(*options, io.Writer, *Report) error{
		"3 changed (2 in the markup alone)\n":                    (*options).print,
		"<p>Of the changed pages, 2 are as they were to the eye": (*options).page,
	} {
		var b strings.Builder
		if err := write(&options{diff: -1}, &b, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), format) || strings.Index(b.String(), site+"/b") > strings.Index(b.String(), site+"/a") {
			t.Errorf("told:\n%s\nwant %q, and /b first", b.String(), format)
		}
	}
}

// TestGather_KeepsLittle: what is kept of each page bounds the jobs that a machine can compare: a record whole is a kilobyte.
func TestGather_KeepsLittle(t *testing.T) {
	var h heard
	said, doubtful := reflect.TypeOf(h.said).Elem().Size(), reflect.TypeOf(h.doubtful).Elem().Size()
	if version := reflect.TypeFor[Version]().Size(); said > 256 || doubtful > 256 || version > 256 {
		t.Errorf("%d and %d bytes for what was heard, %d for a version; want at most 256 each", said, doubtful, version)
	}
}

// Ensure that it tells the same, in the same words, however little may be held: in parts, and with changes in files, which are
// removed.
func TestGather_LittleMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	j := newJob(t)
	for n := range 3 {
		j.run()
		for i := range 40 {
			path := fmt.Sprintf("/%d", i)
			switch {
			case n == 1 && i%5 == 1:
				j.answers(path, 404, "")
			case n == 1 && i%5 == 2:
				j.forbids(path)
			case n == 1 && i%5 == 3:
				j.asks(path, 200, "") // and was killed
				j.stores(path, "otherwise")
			case n == 2 && i%5 == 4:
				j.finds(path, "as it was<script>1</script>")
			default:
				j.finds(path, "as it was")
			}
		}
	}
	spans := []Span{{First: 1, Last: 1}, {First: 2, Last: 3}, {First: 3, Last: 3}, {First: 2, Last: 2, LatestFirst: true}}
	for _, s := range spans {
		if s.Compare = true; s.Last == 3 {
			s.Until = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC) // else it is now
		}
		told := func(memory int64) (all [4]string) {
			s.Memory = memory
			r, err := Gather(t.Context(), j.dir, s)
			if err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 && runtime.GOOS != "windows" {
				t.Errorf("a kill would leave %d files, %v", len(left), err)
			}
			if few := memory > 0; few != (len(r.found.files) > 3) {
				t.Errorf("%d files", len(r.found.files))
			}
			o := options{diff: -1}
			for i, write := range []func(io.Writer, *Report) error{o.print, o.encode, o.feed, o.page} {
				var b strings.Builder
				if err := write(&b, r); err != nil {
					t.Fatal(err)
				}
				all[i] = b.String()
			}
			filetest.Close(t, r)
			return all
		}
		few, much := told(8*perPage), told(0)
		for i := range few {
			if few[i] != much[i] || len(few[i]) < 1000 {
				t.Errorf("runs %d to %d, form %d:\n%.300s\nwant\n%.300s", s.First, s.Last, i, few[i], much[i])
			}
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Ensure that each page is told of once, and that no more parts are made than pages need, wherever the bound is: several requests
// may be under way, each page was visited often, and of one that was killed two words are kept.
func TestGather_Bounds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	j := newJob(t)
	const pages, visits = 40, 12
	path := func(i int) string { return fmt.Sprintf("/%02d", i) }
	for n := range visits {
		j.run()
		for i := range pages {
			j.asks(path(i), 200, "")
			if n == 0 {
				j.stores(path(i), "as it was")
			}
			if n == 5 && i%2 == 0 || i < 8 {
				continue // it is killed, or answered last
			}
			j.answers(path(i), 200, "")
		}
		for i := range 8 {
			j.answers(path(i), 200, "")
		}
	}
	j.run()
	var want []string
	for i := range pages {
		j.answers(path(i), 404, "")
		want = append(want, fmt.Sprintf("gone %s %s", path(i), j.now.Format("04:05")))
	}
	for words := pages - 8; words <= pages+8; words++ {
		for _, s := range []Span{{First: visits + 1, Last: visits + 1}, {First: 2, Last: visits + 1}} {
			s.Memory = int64(words) * 2 * perPage
			r := j.expect(s, strings.Join(want, ", "))
			if r.Counts[Gone] != pages {
				t.Errorf("%d words: %d gone, want %d", words, r.Counts[Gone], pages)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	g := gatherer{dir: j.dir, parts: 1, most: pages / 2, seed: maphash.MakeSeed(), open: true, first: 1}
	if err := g.gather(t.Context()); err != nil || g.parts > 16 {
		t.Errorf("%d parts for twice as many pages as may be held, %v", g.parts, err)
	}
}

// A job may take gigabytes where the machine has them, and needs no more than a bounded part of that.
func TestGather_HoldsNoMoreThanItMust(t *testing.T) {
	j := newJob(t)
	j.run()
	j.finds("/a", "as it is")
	for _, memory := range []int64{0, 16 << 30} {
		r, err := Gather(t.Context(), j.dir, Span{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		if r.found.most > 64<<20 {
			t.Errorf("of %d bytes that may be held %d are for changes alone", memory, r.found.most)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
