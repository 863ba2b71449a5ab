package verify_test

import (
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A URL that answers by a redirect to itself until it gets its cookie may do so in each visit.
func TestProve_OnceMoreWithACookieEachTime(t *testing.T) {
	start := story()[0]
	var records []ledger.Record
	for visit := range 3 {
		begins := 20 * float64(visit)
		start.Time = at(begins)
		records = append(records, start, ledger.Record{
			Type: ledger.Run, Event: ledger.EventOverride, Time: at(begins), Site: host, Connections: 1, Why: "requests carry " + ledger.TakenCookies,
		})
		if visit == 0 {
			records = append(records, robotsRequest(0.5))
		} else {
			records = append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventAgain, Time: at(begins), Why: "due"})
		}
		for n, status := range []int{302, 304} {
			since := 3 + 3*float64(n)
			r, o := request("/", begins+since), outcome("/", begins+since+0.2)
			r.Clock, r.Status, o.Status, o.File, o.Digest = secs(since), status, status, "", ""
			records = append(records, r, o)
		}
		records = append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(begins + 10), Why: "done"})
	}
	if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Once); p.Verdict != verify.Proven {
		t.Errorf("%s: %v", p.Verdict, p.Findings)
	}
}

// What a run was to ask for once more is left to the next one if it ends before, which has no cookies and so asks once more itself.
func TestProve_OnceMoreWithACookieInTheNextRun(t *testing.T) {
	start := story()[0]
	override := ledger.Record{
		Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, Connections: 1, Why: "requests carry " + ledger.TakenCookies,
	}
	for answers, want := range map[int]verify.Verdict{2: verify.Proven, 3: verify.Refuted} { // in the next run
		records := []ledger.Record{start, override, robotsRequest(0.5)}
		ask := func(run, since float64, status int) {
			r, o := request("/", run+since), outcome("/", run+since+0.2)
			if r.Clock, r.Status, o.Status = secs(since), status, status; status != 200 {
				o.File, o.Digest = "", ""
			}
			records = append(records, r, o)
		}
		ask(0, 3, 302)
		records = append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(5), Why: "max-pages"})
		again := start
		again.Time = at(20)
		records = append(records, again, override)
		records[len(records)-1].Time = at(20)
		for n := range answers {
			ask(20, 3+3*float64(n), []int{200, 302}[min(answers-1-n, 1)])
		}
		records = append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(40), Why: "done"})
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Once); p.Verdict != want {
			t.Errorf("%d: %s, want %s: %v", answers, p.Verdict, want, p.Findings)
		}
	}
}

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
