package disk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// isForeign takes the sites whose name begins with "far" for those of another frontier.
func isForeign(site string) bool { return strings.HasPrefix(site, "far") }

// Ensure that links to foreign sites are kept, once, in the step that settles their page, until they were passed on, whatever
// happens to the process meanwhile.
func TestOutgoing(t *testing.T) {
	fs := vfs.NewCrashableMem()
	o := disk.Options{FS: fs, Memory: 1, Foreign: isForeign}
	f := open(t, "f", o)
	frontiertest.Queue(t, f, "http://a/1")
	wantOutgoing(t, f, 10)

	l := frontiertest.MustLease(t, f, 0)
	e := frontiertest.MustNext(t, l)
	found := frontiertest.Links(t, "http://far/1", "http://a/2", "https://far.b/x?y", "http://far/1")
	res, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done, Links: found})
	if want := (frontier.AddResult{New: 1, Passed: 3}); err != nil || res != want {
		t.Errorf("Settle = %+v, %v, want %+v", res, err, want)
	}
	wantOutgoing(t, f, 10, "http://far/1", "https://far.b/x?y")

	// power is lost: the page is done, and its links are there
	o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
	f.Close()
	f = open(t, "f", o)
	if info, err := f.Lookup(t.Context(), e.URL); err != nil || info.Status != frontier.Done {
		t.Fatalf("after power loss the page is %+v, %v", info, err)
	}
	upTo := wantOutgoing(t, f, 10, "http://far/1", "https://far.b/x?y")

	res, err = f.Add(t.Context(), frontiertest.Links(t, "http://far/2"))
	if want := (frontier.AddResult{Passed: 1}); err != nil || res != want {
		t.Errorf("Add = %+v, %v, want %+v", res, err, want)
	}
	res, err = f.Add(t.Context(), frontiertest.Links(t, "http://far/2"))
	if want := (frontier.AddResult{Known: 1}); err != nil || res != want {
		t.Errorf("Add again = %+v, %v, want %+v", res, err, want)
	}
	wantOutgoing(t, f, 1, "http://far/1", "https://far.b/x?y") // what one commit brought comes together
	if err := f.Passed(t.Context(), upTo); err != nil {
		t.Fatal(err)
	}
	upTo = wantOutgoing(t, f, 10, "http://far/2")
	mustBeSound(t, f)
	if st, err := f.Stats(t.Context()); err != nil || st != (frontier.Stats{Known: 2, Queued: 1, Done: 1, Sites: 1}) {
		t.Errorf("Stats = %+v, %v", st, err)
	}

	if err := f.Passed(t.Context(), upTo); err != nil {
		t.Fatal(err)
	}
	if err := f.Passed(t.Context(), upTo+1); err == nil {
		t.Error("what was never there can be passed on")
	}
	f.Close()
	f = open(t, "f", o)
	defer f.Close()
	wantOutgoing(t, f, 10)
	frontiertest.Queue(t, f, "http://a/3")
	frontiertest.Queue(t, f, "http://far/3")
	if again := wantOutgoing(t, f, 10, "http://far/3"); again <= upTo {
		t.Errorf("number %d is given after %d was passed on", again, upTo)
	}
}

// Ensure that a link that is forced is passed on each time, and that a batch of any size is.
func TestOutgoing_Forced(t *testing.T) {
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Foreign: isForeign})
	defer f.Close()
	forced := frontiertest.Links(t, "http://far/1")
	forced[0].Force, forced[0].Depth = true, 7
	for range 2 {
		if res, err := f.Add(t.Context(), forced); err != nil || res.Passed != 1 {
			t.Errorf("Add = %+v, %v, want it passed on", res, err)
		}
	}
	got, _, err := f.Outgoing(t.Context(), 0, 10)
	if err != nil || len(got) != 2 || !got[0].Force || got[1].Depth != 7 {
		t.Errorf("Outgoing = %+v, %v, want the link twice, as it was", got, err)
	}
	many := make([]frontier.Link, 25_000)
	for i := range many {
		many[i].URL = frontiertest.URL(t, "http://far/"+time.Duration(i).String())
	}
	frontiertest.MustAdd(t, f, many...)
	for left := len(many) + 2; left > 0; {
		got, upTo, err := f.Outgoing(t.Context(), 0, 3)
		if err != nil || len(got) == 0 || len(got) > 3000 {
			t.Fatalf("Outgoing = %d links, %v, with %d left", len(got), err, left)
		}
		left -= len(got)
		if err := f.Passed(t.Context(), upTo); err != nil {
			t.Fatal(err)
		}
	}
	wantOutgoing(t, f, 10)
}

// Ensure that of the frontiers of a budget one passes a link on, unless it is forced, or they were told to forget.
func TestOutgoing_Budget(t *testing.T) {
	b := disk.NewBudget(1, 2)
	defer b.Close()
	var fs []*disk.Frontier
	for range 2 {
		f := open(t, "f", disk.Options{FS: vfs.NewMem(), Budget: b, Foreign: isForeign})
		defer f.Close()
		fs = append(fs, f)
	}
	forced := frontiertest.Links(t, "http://far/1")
	forced[0].Force = true
	for i, tt := range []struct {
		of     int
		link   []frontier.Link
		forget bool
		want   frontier.AddResult
	}{
		{of: 0, link: frontiertest.Links(t, "http://far/1"), want: frontier.AddResult{Passed: 1}},
		{of: 1, link: frontiertest.Links(t, "http://far/1"), want: frontier.AddResult{Known: 1}},
		{of: 1, link: frontiertest.Links(t, "http://far/2"), want: frontier.AddResult{Passed: 1}},
		{of: 1, link: forced, want: frontier.AddResult{Passed: 1}},
		{of: 0, link: frontiertest.Links(t, "http://near/1"), want: frontier.AddResult{New: 1}},
		{of: 1, link: frontiertest.Links(t, "http://near/1"), want: frontier.AddResult{New: 1}},
		{of: 1, link: frontiertest.Links(t, "http://far/1"), forget: true, want: frontier.AddResult{Passed: 1}},
		{of: 0, link: frontiertest.Links(t, "http://far/1"), want: frontier.AddResult{Known: 1}},
	} {
		if tt.forget {
			b.ForgetPassed()
		}
		if res, err := fs[tt.of].Add(t.Context(), tt.link); err != nil || res != tt.want {
			t.Errorf("%d: Add = %+v, %v, want %+v", i, res, err, tt.want)
		}
	}
}

// wantOutgoing checks what is to be passed on, in whatever order, and returns how to say that it was.
func wantOutgoing(t *testing.T, f *disk.Frontier, most int, want ...string) uint64 {
	t.Helper()
	got, upTo, err := f.Outgoing(t.Context(), 0, most)
	if err != nil {
		t.Fatalf("Outgoing: %v", err)
	}
	var names []string
	for _, l := range got {
		names = append(names, l.URL.String())
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("to be passed on is %q, want %q", names, want)
	}
	return upTo
}
