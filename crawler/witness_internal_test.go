package crawler

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
)

// The last answers that are alike are remembered, of which it was told what became of them, until they have another one.
func TestWitnesses_Run(t *testing.T) {
	const site = "a.example"
	url := func(path string) frontier.URL {
		u, err := frontier.ParseURL("http://" + site + path)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	var w witnesses
	w.sites.Most = 8
	redirected := func(path string) {
		w.redirected(site, url(path), url("/login"))
		w.told(site, url(path))
	}
	want := func(when string, paths ...string) {
		t.Helper()
		var got []string
		for _, j := range w.takeRun(site) {
			got = append(got, j.url.PathQuery())
		}
		if !slices.Equal(got, paths) {
			t.Errorf("%s: %q, want %q", when, got, paths)
		}
	}
	w.answered(site, url("/"), true, 1)
	var last []string
	for i := range 3 * mostRun {
		redirected(fmt.Sprint("/", i))
		last = append(last, fmt.Sprint("/", i))
	}
	want("after many", last[2*mostRun:]...)
	want("once they were taken")

	for _, path := range []string{"/a", "/b", "/c", "/d"} {
		redirected(path)
	}
	w.answered(site, url("/c"), false, 2)
	want("when one of them was a file and another one is old", "/b", "/d")

	redirected("/a")
	redirected("/b")
	w.redirected(site, url("/a"), url("/login"))
	want("while one is under way again", "/b")

	redirected("/c")
	w.clear(site, false)
	want("since the site was found well")
	redirected("/c")
	w.answered(site, url("/new"), true, 3)
	want("after a page")
}
