package engine

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// What was heard last of a page decides whether it may be kept.
func TestBannedPages(t *testing.T) {
	const url = "https://example.org/"
	asked := ledger.Record{Type: ledger.Request, URL: url, Purpose: "page", Status: 200}
	unsent := ledger.Record{Type: ledger.Request, URL: url, Purpose: "page", Status: 304}
	broken := ledger.Record{Type: ledger.Request, URL: url, Purpose: "page", Status: 200, Error: "reset"}
	noindex := ledger.Record{Type: ledger.Refusal, URL: url, Gate: "meta", Reason: "noindex", Rule: "noindex in META ROBOTS"}
	closed := ledger.Record{Type: ledger.Refusal, URL: url, Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /"}
	unreachable := ledger.Record{Type: ledger.Refusal, URL: url, Gate: "robots", Reason: "robots-unreachable"}
	stored := ledger.Record{Type: ledger.Outcome, URL: url, Outcome: "done", Status: 200, File: "example.org/~index.html"}
	same := ledger.Record{Type: ledger.Outcome, URL: url, Outcome: "done", Status: 200, Reason: "unchanged"}
	notSent := ledger.Record{Type: ledger.Outcome, URL: url, Outcome: "done", Status: 304, Reason: "unchanged"}
	gone := ledger.Record{Type: ledger.Outcome, URL: url, Outcome: "done", Status: 404, Reason: "gone"}
	for name, tt := range map[string]struct {
		then []ledger.Record
		want string
	}{
		"nothing more":                               {nil, ""},
		"it asks not to be kept":                     {[]ledger.Record{asked, noindex, same}, "noindex"},
		"it asks not to be kept, and is gone":        {[]ledger.Record{asked, noindex, same, asked, gone}, "noindex"},
		"it does not any more":                       {[]ledger.Record{asked, noindex, same, asked, stored}, ""},
		"it does not any more, and is as it was":     {[]ledger.Record{asked, noindex, same, asked, same}, ""},
		"it was not sent again":                      {[]ledger.Record{asked, noindex, same, asked, notSent}, "noindex"},
		"killed between, and it does not":            {[]ledger.Record{asked, noindex, asked, same}, ""},
		"it does not, and a kill left no outcome":    {[]ledger.Record{asked, noindex, same, asked}, ""},
		"it does again after such a kill":            {[]ledger.Record{asked, noindex, same, asked, asked, noindex, same}, "noindex"},
		"it was not sent again after such a kill":    {[]ledger.Record{asked, noindex, same, asked, unsent, notSent}, ""},
		"a kill left that it was not sent again":     {[]ledger.Record{asked, noindex, same, unsent}, "noindex"},
		"a kill left that it did not come whole":     {[]ledger.Record{asked, noindex, same, broken}, "noindex"},
		"robots.txt forbade it, and a kill left 304": {[]ledger.Record{closed, unsent}, ""},
		"robots.txt forbids it":                      {[]ledger.Record{closed}, "robots-disallow"},
		"robots.txt forbade it":                      {[]ledger.Record{closed, asked, notSent}, ""},
		"robots.txt cannot be had":                   {[]ledger.Record{unreachable}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := job.Open(t.TempDir(), job.Crawl)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			s, err := pages.Open(j.Path(job.PagesDir), pages.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Put(t.Context(), &storage.Page{URL: url, FinalURL: url, Body: []byte("x")}); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ledgertest.Write(t, j.Path(job.LedgerDir), ledger.Options{}, append([]ledger.Record{asked, stored}, tt.then...)...)
			watch := banWatch{}
			for r, err := range ledger.ReadSound(j.Path(job.LedgerDir), ledger.ReadOptions{}) {
				if err != nil {
					t.Fatal(err)
				}
				watch.recall(r)
			}
			if tt.want != "" && watch.none() {
				t.Error("the ledger would not be searched")
			}
			banned, err := bannedPages(t.Context(), j, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for b := range maps.Values(banned) {
				got = append(got, b.Reason)
			}
			if want := slices.DeleteFunc([]string{tt.want}, func(s string) bool { return s == "" }); !cmp.Equal(got, want) &&
				len(got)+len(want) > 0 {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// The ledger is searched for bans unless all of it was recalled and it has none, nor this run.
func TestBanWatch(t *testing.T) {
	ban := ledger.Record{Type: ledger.Refusal, Reason: string(crawler.ReasonDisallowed)}
	other := ledger.Record{Type: ledger.Refusal, Reason: string(crawler.ReasonEndless)}
	first := ledger.Record{Type: ledger.Run, Seq: 1}
	for name, tt := range map[string]struct {
		recalled []ledger.Record
		heard    crawler.Reason
		want     bool
	}{
		"nothing recalled":   {nil, "", false},
		"its end only":       {[]ledger.Record{other}, "", false},
		"all of it":          {[]ledger.Record{first, other}, "", true},
		"with a ban":         {[]ledger.Record{first, ban, other}, "", false},
		"a ban now":          {[]ledger.Record{first}, crawler.ReasonNoindex, false},
		"another refusal":    {[]ledger.Record{first}, crawler.ReasonEndless, true},
		"robots.txt says no": {[]ledger.Record{first}, crawler.ReasonDisallowed, false},
	} {
		var w banWatch
		for _, r := range tt.recalled {
			w.recall(r)
		}
		w.refusal(crawler.Refusal{Reason: tt.heard})
		if w.none() != tt.want {
			t.Errorf("%s: no ban is %v", name, !tt.want)
		}
	}
}
