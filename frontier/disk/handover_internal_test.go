package disk

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// What the clock of a frontier with a log shows after it was closed when it showed noon, on which machine ever that was, and
// whatever its wall clock showed.
func TestTakeOver(t *testing.T) {
	at := func(boot string, since time.Duration) bootclock.Reading {
		return bootclock.Reading{Boot: boot, Since: since}
	}
	const s, h = time.Second, time.Hour
	for name, tt := range map[string]struct {
		then, now bootclock.Reading
		said      time.Duration // to have passed, by the wall clocks
		lead      time.Duration // of that of then
		want      time.Duration // to have passed
		moved     bool
	}{
		"the same machine":                 {at("a", h), at("a", h+10*s), 10 * s, 0, 10 * s, false},
		"a wall clock that is ahead":       {at("a", h), at("a", h+10*s), 10 * s, h, 10 * s, false},
		"it was set forward":               {at("a", h), at("a", h+10*s), h + 10*s, 0, 10 * s, false},
		"it was set back":                  {at("a", h), at("a", h+10*s), 10*s - h, 0, 10 * s, false},
		"it was set back a little":         {at("a", h), at("a", h+10*s), 7 * s, -h, 10 * s, false},
		"another machine":                  {at("a", h), at("b", 3*h), 60 * s, 0, 57 * s, true},
		"another, and a wall clock ahead":  {at("a", h), at("b", 3*h), 60 * s, h, 57 * s, true},
		"another, at once":                 {at("a", h), at("b", 3*h), 2 * s, 0, 0, true},
		"its clock is behind by an hour":   {at("a", h), at("b", 3*h), 60*s - h, 0, 0, true},
		"the same, which was started anew": {at("a", h), at("a", 5*s), 60 * s, 0, 57 * s, true},
		"nobody knows":                     {at("", 0), at("", 0), 60 * s, 0, 57 * s, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := clock{start: time.Now(), boot: func() bootclock.Reading { return tt.now }, roams: true, skew: 3 * time.Second}
				noon := time.Now().Add(-tt.said).UnixNano() - int64(tt.lead)
				c.takeUp(clockRecord{tt.lead, noon, tt.then})
				if got := time.Duration(c.now() - noon); got != tt.want || c.moved != tt.moved {
					t.Errorf("%v have passed, moved: %v, want %v, %v", got, c.moved, tt.want, tt.moved)
				}
				time.Sleep(time.Minute)
				if got := time.Duration(c.now() - noon); got != tt.want+time.Minute {
					t.Errorf("%v have passed a minute later", got)
				}
			})
		})
	}
}

// However long it takes to read the clock of the machine: a pause is not shorter for it when the wall clock was set forward.
func TestClock_TakeUpReadsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const set = time.Hour
		slowly := func() bootclock.Reading {
			time.Sleep(20 * time.Millisecond)
			return bootclock.Reading{Boot: "a", Since: time.Minute + 20*time.Millisecond}
		}
		c := clock{start: time.Now(), boot: slowly}
		shown := time.Now().Add(-set).UnixNano()
		c.takeUp(clockRecord{shown: shown, boot: bootclock.Reading{Boot: "a", Since: time.Minute}})
		if passed := time.Duration(c.now() - shown); passed > 20*time.Millisecond {
			t.Errorf("%v have passed, want no more than the 20ms that the machine shows", passed)
		}
	})
}

// A rest takes no longer when the wall clock is set back while no process runs, as far as the clock of the machine tells.
func TestClock_TakeUpAfterItWasSetBack(t *testing.T) {
	const h = time.Hour
	for _, tt := range []struct {
		boot       string
		said, want time.Duration // to have passed, by the wall clock
	}{
		{"a", -24 * h, 20 * h}, {"b", -24 * h, 0}, {"", -24 * h, 0},
		{"a", 17 * h, 20 * h}, {"b", 17 * h, 17 * h}, {"", 17 * h, 17 * h}, // by less than it rested
	} {
		synctest.Test(t, func(t *testing.T) {
			here := bootclock.Reading{Boot: tt.boot, Since: 21 * h}
			c := clock{start: time.Now(), boot: func() bootclock.Reading { return here }}
			shown := time.Now().Add(-tt.said).UnixNano()
			c.takeUp(clockRecord{shown: shown, boot: bootclock.Reading{Boot: "a", Since: h}})
			if passed := time.Duration(c.now() - shown); passed != tt.want {
				t.Errorf("start %q of the machine, %v by the wall clock: %v passed, want %v", tt.boot, tt.said, passed, tt.want)
			}
		})
	}
}

// A rest that the wall clock still shows, and that is over by the clock of the queue since that was set back, keeps no other away.
func TestBlock_AfterTheWallClockWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		machine := bootclock.Reading{Boot: "a", Since: time.Hour}
		o := Options{FS: vfs.NewMem(), Memory: 1, Boot: func() bootclock.Reading { return machine }}
		f, err := Open("f", o)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := frontier.ParseURL("http://a.example/")
		if _, err := f.Add(t.Context(), []frontier.Link{{URL: u}}); err != nil {
			t.Fatal(err)
		}
		now, asked := time.Now(), time.Minute
		if err := f.Block(t.Context(), "a.example", now.Add(time.Hour), "busy"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		machine.Since += 2 * time.Hour // two hours have passed since then, and the wall clock was set back by them
		if f, err = Open("f", o); err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := f.Block(t.Context(), "a.example", now.Add(asked), "busy"); err != nil {
			t.Fatal(err)
		}
		info, _, err := f.Site(t.Context(), "a.example")
		if left := info.Policy.BlockedUntil.Sub(now); err != nil || left != asked {
			t.Errorf("the site rests for %v, want %v: %v", left, asked, err)
		}
	})
}
