package verify_test

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// TestProve_RedirectThatIsNotFollowed: a robots.txt that leads where the crawl does not go, of which there is no record, is asked
// for anew later on. That gives no rules: a page that is asked for before they came is one too many.
func TestProve_RedirectThatIsNotFollowed(t *testing.T) {
	moved := func(start float64) ledger.Record {
		r := robotsRequest(start)
		r.Status, r.Location, r.Outcome, r.Digest, r.Expires = 302, "http://mail.example:25/", "redirected", "", time.Time{}
		return r
	}
	for _, tt := range []struct {
		name  string
		again ledger.Record
		want  verify.Verdict
	}{
		{"then there is a file", robotsRequest(3), verify.Proven},
		{"it still leads there", moved(3), verify.Refuted},
	} {
		records := append(story()[:1], moved(0.5), tt.again, request("/", 6), outcome("/", 6.2),
			ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(13), Why: "done"})
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Decided); p.Verdict != tt.want {
			t.Errorf("%s: %s, want %s: %v", tt.name, p.Verdict, tt.want, p.Findings)
		}
	}
}
