package engine

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/bootclock"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// A wall clock that was set while the ledger was written, or back before this run, neither prolongs nor cuts short what its records
// say is owed, be it to the queue of a run that was killed or to a crawl that starts over.
func TestPausesOfALedgerWhoseClockWasSet(t *testing.T) {
	const asks = 10 * time.Minute
	now := time.Now()
	rest := func(told time.Time) ledger.Record {
		return ledger.Record{Type: ledger.Rest, Site: "a.example", Time: told, NotBefore: told.Add(asks), Reason: "busy", Attempt: 1}
	}
	run := func(event string, at time.Time, set time.Duration) ledger.Record {
		return ledger.Record{Type: ledger.Run, Event: event, Time: at, Set: ledger.Millis(set)}
	}
	earlier := func(r ledger.Record, by time.Duration) ledger.Record { // so much by the clock of the machine
		boot := bootclock.Read()
		r.Boot, r.BootAt = boot.Boot, ledger.Millis(boot.Since-by)
		return r
	}
	type story struct {
		records []ledger.Record
		left    time.Duration
	}
	tests := map[string]story{
		"never set":            {[]ledger.Record{rest(now.Add(-time.Minute))}, asks - time.Minute},
		"set back before this": {[]ledger.Record{rest(now.Add(time.Hour))}, asks},
		"set forward while it was written": {
			[]ledger.Record{rest(now.Add(-time.Hour - time.Minute)), run(ledger.EventClock, now, time.Hour)}, asks - time.Minute,
		},
		"set back while it was written": {
			[]ledger.Record{rest(now.Add(time.Hour - time.Minute)), run(ledger.EventClock, now, -time.Hour)}, asks - time.Minute,
		},
		"set back between two runs": {
			[]ledger.Record{rest(now.Add(time.Hour)), run(ledger.EventStart, now.Add(-time.Minute), 0)}, asks - time.Minute,
		},
		"set back before a repair": {
			[]ledger.Record{rest(now.Add(time.Hour)), run(ledger.EventRepair, now.Add(-time.Minute), 0), run(ledger.EventStart, now, 0)},
			asks - time.Minute,
		},
	}
	if bootclock.Read().Boot != "" {
		start := earlier(run(ledger.EventStart, now.Add(-time.Minute), 0), time.Minute)
		tests["set back before this, as the machine knows"] = story{
			[]ledger.Record{earlier(rest(now.Add(time.Hour)), 2*time.Minute)}, asks - 2*time.Minute,
		}
		tests["set back by less than it rested"] = story{
			[]ledger.Record{earlier(rest(now.Add(-3*time.Minute)), 5*time.Minute)}, asks - 5*time.Minute,
		}
		tests["set back between two runs, as the machine knows"] = story{
			[]ledger.Record{earlier(rest(now.Add(time.Hour)), 3*time.Minute), start}, asks - 3*time.Minute,
		}
		tests["set forward before this"] = story{[]ledger.Record{earlier(rest(now.Add(-time.Hour-time.Minute)), time.Minute)}, asks - time.Minute}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ledgertest.Write(t, dir, ledger.Options{}, tt.records...)
			f, err := disk.Open(t.TempDir(), disk.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			u := frontiertest.URL(t, "http://a.example/")
			if _, err := f.Add(t.Context(), []frontier.Link{{URL: u}}); err != nil {
				t.Fatal(err)
			}
			if err := recallGates(t.Context(), dir, f, &crawler.Politeness{}, now); err != nil {
				t.Fatal(err)
			}
			info, _, err := f.Site(t.Context(), "a.example")
			if err != nil {
				t.Fatal(err)
			}
			debts, err := debtsOfLedger(dir, now)
			if err != nil {
				t.Fatal(err)
			}
			for who, until := range map[string]time.Time{"the queue": info.Policy.BlockedUntil, "a new crawl": debts["a.example"].Until} {
				if left := until.Sub(now); (left - tt.left).Abs() > 30*time.Second {
					t.Errorf("%s leaves the site alone for %v, want %v", who, left, tt.left)
				}
			}
		})
	}
}

// What a site is owed is told on the clock that nobody sets: the wall clock may be set between the reading of the ledger and the
// writing of the queue.
func TestGate_IsKeptFromAWallClockThatIsSet(t *testing.T) {
	now := time.Now()
	told := now.Round(0).Add(-time.Minute)
	d := gate{end: told, until: told, failed: crawler.Request{End: told}}
	d.anchor(now)
	for name, got := range map[string]time.Time{"end": d.end, "until": d.until, "failed": d.failed.End} {
		if got == got.Round(0) || !got.Equal(now.Add(-time.Minute)) {
			t.Errorf("%s is %v, want a minute before %v, with a monotonic reading", name, got, now)
		}
	}
}
