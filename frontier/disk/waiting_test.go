package disk_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

func TestWaiting(t *testing.T) {
	f := open(t, t.TempDir(), disk.Options{})
	defer f.Close()
	ctx := t.Context()
	var links []frontier.Link
	for i, raw := range []string{"http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/"} {
		u := frontiertest.URL(t, raw)
		links = append(links, frontier.Link{URL: u, Depth: i})
	}
	if _, err := f.Add(ctx, links[:3]); err != nil { // the other site comes later, so that there is one to lease
		t.Fatal(err)
	}
	lease := frontiertest.MustLease(t, f, time.Second)
	first := frontiertest.MustNext(t, lease)
	frontiertest.MustSettle(t, lease, frontier.Outcome{Entry: first, Status: frontier.Retrying, NotBefore: time.Now().Add(time.Hour)})
	frontiertest.MustClose(t, lease)
	if _, err := f.Add(ctx, links[3:]); err != nil {
		t.Fatal(err)
	}
	for site, want := range map[string][]string{
		"a.example": {"http://a.example/2", "http://a.example/3", "http://a.example/1"}, "b.example": {"http://b.example/"}, "c.example": nil,
	} {
		var got []string
		for e, err := range f.Waiting(ctx, site) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.URL.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("Waiting(%s) = %q, want %q", site, got, want)
		}
	}
	for range f.Waiting(ctx, "a.example") {
		break
	}
}
