package verify_test

import (
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
			r := prove(t, write(t, tt.records), verify.Options{})
			if r.Verdict != tt.want {
				t.Errorf("%s, want %s", r.Verdict, tt.want)
				for _, p := range r.Promises {
					t.Logf("%s %s %v", p.Verdict, p.Name, p.Findings)
				}
			}
		})
	}
}
