package verify

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A machine that goes down takes the records of the last second with it; not every system says that it did.
func TestTeller_RecordsLost(t *testing.T) {
	for _, tt := range []struct {
		before, after string // which start of the machine
		want          int    // requests that may be missing
	}{{"a", "a", 1}, {"a", "b", 3}, {"", "", 3}, {"a", "", 3}} {
		told := teller{comparer: &comparer{onRecord: onRecord{connection: 1}}}
		start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart, Policy: &ledger.Policy{Delay: ledger.Millis(time.Second / 2)}}
		for i, boot := range []string{tt.before, tt.after} {
			start.Boot, start.Time = boot, time.Unix(int64(60*i), 0)
			told.add(&ledger.Entry{Record: start})
		}
		if len(told.losses) != 1 || told.losses[0].left != tt.want {
			t.Errorf("%q, then %q: %+v, want %d left", tt.before, tt.after, told.losses, tt.want)
		}
	}
}
