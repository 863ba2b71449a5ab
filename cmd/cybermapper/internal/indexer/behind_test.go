package indexer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Ensure that whoever searches can be told of pages that the index lacks: those stored since, and all while it is made anew. What
// pages need to be shown does not count, and what asks not to be indexed was looked at.
func TestBehind(t *testing.T) {
	j := newJob(t)
	j.robots("User-agent: *\nDisallow:\n")
	want := func(about string, n int) {
		t.Helper()
		x, err := index.Open(indexer.File(j.dir), index.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if got, err := indexer.Behind(t.Context(), x, j.dir); got != n || err != nil {
			t.Errorf("%s: %d pages, %v, want %d", about, got, err, n)
		}
	}
	page := func(n int) string { return fmt.Sprintf("<title>t%d</title><p>fox number %d", n, n) }
	j.put("/1", page(1), nil)
	j.put("/2", `<meta name="robots" content="noindex">`+page(2), nil)
	j.sync(false)
	want("all is in it", 0)
	j.put("/3", page(3), nil)
	j.put("/4", page(4), nil)
	want("two are stored since", 2)
	j.sync(false)
	j.put("/style.css", "p{}", func(p *storage.Page) { p.Kind, p.Type = storage.KindRequisite, "text/css" })
	want("what pages need", 0)

	notice := func(about, want string) {
		t.Helper()
		x, err := index.Open(indexer.File(j.dir), index.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer filetest.Close(t, x)
		if about != "" { // as if whoever made it had been killed before the last step
			marks, err := x.Marks(t.Context())
			if err == nil {
				err = x.Apply(t.Context(), index.Change{Was: marks, Marks: map[string]string{"refusals": ""}})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := indexer.Notice(t.Context(), x, j.dir)
		if !strings.HasPrefix(got, want) || (got == "") != (want == "") || err != nil {
			t.Errorf("%q: notice %q, %v, want %q", about, got, err, want)
		}
	}
	notice("", "")
	visit := func(r ledger.Record) {
		t.Helper()
		r.Type, r.Outcome, r.Time = ledger.Outcome, "done", time.Now().Add(time.Hour)
		j.append(r)
	}
	visit(ledger.Record{URL: origin + "/9", Status: 404, Reason: "gone"})
	notice("", "") // it never was in the index
	visit(ledger.Record{URL: origin + "/1", Status: 404, Reason: "gone"})
	notice("", "the index is not complete")
	visit(ledger.Record{URL: origin + "/1", Status: 304, Reason: "unchanged"})
	notice("", "")
	visit(ledger.Record{URL: origin + "/1", Status: 410, Reason: "gone"})
	notice("", "the index is not complete")
	j.sync(false)
	notice("", "")
	for range 20_001 { // more records than are read for a notice
		if err := j.ledger.Append(ledger.Record{Type: ledger.Outcome, URL: origin + "/9", Time: time.Now(), Status: 304}); err != nil {
			t.Fatal(err)
		}
	}
	visit(ledger.Record{URL: origin + "/9", Status: 304})
	notice("", "the index is not complete")
	j.sync(false)
	notice("", "")
	notice("later visits were not read", "the index is not complete")

	if err := index.Remove(indexer.File(j.dir)); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(indexer.File(j.dir), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, x)
	want("it is made anew", 4)
}
