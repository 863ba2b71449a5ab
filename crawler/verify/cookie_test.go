package verify_test

import (
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Where the ledger says that the cookies of a site are taken, a URL that answered by a redirect may be asked for once more in a
// run: not twice, not after another answer, and nowhere else.
func TestProve_OnceMoreWithACookie(t *testing.T) {
	for _, test := range []struct {
		name   string
		why    string
		status int
		asked  int
		want   verify.Verdict
	}{
		{"with it", "requests carry " + ledger.TakenCookies, 302, 2, verify.Proven},
		{"twice", "requests carry " + ledger.TakenCookies, 302, 3, verify.Refuted},
		{"after a page", "requests carry " + ledger.TakenCookies, 200, 2, verify.Refuted},
		{"with cookies of a file", "requests carry cookies", 302, 2, verify.Refuted},
		{"without a word", "", 302, 2, verify.Refuted},
	} {
		records := story()[:2]
		if test.why != "" {
			records = slices.Insert(records, 1, ledger.Record{
				Type: ledger.Run, Event: ledger.EventOverride, Time: at(0.1), Site: host, Connections: 1, Why: test.why,
			})
		}
		for n := range test.asked {
			start := 3 + 3*float64(n)
			r, o := request("/", start), outcome("/", start+0.2)
			if n < test.asked-1 {
				r.Status, o.Status = test.status, test.status
				o.File, o.Digest = "", ""
			}
			records = append(records, r, o)
		}
		records = append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(15), Why: "done"})
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Once); p.Verdict != test.want {
			t.Errorf("%s: %s, want %s (%v)", test.name, p.Verdict, test.want, p.Findings)
		}
	}
}
