package index_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
)

// calling returns a page that calls /target by these names.
func calling(path string, names ...string) index.Document {
	d := document(path, "en", "Page", "text")
	for _, n := range names {
		d.Links = append(d.Links, index.Link{URL: "https://example.org/target", Text: n})
	}
	return d
}

func refresh(tb testing.TB, x *index.Index) {
	tb.Helper()
	if _, err := x.Refresh(tb.Context(), 1000); err != nil {
		tb.Fatal(err)
	}
}

// Ensure that a page is found by what others call it as long as one of them is in the index and does: not after the last one has
// changed, or has left.
func TestApply_NamesLeaveWithTheirPages(t *testing.T) {
	x := open(t, index.Options{})
	find := func(when, query, want string) {
		t.Helper()
		refresh(t, x)
		if got := paths(t, x, index.Query{Text: query}); got != want {
			t.Errorf("%s, %s finds %q, want %q", when, query, got, want)
		}
	}
	put := func(d ...index.Document) { t.Helper(); apply(t, x, index.Change{Documents: d}) }
	put(document("/target", "en", "Nothing", "at all"), calling("/a", "beacon", "beacon ", "tower"), calling("/b", "beacon"))
	find("at first", "beacon", "/target")
	find("at first", "tower", "/target")
	put(calling("/a", "tower"))
	find("one of two has changed", "beacon", "/target")
	find("one of two has changed", "tower", "/target")
	apply(t, x, index.Change{Refusals: []index.Refusal{{URL: "https://example.org/b", Reason: index.NoIndex}}})
	find("the other one has left", "beacon", "")
	find("the other one has left", "tower", "/target")
	put(calling("/a", "lighthouse"))
	find("it is called otherwise", "tower", "")
	find("it is called otherwise", "lighthouse", "/target")
	put(calling("/b", "beacon"))
	find("the other one is back", "beacon", "/target")
	put(document("/target", "en", "Nothing", "at all, again"))
	find("what is called so has changed", "beacon", "/target")
}

// Ensure that a name that is used no longer takes no room from one that is.
func TestApply_NamesMakeRoom(t *testing.T) {
	x := open(t, index.Options{})
	apply(t, x, index.Change{Documents: []index.Document{document("/target", "en", "Nothing", "at all")}})
	for n := range 3 * index.MaxAnchors {
		name := fmt.Sprintf("headline%d", n)
		apply(t, x, index.Change{Documents: []index.Document{calling("/front", name)}})
		refresh(t, x)
		if got := paths(t, x, index.Query{Text: name}); got != "/target" {
			t.Fatalf("%s finds %q", name, got)
		}
	}
	many := make([]string, index.MaxAnchors)
	for n := range many {
		many[n] = fmt.Sprintf("name%d", n)
	}
	apply(t, x, index.Change{Documents: []index.Document{calling("/front", many...), calling("/other", "extra")}})
	refresh(t, x)
	if got := paths(t, x, index.Query{Text: "extra"}); got != "" {
		t.Errorf("one name too many finds %q", got)
	}
	apply(t, x, index.Change{Documents: []index.Document{calling("/front", many[1:]...)}})
	apply(t, x, index.Change{Documents: []index.Document{calling("/third", "extra")}})
	refresh(t, x)
	if got := paths(t, x, index.Query{Text: "extra"}); got != "/target" {
		t.Errorf("where there is room, it finds %q", got)
	}
}

// Ensure that what one process remembers of names is not what another one has changed since.
func TestApply_NamesOfTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	var both [2]*index.Index
	for i := range both {
		x, err := index.Open(path, index.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer filetest.Close(t, x)
		both[i] = x
	}
	target := document("/target", "en", "Nothing", "at all")
	apply(t, both[0], index.Change{Documents: []index.Document{target, calling("/a", "beacon")}})
	apply(t, both[1], index.Change{Refusals: []index.Refusal{{URL: "https://example.org/a", Reason: index.Gone}}})
	apply(t, both[1], index.Change{Documents: []index.Document{calling("/c", "tower")}})
	apply(t, both[0], index.Change{Documents: []index.Document{calling("/b", "beacon")}})
	refresh(t, both[0])
	for query, want := range map[string]string{"beacon": "/target", "tower": "/target"} {
		if got := paths(t, both[1], index.Query{Text: query}); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}
