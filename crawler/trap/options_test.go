package trap

import (
	"fmt"
	"testing"
)

// A negative number switches off what a field is about, but for the bounds of memory.
func TestOptions_Negative(t *testing.T) {
	d := New(Options{Pages: -1, Levels: -1, Yield: -1, Dates: -1, Variants: -1, Hosts: -1, Links: -1, Lineages: -1})
	via := at("/")
	for i := range 1000 {
		u := at(fmt.Sprintf("/%d/", i))
		if d.Waits(u, via) {
			t.Fatalf("with everything off %s waits", u)
		}
		d.Visit(Page{URL: u, Via: via, New: 1, Links: []URL{at(fmt.Sprintf("/%d/", i+1))}, Text: Text{Hash: 1, Words: 100}})
		via = u
	}
	if f, suspect := d.Suspect(at("/1000/"), via, today); suspect {
		t.Errorf("with everything off it suspects %v", f)
	}
	if d.links.Most != 200_000 || d.lineages.Most != 20_000 {
		t.Errorf("%d links and %d lineages are remembered", d.links.Most, d.lineages.Most)
	}
	if d := New(Options{}); d.o.Pages != 40 || d.o.Levels != 6 {
		t.Errorf("the defaults are %+v", d.o)
	}
}
