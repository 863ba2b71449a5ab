package verify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A pause across two runs is judged without the hour by which the wall clock was set between them, and records of one run that tell
// of the clock of the machine cannot be moved against each other.
func TestProve_AClockSetForwardBetweenTwoRuns(t *testing.T) {
	again := func(pause float64, set time.Duration) []ledger.Record {
		records := story()
		began := 12.1 + pause - 0.1 // the last request ended at 12.1
		start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart, Time: at(began), Product: "cybermapper", Policy: policy()}
		next := request("/next", 12.1+pause)
		next.Clock = secs(0.1)
		done := outcome("/next", 12.2+pause)
		last := ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(12.3 + pause), Why: "done"}
		if set == 0 {
			return append(records, start, next, done, last)
		}
		clock := ledger.Record{Type: ledger.Run, Event: ledger.EventClock, Time: at(began), Set: ledger.Millis(set)}
		return setClock(set, append(records, clock, start, next, done, last))
	}
	for name, tt := range map[string]struct {
		records []ledger.Record
		want    verify.Verdict
	}{
		"long enough":                 {again(5, 0), verify.Proven},
		"too short":                   {again(1, 0), verify.Refuted},
		"long enough, set by an hour": {again(5, time.Hour), verify.Proven},
		"too short, set by an hour":   {again(1, time.Hour), verify.Refuted},
	} {
		t.Run(name, func(t *testing.T) {
			mustProve(t, tt.records, tt.want)
		})
	}
}

// A pause across two runs between which the wall clock was set back is judged by the clock of the machine, where both tell it:
// a request may leave when the queue has been open for as long as was owed, which is before the run says that it begins.
func TestProve_AClockSetBackBetweenTwoRuns(t *testing.T) {
	for name, tt := range map[string]struct {
		pause float64 // since the last request, which ended at 12.1
		boot  string  // which start of the machine the second run is of
		back  time.Duration
		want  verify.Verdict
	}{
		"repaired":           {5, "a", 2 * time.Hour, verify.Proven},
		"long enough":        {5, "a", time.Hour, verify.Proven},
		"too short":          {1, "a", time.Hour, verify.Refuted},
		"of another start":   {5, "b", time.Hour, verify.Refuted},
		"less than it takes": {5, "a", 3500 * time.Millisecond, verify.Proven},
		"too short, by less": {1, "a", 500 * time.Millisecond, verify.Refuted},
	} {
		t.Run(name, func(t *testing.T) {
			stamped := func(r ledger.Record, boot string, seconds float64) ledger.Record {
				r.Time, r.Boot, r.BootAt = at(seconds), boot, secs(1000+seconds)
				return r
			}
			records := story()
			end := len(records) - 1
			records[0], records[end] = stamped(records[0], "a", 0), stamped(records[end], "a", 13)
			start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart, Product: "cybermapper", Policy: policy()}
			start = stamped(start, tt.boot, 12.1+tt.pause-0.1)
			next := request("/next", 12.1+tt.pause)
			next.Clock, next.Kept = secs(0.1), secs(tt.pause)
			done := outcome("/next", 12.2+tt.pause)
			last := stamped(ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Why: "done"}, tt.boot, 12.3+tt.pause)
			second := []ledger.Record{start, next, done, last}
			if name == "repaired" {
				repair := stamped(ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Why: "damaged"}, tt.boot, 12.1+tt.pause-0.5)
				second = append([]ledger.Record{repair}, second...)
			}
			for i := range second {
				r := &second[i]
				for _, at := range []*time.Time{&r.Time, &r.Start, &r.FirstByte, &r.End, &r.Expires} {
					if !at.IsZero() {
						*at = at.Add(-tt.back)
					}
				}
			}
			mustProve(t, append(records, second...), tt.want)
		})
	}
}

// The clock of the machine and the one on the wall are read one after the other, so they differ a little from run to run: that sets
// no clock, and a robots.txt that is asked for before it was due is told all the same. A clock that was set back is told.
func TestProve_ClocksAreReadOneAfterTheOther(t *testing.T) {
	for name, tt := range map[string]struct {
		back time.Duration // before the second run
		want verify.Verdict
		told bool
	}{
		"read slowly": {300 * time.Microsecond, verify.NotShown, false},
		"set back":    {2 * time.Second, verify.Proven, true},
	} {
		t.Run(name, func(t *testing.T) {
			records := story()
			start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart, Product: "cybermapper", Policy: policy()}
			start.Time, start.Boot, start.BootAt = at(20), "since noon", secs(1020)+ledger.Millis(tt.back)
			again := robotsRequest(20.5)
			again.Clock = secs(0.5)
			last := ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(21), Why: "done"}
			last.Boot, last.BootAt = "since noon", secs(1021)+ledger.Millis(tt.back)
			r := prove(t, write(t, paced(append(records, start, again, last))), verify.Options{})
			if got := r.Promise(verify.Once).Verdict; got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if told := strings.Contains(strings.Join(r.Notes, "\n"), "the wall clock was set 1 time"); told != tt.told {
				t.Errorf("notes: %q", r.Notes)
			}
		})
	}
}

// mustProve checks what becomes of records, and tells why where it is something else.
func mustProve(t *testing.T, records []ledger.Record, want verify.Verdict) {
	t.Helper()
	r := prove(t, write(t, records), verify.Options{})
	if r.Verdict == want {
		return
	}
	t.Errorf("%s, want %s", r.Verdict, want)
	for _, p := range r.Promises {
		t.Logf("%s %s %v", p.Verdict, p.Name, p.Findings)
	}
}
