package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// A visit to everything that was killed or interrupted is gone on with, by whichever runs, until one comes to its end.
func TestCutShort(t *testing.T) {
	start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart}
	all := ledger.Record{Type: ledger.Run, Event: ledger.EventAgain, Why: string(AgainAll)}
	due := ledger.Record{Type: ledger.Run, Event: ledger.EventAgain, Why: string(AgainDue)}
	stop := func(why string) ledger.Record {
		return ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Why: why}
	}
	for name, tt := range map[string]struct {
		records []ledger.Record
		want    int // the record with which it began, from 1; 0 for none
	}{
		"none yet":             {[]ledger.Record{start, stop("done"), start}, 0},
		"done":                 {[]ledger.Record{start, all, stop("done"), start}, 0},
		"ended by a limit":     {[]ledger.Record{start, all, stop("max-time"), start}, 0},
		"killed":               {[]ledger.Record{start, stop("done"), start, all, start}, 4},
		"interrupted":          {[]ledger.Record{start, all, stop("interrupted"), start}, 2},
		"a store failed":       {[]ledger.Record{start, all, stop("failed"), start}, 2},
		"killed twice":         {[]ledger.Record{start, all, start, all, start}, 2},
		"done by another run":  {[]ledger.Record{start, all, start, stop("done"), start}, 0},
		"one after that":       {[]ledger.Record{start, all, start, stop("done"), start, all, start}, 6},
		"only what was due":    {[]ledger.Record{start, due, start}, 0},
		"first what was due":   {[]ledger.Record{start, due, start, all, start}, 4},
		"a crawl without word": {[]ledger.Record{start, start}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(n int) time.Time { return time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC) }
			for n := range tt.records {
				tt.records[n].Time = at(n + 1)
			}
			ledgertest.Write(t, dir, ledger.Options{MaxFile: 1, Plain: true}, tt.records...) // each in a file of its own
			var want time.Time
			if tt.want > 0 {
				want = at(tt.want)
			}
			if got, err := cutShort(dir); err != nil || !got.Equal(want) {
				t.Errorf("cutShort() = %v, %v; want %v", got, err, want)
			}
			for tail := int64(1); tail < 2000; tail += 50 {
				if got, ended, err := cutShortAtEnd(dir, tail); err != nil || ended && !got.Equal(want) {
					t.Errorf("cutShortAtEnd(%d) = %v, %v, %v; want %v", tail, got, ended, err, want)
				}
			}
		})
	}
}

// However many pages the queue has forgotten, few of them are held at once, and each is queued once, as it was stored last.
func TestAdopt_InParts(t *testing.T) {
	const n, tabled = 100, 7
	dir := t.TempDir()
	j, err := job.Open(dir, job.Crawl)
	if err != nil {
		t.Fatal(err)
	}
	defer filetest.Close(t, j)
	var list strings.Builder
	var links []frontier.Link
	for version := range 2 {
		for i := range n {
			fmt.Fprintf(&list, `{"url":"http://a.example/%d","final_url":"http://a.example/%[1]d","digest":"%d"}`+"\n", i, version)
		}
	}
	for i := range n {
		u, _ := frontier.ParseURL(fmt.Sprint("http://a.example/", i))
		links = append(links, frontier.Link{URL: u})
	}
	if err := os.MkdirAll(j.Path(job.PagesDir), 0o755); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(j.Path(job.PagesDir), "pages.jsonl"), list.String())
	q := memory.New()
	defer filetest.Close(t, q)
	if _, err := q.Add(t.Context(), links); err != nil {
		t.Fatal(err)
	}
	for _, e := range takeAll(t, q, true) {
		if e.State != nil {
			t.Errorf("%s has the state %q", e.URL, e.State)
		}
	}
	r := &run{Session: &Session{Again: AgainAll}, job: j, stores: &stores{frontier: q}}
	a, err := r.newAdoption(t.Context(), tabled)
	if err != nil || a.parts < n/tabled {
		t.Fatalf("newAdoption() has %d parts, %v; want %d pages in each at most", a.parts, err, tabled)
	}
	if err := a.adopt(t.Context()); err != nil || a.queued != n {
		t.Fatalf("adopt() queues %d, %v; want %d", a.queued, err, n)
	}
	again := takeAll(t, q, false)
	if len(again) != n {
		t.Errorf("%d are queued, want %d", len(again), n)
	}
	for _, e := range again {
		if want := crawler.PastOf(nil, "1", time.Time{}); !bytes.Equal(e.State, want) {
			t.Errorf("%s is queued with %q, want %q", e.URL, e.State, want)
		}
	}
}

// takeAll takes all entries of the only site of a queue, and settles them if wanted.
func takeAll(t *testing.T, q *memory.Frontier, settle bool) (all []frontier.Entry) {
	t.Helper()
	l, err := q.Lease(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer filetest.Close(t, l)
	for {
		e, ok, err := l.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return all
		}
		all = append(all, e)
		if !settle {
			continue
		}
		if _, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done}); err != nil {
			t.Fatal(err)
		}
	}
}
