package disk_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// onMachine returns the clock of a machine that was started an hour before bubbles begin.
func onMachine(boot string) func() bootclock.Reading {
	started := time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC)
	return func() bootclock.Reading { return bootclock.Reading{Boot: boot, Since: time.Since(started)} }
}

// openOn opens the frontier of a log on a machine, from nothing but the log.
func openOn(t testing.TB, boot string, log *memLog, o disk.Options) *disk.Frontier {
	t.Helper()
	o.FS, o.Memory, o.Log, o.Boot = vfs.NewMem(), 1, log.take(), onMachine(boot)
	return open(t, "f", o)
}

// After a hand-over to another machine every site waits its delay, or its last gap if that is longer, from opening on, though the
// frontier was closed; on the same machine only for what is left of it.
func TestHandOver_Gaps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		boots [2]string
		crash bool
		gap   time.Duration // that the request made the next one owe; the delay is 10 seconds
		away  time.Duration // between the request and opening again
		waits time.Duration // from opening
	}{
		{"the same machine", [2]string{"a", "a"}, false, time.Second, 3 * time.Second, 7 * time.Second},
		{"the same machine, long ago", [2]string{"a", "a"}, false, time.Second, time.Hour, 0},
		{"the same machine, crashed", [2]string{"a", "a"}, true, time.Second, 3 * time.Second, 10 * time.Second},
		{"another machine", [2]string{"a", "b"}, false, time.Second, 3 * time.Second, 10 * time.Second},
		{"another machine, long ago", [2]string{"a", "b"}, false, time.Second, time.Hour, 10 * time.Second},
		{"another machine, crashed", [2]string{"a", "b"}, true, time.Second, 3 * time.Second, 10 * time.Second},
		{"another machine, a slow answer", [2]string{"a", "b"}, false, 25 * time.Second, 3 * time.Second, 25 * time.Second},
		{"nobody knows", [2]string{"", ""}, false, time.Second, 3 * time.Second, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, log := time.Now(), &memLog{}
				f := openOn(t, tt.boots[0], log, disk.Options{})
				frontiertest.Queue(t, f, "http://a/1", "http://a/2")
				l := frontiertest.MustLease(t, f, time.Hour)
				l.SetPolicy(t.Context(), frontier.SitePolicy{Delay: 10 * time.Second})
				ask(t, l, true, tt.gap)
				if tt.crash {
					log = log.copy()
				}
				f.Close()
				time.Sleep(tt.away)

				start := time.Now()
				f = openOn(t, tt.boots[1], log, disk.Options{Began: began}) // by a process that has been there all the time
				defer f.Close()
				if isClean := tt.waits < 10*time.Second; f.Unclean() == isClean {
					t.Errorf("Unclean = %v", f.Unclean())
				}
				l = frontiertest.MustLease(t, f, time.Hour)
				if _, err := l.Permit(t.Context(), "a"); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != tt.waits {
					t.Errorf("the next request may leave after %v, want %v", got, tt.waits)
				}
			})
		})
	}
}

// rest adds an entry of a site that is blocked for a while, or whose next attempt is put off so long.
func rest(t *testing.T, f *disk.Frontier, host string, blocked, putOff time.Duration) {
	t.Helper()
	u := frontiertest.URL(t, "http://"+host+"/")
	frontiertest.MustAdd(t, f, frontier.Link{URL: u})
	l := frontiertest.MustLease(t, f, 0)
	defer l.Close()
	e, ok, err := l.Next(t.Context())
	if err != nil || !ok || e.URL != u {
		t.Fatalf("next is %v, %v, %v, want %v", e, ok, err, u)
	}
	if blocked > 0 {
		err = l.SetPolicy(t.Context(), frontier.SitePolicy{BlockedUntil: time.Now().Add(blocked), BlockReason: "busy"})
	}
	if putOff > 0 {
		_, err = l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Retrying, NotBefore: time.Now().Add(putOff)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a site is blocked for, and what is put off, lasts after a hand-over to another machine longer by what the clocks may
// differ, on the same machine exactly as long.
func TestHandOver_Rests(t *testing.T) {
	for name, tt := range map[string]struct {
		boot string
		skew time.Duration
		more time.Duration
	}{
		"the same machine":       {"a", 0, 0},
		"another one":            {"b", 0, time.Second},
		"more than a second off": {"b", 5 * time.Second, 5 * time.Second},
		"no idea by how much":    {"b", time.Hour, 20 * time.Second}, // what was away
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, log := time.Now(), &memLog{}
				f := openOn(t, "a", log, disk.Options{})
				rest(t, f, "a.example", time.Minute, 0)
				rest(t, f, "b.example", 0, time.Minute)
				f.Close()
				time.Sleep(20 * time.Second)
				f = openOn(t, tt.boot, log, disk.Options{Skew: tt.skew})
				for range 2 {
					l := frontiertest.MustLease(t, f, time.Hour)
					if got := time.Since(start); got != time.Minute+tt.more {
						t.Errorf("%s rested for %v, want a minute and %v", l.Site(), got, tt.more)
					}
					defer l.Close()
				}
				f.Close()
			})
		})
	}
}

// Ensure that with Drift the first request to a site waits that much longer, from opening, on any machine, and none in a new
// frontier.
func TestHandOver_Drift(t *testing.T) {
	for _, boot := range []string{"a", "b"} {
		synctest.Test(t, func(t *testing.T) {
			log, o := &memLog{}, disk.Options{Drift: 3 * time.Second, DefaultDelay: time.Second}
			for _, want := range []time.Duration{0, 4 * time.Second} {
				f := openOn(t, boot, log, o)
				boot = "a"
				opened := time.Now()
				frontiertest.Queue(t, f, "http://a/1", "http://a/2")
				l := frontiertest.MustLease(t, f, time.Hour)
				if got := time.Since(opened); got != want {
					t.Errorf("waited for %v, want %v", got, want)
				}
				ask(t, l, true, time.Second)
				f.Close()
				time.Sleep(10 * time.Second)
			}
		})
	}
}

// Ensure that it is known that another machine had the frontier, though it did nothing with it.
func TestHandOver_There(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memLog{}
		for _, tt := range []struct {
			boot    string
			unclean bool
		}{{"a", false}, {"a", false}, {"b", true}, {"a", true}} {
			f := openOn(t, tt.boot, log, disk.Options{})
			if f.Unclean() != tt.unclean {
				t.Errorf("on %s: Unclean = %v, want %v", tt.boot, f.Unclean(), tt.unclean)
			}
			frontiertest.Queue(t, f, "http://a/1")
			l := frontiertest.MustLease(t, f, time.Hour)
			l.Close()
			f.Close()
		}
	})
}

// Ensure that a frontier that rests appends nothing to its log.
func TestLog_Idle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &memLog{}
		f := openOn(t, "a", log, disk.Options{})
		defer f.Close()
		frontiertest.Queue(t, f, "http://a/1")
		before := log.len()
		time.Sleep(time.Hour)
		if got := log.len() - before; got != 0 {
			t.Errorf("%d records in an hour of rest", got)
		}
	})
}
