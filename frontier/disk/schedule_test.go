package disk_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that sites which find no place in memory get their turn all the same, each when it is due, the longest due first.
func TestLease_ManySites(t *testing.T) {
	for _, reopen := range []bool{false, true} {
		t.Run(fmt.Sprintf("reopen=%v", reopen), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { manySites(t, reopen) })
		})
	}
}

func manySites(t *testing.T, reopen bool) {
	const sites, gap = 1000, 2000 * time.Second
	o := disk.Options{FS: vfs.NewMem(), Memory: 1, ActiveSites: 32}
	f := open(t, "f", o)
	for i := range sites {
		name := fmt.Sprintf("http://site-%d/", i)
		frontiertest.Queue(t, f, name+"1", name+"2", name+"3")
		time.Sleep(time.Second)
	}
	mustHave(t, f, frontier.Stats{Known: 3 * sites, Queued: 3 * sites, Sites: sites}, 32)
	for turn := range 3 {
		if reopen {
			f.Close()
			f = open(t, "f", o)
		}
		for i := range sites {
			l := frontiertest.MustLease(t, f, time.Hour)
			if want := fmt.Sprintf("site-%d", i); l.Site() != want {
				t.Fatalf("turn %d: leased %s, want %s", turn, l.Site(), want)
			}
			take(t, l, gap)
			time.Sleep(time.Second)
		}
		mustBeSound(t, f)
	}
	if _, err := f.Lease(t.Context(), time.Hour); !errors.Is(err, frontier.ErrIdle) {
		t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
	}
	mustHave(t, f, frontier.Stats{Known: 3 * sites, Done: 3 * sites, Sites: sites}, 0)
	f.Close()
}

// mustHave compares the totals; that many sites too many may be counted as waiting.
func mustHave(t *testing.T, f frontier.Frontier, want frontier.Stats, exact int64) {
	t.Helper()
	got, err := f.Stats(t.Context())
	if exact > 0 && got.Waiting <= want.Sites-exact/2 {
		got.Waiting = 0
	}
	if err != nil || got != want {
		t.Errorf("Stats = %+v, %v, want %+v", got, err, want)
	}
}

// take makes a request, settles an entry, and closes the lease.
func take(t *testing.T, l frontier.Lease, gap time.Duration) {
	t.Helper()
	g := frontiertest.MustPermit(t, l, l.Site())
	g.Done(gap)
	e, ok, err := l.Next(t.Context())
	if err == nil && ok {
		_, err = l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done})
	}
	if err != nil || !ok {
		t.Fatalf("Next = %s, %v, %v", e.URL, ok, err)
	}
	frontiertest.MustClose(t, l)
}

// Ensure that a low priority puts a site off for a bounded time, and that sites which find no place in memory have priority, too.
func TestLease_PriorityWithoutStarving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := disk.Options{FS: vfs.NewMem(), Memory: 1, ActiveSites: 16}
		f := open(t, "f", o)
		add := func(site string, priority int8) {
			link := frontier.Link{URL: frontiertest.URL(t, "http://"+site+"/"), Priority: priority}
			frontiertest.MustAdd(t, f, link)
			time.Sleep(time.Millisecond)
		}
		add("low", -frontier.MaxPriority)
		for i := range 100 {
			add(fmt.Sprintf("common-%d", i), 0)
		}
		add("high", frontier.MaxPriority)
		frontiertest.MustClose(t, f)
		f = open(t, "f", o)
		defer f.Close()
		for _, want := range []string{"high", "common-0", "common-1"} {
			if l := frontiertest.MustLease(t, f, time.Hour); l.Site() != want {
				t.Fatalf("leased %s, want %s", l.Site(), want)
			}
		}
		time.Sleep(2 * frontier.MaxPriority * frontier.PriorityLead)
		add("high2", frontier.MaxPriority)
		for i := range 98 {
			if l := frontiertest.MustLease(t, f, time.Hour); l.Site() != fmt.Sprintf("common-%d", i+2) {
				t.Fatalf("leased %s, want common-%d", l.Site(), i+2)
			}
		}
		for _, want := range []string{"low", "high2"} {
			if l := frontiertest.MustLease(t, f, time.Hour); l.Site() != want {
				t.Errorf("leased %s, want %s", l.Site(), want)
			}
		}
	})
}

// Ensure that after a crash, when all sites wait from the moment of opening, those without a place in memory do so too.
func TestLease_ManySitesAfterCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sites = 300
		fs := vfs.NewCrashableMem()
		o := disk.Options{FS: fs, Memory: 1, ActiveSites: 16, DefaultDelay: time.Minute}
		f := open(t, "f", o)
		for i := range sites {
			frontiertest.Queue(t, f, fmt.Sprintf("http://site-%d/1", i))
		}
		o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
		f.Close()
		time.Sleep(time.Hour)
		f = open(t, "f", o)
		defer f.Close()
		start := time.Now()
		if _, err := f.Lease(t.Context(), 59*time.Second); !errors.Is(err, frontier.ErrWaiting) {
			t.Errorf("Lease: %v, want %v", err, frontier.ErrWaiting)
		}
		if st, err := f.Stats(t.Context()); err != nil || st.Waiting != sites {
			t.Errorf("Stats = %+v, %v, want all waiting", st, err)
		}
		for range sites {
			take(t, frontiertest.MustLease(t, f, time.Hour), 0)
			if got := time.Since(start); got != time.Minute {
				t.Fatalf("leased after %v, want 1m", got)
			}
		}
		if _, err := f.Lease(t.Context(), 0); !errors.Is(err, frontier.ErrIdle) {
			t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
		}
	})
}

// Ensure that Next keeps the order of a long queue while links come in before and after where it reads.
func TestNext_LongQueue(t *testing.T) {
	f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1})
	defer f.Close()
	ls := func(depth, from, n int) (all []frontier.Link) {
		for i := range n {
			all = append(all, frontier.Link{URL: frontiertest.URL(t, fmt.Sprintf("http://a/%d/%d", depth, from+i)), Depth: depth})
		}
		return all
	}
	for _, batch := range [][]frontier.Link{ls(2, 0, 300), ls(1, 0, 100)} {
		frontiertest.MustAdd(t, f, batch...)
	}
	l := frontiertest.MustLease(t, f, time.Hour)
	next := map[int]int{}
	expect := func(depth, n int) {
		t.Helper()
		for range n {
			e, ok, err := l.Next(t.Context())
			if want := frontiertest.URL(t, fmt.Sprintf("http://a/%d/%d", depth, next[depth])); err != nil || !ok || e.URL != want {
				t.Fatalf("Next = %s, %v, %v, want %s", e.URL, ok, err, want)
			}
			next[depth]++
			if next[depth]%3 != 0 { // some stay taken
				frontiertest.MustSettle(t, l, frontier.Outcome{Entry: e, Status: frontier.Done})
			}
		}
	}
	expect(1, 50)
	f.Add(t.Context(), ls(1, 100, 5)) // behind those of depth 1, before those of depth 2
	expect(1, 55)
	expect(2, 70)
	f.Add(t.Context(), ls(0, 0, 5)) // before all
	expect(0, 5)
	expect(2, 230)
	f.Add(t.Context(), ls(1, 105, 2)) // before all, when all was read
	f.Add(t.Context(), ls(3, 0, 2))
	expect(1, 2)
	expect(3, 2)
	if e, ok, err := l.Next(t.Context()); ok || err != nil {
		t.Errorf("Next = %s, %v, %v, want nothing", e.URL, ok, err)
	}
	l.Close() // what was taken goes back
	l = frontiertest.MustLease(t, f, time.Hour)
	for _, want := range []string{"0/2", "1/2", "1/5"} {
		if e, _, err := l.Next(t.Context()); err != nil || e.URL != frontiertest.URL(t, "http://a/"+want) {
			t.Errorf("Next = %s, %v, want http://a/%s", e.URL, err, want)
		}
	}
	mustBeSound(t, f)
}
