package engine

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/optout"
)

// Ensure that whom the file of either of two nodes of one name has is left alone by the others, and nobody else.
func TestSharedOuts_TwoOfOneName(t *testing.T) {
	const name = "twin"
	var texts []wish
	var nodes [2]sharedOuts
	lists := [2]*optout.List{}
	check := func(want string, files ...string) {
		t.Helper()
		for i, file := range files {
			if file == "" {
				continue
			}
			var err error
			if lists[i], _, err = optout.Parse(strings.NewReader(file)); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			before := len(texts)
			for i := range nodes {
				o := &nodes[i]
				if lists[i] == nil {
					continue // it has not begun
				}
				for ; o.read < len(texts); o.read++ {
					o.take(name, texts[o.read])
				}
				texts = append(texts, o.wishes(name, lists[i])...)
				o.told, o.undone = lists[i], false
			}
			t.Logf("%+v", texts[before:])
		}
		var other sharedOuts
		for _, w := range texts {
			other.take("other", w)
		}
		if got := slices.Sorted(maps.Keys(other.named[name])); strings.Join(got, " ") != want {
			t.Errorf("others leave %v alone, want %s", got, want)
		}
	}
	check("a.example b.example", "a.example\nb.example")
	check("a.example b.example c.example", "", "c.example")
	check("a.example c.example d.example", "a.example", "c.example\nd.example")
	check("a.example d.example", "", "d.example")
	if n := len(texts); n > 12 {
		t.Errorf("%d texts are shared: %+v", n, texts)
	}
}
