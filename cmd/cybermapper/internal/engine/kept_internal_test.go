package engine

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// What a killed run has stored is taken for a queued URL if it is of the visit that the URL is queued for.
func TestKeptPages(t *testing.T) {
	const url = "https://example.org/"
	fetched := time.Now().Round(0)
	brought := ledger.Record{Type: ledger.Request, URL: url, Purpose: "page", Status: 200, End: fetched}
	other := ledger.Record{Type: ledger.Request, URL: url, Purpose: "page", Status: 200, End: fetched.Add(-time.Hour)}
	settled := ledger.Record{Type: ledger.Outcome, URL: url, Outcome: "done", Status: 200}
	start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart}
	again := ledger.Record{Type: ledger.Run, Event: ledger.EventAgain, Why: "all"}
	for name, tt := range map[string]struct {
		records []ledger.Record
		want    int
	}{
		"killed before it was settled": {[]ledger.Record{start, brought, start}, 1},
		"settled":                      {[]ledger.Record{start, brought, settled, start}, 0},
		"asked for again":              {[]ledger.Record{start, brought, start, other}, 0},
		"killed in a later visit":      {[]ledger.Record{start, other, settled, start, again, brought, start}, 1},
		"queued anew since, and its outcome was lost by a kill": {[]ledger.Record{start, brought, start, start, again, start}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := job.Open(t.TempDir(), job.Crawl)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			ledgertest.Write(t, j.Path(job.LedgerDir), ledger.Options{}, tt.records...)
			k := &keptPages{page: map[frontier.URL]keptPage{}}
			line := pages.Line{URL: url, FinalURL: url, Fetched: fetched, Status: 200}
			if err := k.find(j.Path(job.LedgerDir), map[string]pages.Line{url: line}); err != nil {
				t.Fatal(err)
			}
			if len(k.page) != tt.want {
				t.Errorf("%d pages are taken, want %d", len(k.page), tt.want)
			}
		})
	}
}
