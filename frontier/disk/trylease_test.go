package disk_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// tryLease calls TryLease, which must not fail, nor take any time.
func tryLease(t testing.TB, f *disk.Frontier) (frontier.Lease, time.Time) {
	t.Helper()
	start := time.Now()
	l, next, err := f.TryLease(t.Context())
	if err != nil {
		t.Fatalf("TryLease: %v", err)
	}
	if took := time.Since(start); took != 0 {
		t.Errorf("TryLease took %v", took)
	}
	return l, next
}

// Ensure that TryLease leases what is due, says when something will be, and does not wait.
func TestTryLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1})
		if l, next := tryLease(t, f); l != nil || !next.IsZero() {
			t.Errorf("TryLease = %v, %v of nothing", l, next)
		}
		frontiertest.Queue(t, f, "http://a/1", "http://b/1")
		first, _ := tryLease(t, f)
		second, _ := tryLease(t, f)
		if first == nil || second == nil || first.Site() == second.Site() {
			t.Fatalf("leased %v and %v, want both sites", first, second)
		}
		if l, next := tryLease(t, f); l != nil || !next.IsZero() {
			t.Errorf("TryLease = %v, %v with all leased", l, next)
		}
		until := time.Now().Add(time.Minute)
		first.Yield(until)
		first.Close()
		if l, next := tryLease(t, f); l != nil || !next.Equal(until) {
			t.Errorf("TryLease = %v, %v, want nothing until %v", l, next, until)
		}
		time.Sleep(time.Minute)
		l, _ := tryLease(t, f)
		if l == nil || l.Site() != first.Site() {
			t.Errorf("TryLease = %v, want %s", l, first.Site())
		}
		f.Close()
		if _, _, err := f.TryLease(t.Context()); !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("TryLease = %v, want %v", err, frontier.ErrClosed)
		}
	})
}

// Ensure that a caller that never waits in a frontier, but only for Notify and the times it was told, crawls many of them, each
// site as soon as it is due, with so little memory that sites come and go.
func TestTryLease_Many(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const frontiers, sites, pages = 3, 40, 3
		look := make(chan struct{}, 1)
		var fs []*disk.Frontier
		for range frontiers {
			notify := func() {
				select {
				case look <- struct{}{}:
				default:
				}
			}
			f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, ActiveSites: 1, Notify: notify})
			defer f.Close()
			fs = append(fs, f)
		}
		for site := range sites {
			if site%2 == 0 {
				addPages(t, fs, site, pages)
				continue
			}
			time.AfterFunc(500*time.Millisecond, func() { addPages(t, fs, site, pages) }) // what comes meanwhile is noticed
		}
		start, settled := time.Now(), 0
		for settled < frontiers*sites*pages {
			next := time.Now().Add(time.Hour)
			for _, f := range fs {
				n, due := leaseAll(t, f)
				settled += n
				if !due.IsZero() && due.Before(next) {
					next = due
				}
			}
			timer := time.NewTimer(time.Until(next))
			select {
			case <-look:
			case <-timer.C:
			}
			timer.Stop()
		}
		if got := time.Since(start); got != (pages-1)*time.Second+500*time.Millisecond {
			t.Errorf("all took %v, want the delays of one site: %d", got, pages-1)
		}
	})
}

func addPages(t *testing.T, fs []*disk.Frontier, site, pages int) {
	for _, f := range fs {
		for page := range pages {
			frontiertest.Queue(t, f, fmt.Sprintf("http://site-%d/%d", site, page))
		}
	}
}

// leaseAll leases what is due until nothing is, settles one page each time, and returns how many that were, and when to go on.
func leaseAll(t *testing.T, f *disk.Frontier) (settled int, next time.Time) {
	for {
		l, next := tryLease(t, f)
		if l == nil {
			return settled, next
		}
		g := frontiertest.MustPermit(t, l, l.Site())
		g.Done(time.Second)
		e := frontiertest.MustNext(t, l)
		frontiertest.MustSettle(t, l, frontier.Outcome{Entry: e, Status: frontier.Done})
		settled++
		l.Close()
	}
}

// Ensure that Notify is called when the frontier fails, may use the frontier, and is not called once Close has returned.
func TestNotify_Fails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no broker")
		owner := new(memLog).take()
		var f *disk.Frontier
		var heard atomic.Pointer[error]
		var isOpen atomic.Bool
		notify := func() {
			if isOpen.Load() {
				_, _, err := f.TryLease(t.Context())
				heard.Store(&err)
			}
		}
		f = open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, Log: owner, Notify: notify})
		isOpen.Store(true)
		synctest.Wait()
		owner.before = func(int) error { return broken }
		if _, err := f.Add(t.Context(), frontiertest.Links(t, "http://a/1")); !errors.Is(err, broken) {
			t.Errorf("Add = %v, want %v", err, broken)
		}
		synctest.Wait()
		if err := heard.Load(); err == nil || !errors.Is(*err, broken) {
			t.Errorf("TryLease in Notify = %v, want %v", err, broken)
		}
		f.Close()
	})
}
