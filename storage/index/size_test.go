package index_test

import (
	"context"
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// What stands in the first paragraphs is written down once, as part of them, and counts as much as before.
func TestSearch_LeadIsNotTwiceInTheIndex(t *testing.T) {
	x := open(t, index.Options{})
	d := document("/a", "en", "Animals", "Animals\nThe walrus lives in the north.\nWhat it eats is clams.\nThe north is cold.")
	d.Text.Lead = "The walrus lives in the north."
	apply(t, x, index.Change{Documents: []index.Document{d}})
	for word, want := range map[string]string{"walrus": "lead", "clams": "body", "north": "lead body"} {
		r, err := x.Search(context.Background(), index.Query{Text: word, Explain: true})
		if err != nil || len(r.Hits) != 1 {
			t.Fatalf("%s: %v, %v", word, r, err)
		}
		got := ""
		for _, p := range r.Hits[0].Parts {
			if got != "" {
				got += " "
			}
			got += p.Name
		}
		if got != want {
			t.Errorf("%s stands in %q, want %q", word, got, want)
		}
	}
	if got := paths(t, x, index.Query{Text: `"eats is clams"`}); got != "/a" {
		t.Errorf("a phrase behind the first paragraphs: %q", got)
	}
	apply(t, x, index.Change{Refusals: []index.Refusal{{URL: d.URL, Reason: index.NoIndex}}}) // takes out just what was put in
	if err := x.Check(context.Background()); err != nil {
		t.Error(err)
	}
	if got := paths(t, x, index.Query{Text: "walrus"}); got != "" {
		t.Errorf("found though it is refused: %q", got)
	}
}

// Links that say where they lead from here, and not to what, name no page.
func TestApply_StepsAreNoNames(t *testing.T) {
	x := open(t, index.Options{})
	from := document("/a", "en", "One", "The first page.")
	to := "https://example.org/b"
	for _, text := range []string{"Next", "« Prev", "次へ", "Up", "Walrus habits"} {
		from.Links = append(from.Links, index.Link{URL: to, Text: text})
	}
	apply(t, x, index.Change{Documents: []index.Document{from, document("/b", "en", "Two", "The second page.")}})
	for query, want := range map[string]string{"next": "", "prev": "", "次へ": "", "walrus": "/b"} {
		if got := paths(t, x, index.Query{Text: query}); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// Pages with the same bytes are one hit, also where they have hardly any words or none; short pages with different bytes are not.
func TestSearch_SameBytesAreOneHit(t *testing.T) {
	x := open(t, index.Options{})
	page := func(path, title, digest string, exact uint64, words int) index.Document {
		d := document(path, "en", title, "")
		d.Digest, d.Exact, d.Words = digest, exact, words
		return d
	}
	apply(t, x, index.Change{Documents: []index.Document{
		page("/a.pdf", "Walrus", "sha256:aa", 0, 0), page("/b.pdf", "Walrus", "sha256:aa", 0, 0),
		page("/c", "Walrus", "sha256:bb", 7, 3), page("/d", "Walrus", "sha256:cc", 7, 3),
	}})
	r, err := x.Search(context.Background(), index.Query{Text: "walrus"})
	if err != nil || len(r.Hits) != 3 {
		t.Fatalf("%d hits, want 3: %v", len(r.Hits), err)
	}
	same := 0
	for _, h := range r.Hits {
		same += len(h.Same)
	}
	if same != 1 {
		t.Errorf("%d pages are told to be the same, want 1: %+v", same, r.Hits)
	}
}
