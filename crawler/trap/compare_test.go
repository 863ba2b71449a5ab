package trap

import (
	"fmt"
	"testing"
)

// Ensure that of all pairs of revisions so many are compared as there are revisions, a few times, and what each one changed.
func TestDetector_Comparisons(t *testing.T) {
	const revisions = 60
	d, asked := New(Options{}), 0
	visit := func(d *Detector, path string) bool {
		if f, bad := d.Suspect(at(path), at("/"), today); bad {
			if f.Kind != Guises || f.Place != "http://a.example/src/?r1..r2" {
				t.Fatalf("%s is suspected: %v", path, f)
			}
			return false
		}
		asked++
		d.Visit(Page{URL: at(path), Via: at("/"), Text: Text{Hash: uint64(asked) * 0x9e3779b97f4a7c15, Words: 100}})
		return true
	}
	for n := range revisions - 1 {
		if !visit(d, fmt.Sprintf("/src/?r1=%d&r2=%d", n, n+1)) {
			t.Fatalf("what revision %d changed is not asked for", n+1)
		}
	}
	for a := range revisions {
		for b := range revisions {
			visit(d, fmt.Sprintf("/src/?r2=%d&r1=%d", b, a))
		}
	}
	if asked < 2*revisions || asked > 4*revisions {
		t.Errorf("%d comparisons of %d revisions are asked for", asked, revisions)
	}
	if !visit(d, "/src/?r1=59&r2=60") || !visit(d, "/lib/?r1=17&r2=18") || !visit(d, "/src/?r1=17") {
		t.Error("a new revision, one of another path or a list is not asked for")
	}
	off := New(Options{Guises: -1})
	again := New(Options{})
	for n := range 10 {
		p := Page{URL: at(fmt.Sprintf("/src/?r1=17&r2=%d", 30+n)), Via: at("/")}
		off.Visit(p)
		again.Recall(p, false)
		p.URL = at(fmt.Sprintf("/src/?r1=%d&r2=18", 30+n))
		off.Visit(p)
		again.Recall(p, false)
	}
	if !visit(off, "/src/?r1=17&r2=18") || visit(again, "/src/?r1=17&r2=18") {
		t.Error("it is suspected though that is off, or asked for when the crawl is started anew")
	}
}

// Ensure that a revision is asked for though it was what others were seen from, and that one is seen from a few others only.
func TestDetector_ComparisonsSeenFromOthers(t *testing.T) {
	d, asked := New(Options{}), 0
	visit := func(revision, from int) bool {
		u := at(fmt.Sprintf("/a.pl?revision=%d&pathrev=%d", revision, from))
		if _, bad := d.Suspect(u, at("/"), today); bad {
			return false
		}
		asked++
		d.Visit(Page{URL: u, Via: at("/"), Text: Text{Hash: uint64(asked) * 0x9e3779b97f4a7c15, Words: 100}})
		return true
	}
	const revisions = 50
	for from := range revisions {
		for revision := range from + 1 {
			if !visit(revision, from) && revision == from {
				t.Errorf("revision %d is not asked for", revision)
			}
		}
	}
	if asked > 8*revisions {
		t.Errorf("%d pages of %d revisions are asked for", asked, revisions)
	}
}

func TestComparisonOf(t *testing.T) {
	for _, tt := range []struct{ pathQuery, place string }{
		{"/a/?r1=64&r2=65", "/a/?r1..r2"},
		{"/a/?view=diff&r2=1.2;r1=1.1", "/a/?r1..r2"},
		{"/bin/rdiff/Main/Page?rev1=3;rev2=2", "/bin/rdiff/Main/Page?rev1..rev2"},
		{"/a/?r1=64&pathrev=70&view=log", "/a/?pathrev..r1"},
		{"/a/b.pl?revision=55&view=markup&pathrev=55", "/a/b.pl?pathrev..revision"},
		{"/a/?r1=1&r2=2&pathrev=3", "/a/?r1..r2"},
		{"/a/?pathrev=3&pathrev=4", ""},
		{"/a/?revision=3&pathrev=4&r1=5", ""},
		{"/a/?pathrev=3", ""},
		{"/a/?revision=3", ""},
		{"/a/?revision=3&r1=3", ""},
		{"/map?x1=3&x2=4", ""},
		{"/compare?id1=3&id2=4", ""},
		{"/a/?r1=64&view=log", ""},
		{"/a/?r1=64&r2=", ""},
		{"/a/?r1=1&r2=2&r0=3", ""},
		{"/trains?from=a&to=b", ""},
		{"/a?v1=3&r2=4", ""},
	} {
		if place, _, ok := comparisonOf(tt.pathQuery); ok != (tt.place != "") || ok && place != tt.place {
			t.Errorf("%s is of %q, %v", tt.pathQuery, place, ok)
		}
	}
}
