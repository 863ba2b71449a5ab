package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// Many pages are read without indexes, in which each of their links has another place. They are there at the end, also after an
// interruption, and until then nobody asks a graph that would go through all links for each URL. Few pages are written into them.
func TestSync_MakesIndexesAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	store(t, dir, 0, 3*batchPages)
	g, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ctx, cancel := context.WithCancel(t.Context())
	err = g.Sync(ctx, func(int) {
		if v, err := View(t.Context(), dir); !errors.Is(err, ErrUnusable) {
			t.Errorf("a graph without all pages is shown: %v, %v", v, err)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	want := countIndexes(t, g)
	for _, more := range []int{0, 1} {
		store(t, dir, 3*batchPages, more)
		if err := g.Sync(t.Context(), func(int) { want = countIndexes(t, g) }); err != nil {
			t.Fatal(err)
		}
		if want != 7*more || countIndexes(t, g) != 7 {
			t.Errorf("with %d pages more there are %d indexes while they are read, and then %d", more, want, countIndexes(t, g))
		}
	}
}

// A file of which parts are not what was written is made anew, whether that shows while it is brought up to date or later.
func TestSync_Damaged(t *testing.T) {
	for page := 1; page < 12; page++ {
		dir := t.TempDir()
		store(t, dir, 0, 20)
		sync := func() (n int, err error) {
			g, err := Open(t.Context(), dir)
			if err != nil {
				return 0, err
			}
			if err := g.Sync(t.Context(), nil); err != nil {
				t.Errorf("page %d: %v", page, err)
			}
			n, err = g.Count(t.Context(), NoTitle, FaultOptions{})
			return n, Discard(dir, errors.Join(err, g.Close()))
		}
		want, err := sync()
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(File(dir), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 4096), int64(page)*4096); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := sync()
		if errors.Is(err, ErrUnusable) {
			got, err = sync()
		}
		if err != nil || got != want {
			t.Errorf("page %d: %d, %v; want %d", page, got, err, want)
		}
	}
}

// How many faults there are is known when the graph is up to date: to count them takes too long for who looks at a page.
func TestSync_CountsFaults(t *testing.T) {
	dir := t.TempDir()
	g, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, n := range []int{10, 20} {
		store(t, dir, n-10, 10)
		if _, err := g.db.ExecContext(t.Context(), `UPDATE urls SET stored = 1`); err != nil { // which no ledger says here
			t.Fatal(err)
		}
		if err := g.Sync(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		counted, err := g.Count(t.Context(), Orphan, FaultOptions{})
		found, e := g.count(t.Context(), Orphan, FaultOptions{})
		if _, isCounted, _ := g.isCounted(t.Context()); !isCounted || counted != found || err != nil || e != nil {
			t.Errorf("of %d pages counted %v: %d, %v; found %d, %v", n, isCounted, counted, err, found, e)
		}
	}
	if _, err := g.db.ExecContext(t.Context(), `UPDATE meta SET value = value || 'x' WHERE key = ?`, pagesMark); err != nil {
		t.Fatal(err)
	}
	if _, isCounted, err := g.isCounted(t.Context()); isCounted || err != nil {
		t.Errorf("what was counted holds for other pages, too: %v", err)
	}
}

func countIndexes(t *testing.T, g *Graph) (n int) {
	t.Helper()
	if err := g.db.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema WHERE `+isIndex).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// store puts n pages into the store of the job in dir, each with links to those after it.
func store(tb testing.TB, dir string, from, n int) {
	tb.Helper()
	s, err := pages.Open(filepath.Join(dir, job.PagesDir), pages.Options{})
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, job.LedgerDir), 0o777)
	}
	if err != nil {
		tb.Fatal(err)
	}
	for i := from; i < from+n; i++ {
		u := fmt.Sprintf("http://a.example/%d.html", i)
		body := fmt.Appendf(nil, "<title>%d</title>", i)
		for k := range 30 {
			body = fmt.Appendf(body, "<a href=/%d.html>%d</a>", i+k*k+1, k)
		}
		p := &storage.Page{URL: u, FinalURL: u, Fetched: time.Unix(int64(i), 0), Status: 200, Type: "text/html", Body: body}
		if err := s.Put(tb.Context(), p); err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
}

// The first look at a site takes the same for each page, however many there are.
//
//	go test -run='^$' -bench=Sync -benchtime=1x ./cmd/cybermapper/internal/graph
func BenchmarkSync(b *testing.B) {
	for _, n := range []int{10_000, 80_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			store(b, dir, 0, n)
			for b.Loop() {
				g, err := Open(b.Context(), dir)
				if err == nil {
					err = errors.Join(g.Sync(b.Context(), nil), g.Close(), Remove(dir))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n*b.N), "µs/page")
		})
	}
}

// Records are taken in in the order of the table, but those of one URL in their own: the last word on it holds.
func TestReadLedger_LastWordHolds(t *testing.T) {
	dir := t.TempDir()
	record(t, dir, 300)
	g, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.readLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	var urls, right int
	err = g.db.QueryRowContext(t.Context(), `SELECT count(*),
		total(status = 404 AND asked = 2 AND outcome = 'failed' AND NOT stored) FROM urls`).Scan(&urls, &right)
	if err != nil || urls != 300 || right != 300 {
		t.Errorf("of %d URLs %d are as the last record says, want 300 of 300; %v", urls, right, err)
	}
}

// What is known of a URL holds, whether a link to it that was not followed is met after that or before.
func TestReadLedger_LinksNotFollowed(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(filepath.Join(dir, job.LedgerDir), ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const front, page = "http://a.example/", "http://a.example/nf"
	closed := ledger.Record{Type: ledger.Refusal, Via: front, Depth: 1, Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /"}
	visit := ledger.Record{Type: ledger.Request, Purpose: "page", Via: front, Depth: 1, Status: 200}
	link := ledger.Record{Type: ledger.Refusal, Via: page, Depth: 2, Gate: "meta", Reason: "nofollow-page", Rule: "nofollow"}
	want := map[string]string{}
	for name, records := range map[string][]ledger.Record{
		"closed": {closed}, "closed-first": {closed, link}, "closed-last": {link, closed},
		"visited-first": {visit, link}, "visited-last": {link, visit}, "not-followed": {link, link},
	} {
		for _, r := range records {
			r.URL = front + name
			if err := l.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		from := closed
		switch {
		case name == "not-followed":
			from = link
		case strings.HasPrefix(name, "visited"):
			from = visit
		}
		want[front+name] = fmt.Sprint(idOf(from.Via), from.Depth, from.Gate, from.Reason, from.Rule)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	g, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.readLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	for u, want := range want {
		var via int64
		var depth int
		var gate, reason, rule string
		err := g.db.QueryRowContext(t.Context(), `SELECT via, depth, gate, reason, rule FROM urls WHERE url = ?`, u).
			Scan(&via, &depth, &gate, &reason, &rule)
		if got := fmt.Sprint(via, depth, gate, reason, rule); err != nil || got != want {
			t.Errorf("%s: %s, want %s; %v", u, got, want, err)
		}
	}
}

// record writes a ledger of the job in dir in which each of n URLs was visited twice, and was gone the second time.
func record(tb testing.TB, dir string, n int) {
	tb.Helper()
	l, err := ledger.Open(filepath.Join(dir, job.LedgerDir), ledger.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	for _, visit := range []ledger.Record{{Status: 200, Outcome: "done", File: "a"}, {Status: 404, Outcome: "failed"}} {
		for i := range n {
			request, outcome := ledger.Record{Type: ledger.Request, Purpose: "page", Status: visit.Status}, visit
			outcome.Type = ledger.Outcome
			request.URL = fmt.Sprintf("http://a.example/section/%d.html", i)
			outcome.URL = request.URL
			if err := errors.Join(l.Append(request), l.Append(outcome)); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
}

// What is written and the time that it takes grow for each record with the table, but not by much: parts of it are taken in turn.
//
//	go test -run='^$' -bench=ReadLedger -benchtime=1x ./cmd/cybermapper/internal/graph
func BenchmarkReadLedger(b *testing.B) {
	for _, n := range []int{20_000, 160_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			record(b, dir, n)
			before := written()
			for b.Loop() {
				g, err := Open(b.Context(), dir)
				if err == nil {
					err = errors.Join(g.readLedger(b.Context()), g.Close(), Remove(dir))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			records := float64(4 * n * b.N)
			b.ReportMetric(float64(b.Elapsed().Microseconds())/records, "µs/record")
			b.ReportMetric(float64(written()-before)/records, "B/record") // 0 where the system does not tell
		})
	}
}

// written returns how many bytes this process has written.
func written() (n int64) {
	counts, _ := os.ReadFile("/proc/self/io")
	if _, after, ok := strings.Cut(string(counts), "wchar: "); ok {
		fmt.Sscan(after, &n)
	}
	return n
}
