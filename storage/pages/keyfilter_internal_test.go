package pages

import (
	"fmt"
	"testing"

	"github.com/cybermapper/cybermapper/storage"
)

// Ensure that a filter never denies a key that was added, and denies most others.
func TestKeyFilter(t *testing.T) {
	f := new(keyFilter)
	name := func(i int) []byte { return key(kindPage, fmt.Sprint("https://example.org/", i)) }
	keys := 1_000_000
	if testing.Short() {
		keys /= 10
	}
	for i := range keys {
		f.add(name(i))
	}
	wrong := 0
	for i := range keys {
		if !f.mayHave(name(i)) {
			t.Fatalf("key %d was added, and is denied", i)
		}
		if f.mayHave(name(keys + i)) {
			wrong++
		}
	}
	if wrong > keys/20 {
		t.Errorf("of %d keys never added %d are not denied, want at most a twentieth", keys, wrong)
	}
}

// Ensure that only an index that was empty when it was opened has a filter, and that such a one finds what was added.
func TestIndex_Filter(t *testing.T) {
	dir := t.TempDir()
	const url = "https://example.org/"
	digest := storage.DigestOf([]byte("body"))
	for _, isNew := range []bool{true, false} {
		x, err := openIndex(dir, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.all != nil; got != isNew {
			t.Errorf("an index has a filter: %v; it is new: %v", got, isNew)
		}
		if _, _, known, err := x.find(digest, url); known == isNew || err != nil {
			t.Errorf("the index knows the page: %v; it is new: %v; %v", known, isNew, err)
		}
		e := &entry{line: &Line{URL: url, Digest: digest, File: "example.org/~index.html"}}
		if err := x.add([]*entry{e}, position{End: 1}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []struct {
			digest storage.Digest
			url    string
			known  bool
		}{{digest, url, true}, {"", url, true}, {digest, "https://example.org/other", false}} {
			same, _, known, err := x.find(want.digest, want.url)
			if (same != "") != (want.digest != "") || known != want.known || err != nil {
				t.Errorf("find(%q, %q) = %q, known = %v, %v", want.digest, want.url, same, known, err)
			}
		}
		if err := x.close(); err != nil {
			t.Fatal(err)
		}
	}
}
