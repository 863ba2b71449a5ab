package index_test

import (
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
)

// While an index is made beside another one, that one answers; then who had it open before finds what is in the new one, and can
// change it.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	open := func(path string, o index.Options) *index.Index {
		t.Helper()
		x, err := index.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		return x
	}
	x := open(path, index.Options{Mode: index.Lead})
	old := index.Change{
		Documents: []index.Document{document("/fox", "en", "Foxes", "The quick brown fox")},
		Refusals:  []index.Refusal{{URL: "https://example.org/no", Reason: index.NoIndex}},
		Marks:     map[string]string{"read": "1"},
	}
	apply(t, x, old)
	reader, other := open(path, index.Options{ReadOnly: true}), open(path, index.Options{})
	all := []*index.Index{x, reader, other}
	want := func(foxes, dogs int) {
		t.Helper()
		for i, x := range all {
			if n := search(t, x, index.Query{Text: "fox"}).Total; n != foxes {
				t.Errorf("%d: %d foxes, want %d", i, n, foxes)
			}
			if n := search(t, x, index.Query{Text: "dog"}).Total; n != dogs {
				t.Errorf("%d: %d dogs, want %d", i, n, dogs)
			}
		}
	}
	want(1, 0)

	y, err := x.Beside(t.Context(), filepath.Join(t.TempDir(), "new.db"))
	if err != nil {
		t.Fatal(err)
	}
	if y.Mode() != index.Lead {
		t.Errorf("mode %s", y.Mode())
	}
	apply(t, y, index.Change{
		Documents: []index.Document{document("/dog", "en", "Dogs", "The lazy dog"), document("/dogs", "en", "Dog", "Two of them")},
		Marks:     map[string]string{"read": "2"},
	})
	want(1, 0)
	if err := x.Replace(t.Context(), y); err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, y)
	want(0, 2)
	counts, err := reader.Counts(t.Context())
	if err != nil || counts.Pages != 2 || len(counts.Refused) != 0 {
		t.Errorf("%+v, %v", counts, err)
	}

	old.Was = map[string]string{"read": "2"}
	apply(t, other, old)
	want(1, 2)
	for _, x := range all {
		if err := x.Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
