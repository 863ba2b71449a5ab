package index_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/storage/index"
)

// What is taken out is found no longer, by those either who had the index open before; and it can be put in again.
func TestClear(t *testing.T) {
	x := open(t, index.Options{})
	d := document("/fox", "en", "Foxes", "The quick brown fox")
	c := index.Change{
		Documents: []index.Document{d}, Refusals: []index.Refusal{{URL: "https://example.org/no", Reason: index.NoIndex}},
		Marks: map[string]string{"read": "1"},
	}
	apply(t, x, c)
	found := func() int {
		t.Helper()
		r := search(t, x, index.Query{Text: "fox"})
		return r.Total
	}
	if found() != 1 {
		t.Fatal("the page is not found")
	}
	if err := x.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	counts, err := x.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mark, err := x.Mark(t.Context(), "read")
	if err != nil {
		t.Fatal(err)
	}
	if n := found(); n != 0 || counts.Pages != 0 || len(counts.Refused) != 0 || mark != "" {
		t.Errorf("left: %d found, %+v, mark %q", n, counts, mark)
	}
	c.Was = map[string]string{"read": ""}
	apply(t, x, c)
	if err := x.Check(t.Context()); err != nil || found() != 1 {
		t.Errorf("put in again: %d found, %v", found(), err)
	}
}
