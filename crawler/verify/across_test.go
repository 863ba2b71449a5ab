package verify_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// node is the story of one of several jobs: a run from the same second on that did this.
func node(records ...ledger.Record) []ledger.Record {
	last := records[len(records)-1]
	stop := ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: last.Time.Add(time.Second), Why: "done"}
	return paced(slices.Concat(story()[:1], records, []ledger.Record{stop}))
}

// page is a request for a page and its outcome.
func page(url string, start float64) []ledger.Record {
	return []ledger.Record{request(url, start), outcome(url, start+0.2)}
}

// first is what the first node did: it asked for robots.txt, and for a page.
func first() []ledger.Record { return append([]ledger.Record{robotsRequest(0.5)}, page("/", 3)...) }

// jobs writes the jobs of nodes a, b and so on.
func jobs(t testing.TB, nodes ...[]ledger.Record) []verify.Job {
	t.Helper()
	var all []verify.Job
	for i, records := range nodes {
		j := write(t, records)
		j.Name = string(rune('a' + i))
		all = append(all, j)
	}
	return all
}

func proveAll(t testing.TB, all []verify.Job, o verify.Options) *verify.Report {
	t.Helper()
	r, err := verify.ProveAll(t.Context(), all, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A site that changes hands is asked by the next node under the robots.txt that the one before fetched, though it has no copy.
func TestProveAll_HandOver(t *testing.T) {
	all := jobs(t, node(first()...), node(page("/b", 5.4)...))
	if err := os.RemoveAll(all[1].Robots); err != nil {
		t.Fatal(err)
	}
	if r := prove(t, all[1], verify.Options{}); r.Verdict != verify.Refuted {
		t.Errorf("the second node alone is %s", r.Verdict)
	}
	r := proveAll(t, all, verify.Options{})
	if r.Verdict != verify.Proven || r.Requests != 3 || r.Runs != 2 || len(r.Jobs) != 2 || r.Jobs[1].Job != "b" || r.Jobs[1].Requests != 1 {
		t.Fatalf("%s: %+v", r.Verdict, r)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"2 jobs are judged as one crawl", "at most 100ms", "1 time a site was asked by another job than before"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
	if p := r.Promise(verify.Gaps); !strings.HasPrefix(p.Worst, "b: record 2, http://a.example/b: 2.3s kept to record 3 of a, 2.1s owed") {
		t.Errorf("nearest to the bound: %s", p.Worst)
	}
}

// Jobs that are proven alone are refuted together where one did not keep what another was owed.
func TestProveAll_WhatEachAloneCannotShow(t *testing.T) {
	refusedOften := request("/busy", 6)
	refusedOften.Status, refusedOften.RetryAfter = 429, "60"
	rest := ledger.Record{Type: ledger.Rest, Time: at(6.2), Site: host, NotBefore: at(66.1), Reason: "too-many-requests", ErrorText: "60", Attempt: 1}
	again := outcome("/busy", 6.3)
	again.Outcome, again.Reason, again.Status, again.File, again.Digest, again.NotBefore = "retrying", "too-many-requests", 429, "", "", at(66.1)
	other := robotsRequest(20)
	other.Digest = digest(file + "Visit-time: 0100-0200\n")
	slow := request("/slow", 6)
	slow.Took, slow.End, slow.Time, slow.Gap, slow.GapWhy = secs(10), at(16), at(16), secs(30), "response-time"
	elsewhere := func(site string, start float64) ledger.Record {
		r := robotsRequest(start)
		r.Site, r.Origin, r.URL = site, "http://"+site, "http://"+site+"/robots.txt"
		r.Took, r.End, r.Time, r.Gap, r.GapWhy = secs(2), at(start+2), at(start+2), secs(10), "response-time"
		return r
	}
	second := func(start float64) []ledger.Record {
		return append([]ledger.Record{robotsRequest(start)}, page("/b", start+3)...)
	}
	for name, tt := range map[string]struct {
		a, b    []ledger.Record
		promise verify.Name
		job     string
		seq     uint64
		what    string
	}{
		"too soon": {
			append(first(), page("/c", 24.1)...), second(20), verify.Gaps, "a", 5, "1s after record 3 of b, owed 2.1s",
		},
		"too soon for the pause that the other one made": {
			append(first(), page("/c", 14.5)...), second(12), verify.Gaps, "b", 3, "400ms after record 5 of a, owed 2.1s",
		},
		"two at once": {
			append(first(), slow), second(10), verify.Alone, "a", 5, "was under way together with record 3 of b",
		},
		"the rest after 429": {
			append(first(), refusedOften, rest, again), second(20), verify.Gaps, "b", 2, "by Retry-After in record 5 of a",
		},
		"a page twice": {
			first(), append(second(20), page("/", 26)...), verify.Once, "b", 5, "after it was settled",
		},
		"a page that both ask for before it is settled": {
			append(first(), request("/b", 20), outcome("/b", 27)), second(22)[:2], verify.Once, "a", 6, "was asked for by b as well",
		},
		"another robots.txt": {
			append(first(), page("/c", 100)...), []ledger.Record{other}, verify.Decided, "a", 5, "was decided by",
		},
		"opted out": {
			append(first(), ledger.Record{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(10), Rule: host}), second(20), verify.OptOut, "b", 2,
			"left 10s after a.example was opted out in a",
		},
		"an address": {
			[]ledger.Record{elsewhere("b.example", 1), elsewhere("c.example", 1.5)}, []ledger.Record{elsewhere("d.example", 1.7)}, verify.Address, "b", 2,
			"3 requests of all jobs in flight at once to 192.0.2.1, 2 allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := node(tt.a...), node(tt.b...)
			all := jobs(t, a, b)
			for _, j := range all {
				if r := prove(t, j, verify.Options{SkipFiles: true}); r.Promise(tt.promise).Verdict != verify.Proven {
					t.Errorf("%s alone: %v", j.Name, r.Promise(tt.promise).Findings)
				}
			}
			p := proveAll(t, all, verify.Options{}).Promise(tt.promise)
			if p.Verdict != verify.Refuted {
				t.Fatalf("together it is %s: %v", p.Verdict, p.Findings)
			}
			if f := p.Findings[0]; f.Job != tt.job || f.Seq != tt.seq || !strings.Contains(f.What, tt.what) {
				t.Errorf("first finding %q, want record %d of %s and %q", f, tt.seq, tt.job, tt.what)
			}
		})
	}
}

// What the clocks of two machines leave open is neither proven nor refuted; what they cannot is one of them.
func TestProveAll_ClockDrift(t *testing.T) {
	for _, tt := range []struct {
		start float64 // of the request of b: that of a ended at 3.1 and owes 2.1 s
		drift time.Duration
		want  verify.Verdict
	}{
		{5.25, 0, verify.NotShown},
		{5.15, 0, verify.NotShown},
		{5.05, 0, verify.Refuted},
		{5.35, 0, verify.Proven},
		{5.25, 10 * time.Millisecond, verify.Proven},
		{5.15, 10 * time.Millisecond, verify.Refuted},
		{5.0, time.Second, verify.NotShown},
		{6.0, time.Second, verify.NotShown},
		{6.3, time.Second, verify.Proven},
	} {
		all := jobs(t, node(first()...), node(page("/b", tt.start)...))
		r := proveAll(t, all, verify.Options{Drift: tt.drift})
		if p := r.Promise(verify.Gaps); p.Verdict != tt.want {
			t.Errorf("asked at %v, drift %v: %s %v, want %s", tt.start, tt.drift, p.Verdict, p.Findings, tt.want)
		}
	}
	for drift, want := range map[time.Duration]verify.Verdict{0: verify.NotShown, 10 * time.Millisecond: verify.Refuted} {
		all := jobs(t, node(first()...), node(page("/b", 3.05)...))
		if p := proveAll(t, all, verify.Options{Drift: drift}).Promise(verify.Alone); p.Verdict != want {
			t.Errorf("50 ms at once, drift %v: %s, want %s", drift, p.Verdict, want)
		}
	}
}

// A clock that was set by more than the clocks may differ leaves open what two jobs did to one site, and nothing else.
func TestProveAll_AClockThatWasSet(t *testing.T) {
	set := ledger.Record{Type: ledger.Run, Event: ledger.EventClock, Time: at(1), Set: ledger.Millis(time.Hour)}
	a := node(setClock(time.Hour, append([]ledger.Record{set, robotsRequest(2)}, page("/", 5)...))...)
	for start, want := range map[float64]verify.Verdict{9: verify.NotShown, 6: verify.Refuted} {
		if p := proveAll(t, jobs(t, a, node(page("/b", start)...)), verify.Options{}).Promise(verify.Gaps); p.Verdict != want {
			t.Errorf("asked at %v: %s %v, want %s", start, p.Verdict, p.Findings, want)
		}
	}
	other := robotsRequest(2)
	other.Site, other.Origin, other.URL = "b.example", "http://b.example", "http://b.example/robots.txt"
	if r := proveAll(t, jobs(t, a, node(other)), verify.Options{}); r.Promise(verify.Gaps).Verdict != verify.Proven {
		t.Errorf("another site: %v", r.Promise(verify.Gaps).Findings)
	}
}

// Where an override permits two requests at once to a site, all jobs together have two.
func TestProveAll_Overrides(t *testing.T) {
	override := ledger.Record{Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, GapWhy: "override", Connections: 2}
	long := func(url string, start float64) ledger.Record {
		r := request(url, start)
		r.Took, r.End, r.Time, r.Gap, r.GapWhy = secs(2), at(start+2), at(start+2), 0, "override"
		return r
	}
	robots := robotsRequest(0.5)
	robots.Gap, robots.GapWhy = 0, "override"
	for start, want := range map[float64]verify.Verdict{3.2: verify.Refuted, 5.05: verify.NotShown, 5.8: verify.Proven} {
		a := node(override, robots, long("/1", 3), long("/2", 3.3))
		b := node(override, long("/3", start))
		r := proveAll(t, jobs(t, a, b), verify.Options{})
		if p := r.Promise(verify.Alone); p.Verdict != want {
			t.Errorf("a third one at %v: %s %v, want %s", start, p.Verdict, p.Findings, want)
		}
	}
}

// One job that is damaged leaves nothing proven, and is named.
func TestProveAll_OneIsDamaged(t *testing.T) {
	all := jobs(t, node(first()...), node(page("/b", 6)...))
	edit(t, filepath.Join(all[1].Ledger, "ledger-000001.jsonl"), func(s string) string { return strings.Replace(s, `"/b"`, `"/c"`, 1) + " " })
	edit(t, filepath.Join(all[1].Ledger, "ledger-000001.jsonl"), func(s string) string { return strings.Replace(s, `a.example/b`, `a.example/c`, 1) })
	r := proveAll(t, all, verify.Options{})
	if p := r.Promise(verify.Chain); p.Verdict != verify.Refuted || p.Findings[0].Job != "b" {
		t.Errorf("chain: %s %v", p.Verdict, p.Findings)
	}
	if p := r.Promise(verify.Gaps); p.Verdict != verify.NotShown || p.Findings[len(p.Findings)-1].Job != "b" {
		t.Errorf("gaps: %s %v", p.Verdict, p.Findings)
	}
	all[1].Ledger = t.TempDir()
	if _, err := verify.ProveAll(t.Context(), all, verify.Options{}); !errors.Is(err, verify.ErrNoLedger) || !strings.HasPrefix(err.Error(), "b: ") {
		t.Errorf("no ledger: %v", err)
	}
}

// Several ledgers in several passes tell the same as in one.
func TestProveAll_InPasses(t *testing.T) {
	var nodes [3][]ledger.Record
	for i := range 60 {
		site := fmt.Sprintf("h%d.example", i%20)
		start := float64(i/20) * 10
		r := robotsRequest(start)
		if i >= 20 {
			r = request(fmt.Sprint("/", i), start)
			r.URL = fmt.Sprintf("http://%s/%d", site, i)
		} else {
			r.Origin, r.URL = "http://"+site, "http://"+site+"/robots.txt"
		}
		if r.Site, r.Address = site, ""; i == 45 {
			r.Clock, r.Start, r.End = r.Clock-secs(9), at(start-9), at(start-8.9)
		}
		nodes[(i+i/20)%3] = append(nodes[(i+i/20)%3], r)
	}
	all := jobs(t, node(nodes[0]...), node(nodes[1]...), node(nodes[2]...))
	want := proveAll(t, all, verify.Options{})
	got := proveAll(t, all, verify.Options{Sites: 7, URLs: 11, Rules: 1})
	for i, p := range want.Promises {
		if q := got.Promises[i]; fmt.Sprint(p) != fmt.Sprint(q) {
			t.Errorf("in passes\n%+v, want\n%+v", q, p)
		}
	}
	if fmt.Sprint(got.Notes) != fmt.Sprint(want.Notes) || want.Promise(verify.Gaps).Broken != 1 {
		t.Errorf("%v\n%v\ngaps: %+v", got.Notes, want.Notes, want.Promise(verify.Gaps))
	}
}

// Each job has its list of pages: a page in that of another node than the one that fetched it is nobody's.
func TestProveAll_ListsOfPages(t *testing.T) {
	all := jobs(t, node(first()...), node(page("/b", 6)...))
	all[0].Pages, all[1].Pages = all[1].Pages, all[0].Pages
	if p := proveAll(t, all, verify.Options{SkipFiles: true}).Promise(verify.Pages); p.Verdict != verify.Refuted {
		t.Errorf("exchanged lists are %s", p.Verdict)
	}
}

// Ensure that the rights under which several nodes asked a site are held against each other.
func TestProveAll_Tenure(t *testing.T) {
	under := func(tenure string, records ...ledger.Record) []ledger.Record {
		for i := range records {
			if records[i].Type == ledger.Request {
				records[i].Tenure = tenure
			}
		}
		return records
	}
	slow := func(tenure string) []ledger.Record {
		r := request("/slow", 6)
		r.Took, r.End, r.Time, r.Gap, r.GapWhy = secs(10), at(16), at(16), secs(30), "response-time"
		return under(tenure, r)
	}
	a := under("a/3/7", first()...)
	for name, tt := range map[string]struct {
		a, b []ledger.Record
		want verify.Verdict
		what string
	}{
		"a hand-over":             {a, under("b/3/9", page("/b", 20)...), verify.Proven, ""},
		"there and back":          {slices.Concat(a, under("a/3/12", page("/c", 40)...)), under("b/3/9", page("/b", 20)...), verify.Proven, ""},
		"a request that was lent": {a, under("", page("/b", 20)...), verify.Proven, ""},
		"a request that ends late": {
			slices.Concat(a, slow("a/3/7")), under("b/3/9", page("/b", 10)...), verify.Proven, "",
		},
		"an epoch of two nodes": {a, under("b/3/7", page("/b", 20)...), verify.Refuted, "which record 2 of a has as that of a"},
		"another partition":     {a, under("b/4/9", page("/b", 20)...), verify.Refuted, "by record 2 of a its site is in partition 3"},
		"an earlier epoch":      {a, under("b/3/5", page("/b", 20)...), verify.Refuted, "both were in use"},
		"a right that was over": {
			slices.Concat(a, under("a/3/7", page("/c", 40)...)), under("b/3/9", page("/b", 20)...), verify.Refuted, "both were in use for 20s",
		},
		"no right":               {a, under("b", page("/b", 20)...), verify.Refuted, `names the right "b"`},
		"clocks that may differ": {a, under("b/3/9", page("/b", 3.05)...), verify.NotShown, "by clocks that may differ by 100ms"},
	} {
		t.Run(name, func(t *testing.T) {
			p := proveAll(t, jobs(t, node(slices.Clone(tt.a)...), node(tt.b...)), verify.Options{}).Promise(verify.Tenure)
			if p == nil || p.Verdict != tt.want {
				t.Fatalf("it is %+v, want %s", p, tt.want)
			}
			if tt.what != "" && !strings.Contains(p.Findings[0].What, tt.what) {
				t.Errorf("first finding %q, want %q", p.Findings[0], tt.what)
			}
		})
	}
	if p := proveAll(t, jobs(t, node(first()...), node(page("/b", 20)...)), verify.Options{}).Promise(verify.Tenure); p != nil {
		t.Errorf("a crawl that names no rights: %+v", p)
	}
}

// Ensure that a request whose record is late, as its node was frozen, is not taken for one that was made again: others had asked
// under the next right, and settled the page, before that node woke up. Its successors may not ask again either.
func TestProveAll_ARecordOfAFrozenNode(t *testing.T) {
	lasting := func(tenure string, start, end float64) ledger.Record {
		r := request("/b", start)
		r.Tenure, r.End, r.Time, r.Took = tenure, at(start+0.2), at(end), secs(0.2)
		return r
	}
	robots, first := robotsRequest(0.5), request("/b", 30)
	robots.Tenure, first.Tenure = "a/3/7", "b/3/9"
	settling := []ledger.Record{first, outcome("/b", 30.3)}
	for name, tt := range map[string]struct {
		frozen ledger.Record
		more   []ledger.Record
		want   verify.Verdict
	}{
		"it had left before":        {lasting("a/3/7", 5, 60), nil, verify.Proven},
		"it left after":             {lasting("a/3/7", 59.5, 60), nil, verify.Refuted},
		"it left under a later one": {lasting("a/3/12", 5, 60), nil, verify.Refuted},
		"and another one follows":   {lasting("a/3/7", 5, 60), []ledger.Record{lasting("b/3/9", 70, 70.3)}, verify.Refuted},
	} {
		t.Run(name, func(t *testing.T) {
			all := jobs(t, node(robots, tt.frozen), node(slices.Concat(settling, tt.more)...))
			if p := proveAll(t, all, verify.Options{}).Promise(verify.Once); p.Verdict != tt.want {
				t.Errorf("%s, want %s: %+v", p.Verdict, tt.want, p.Findings)
			}
		})
	}
}

// Ensure that who was frozen, and saw an answer late, is not said to have asked together with the nodes that took over meanwhile,
// nor are these said to have asked too soon after an answer of which they could not know; who wrote records then was awake.
func TestProveAll_AnswerSeenAfterAFreeze(t *testing.T) {
	held := func(tenure, url string, start, end float64) ledger.Record {
		r := request(url, start)
		r.Tenure, r.End, r.Time, r.Took, r.Gap, r.GapWhy = tenure, at(end), at(end), secs(end-start), secs(30), "response-time"
		return r
	}
	robots := robotsRequest(0.5)
	robots.Tenure = "a/3/7"
	frozen := func(end float64) []ledger.Record { return []ledger.Record{robots, held("a/3/7", "/b", 5, end)} }
	awake := func(until float64) []ledger.Record { // and frozen from then on
		records := frozen(60)
		for second := 6.0; second < until; second++ {
			records = slices.Insert(records, len(records)-1, ledger.Record{
				Type: ledger.Refusal, Time: at(second), URL: "http://" + host + "/deep", Gate: "depth", Reason: "too-deep",
			})
		}
		return records
	}
	under := func(tenure, url string, start float64) ledger.Record {
		r := request(url, start)
		r.Tenure = tenure
		return r
	}
	late := frozen(20)
	late[1].Time = at(20.5)
	for name, tt := range map[string]struct {
		nodes [][]ledger.Record
		want  verify.Verdict
	}{
		"frozen": {[][]ledger.Record{frozen(60), {under("b/3/9", "/c", 30), under("b/3/9", "/d", 60.5)}}, verify.NotShown},
		"awake":  {[][]ledger.Record{awake(60), {under("b/3/9", "/c", 30), under("b/3/9", "/d", 60.5)}}, verify.Refuted},
		"awake when the successor began": {
			[][]ledger.Record{awake(51), {under("b/3/9", "/c", 10), under("b/3/9", "/d", 55)}}, verify.Refuted,
		},
		"two successors":                    {[][]ledger.Record{frozen(60), {under("b/3/9", "/c", 20)}, {under("c/3/11", "/d", 25)}}, verify.NotShown},
		"a successor that goes on":          {[][]ledger.Record{frozen(20), {under("b/3/9", "/c", 12), under("b/3/9", "/d", 20.5)}}, verify.NotShown},
		"a successor at the end":            {[][]ledger.Record{frozen(20), {held("b/3/9", "/c", 19, 21)}}, verify.NotShown},
		"a successor before it wrote of it": {[][]ledger.Record{late, {under("b/3/9", "/c", 20.2)}}, verify.NotShown},
	} {
		t.Run(name, func(t *testing.T) {
			var nodes [][]ledger.Record
			for _, records := range tt.nodes {
				nodes = append(nodes, node(records...))
			}
			r := proveAll(t, jobs(t, nodes...), verify.Options{})
			if p := r.Promise(verify.Gaps); p.Verdict != tt.want {
				t.Errorf("gaps is %s, want %s: %+v", p.Verdict, tt.want, p.Findings)
			}
			if p := r.Promise(verify.Alone); p.Verdict != tt.want && (tt.want == verify.Refuted || p.Verdict == verify.Refuted) {
				t.Errorf("alone is %s, want %s: %+v", p.Verdict, tt.want, p.Findings)
			}
		})
	}
}

// Ensure that a request that may have ended in silence still counts as one that may have been under way to its address.
func TestProveAll_AnAddressInSilence(t *testing.T) {
	elsewhere := func(tenure, site string, start, end float64) []ledger.Record {
		r := robotsRequest(start)
		r.Tenure, r.Site, r.Origin, r.URL = tenure, site, "http://"+site, "http://"+site+"/robots.txt"
		r.Took, r.End, r.Time, r.Gap, r.GapWhy = secs(end-start), at(end), at(end), secs(30), "response-time"
		return node(r)
	}
	all := jobs(t, elsewhere("a/3/7", "b.example", 5, 60), elsewhere("b/4/9", "c.example", 20, 61), elsewhere("c/5/11", "d.example", 21, 62))
	if p := proveAll(t, all, verify.Options{}).Promise(verify.Address); p.Verdict != verify.NotShown {
		t.Errorf("three at once, of two allowed: %s %v", p.Verdict, p.Findings)
	}
}

// Ensure that the job of a node that was turned away, and has written nothing down, hides nothing of the others. One that has
// pages, and no record of them, is not left out.
func TestProveAll_NothingWrittenDown(t *testing.T) {
	a, empty, emptied := write(t, story()), write(t, nil), write(t, story())
	files, err := filepath.Glob(filepath.Join(emptied.Ledger, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Truncate(f, 0); err != nil {
			t.Fatal(err)
		}
	}
	a.Name, empty.Name, emptied.Name = "a", "empty", "emptied"
	r, err := verify.ProveAll(t.Context(), []verify.Job{empty, a}, verify.Options{})
	if err != nil || r.Verdict != verify.Proven || r.Records != uint64(len(story())) ||
		!slices.Contains(r.Notes, "1 job is left out, without a record or a page") {
		t.Errorf("with an empty one it is %+v, %v", r, err)
	}
	for name, jobs := range map[string][]verify.Job{"emptied": {a, emptied}, "all empty": {empty, empty}} {
		if _, err := verify.ProveAll(t.Context(), jobs, verify.Options{}); !errors.Is(err, verify.ErrNoLedger) {
			t.Errorf("%s: %v, want %v", name, err, verify.ErrNoLedger)
		}
	}
}
