package index_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/index"
)

// Find knows a page under its own URL only, and a refused one with what was stored of it.
func TestFind(t *testing.T) {
	x := open(t, index.Options{})
	fetched := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	page := index.Document{URL: "http://a.example/b", Asked: "http://a.example/a", MaxSnippet: -1, Fetched: fetched, Source: 7,
		Text: index.Text{Title: "T", Body: "text"}}
	gone := index.Refusal{URL: "http://a.example/gone", Reason: index.Gone, Time: fetched, Source: 40}
	never := index.Refusal{URL: "http://a.example/never", Reason: index.NoIndex, Time: fetched, Source: -1}
	apply(t, x, index.Change{Documents: []index.Document{page}, Refusals: []index.Refusal{gone, never}})
	got, err := x.Find(t.Context(), []string{page.URL, page.Asked, gone.URL, never.URL, "http://a.example/unknown"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]index.Found{
		page.URL:  {Entry: index.Entry{URL: page.URL, Source: 7}, Fetched: fetched},
		gone.URL:  {Entry: index.Entry{URL: gone.URL, Source: 40, Refusal: index.Gone}},
		never.URL: {Entry: index.Entry{URL: never.URL, Source: -1, Refusal: index.NoIndex}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Find() (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Find(ctx, []string{page.URL}); !errors.Is(err, context.Canceled) {
		t.Errorf("Find() that is ended: %v", err)
	}
}
