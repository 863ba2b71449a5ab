package verify_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

func TestProve_AStoryWithoutFault(t *testing.T) {
	r := prove(t, write(t, story()), verify.Options{})
	for _, p := range r.Promises {
		if p.Verdict != verify.Proven || p.Checked == 0 && p.Name != verify.Rests {
			t.Errorf("%s: %s, %d checked %v", p.Name, p.Verdict, p.Checked, p.Findings)
		}
	}
	if r.Verdict != verify.Proven || r.Requests != 5 || r.Runs != 1 || r.Records != 12 {
		t.Errorf("%+v", r)
	}
}

// A sitemap is asked for like a page, and never stored as one.
func TestProve_Sitemaps(t *testing.T) {
	records := story()
	records[2].Purpose, records[3].File, records[3].Digest = "sitemap", "", ""
	if r := prove(t, write(t, records), verify.Options{}); r.Verdict != verify.Proven {
		t.Errorf("a sitemap among pages: %+v", r)
	}
	records = story()
	records[2].Purpose = "sitemap"
	for _, p := range prove(t, write(t, records), verify.Options{}).Promises {
		if want := p.Name == verify.Pages; want != (p.Verdict == verify.Refuted) {
			t.Errorf("a sitemap that was stored: %s %s %v", p.Name, p.Verdict, p.Findings)
		}
	}
}

// Promise 1: a request without a decision, or against it, is found in the ledger.
// Promise 2: so is a gap that was too short, and a second request at once.
//
// Each case tells one lie, or admits one fault; the chain is whole.
func TestProve_Refutes(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(r []ledger.Record) []ledger.Record
		promise verify.Name
		seq     uint64
		what    string
	}{
		"no decision": {
			func(r []ledger.Record) []ledger.Record { r[2].RobotsReason, r[2].RobotsDigest = "", ""; return r },
			verify.Decided, 3, "names no decision",
		},
		"robots.txt was not asked for": {
			func(r []ledger.Record) []ledger.Record { return slices.Delete(r, 1, 2) },
			verify.Decided, 2, "the robots.txt of http://a.example had not been asked for",
		},
		"another robots.txt was in force": {
			func(r []ledger.Record) []ledger.Record { r[1].Digest = digest("x"); return r },
			verify.Decided, 3, "was decided by",
		},
		"no robots.txt is claimed": {
			func(r []ledger.Record) []ledger.Record {
				r[2].RobotsReason, r[2].RobotsDigest = "unavailable", ""
				return r
			},
			verify.Decided, 3, "was decided by",
		},
		"a server error is taken for no robots.txt": {
			func(r []ledger.Record) []ledger.Record {
				r[1].Outcome, r[1].Digest, r[1].Status = "unavailable", "", 500
				return r
			},
			verify.Decided, 2, "answered with 500",
		},
		"something else is called robots.txt": {
			func(r []ledger.Record) []ledger.Record { r[1].URL = base + "/secret"; return r },
			verify.Decided, 2, "that is for something else",
		},
		"disallowed": {
			func(r []ledger.Record) []ledger.Record {
				r[2].URL, r[3].URL = base+"/private/diary", base+"/private/diary"
				return r
			},
			verify.Allowed, 3, "line 2 of robots.txt",
		},
		"opted out by name": {
			func(r []ledger.Record) []ledger.Record {
				return slices.Insert(r, 4, ledger.Record{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(4), Rule: "*.example"})
			},
			verify.OptOut, 6, "left 2s after *.example was opted out",
		},
		"opted out by address": {
			func(r []ledger.Record) []ledger.Record {
				return slices.Insert(r, 7, ledger.Record{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(7), Rule: "192.0.2.0/24"})
			},
			verify.OptOut, 9, "left 2s after 192.0.2.0/24 was opted out",
		},
		"unreachable": {
			func(r []ledger.Record) []ledger.Record {
				r[1].Outcome, r[1].Digest, r[1].Status = "unreachable", "", 503
				r[2].RobotsReason, r[2].RobotsDigest = "unreachable", ""
				return r
			},
			verify.Allowed, 3, "allows nothing",
		},
		"the rule is not in that line": {
			func(r []ledger.Record) []ledger.Record { r[4].RobotsLine = 1; return r },
			verify.Files, 5, "line 1 of",
		},
		"too soon": {
			func(r []ledger.Record) []ledger.Record {
				r[4].Clock, r[4].Start, r[4].End = secs(5.1), at(5.1), at(5.2)
				return r
			},
			verify.Gaps, 5, "2s after the request before, owed 2.1s",
		},
		"only the clock on the wall says that it waited": {
			func(r []ledger.Record) []ledger.Record { r[4].Clock = secs(5.1); return r },
			verify.Gaps, 5, "2s after the request before, owed 2.1s",
		},
		"outside of Visit-time": {
			func(r []ledger.Record) []ledger.Record { return retold(r, file+"Visit-time: 0100-0200\n") },
			verify.Gaps, 3, "line 5 of robots.txt " + digest(file+"Visit-time: 0100-0200\n") + ": Visit-time: 0100-0200",
		},
		"less owed than Crawl-delay": {
			func(r []ledger.Record) []ledger.Record { r[2].Gap = secs(1.5); return r },
			verify.Gaps, 3, "but Crawl-delay demands 2s",
		},
		"less owed than the response time": {
			func(r []ledger.Record) []ledger.Record { r[10].Time = at(13); r[9].Took = secs(0.5); return r },
			verify.Gaps, 10, "but the response time demands 2.5s",
		},
		"less owed than the floor": {
			func(r []ledger.Record) []ledger.Record { r[0].Policy.Delay = secs(2.5); return r },
			verify.Gaps, 2, "but the floor demands 2.5s",
		},
		"Retry-After": {
			func(r []ledger.Record) []ledger.Record { r[7].Status, r[7].RetryAfter = 503, "4"; return r },
			verify.Gaps, 10, "by Retry-After in record 8",
		},
		"Retry-After with a date": {
			func(r []ledger.Record) []ledger.Record {
				r[7].Status, r[7].RetryAfter = 429, "Wed, 01 Jul 2026 12:00:14 GMT"
				return r
			},
			verify.Gaps, 10, "by Retry-After in record 8",
		},
		"Retry-After of a denial": {
			func(r []ledger.Record) []ledger.Record { r[7].Status, r[7].RetryAfter = 403, "4"; return r },
			verify.Gaps, 10, "by Retry-After in record 8",
		},
		"Retry-After with a unit": {
			func(r []ledger.Record) []ledger.Record { r[7].Status, r[7].RetryAfter = 503, "4 seconds"; return r },
			verify.Gaps, 10, "by Retry-After in record 8",
		},
		"no rest after a denial with Retry-After": {
			func(r []ledger.Record) []ledger.Record { r[7].Status, r[7].RetryAfter = 403, "1"; return r },
			verify.Rests, 10, "left 57.1s before the rest was over that record 8 made the site be owed",
		},
		"a rest is broken": {
			func(r []ledger.Record) []ledger.Record {
				return slices.Insert(r, 2, ledger.Record{Type: ledger.Rest, Time: at(1), Site: host, NotBefore: at(60)})
			},
			verify.Gaps, 4, "by the rest in record 3",
		},
		"counted against another site": {
			func(r []ledger.Record) []ledger.Record { r[2].Site = "b.example"; return r },
			verify.Gaps, 3, "belongs to a.example",
		},
		"two at once": {
			func(r []ledger.Record) []ledger.Record { r[4].Clock = secs(3.05); return r },
			verify.Alone, 5, "left 50ms before the request before it had ended",
		},
		"the same page again": {
			func(r []ledger.Record) []ledger.Record { r[4].URL = base + "/"; r[5].URL = base + "/"; return r },
			verify.Once, 5, "after it was settled",
		},
		"the same sitemap again": {
			func(r []ledger.Record) []ledger.Record {
				r[4], r[5] = request("/s.xml", 6), outcome("/s.xml", 6.2)
				r[4].Purpose, r[5].File, r[5].Digest = "sitemap", "", ""
				r[9], r[10] = request("/s.xml", 12), outcome("/s.xml", 12.2)
				r[9].Purpose, r[10].File, r[10].Digest = "sitemap", "", ""
				return r
			},
			verify.Once, 10, "after it was settled",
		},
		"a sitemap that is disallowed": {
			func(r []ledger.Record) []ledger.Record {
				r[2].URL, r[3].URL, r[2].Purpose = base+"/private/s.xml", base+"/private/s.xml", "sitemap"
				return r
			},
			verify.Allowed, 3, "line 2 of robots.txt",
		},
		"the same page again before its outcome": {
			func(r []ledger.Record) []ledger.Record { r[4].URL = base + "/"; return slices.Delete(r, 3, 4) },
			verify.Once, 4, "although it had been answered",
		},
		"robots.txt before it is due": {
			func(r []ledger.Record) []ledger.Record { return slices.Insert(r, 11, robotsRequest(15)) },
			verify.Once, 12, "before it was due",
		},
		"robots.txt too old": {
			func(r []ledger.Record) []ledger.Record { r[1].Start, r[1].End = at(-90000), at(-90000); return r },
			verify.Fresh, 3, "24h0m0s are allowed",
		},
		"robots.txt out of date": {
			func(r []ledger.Record) []ledger.Record { r[1].End, r[1].Expires = at(-4000), at(-100); return r },
			verify.Fresh, 3, "are allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := prove(t, write(t, tt.change(story())), verify.Options{})
			p := r.Promise(tt.promise)
			if p.Verdict != verify.Refuted || r.Verdict != verify.Refuted {
				t.Fatalf("%s is %s", p.Name, p.Verdict)
			}
			if f := p.Findings[0]; f.Seq != tt.seq || !strings.Contains(f.What, tt.what) {
				t.Errorf("first finding %q, want record %d and %q", f, tt.seq, tt.what)
			}
		})
	}
}

// Some sites answer 999 to robots. That no standard knows it is their fault, and not that of the crawl; four digits are no answer.
func TestProve_StatusThatNoStandardKnows(t *testing.T) {
	for status, want := range map[int]verify.Verdict{600: verify.Proven, 999: verify.Proven, 1000: verify.Refuted, 99: verify.Refuted} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			records := story()
			records[7].Status, records[8].Status = status, status
			r := prove(t, write(t, records), verify.Options{})
			if got := r.Promise(verify.Records); got.Verdict != want {
				t.Errorf("records: %s %v, want %s", got.Verdict, got.Findings, want)
			}
		})
	}
}

// Two connections and a shorter gap are no fault where an override names the site.
func TestProve_Overrides(t *testing.T) {
	for name, tt := range map[string]struct {
		connections int
		want        verify.Verdict
	}{"two": {2, verify.Proven}, "one": {1, verify.Refuted}} {
		t.Run(name, func(t *testing.T) {
			records := story()
			override := ledger.Record{
				Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, GapWhy: "override", Connections: tt.connections,
			}
			for i := range records {
				records[i].Gap = 0
			}
			records[4].Clock = secs(3.05)
			r := prove(t, write(t, slices.Insert(records, 1, override)), verify.Options{})
			if got := r.Promise(verify.Alone).Verdict; got != tt.want {
				t.Errorf("alone: %s, want %s", got, tt.want)
			}
		})
	}
}

func TestProve_RequestsPerAddress(t *testing.T) {
	records := []ledger.Record{story()[0]}
	for i := range 3 {
		r := robotsRequest(1 + 0.01*float64(i))
		r.Site = fmt.Sprintf("h%d.example", i)
		r.Origin = "http://" + r.Site
		r.URL = r.Origin + "/robots.txt"
		records = append(records, r)
	}
	p := prove(t, write(t, records), verify.Options{}).Promise(verify.Address)
	if p.Verdict != verify.Refuted || p.Broken != 1 || p.Findings[0].Seq != 4 || !strings.Contains(p.Worst, "3 requests at once") {
		t.Errorf("%+v", p)
	}
}

// What evidence is missing for is neither proven nor refuted.
func TestProve_NotShown(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(r []ledger.Record) []ledger.Record
		harm    func(t *testing.T, j *verify.Job)
		promise verify.Name
	}{
		"no policy on record": {
			func(r []ledger.Record) []ledger.Record { r[0].Policy = nil; return r }, nil, verify.Gaps,
		},
		"robots.txt is not stored": {
			nil, func(t *testing.T, j *verify.Job) { j.Robots = t.TempDir() }, verify.Allowed,
		},
		"pages are not looked at": {
			nil, func(_ *testing.T, j *verify.Job) { j.Pages = "" }, verify.Pages,
		},
		"no head": {
			nil, func(t *testing.T, j *verify.Job) {
				edit(t, filepath.Join(j.Ledger, "ledger.head"), func(string) string { return "" })
			}, verify.Chain,
		},
	} {
		t.Run(name, func(t *testing.T) {
			records := story()
			if tt.change != nil {
				records = tt.change(records)
			}
			j := write(t, records)
			if tt.harm != nil {
				tt.harm(t, &j)
			}
			r := prove(t, j, verify.Options{})
			p := r.Promise(tt.promise)
			if p.Verdict != verify.NotShown || r.Verdict != verify.NotShown || !p.Findings[0].Unknown {
				t.Errorf("%s is %s, all is %s: %v", p.Name, p.Verdict, r.Verdict, p.Findings)
			}
		})
	}
}

// Promise 3: a killed run makes what was under way happen again, no more, and that is said.
func TestProve_AfterAKill(t *testing.T) {
	records := story()[:3] // killed before the outcome of /
	next := story()
	next[0].Time = at(20)
	again := request("/", 2)
	again.Start, again.End, again.Time = at(22), at(22.1), at(22.1)
	stop := next[11]
	stop.Time = at(23)
	done := outcome("/", 22.2)
	records = append(records, next[0], again, done, stop)
	r := prove(t, write(t, records), verify.Options{})
	if r.Verdict != verify.Proven || r.Killed != 1 || r.Runs != 2 {
		t.Errorf("%+v", r)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"1 run ended without saying so", "at most 8 requests", "1 request made again"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
	records[len(records)-2], records[len(records)-3] = records[len(records)-3], records[len(records)-2]
	records = slices.Insert(records, 3, outcome("/", 3.2)) // it was settled before the kill
	if p := prove(t, write(t, records), verify.Options{}).Promise(verify.Once); p.Verdict != verify.Refuted {
		t.Errorf("a settled page requested again after a kill: %s", p.Verdict)
	}
}

// A robots.txt that was to be used for a day is due sooner for a run whose settings say so, and no sooner than that.
func TestProve_ShorterLife(t *testing.T) {
	for life, want := range map[float64]verify.Verdict{60: verify.Proven, 120: verify.NotShown, 86400: verify.NotShown} {
		next := []ledger.Record{story()[0], robotsRequest(80), {Type: ledger.Run, Event: ledger.EventStop, Time: at(90), Why: "done"}}
		next[0].Time = at(79)
		next[0].Policy.MaxLife = secs(life)
		next[1].Expires = at(140)
		next[1].Clock = secs(1)
		p := prove(t, write(t, paced(append(story(), next...))), verify.Options{}).Promise(verify.Once)
		if p.Verdict != want {
			t.Errorf("after 80 seconds, of %v allowed: %s, want %s: %v", life, p.Verdict, want, p.Findings)
		}
	}
}

// A run that ends because its queue cannot be written does not remember when its last request ended, and the next run tells of the
// pause since the one before that.
func TestProve_AfterAFailure(t *testing.T) {
	next := story()
	stop := next[11]
	next[0].Time = at(20)
	again := request("/", 22)
	again.Kept, again.Owed = ledger.Millis(again.Start.Sub(next[1].End)), next[1].Gap
	for why, want := range map[string]verify.Verdict{"failed": verify.Proven, "done": verify.Refuted} {
		first, last := stop, stop
		first.Time, first.Why, last.Time = at(4), why, at(23)
		records := append(story()[:3], first, next[0], again, outcome("/", 22.2), last)
		if r := prove(t, write(t, records), verify.Options{}); r.Verdict != want {
			t.Errorf("behind a run that ended with %q: %s, want %s\n%+v", why, r.Verdict, want, r.Promises)
		}
	}
}

// A run that ends because its queue cannot be written, or is killed, does not remember the robots.txt that it got. Nor does one
// after it that ends before it has asked for anything. One that is done does.
func TestProve_RobotsAfterAFailure(t *testing.T) {
	for why, want := range map[string]verify.Verdict{"failed": verify.Proven, "killed": verify.Proven, "done": verify.NotShown} {
		for runs := range 2 {
			start, stop := story()[0], story()[11]
			stop.Why = why
			records := story()[:2]
			for i := range runs + 1 {
				if stop.Time = at(4 + float64(i)); why != "killed" {
					records = append(records, stop)
				}
				start.Time = stop.Time
				records = append(records, start)
			}
			stop.Time, stop.Why = at(23), "done"
			records = paced(append(records, robotsRequest(20), stop))
			if p := prove(t, write(t, records), verify.Options{}).Promise(verify.Once); p.Verdict != want {
				t.Errorf("behind %d runs that ended with %q: %s, want %s: %v", runs+1, why, p.Verdict, want, p.Findings)
			}
		}
	}
}

// What waited for a robots.txt that could not be had fails without a request; what was answered does not.
func TestProve_GivenUp(t *testing.T) {
	for status, want := range map[int]verify.Verdict{0: verify.Proven, 200: verify.Refuted} {
		gone := ledger.Record{Type: ledger.Outcome, Time: at(12.5), URL: base + "/gone", Outcome: "failed", Reason: "dns", Status: status}
		if r := prove(t, write(t, slices.Insert(story(), 11, gone)), verify.Options{}); r.Verdict != want {
			t.Errorf("an outcome without a request, and with the status %d: %s, want %s\n%+v", status, r.Verdict, want, r.Promises)
		}
	}
}

// While the job runs its ledger may end anywhere, and pages come after the look at it began.
func TestProve_WhileItRuns(t *testing.T) {
	j := write(t, story()[:10])
	j.Running = true
	r := prove(t, j, verify.Options{})
	if p := r.Promise(verify.Pages); p.Verdict != verify.NotShown || p.Broken > 0 {
		t.Errorf("pages whose files nobody read: %s", p.Verdict)
	}
	r.Promises = slices.DeleteFunc(r.Promises, func(p verify.Promise) bool { return p.Name == verify.Pages })
	if slices.ContainsFunc(r.Promises, func(p verify.Promise) bool { return p.Verdict != verify.Proven }) || r.Killed != 0 {
		t.Errorf("%s, %d killed: %+v", r.Verdict, r.Killed, r.Promises)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "the ledger up to record 10") {
		t.Errorf("notes %q", notes)
	}
}

// A crawl with --purge takes pages out of their list, by another one in its place, and says so behind what was read of the ledger.
func TestProve_WhileItTakesPagesOut(t *testing.T) {
	j := write(t, story()[:10])
	j.Running = true
	list := filepath.Join(j.Pages, "pages.jsonl")
	r, err := verify.ProveAfter(t.Context(), j, verify.Options{}, func() {
		data := filetest.Read(t, list)
		_, rest, _ := strings.Cut(string(data), "\n")
		filetest.Write(t, list+".new", rest+rest)
		if err := os.Rename(list+".new", list); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Promise(verify.Pages); r.Verdict != verify.NotShown || !strings.Contains(fmt.Sprint(p), "pages.jsonl was replaced") {
		t.Errorf("%s: %+v", r.Verdict, r.Promises)
	}
}

// Promise 5: with room for little, the same is found.
func TestProve_InPasses(t *testing.T) {
	records := []ledger.Record{story()[0]}
	for i := range 200 {
		site := fmt.Sprintf("h%d.example", i%50)
		origin := "http://" + site
		start := float64(i/50) * 10
		r := request("/", start)
		if i < 50 {
			r = robotsRequest(start)
			r.Origin, r.URL = origin, origin+"/robots.txt"
		} else {
			r.URL = fmt.Sprintf("%s/%d", origin, i)
		}
		r.Site, r.Address = site, ""
		if i == 177 {
			r.Clock -= secs(9)
		}
		records = append(records, r)
	}
	j := write(t, records)
	want := prove(t, j, verify.Options{})
	got := prove(t, j, verify.Options{Sites: 7, URLs: 11, Rules: 1})
	for i, p := range want.Promises {
		q := got.Promises[i]
		if fmt.Sprint(p) != fmt.Sprint(q) {
			t.Errorf("in passes\n%+v, want\n%+v", q, p)
		}
	}
	if want.Promise(verify.Gaps).Broken != 1 {
		t.Errorf("gaps: %+v", want.Promise(verify.Gaps))
	}
}

func TestProve_NothingToProveFrom(t *testing.T) {
	dir := t.TempDir()
	if _, err := verify.ProveAll(t.Context(), nil, verify.Options{}); !errors.Is(err, verify.ErrNoLedger) {
		t.Errorf("no jobs: %v", err)
	}
	if _, err := verify.Prove(t.Context(), verify.Job{Ledger: dir}, verify.Options{}); !errors.Is(err, verify.ErrNoLedger) {
		t.Errorf("empty directory: %v", err)
	}
	j := write(t, story())
	edit(t, filepath.Join(j.Ledger, "ledger-000001.jsonl"), func(s string) string { return strings.Replace(s, `"format":1`, `"format":2`, 1) })
	if _, err := verify.Prove(t.Context(), j, verify.Options{}); !errors.Is(err, verify.ErrFormat) {
		t.Errorf("another version: %v", err)
	}
}

// Whoever is no longer opted out may be asked again, and what had left when they were is no breach.
func TestProve_OptOutLifted(t *testing.T) {
	records := slices.Insert(story(), 4,
		ledger.Record{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(3.3), Rule: host},
		ledger.Record{Type: ledger.Run, Event: ledger.EventLifted, Time: at(5), Rule: host})
	records = slices.Insert(records, len(records)-2,
		ledger.Record{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(11.5), Rule: host})
	if r := prove(t, write(t, records), verify.Options{}); r.Verdict != verify.Proven {
		t.Errorf("%s: %+v", r.Verdict, r.Promise(verify.OptOut))
	}
}

// A robots.txt that something links to is asked for as a page as well: once, and that is said.
func TestProve_RobotsTxtAsAPage(t *testing.T) {
	asPage := func(start float64) ledger.Record {
		r := request("/robots.txt", start)
		r.RobotsDigest, r.RobotsReason = "", "robots-txt"
		return r
	}
	told := slices.Insert(story(), 11, asPage(15), outcome("/robots.txt", 15.2))
	told[len(told)-1].Time = at(30)
	r := prove(t, write(t, paced(told)), verify.Options{})
	if notes := strings.Join(r.Notes, "\n"); r.Verdict != verify.Proven || !strings.Contains(notes, "1 time robots.txt or the TDM file was asked for as a page") {
		t.Errorf("once is %s: %v\n%s", r.Verdict, r.Promise(verify.Once).Findings, notes)
	}
	twice := slices.Insert(told, 13, asPage(18))
	r = prove(t, write(t, paced(twice)), verify.Options{})
	if p := r.Promise(verify.Once); p.Verdict != verify.Refuted {
		t.Errorf("twice is %s: %v", p.Verdict, p.Findings)
	}
}

// What was answered for good is not asked for again because an outcome says so, nor because it says that the page was lost.
func TestProve_OutcomesThatExcuse(t *testing.T) {
	for name, tt := range map[string]struct {
		reason string
		status int
		later  string // Retry-After
		links  int
		want   verify.Verdict
	}{
		"an answer that settles it":       {"server-error", 200, "", 0, verify.Refuted},
		"a challenge":                     {"challenge", 200, "", 0, verify.Proven},
		"a page that is called challenge": {"challenge", 200, "", 3, verify.Refuted},
		"a page that is called so":        {"site-away", 200, "", 3, verify.Refuted},
		"an error that is called so":      {"site-away", 404, "", 0, verify.Refuted},
		"a 304 to no condition":           {"protocol-error", 304, "", 0, verify.Proven},
		"a page that breaks HTTP":         {"protocol-error", 200, "", 0, verify.Refuted},
		"lost, and no repair":             {"lost", 0, "", 0, verify.NotShown},
		"a denial":                        {"unavailable", 403, "", 0, verify.Refuted},
		"a denial for now":                {"unavailable", 403, "5", 0, verify.Proven},
		"a denial for now, in words":      {"unavailable", 403, "5 seconds", 0, verify.Proven},
		"a denial for a while unknown":    {"unavailable", 403, "soon", 0, verify.Refuted},
		"a denial for no time":            {"unavailable", 403, "0", 0, verify.Refuted},
		"a page that has a Retry-After":   {"unavailable", 200, "5", 0, verify.Refuted},
	} {
		records := story()
		asked := slices.IndexFunc(records, func(r ledger.Record) bool { return r.Type == ledger.Request && r.URL == base+"/private/press" })
		records[asked].Status, records[asked].RetryAfter = cmp.Or(tt.status, 200), tt.later
		records[5] = outcome("/private/press", 6.2)
		records[5].Outcome, records[5].Reason, records[5].Status, records[5].NotBefore = "retrying", tt.reason, tt.status, at(13)
		records[5].File, records[5].Digest, records[5].LinksFound = "", "", tt.links
		again := request("/private/press", 15)
		again.RobotsLine, again.RobotsRule, again.RobotsReason = 3, "Allow: /private/press", "rule"
		records[11].Time = at(20)
		r := prove(t, write(t, paced(slices.Insert(records, 11, again, outcome("/private/press", 15.2)))), verify.Options{})
		if p := r.Promise(verify.Once); p.Verdict != tt.want {
			t.Errorf("%s: %s %v", name, p.Verdict, p.Findings)
		}
	}
}

// Pages that were answered before their site turned out to be away are asked for again after its rest, and only the last of them.
func TestProve_RepeatsAfterASiteWasAway(t *testing.T) {
	for name, tt := range map[string]struct {
		pages, repeats int
		reason         string // of the rest
		want           verify.Verdict
	}{
		"the last two":            {3, 2, "site-away", verify.Proven},
		"all there were":          {12, 12, "site-away", verify.Proven},
		"more than may be":        {13, 13, "site-away", verify.Refuted},
		"after a rest for busy":   {3, 2, "unavailable", verify.Refuted},
		"when there was no rest":  {3, 2, "", verify.Refuted},
		"what was long ago":       {70, 1, "site-away", verify.Refuted},
		"some, and another twice": {3, 4, "site-away", verify.Refuted},
	} {
		records, start := story(), 20.0
		add := func(more ...ledger.Record) { records = slices.Insert(records, len(records)-1, more...) }
		path := func(i int) string { return fmt.Sprintf("/%d", i%tt.pages) }
		for i := range tt.pages {
			add(request(path(i), start), outcome(path(i), start+0.2))
			start += 5
		}
		page, away, witness := request("/notice", start), outcome("/notice", start+5.2), request("/", start+5)
		away.Outcome, away.Reason, away.File, away.Digest, away.NotBefore = "retrying", "site-away", "", "", at(start+90)
		witness.Purpose, witness.Via = "witness", page.URL
		add(page, witness)
		if start += 70; tt.reason != "" {
			add(ledger.Record{Type: ledger.Rest, Time: at(start - 64.8), Site: host, Reason: tt.reason, NotBefore: at(start - 1)})
		}
		for i := range tt.repeats {
			again := away
			again.URL, again.NotBefore = base+path(i), at(start-1)
			add(again)
		}
		add(away)
		for i := range tt.repeats {
			add(request(path(i), start), outcome(path(i), start+0.2))
			start += 5
		}
		records[len(records)-1].Time = at(start)
		r := prove(t, write(t, paced(records)), verify.Options{})
		if p := r.Promise(verify.Once); p.Verdict != tt.want {
			t.Errorf("%s: %s %v", name, p.Verdict, p.Findings)
		}
	}
}

// A date in Retry-After is one of the clock on the wall, also when that was set before.
func TestProve_RetryAfterByAClockThatWasSet(t *testing.T) {
	for date, want := range map[string]verify.Verdict{
		"Wed, 01 Jul 2026 13:00:11 GMT": verify.Proven,
		"Wed, 01 Jul 2026 13:00:14 GMT": verify.Refuted,
	} {
		set := ledger.Record{Type: ledger.Run, Event: ledger.EventClock, Time: at(0.1), Set: ledger.Millis(time.Hour)}
		records := setClock(time.Hour, slices.Insert(story(), 1, set))
		records[8].Status, records[8].RetryAfter = http.StatusServiceUnavailable, date
		if p := prove(t, write(t, records), verify.Options{}).Promise(verify.Gaps); p.Verdict != want {
			t.Errorf("%s: %s %v, want %s", date, p.Verdict, p.Findings, want)
		}
	}
}

// A page is asked for again as one of a site that has one answer for all only if a witness was asked for, and the site was left
// alone then. Over other connections there may be one page each that was in flight.
func TestProve_PagesOfASiteThatIsAway(t *testing.T) {
	for name, tt := range map[string]struct {
		connections int
		page        int // status
		witness     int // status; 0 when none is asked for
		of          string
		rest        float64  // seconds; 0 when there is none
		more        []string // pages that are said to be so, too
		want        verify.Verdict
	}{
		"a body":                        {1, 200, 200, "/c", 60, nil, verify.Proven},
		"a redirect":                    {1, 302, 302, "/c", 60, nil, verify.Proven},
		"no witness":                    {1, 200, 0, "", 60, nil, verify.Refuted},
		"no witness of several":         {2, 200, 0, "", 60, nil, verify.Refuted},
		"a witness that is missing":     {1, 200, 404, "/c", 60, nil, verify.Refuted},
		"a witness for another page":    {1, 200, 200, "/b", 60, nil, verify.Refuted},
		"no rest":                       {1, 200, 200, "/c", 0, nil, verify.Refuted},
		"a rest that is too short":      {1, 200, 200, "/c", 50, nil, verify.Refuted},
		"more pages than connections":   {1, 200, 200, "/c", 60, []string{"/b"}, verify.Refuted},
		"over other connections":        {3, 200, 200, "/c", 60, []string{"/a", "/b"}, verify.Proven},
		"more than other connections":   {2, 200, 200, "/c", 60, []string{"/a", "/b"}, verify.Refuted},
		"over others, and then no rest": {2, 200, 200, "/c", 0, []string{"/a", "/b"}, verify.Refuted},
	} {
		records := story()
		end := len(records) - 1
		if tt.connections > 1 {
			records[end].Time = at(400)
			records = slices.Insert(records, 1, ledger.Record{Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host,
				GapWhy: "override", Connections: tt.connections})
		}
		add := func(r ...ledger.Record) { records = slices.Insert(records, len(records)-1, r...) }
		for i, path := range []string{"/a", "/b", "/c"} {
			x := request(path, 20+5*float64(i))
			x.Status = tt.page
			add(x)
		}
		if tt.witness != 0 {
			x := request("/", 35)
			x.Purpose, x.Via, x.Status = "witness", base+tt.of, tt.witness
			add(x)
		}
		if tt.rest > 0 {
			add(ledger.Record{Type: ledger.Rest, Time: at(35.2), Site: host, Reason: "site-away", Attempt: 1,
				NotBefore: at(35.2 + tt.rest)})
		}
		for i, path := range append([]string{"/c"}, tt.more...) {
			o := outcome(path, 35.5+float64(i))
			o.Outcome, o.Reason, o.Status, o.File, o.Digest, o.NotBefore = "retrying", "site-away", tt.page, "", "", at(100)
			add(o)
		}
		add(request("/c", 120))
		records[len(records)-1].Time = at(400)
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Once); p.Verdict != tt.want {
			t.Errorf("%s: %s %v, want %s", name, p.Verdict, p.Findings, tt.want)
		}
	}
}

// A page that was answered just before its site was back is asked for again, too: one for each connection, after a rest.
func TestProve_PagesOfASiteThatIsBack(t *testing.T) {
	for name, tt := range map[string]struct {
		rest    string // reason of that before
		witness string // for which page
		pages   int
		tenure  string
		want    verify.Verdict
	}{
		"the last page":              {"site-away", "/0", 1, "", verify.Proven},
		"without a rest before":      {"", "/0", 1, "", verify.Refuted},
		"after a rest for busy":      {"unavailable", "/0", 1, "", verify.Refuted},
		"without a witness for it":   {"site-away", "/x", 1, "", verify.Refuted},
		"which another node has had": {"", "/0", 1, "node1/3/57", verify.NotShown},
		"more than the connections":  {"site-away", "/0", 2, "", verify.Refuted},
	} {
		records, start := story(), 100.0
		add := func(more ...ledger.Record) { records = slices.Insert(records, len(records)-1, more...) }
		if tt.rest != "" {
			page, first := request("/notice", 20), request("/", 25)
			page.Status, first.Purpose, first.Via = 302, "witness", page.URL
			add(page, first,
				ledger.Record{Type: ledger.Rest, Time: at(25.2), Site: host, Reason: tt.rest, Attempt: 1, NotBefore: at(85.2)})
		}
		for i := range tt.pages {
			path := fmt.Sprintf("/%d", i)
			away, witness := outcome(path, start+5.2), request("/", start+5)
			away.Outcome, away.Reason, away.File, away.Digest, away.NotBefore = "retrying", "site-away", "", "", at(start+10)
			if witness.Purpose, witness.Via = "witness", base+tt.witness; i > 0 {
				witness.Via = base + path
			}
			first := request(path, start)
			first.Tenure, witness.Tenure = tt.tenure, tt.tenure
			add(first, witness, away, request(path, start+15), outcome(path, start+15.2))
			start += 20
		}
		records[len(records)-1].Time = at(start)
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Once); p.Verdict != tt.want {
			t.Errorf("%s: %s %v, want %s", name, p.Verdict, p.Findings, tt.want)
		}
	}
}

// A page whose file is gone, and that a repair has found to be lost, is not shown: the ledger says so itself.
func TestProve_APageThatIsLost(t *testing.T) {
	lost := ledger.Record{Type: ledger.Outcome, Time: at(14), URL: base + "/", Outcome: "retrying", Reason: "lost", NotBefore: at(14)}
	records := append(story(), lost, ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Time: at(14), Why: "1 page lost"})
	for name, tt := range map[string]struct {
		records []ledger.Record
		want    verify.Verdict
	}{"said": {records, verify.NotShown}, "not said": {story(), verify.Refuted}} {
		j := write(t, tt.records)
		filetest.Remove(t, filepath.Join(j.Pages, "a.example~80", "~index.html"))
		if p := prove(t, j, verify.Options{}).Promise(verify.Pages); p.Verdict != tt.want {
			t.Errorf("%s: %s %v", name, p.Verdict, p.Findings)
		}
	}
}

// A repair that cut the ledger and did more has two records.
func TestProve_OneRepairByParts(t *testing.T) {
	repair := ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Time: at(14), Why: "ledger cut"}
	begins := story()[0]
	begins.Time = at(15)
	for want, records := range map[string][]ledger.Record{
		"1 time the job was damaged":  append(story(), repair, repair),
		"2 times the job was damaged": append(story(), repair, begins, repair, repair),
	} {
		r := prove(t, write(t, records), verify.Options{})
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, want) {
			t.Errorf("want %q in %s", want, notes)
		}
	}
}

// The record of a request that ended a moment before the last one on record was written may be lost as well as those after it.
func TestProve_PagesOfALostEnd(t *testing.T) {
	for seconds, want := range map[float64]verify.Verdict{9: verify.Refuted, 11: verify.NotShown, 12.5: verify.NotShown} {
		records := story()
		j := write(t, records[:len(records)-1]) // up to 12.2 seconds
		edit(t, filepath.Join(j.Pages, "pages.jsonl"), func(s string) string {
			line, _, _ := strings.Cut(s, "\n")
			line = strings.ReplaceAll(line, "a.example/", "a.example/lost")
			return s + strings.ReplaceAll(line, at(3.1).Format(time.RFC3339Nano), at(seconds).Format(time.RFC3339Nano)) + "\n"
		})
		if p := prove(t, j, verify.Options{}).Promise(verify.Pages); p.Verdict != want {
			t.Errorf("fetched after %v s: %s, want %s: %v", seconds, p.Verdict, want, p.Findings)
		}
	}
}

// Ensure that a page may be asked for again in one run when its site had gone to another node meanwhile, which a later epoch tells.
func TestProve_TenureLost(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after string
		want          verify.Verdict
	}{
		"one process":       {"", "", verify.Refuted},
		"the same tenure":   {"node1/3/57", "node1/3/57", verify.Refuted},
		"a later tenure":    {"node1/3/57", "node1/3/60", verify.Proven},
		"an earlier tenure": {"node1/3/57", "node1/3/51", verify.Refuted},
		"none any more":     {"node1/3/57", "", verify.Refuted},
	} {
		t.Run(name, func(t *testing.T) {
			records := story()
			at := slices.IndexFunc(records, func(r ledger.Record) bool { return r.Type == ledger.Request && r.Purpose == "page" })
			again := records[at]
			records[at].Tenure, again.Tenure = tt.before, tt.after
			records = paced(slices.Insert(records, at+1, again))
			if p := prove(t, write(t, records), verify.Options{}).Promise(verify.Once); p.Verdict != tt.want {
				t.Errorf("it is %s, want %s: %v", p.Verdict, tt.want, p.Findings)
			}
		})
	}
}

// Ensure that the first request after a hand-over need not tell of a pause: who had the site before may have asked last.
func TestProve_PauseAfterHandOver(t *testing.T) {
	for after, want := range map[string]verify.Verdict{"node1/3/60": verify.Proven, "node1/3/57": verify.NotShown} {
		records := story()
		for i := range records {
			if records[i].Type == ledger.Request {
				records[i].Tenure = "node1/3/57"
			}
		}
		last := len(records) - 3 // the last request
		for records[last].Type != ledger.Request {
			last--
		}
		records[last].Tenure, records[last].Kept, records[last].Owed = after, 0, 0
		if p := prove(t, write(t, records), verify.Options{}).Promise(verify.Records); p.Verdict != want {
			t.Errorf("%s: it is %s, want %s: %v", after, p.Verdict, want, p.Findings)
		}
	}
}

// A page that was gone for a while, and came back as it had been, has one line in the list of pages, as before.
func TestProve_PageThatIsBack(t *testing.T) {
	r := story()
	missing := request("/", 15)
	missing.Status = 404
	gone := outcome("/", 15.2)
	gone.Status, gone.File, gone.Digest = 404, "", ""
	again := func(seconds float64) ledger.Record {
		return ledger.Record{Type: ledger.Run, Event: ledger.EventAgain, Time: at(seconds), Why: "all"}
	}
	r = slices.Insert(r, len(r)-1, again(14), missing, gone, again(19), request("/", 20), outcome("/", 20.2))
	r[len(r)-1].Time = at(21)
	j := write(t, paced(r))
	if lines, err := os.ReadFile(filepath.Join(j.Pages, "pages.jsonl")); err != nil || bytes.Count(lines, []byte("\n")) != 3 {
		t.Fatalf("the list of pages is\n%s, %v", lines, err)
	}
	checkPages(t, j, verify.Proven, "")
	filetest.Write(t, filepath.Join(j.Pages, "pages.jsonl"), "")
	if p := prove(t, j, verify.Options{}).Promise(verify.Pages); p.Verdict != verify.Refuted {
		t.Errorf("without the line pages is %s: %v", p.Verdict, p.Findings)
	}
}

// Ensure that a site which nobody connects to, since its name leads to a private address, is owed nothing when it rests.
func TestProve_PrivateAddressRests(t *testing.T) {
	r := slices.Insert(story(), 8, ledger.Record{Type: ledger.Rest, Time: at(9.1), Site: "intranet.a.example", NotBefore: at(69),
		Reason: "private-address", ErrorText: "forbidden: 10.0.0.1 is a private address", Attempt: 1})
	if p := prove(t, write(t, paced(r)), verify.Options{}); p.Verdict != verify.Proven {
		t.Errorf("the crawl is %s: %v", p.Verdict, p.Promise(verify.Rests).Findings)
	}
}

// Of several connections each keeps the pause; that a request on another one ended just before a request left is no fault.
func TestProve_ConnectionsRest(t *testing.T) {
	for name, tt := range map[string]struct {
		third float64
		want  verify.Verdict
	}{"one rests": {9, verify.Proven}, "both rest": {5.3, verify.Refuted}} {
		t.Run(name, func(t *testing.T) {
			r := story()
			r[2].Took, r[2].End = secs(2), at(5)
			r[2].Time, r[3].Time = at(5), at(5.01)
			for _, move := range []struct {
				i     int
				start float64
			}{{4, 5.05}, {7, tt.third}} {
				q := &r[move.i]
				q.Clock, q.Start, q.End, q.Time = secs(move.start), at(move.start), at(move.start+0.1), at(move.start+0.1)
				r[move.i+1].Time = at(move.start + 0.11)
			}
			r[6].Time, r[8].NotBefore = at(5.2), at(tt.third+0.2)
			override := ledger.Record{
				Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, GapWhy: "override", Connections: 2,
			}
			p := prove(t, write(t, slices.Insert(paced(r), 1, override)), verify.Options{}).Promise(verify.Gaps)
			if p.Verdict != tt.want {
				t.Errorf("gaps: %s %v, want %s", p.Verdict, p.Findings, tt.want)
			}
		})
	}
}

// Of several connections one may be told to stay away while a request of each other one has its permit already; no more may leave.
func TestProve_ConnectionsToldToRest(t *testing.T) {
	for name, tt := range map[string]struct {
		connections int
		others      []float64
		want        verify.Verdict
	}{
		"none":                  {2, nil, verify.Proven},
		"at that moment":        {2, []float64{3.12}, verify.Proven},
		"one connection":        {1, []float64{3.12}, verify.Refuted},
		"two over one":          {2, []float64{3.12, 3.13}, verify.Refuted},
		"two over two":          {3, []float64{3.12, 3.13}, verify.Proven},
		"when a rest had begun": {2, []float64{3.5}, verify.Refuted},
	} {
		t.Run(name, func(t *testing.T) {
			busy := request("/busy", 3)
			busy.Status, busy.RetryAfter = 503, "60"
			records := []ledger.Record{
				story()[0],
				{Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, GapWhy: "override", Connections: tt.connections},
				robotsRequest(0.5), busy,
			}
			for i, start := range tt.others {
				records = append(records, request(fmt.Sprintf("/%d", i), start))
			}
			rest := ledger.Record{
				Type: ledger.Rest, Time: at(3.3), Site: host, Reason: "unavailable", ErrorText: "60", Attempt: 1, NotBefore: at(63.1),
			}
			again := outcome("/busy", 3.9)
			again.Outcome, again.File, again.Digest, again.Status, again.NotBefore = "retrying", "", "", 503, at(63.1)
			records = append(records, rest, again, request("/busy", 64))
			slices.SortStableFunc(records, func(a, b ledger.Record) int { return a.Time.Compare(b.Time) })
			for i := range records {
				if r := &records[i]; r.Type == ledger.Request {
					r.Gap, r.GapWhy = 0, "override"
				}
			}
			r := prove(t, write(t, paced(records)), verify.Options{})
			if p := r.Promise(verify.Gaps); p.Verdict != tt.want {
				t.Errorf("gaps: %s %v, want %s", p.Verdict, p.Findings, tt.want)
			}
		})
	}
}

// While a site rests time and again, for whatever, each page that has the body of others is asked a witness for, until one tells
// that the site is well.
func TestProve_WitnessAfterRest(t *testing.T) {
	records, start := story(), 20.0
	visit := func(path string, status int) {
		x, end := request(path, start), outcome(path, start+0.2)
		if x.Status, end.Status = status, status; status != 200 {
			end.Outcome, end.Reason, end.File, end.Digest, end.NotBefore = "retrying", "unavailable", "", "", at(start+70)
			x.RetryAfter = "1"
		}
		records = slices.Insert(records, len(records)-1, x, end)
		start += 5
	}
	witness := func(of string, status int) {
		x := request("/", start)
		x.Purpose, x.Via, x.Status = "witness", base+of, status
		records = slices.Insert(records, len(records)-1, x)
		start += 5
	}
	for _, path := range []string{"/a", "/b", "/c"} {
		visit(path, 200)
	}
	witness("/c", 200)
	visit("/busy", 503)
	records = slices.Insert(records, len(records)-1, ledger.Record{
		Type: ledger.Rest, Time: at(start - 4.7), Site: host, Reason: "unavailable", ErrorText: "1", Attempt: 1, NotBefore: at(start + 56),
	})
	start += 60
	visit("/d", 200)
	witness("/d", 404)
	records[len(records)-1].Time = at(start)
	if r := prove(t, write(t, paced(records)), verify.Options{}); r.Promise(verify.Decided).Verdict != verify.Proven {
		t.Errorf("decided: %+v", r.Promise(verify.Decided))
	}
}

// Of several connections others may have had answers between that of a page and its witness; of one none has.
func TestProve_WitnessBesideOtherConnections(t *testing.T) {
	for connections, want := range map[int]verify.Verdict{1: verify.Refuted, 2: verify.Proven} {
		records := slices.Insert(story(), 1, ledger.Record{
			Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, GapWhy: "override", Connections: connections,
		})
		start := 20.0
		for _, path := range []string{"/a", "/b", "/c", "/d", "/e"} {
			records = slices.Insert(records, len(records)-1, request(path, start), outcome(path, start+0.2))
			start += 5
		}
		x := request("/", start)
		x.Purpose, x.Via = "witness", base+"/b"
		records = slices.Insert(records, len(records)-1, x)
		records[len(records)-1].Time = at(start + 5)
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Decided); p.Verdict != want {
			t.Errorf("%d connections: %s %v, want %s", connections, p.Verdict, p.Findings, want)
		}
	}
}

// Of several connections that are refused at once each has its rest, by its own end and Retry-After, behind the requests of all.
func TestProve_ConnectionsRefusedAtOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		second float64 // when the rest ends that the second refusal asks for
		want   verify.Verdict
	}{"as promised": {123.15, verify.Proven}, "too short": {123.05, verify.Refuted}} {
		t.Run(name, func(t *testing.T) {
			records := []ledger.Record{
				story()[0],
				{Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: host, GapWhy: "override", Connections: 3},
				robotsRequest(0.5),
			}
			for i, end := range []float64{3.1, 3.15, 3.2} {
				r := request(fmt.Sprintf("/%d", i), 3)
				r.Status, r.Took, r.End, r.Time = 503, secs(end-3), at(end), at(end)
				if i == 1 {
					r.Status, r.RetryAfter = 429, "20"
				}
				records = append(records, r)
			}
			for i, until := range []float64{63.1, tt.second, 243.2} {
				r := ledger.Record{Type: ledger.Rest, Time: at(3.3), Site: host, Reason: "unavailable", Attempt: i + 1, NotBefore: at(until)}
				if i == 1 {
					r.Reason, r.ErrorText = "too-many-requests", "20"
				}
				records = append(records, r)
			}
			for i := range records {
				if r := &records[i]; r.Type == ledger.Request {
					r.Gap, r.GapWhy = 0, "override"
				}
			}
			r := prove(t, write(t, paced(append(records, request("/4", 244)))), verify.Options{})
			if p := r.Promise(verify.Rests); p.Verdict != tt.want {
				t.Errorf("rests: %s %v, want %s", p.Verdict, p.Findings, tt.want)
			}
		})
	}
}

// A link that was only checked may be asked for once more, as a page: no more often, whatever its outcomes say.
func TestProve_OnceMoreAfterACheck(t *testing.T) {
	for name, tt := range map[string]struct {
		reasons []string // of the outcomes
		want    verify.Verdict
	}{
		"a page then":       {[]string{"link-checked", ""}, verify.Proven},
		"a page twice":      {[]string{"link-checked", "", ""}, verify.Refuted},
		"a check each time": {[]string{"link-checked", "link-checked", "link-checked"}, verify.Refuted},
		"no check":          {[]string{"", "link-checked"}, verify.Refuted},
	} {
		records := story()[:2]
		for n, reason := range tt.reasons {
			start := 3 + 3*float64(n)
			o := outcome("/", start+0.2)
			if o.Reason = reason; reason != "" {
				o.File, o.Digest = "", ""
			}
			records = append(records, request("/", start), o)
		}
		records = append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(15), Why: "done"})
		if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Once); p.Verdict != tt.want {
			t.Errorf("%s: %s, want %s (%v)", name, p.Verdict, tt.want, p.Findings)
		}
	}
}

// Ensure that one node of a shared crawl is not accused of what another may have done: to ask for the robots.txt that both go by.
// Who had asked under the same right, or is one process, had to ask itself.
func TestProve_RobotsOfAnotherNode(t *testing.T) {
	none := func(r []ledger.Record) []ledger.Record { return slices.Delete(r, 1, 2) }
	another := func(r []ledger.Record) []ledger.Record { r[1].Digest = digest("x"); return r }
	old := func(r []ledger.Record) []ledger.Record { r[1].Expires = r[1].End.Add(time.Second); return r }
	for name, tt := range map[string]struct {
		change                   func([]ledger.Record) []ledger.Record
		robots, pages            string
		decided, fresh, refusals verify.Verdict
	}{
		"not on record":               {none, "", "b/3/60", verify.NotShown, verify.Proven, verify.NotShown},
		"another is on record":        {another, "b/3/57", "b/3/60", verify.NotShown, verify.Proven, verify.NotShown},
		"another, of the same right":  {another, "b/3/60", "b/3/60", verify.Refuted, verify.Proven, verify.NotShown},
		"not on record, one process":  {none, "", "", verify.Refuted, verify.Proven, verify.Refuted},
		"another, one process":        {another, "", "", verify.Refuted, verify.Proven, verify.Refuted},
		"out of date":                 {old, "b/3/57", "b/3/60", verify.Proven, verify.NotShown, verify.Proven},
		"out of date, the same right": {old, "b/3/60", "b/3/60", verify.Proven, verify.Refuted, verify.Proven},
	} {
		t.Run(name, func(t *testing.T) {
			records := story()
			for i := range records {
				if records[i].Type == ledger.Request {
					records[i].Tenure = tt.pages
				}
			}
			records[1].Tenure = tt.robots
			for i := range records[2:] { // later than what a permit may wait
				postpone(&records[2+i], 2*time.Minute)
			}
			report := prove(t, write(t, paced(tt.change(records))), verify.Options{})
			for promise, want := range map[verify.Name]verify.Verdict{
				verify.Decided: tt.decided, verify.Fresh: tt.fresh, verify.Refused: tt.refusals,
			} {
				if p := report.Promise(promise); p.Verdict != want {
					t.Errorf("%s: it is %s, want %s: %v", promise, p.Verdict, want, p.Findings)
				}
			}
		})
	}
}

// Ensure likewise that one node is not accused of going by the last good robots.txt, which another may have had, while none can be
// had. That of its own right counts, and so does none for one process, or where it is not to be used.
func TestProve_LastGoodOfAnotherNode(t *testing.T) {
	unused := func(r []ledger.Record) { r[0].Policy.UseLastGood = false }
	claimed := func(r []ledger.Record) { r[3].RobotsDigest, r[3].RobotsReason = "", "unavailable" }
	for name, tt := range map[string]struct {
		good, then string // the right under which another file was had, "none" for none, and that of all later requests
		change     func([]ledger.Record)
		want       verify.Verdict
	}{
		"none is on record":                {"none", "b/3/60", nil, verify.NotShown},
		"another is on record":             {"b/3/57", "b/3/60", nil, verify.NotShown},
		"another, of the same right":       {"b/3/60", "b/3/60", nil, verify.Refuted},
		"none is on record, one process":   {"none", "", nil, verify.Refuted},
		"another is on record, likewise":   {"", "", nil, verify.Refuted},
		"it is not to be used":             {"b/3/57", "b/3/60", unused, verify.Refuted},
		"it is said that there is no file": {"b/3/57", "b/3/60", claimed, verify.Refuted},
	} {
		t.Run(name, func(t *testing.T) {
			records := slices.Insert(story(), 1, robotsRequest(0.1))
			records[0].Policy.UseLastGood = true
			records[1].Digest, records[1].Expires = digest("x"), at(0.3)
			down := &records[2]
			down.Outcome, down.Digest, down.Status, down.Expires, down.NotBefore = "unreachable", "", 503, time.Time{}, at(60)
			for i := range records {
				if records[i].Type == ledger.Request {
					records[i].Tenure = tt.then
				}
			}
			if records[1].Tenure = tt.good; tt.change != nil {
				tt.change(records)
			}
			if tt.good == "none" {
				records = slices.Delete(records, 1, 2)
			}
			for i := range records[3:] { // later than what a permit may wait
				postpone(&records[3+i], 2*time.Minute)
			}
			if p := prove(t, write(t, paced(records)), verify.Options{}).Promise(verify.Decided); p.Verdict != tt.want {
				t.Errorf("it is %s, want %s: %v", p.Verdict, tt.want, p.Findings)
			}
		})
	}
}

// postpone moves a record on.
func postpone(r *ledger.Record, by time.Duration) {
	r.Time = r.Time.Add(by)
	if r.Type == ledger.Request {
		r.Start, r.End, r.Clock = r.Start.Add(by), r.End.Add(by), r.Clock+ledger.Millis(by)
	}
	if !r.NotBefore.IsZero() {
		r.NotBefore = r.NotBefore.Add(by)
	}
}

// Where a machine is slow, time goes by between the end of a request and its record, and the pause begins after that: it does not
// speak for a request that is missing.
func TestProve_ToldLate(t *testing.T) {
	for name, tt := range map[string]struct {
		told float64
		want verify.Verdict
	}{"at once": {3.1, verify.NotShown}, "late": {5.5, verify.Proven}} {
		t.Run(name, func(t *testing.T) {
			slow, next := request("/", 3), request("/b", 8)
			slow.Time = at(tt.told)
			records := paced([]ledger.Record{
				story()[0], robotsRequest(0.5), slow, outcome("/", 5.6), next, outcome("/b", 8.2),
				{Type: ledger.Run, Event: ledger.EventStop, Time: at(9), Why: "done"},
			})
			records[4].Kept = secs(8 - 5.5)
			mustProve(t, records, tt.want)
		})
	}
}
