package engine

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
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
			l, err := ledger.Open(dir, ledger.Options{})
			if err != nil {
				t.Fatal(err)
			}
			at := func(n int) time.Time { return time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC) }
			for n, r := range tt.records {
				r.Time = at(n + 1)
				if err := l.Append(r); err != nil {
					t.Fatal(err)
				}
			}
			filetest.Close(t, l)
			var want time.Time
			if tt.want > 0 {
				want = at(tt.want)
			}
			if got, err := cutShort(dir); err != nil || !got.Equal(want) {
				t.Errorf("cutShort() = %v, %v; want %v", got, err, want)
			}
		})
	}
}
