package graph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage"
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
