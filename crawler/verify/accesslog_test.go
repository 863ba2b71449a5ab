package verify_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// logOf is the log that the server of the site wrote of these records, with visits of others between.
func logOf(records []ledger.Record) (lines []string) {
	for _, r := range records {
		if r.Type != ledger.Request {
			continue
		}
		lines = append(lines, logLine(r.End, strings.TrimPrefix(r.URL, base), r.Status, "192.0.2.99", "cybermapper/1.0 (+x@example.org)"))
		lines = append(lines, logLine(r.End.Add(time.Second), "/about", 200, "198.51.100.7", "Mozilla/5.0"))
	}
	return lines
}

func logLine(at time.Time, target string, status int, client, agent string) string {
	return fmt.Sprintf(`%s - - [%s] "GET %s HTTP/1.1" %d 12 "-" "%s"`, client, at.Format("02/Jan/2006:15:04:05 -0700"), target, status, agent)
}

// later moves every line of a log by a time.
func later(lines []string, by time.Duration) []string {
	for i, l := range lines {
		from, to := strings.IndexByte(l, '[')+1, strings.IndexByte(l, ']')
		at, err := time.Parse("02/Jan/2006:15:04:05 -0700", l[from:to])
		if err != nil {
			panic(err)
		}
		lines[i] = l[:from] + at.Add(by).Format("02/Jan/2006:15:04:05 -0700") + l[to:]
	}
	return lines
}

// killed makes a record that of a crawl that was killed before its end, and gone on with, when it asked for these once more.
func killed(records []ledger.Record, lost ...string) []ledger.Record {
	again := records[0]
	again.Time = at(80)
	records = append(records[:len(records)-1], again)
	for i, target := range lost {
		records = append(records, request(target, 82+3*float64(i)), outcome(target, 82.2+3*float64(i)))
	}
	return append(records, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(90), Why: "done"})
}

// givenUp makes a record that of a crawl that also asked for this, and got no answer in 5 seconds, and went on.
func givenUp(records []ledger.Record, target string) []ledger.Record {
	hung, stop := request(target, 75), records[len(records)-1]
	hung.Status, hung.Error, hung.End, hung.Time, hung.Took = 0, "timeout", at(80), at(80), secs(5)
	stop.Time = at(140)
	return append(records[:len(records)-1], hung, stop)
}

// long is a story with more pages.
func long() []ledger.Record {
	r := story()
	for i := range 20 {
		r = append(r[:len(r)-1], request(fmt.Sprint("/page", i), 15+3*float64(i)), outcome(fmt.Sprint("/page", i), 15.2+3*float64(i)), r[len(r)-1])
		r[len(r)-1].Time = at(18 + 3*float64(i))
	}
	return paced(r)
}

// hurried tells of requests that left by so much sooner, each after the one before it, than the clock of the run says; with set the
// ledger says that the wall clock was set back by that.
func hurried(records []ledger.Record, by time.Duration, set bool) (told []ledger.Record) {
	off := time.Duration(0)
	for i, r := range records {
		if r.Type == ledger.Request && i > 4 {
			off -= by
			if set {
				told = append(told, ledger.Record{Type: ledger.Run, Event: ledger.EventClock, Set: ledger.Millis(-by), Time: r.Start.Add(off)})
			}
		}
		for _, t := range []*time.Time{&r.Time, &r.Start, &r.FirstByte, &r.End, &r.NotBefore, &r.Expires} {
			if !t.IsZero() {
				*t = t.Add(off)
			}
		}
		told = append(told, r)
	}
	return told
}

// TestCompare_LogAndRecord holds a ledger against what its site says.
func TestCompare_LogAndRecord(t *testing.T) {
	const us = "cybermapper/1.0 (+x@example.org)"
	visits := func(lines []string) []int { // places of our lines
		var at []int
		for i, l := range lines {
			if strings.Contains(l, "cybermapper") {
				at = append(at, i)
			}
		}
		return at
	}
	for name, tt := range map[string]struct {
		records func(r []ledger.Record) []ledger.Record
		log     func(lines []string) []string
		want    map[verify.Name]verify.Verdict // all others are proven
		what    string                         // in a finding or a note
	}{
		"the truth": {what: "25 of them with our name; 25 are among the 25 requests on record"},
		"^ and | that were encoded in the request, or were not by an earlier version": {
			records: func(r []ledger.Record) []ledger.Record {
				for i := range r {
					r[i].URL = strings.Replace(r[i].URL, "/page1", "/pa^ge|1", 1)
				}
				return r
			},
			log: func(l []string) []string {
				for i := range l {
					l[i] = strings.Replace(l[i], "/page1 ", "/pa^ge|1 ", 1)
					l[i] = strings.Replace(l[i], "/page1", "/pa%5Ege%7C1", 1)
				}
				return l
			},
			what: "25 are among the 25 requests on record",
		},
		"a clock that is ahead": {
			log:  func(l []string) []string { return later(l, 42*time.Second) },
			what: "ahead of that of the crawler",
		},
		"a clock of another time zone": {
			log:  func(l []string) []string { return later(l, -3*time.Hour) },
			want: map[verify.Name]verify.Verdict{verify.Agreed: verify.NotShown},
			what: "3h0m0s behind that of the crawler from 2026-07-01T12:00:00.5Z to 2026-07-01T12:01:12Z: one of the two clocks was wrong, as that of another time zone",
		},
		"a clock that was set": {
			log: func(l []string) []string {
				return append(l[:20], later(l[20:], 10*time.Second)...)
			},
			what: "10s ahead of",
		},
		"pauses on record that are longer than those that were kept": {
			log: func(l []string) []string {
				for i := range l {
					l[i] = later(l[i:i+1], -time.Duration(i)*time.Second/4)[0]
				}
				return l
			},
			want: map[verify.Name]verify.Verdict{verify.Agreed: verify.NotShown},
			what: "or the pauses on record are not those that were kept",
		},
		"a clock that was set back before each request": {
			records: func(r []ledger.Record) []ledger.Record { return hurried(r, 2*time.Second, true) },
			log:     func([]string) []string { return logOf(hurried(long(), 2*time.Second, true)) },
			want:    map[verify.Name]verify.Verdict{verify.Agreed: verify.NotShown},
			what:    "or the pauses on record are not those that were kept",
		},
		"a clock of the run that is fast": {
			records: func(r []ledger.Record) []ledger.Record { return hurried(r, 900*time.Millisecond, false) },
			log:     func([]string) []string { return logOf(hurried(long(), 900*time.Millisecond, false)) },
			want:    map[verify.Name]verify.Verdict{verify.Agreed: verify.NotShown},
			what:    "or the pauses on record are not those that were kept",
		},
		"a machine that sleeps before each request": {
			records: func(r []ledger.Record) []ledger.Record { return hurried(r, -20*time.Second, true) },
			log:     func([]string) []string { return logOf(hurried(long(), -20*time.Second, true)) },
		},
		"clocks that part as clocks do": {
			log: func(l []string) []string {
				for i := range l {
					l[i] = later(l[i:i+1], -time.Duration(i)*time.Second/60)[0]
				}
				return l
			},
		},
		"the record moved as a whole": {
			log:  func(l []string) []string { return later(l, 24*time.Hour) },
			want: map[verify.Name]verify.Verdict{verify.Agreed: verify.NotShown},
			what: "or the record of 25 requests was moved",
		},
		"the beginning of the log put away": {
			log:  func(l []string) []string { return l[12:] },
			what: "6 requests are on record from before the log begins or after it ends",
		},
		"a log of another time": {
			log:  func(l []string) []string { return []string{logLine(at(-90000), "/", 200, "192.0.2.1", "x")} },
			what: "25 requests are on record from before the log begins",
		},
		"an empty log": {
			log:  func([]string) []string { return nil },
			want: map[verify.Name]verify.Verdict{verify.Written: verify.NotShown, verify.Seen: verify.NotShown, verify.Agreed: verify.NotShown},
			what: "the log has no request to this site",
		},
		"a line removed from the log": {
			log:  func(l []string) []string { return slices.Delete(l, visits(l)[8], visits(l)[8]+1) },
			want: map[verify.Name]verify.Verdict{verify.Seen: verify.NotShown},
			what: "is not in the log, though it has other lines of that time",
		},
		"all of our lines removed from the log": {
			log: func(l []string) []string {
				return slices.DeleteFunc(l, func(s string) bool { return strings.Contains(s, us) })
			},
			want: map[verify.Name]verify.Verdict{verify.Seen: verify.NotShown},
			what: "24 requests in a row, from here to record 50", // the log begins with a visit after the first
		},
		"a request that is not on record": {
			log: func(l []string) []string {
				return slices.Insert(l, 30, logLine(at(50), "/private/diary", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "/private/diary at 2026-07-01T12:00:50Z, status 200, from 192.0.2.99 is not on record",
		},
		"a request twice of which one is on record": {
			log:  func(l []string) []string { return slices.Insert(l, 31, l[30]) },
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "is not on record",
		},
		"another method": {
			log: func(l []string) []string {
				return slices.Insert(l, 30, strings.Replace(logLine(at(50), "/page3", 200, "192.0.2.99", us), "GET", "POST", 1))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "POST /page3",
		},
		"others of whose names ours is a part, and who have it in an address": {
			log: func(l []string) []string {
				return slices.Insert(l, 30, logLine(at(50), "/x", 200, "192.0.2.99", "notcybermapper/1.0"),
					logLine(at(50), "/x", 200, "192.0.2.99", "Otherbot/1.0 (+https://git.example/cybermapper)"))
			},
		},
		"our name behind that of a browser": {
			log: func(l []string) []string {
				return slices.Insert(l, 30, logLine(at(50), "/x", 200, "192.0.2.99", "Mozilla/5.0 (compatible; CyberMapper/1.0)"))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "is not on record",
		},
		"somebody else with our name": {
			log: func(l []string) []string {
				return slices.Insert(l, 30, logLine(at(50), "/private/diary", 200, "203.0.113.4", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.NotShown},
			what: "so it may be somebody who uses the name",
		},
		"a name that only begins as ours": {
			log: func(l []string) []string {
				return slices.Insert(l, 30, logLine(at(50), "/private/diary", 200, "192.0.2.99", "cybermapper-clone/2.0"))
			},
		},
		"an answer that was another": {
			log:  func(l []string) []string { l[30] = strings.Replace(l[30], " 200 ", " 404 ", 1); return l },
			want: map[verify.Name]verify.Verdict{verify.Agreed: verify.Refuted},
			what: "was answered with 404, says access.log line 31; the record says 200",
		},
		"a run struck out": {
			log: func(l []string) []string {
				return append(l, logLine(at(4000), "/private/diary", 200, "192.0.2.99", us), logLine(at(4010), "/", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.NotShown},
			what: "is from when no crawl ran, says the record",
		},
		"a kill": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r, "/lost") },
			log: func(l []string) []string {
				return append(l, logLine(at(75.5), "/lost", 200, "192.0.2.99", us), logLine(at(82.1), "/lost", 200, "192.0.2.99", us))
			},
			what: "1 request was under way when a process was killed",
		},
		"a kill, and what was under way asked for again at once": {
			records: func(r []ledger.Record) []ledger.Record {
				r = killed(r, "/lost")
				r[len(r)-4].Time = at(80.4)
				r[len(r)-3] = request("/lost", 80.7)
				return paced(r)
			},
			log: func(l []string) []string {
				return append(l, logLine(at(79.3), "/lost", 200, "192.0.2.99", us), logLine(at(80.7), "/lost", 200, "192.0.2.99", us))
			},
			what: "1 request was under way when a process was killed",
		},
		"a kill, and what was under way asked for again and again, as it hangs": {
			records: func(r []ledger.Record) []ledger.Record {
				r = killed(r)
				stop := r[len(r)-1]
				for i := range 4 {
					hung := request("/hung", 80.9+2.9*float64(i))
					hung.Status, hung.Error, hung.Attempt = 0, "timeout", i+1
					hung.End, hung.Took = hung.Start.Add(2*time.Second), secs(2)
					r = append(r[:len(r)-1], hung, stop)
				}
				r[len(r)-1].Time = at(95)
				return r
			},
			log: func(l []string) []string {
				for _, end := range []float64{80.2, 82.9, 85.8, 88.7, 91.6} {
					l = append(l, logLine(at(end), "/hung", 499, "192.0.2.99", us))
				}
				return l
			},
			what: "1 request was under way when a process was killed",
		},
		"a kill, and a run of a moment after it": {
			records: func(r []ledger.Record) []ledger.Record {
				r = killed(r, "/lost")
				brief := []ledger.Record{r[len(r)-4], r[len(r)-1]}
				brief[0].Time, brief[1].Time = at(78.9), at(78.95)
				return slices.Insert(r, len(r)-4, brief...)
			},
			log: func(l []string) []string {
				return append(l, logLine(at(78.8), "/lost", 499, "192.0.2.99", us), logLine(at(82.1), "/lost", 200, "192.0.2.99", us))
			},
			what: "1 request was under way when a process was killed",
		},
		"a kill that hides what nobody asked for again": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r) },
			log:     func(l []string) []string { return append(l, logLine(at(75.5), "/hidden", 200, "192.0.2.99", us)) },
			want:    map[verify.Name]verify.Verdict{verify.Written: verify.NotShown},
			what:    "and was not asked for again, as what is under way then is",
		},
		"a kill that hides what came before the pause had passed": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r, "/lost") },
			log: func(l []string) []string {
				return append(l, logLine(at(70.9), "/lost", 200, "192.0.2.99", us), logLine(at(82.1), "/lost", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "/lost at 2026-07-01T12:01:10Z, status 200, from 192.0.2.99 is not on record",
		},
		"a server that notes what was given up when it is done with it": {
			records: func(r []ledger.Record) []ledger.Record { return givenUp(r, "/hung") },
			log:     func(l []string) []string { return append(l, logLine(at(105), "/hung", 200, "192.0.2.99", us)) },
			want:    map[verify.Name]verify.Verdict{verify.Written: verify.NotShown},
			what:    "may be of the request in record 52, which was given up 25s before",
		},
		"a request that was never sent, and is in the log": {
			records: func(r []ledger.Record) []ledger.Record {
				r = givenUp(r, "/hung")
				r[len(r)-2].Error = "connection-refused"
				return r
			},
			log:  func(l []string) []string { return append(l, logLine(at(105), "/hung", 200, "192.0.2.99", us)) },
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "/hung at 2026-07-01T12:01:45Z, status 200, from 192.0.2.99 is not on record",
		},
		"a request that was given up, and is in the log twice": {
			records: func(r []ledger.Record) []ledger.Record { return givenUp(r, "/hung") },
			log: func(l []string) []string {
				return append(l, logLine(at(77), "/hung", 499, "192.0.2.99", us), logLine(at(83), "/hung", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "/hung at 2026-07-01T12:01:23Z, status 200, from 192.0.2.99 is not on record",
		},
		"a server that notes what was under way at a kill when it is done with it": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r, "/lost", "/after") },
			log: func(l []string) []string {
				return append(l, logLine(at(82.1), "/lost", 200, "192.0.2.99", us), logLine(at(85.1), "/after", 200, "192.0.2.99", us),
					logLine(at(88), "/lost", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.NotShown},
			what: "/lost at 2026-07-01T12:01:28Z, status 200, from 192.0.2.99 may be of what was under way when a process was killed",
		},
		"a kill that hides a page of the run after it": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r, "/lost", "/after") },
			log: func(l []string) []string {
				return append(l, logLine(at(82.1), "/lost", 200, "192.0.2.99", us), logLine(at(85.1), "/after", 200, "192.0.2.99", us),
					logLine(at(88), "/hidden", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "/hidden at 2026-07-01T12:01:28Z, status 200, from 192.0.2.99 is not on record",
		},
		"a kill at the end, after a long pause": {
			records: func(r []ledger.Record) []ledger.Record {
				r[len(r)-3].Gap = secs(120)
				return r[:len(r)-1]
			},
			log:  func(l []string) []string { return append(l, logLine(at(195), "/lost", 200, "192.0.2.99", us)) },
			what: "1 request was under way when a process was killed",
		},
		"a kill that hides a form": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r, "/lost") },
			log: func(l []string) []string {
				form := strings.Replace(logLine(at(75.5), "/lost", 200, "192.0.2.99", us), "GET", "POST", 1)
				return append(l, form, logLine(at(82.1), "/lost", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "POST /lost at 2026-07-01T12:01:15Z, status 200, from 192.0.2.99 is not on record",
		},
		"a kill that hides what is disallowed": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r) },
			log: func(l []string) []string {
				return append(l, logLine(at(75.5), "/private/diary", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "it was not asked for under the robots.txt of that time: Disallow: /private/",
		},
		"a kill that hides what is disallowed and not on record as that": {
			records: func(r []ledger.Record) []ledger.Record {
				r = killed(slices.Delete(r, 6, 7))
				r[len(r)-1].Why = "max-pages"
				return r
			},
			log: func(l []string) []string {
				return append(l, logLine(at(75.5), "/private/secret", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "the robots.txt of that time disallows it: Disallow: /private/",
		},
		"a kill, and another version that reads robots.txt otherwise": {
			records: func(r []ledger.Record) []ledger.Record {
				refusal := r[6]
				refusal.Time = at(85)
				r = killed(slices.Delete(r, 6, 7))
				r[len(r)-2].Version = "v2"
				return slices.Insert(r, len(r)-1, refusal)
			},
			log: func(l []string) []string {
				return append(l, logLine(at(75.5), "/private/diary", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.NotShown},
			what: "disallows it, unless the version of then read it otherwise: Disallow: /private/",
		},
		"a kill that hides what is disallowed, and another dialect": {
			records: func(r []ledger.Record) []ledger.Record {
				r = killed(r)
				policy := *r[len(r)-2].Policy
				policy.Dialect = "rfc9309"
				r[len(r)-2].Policy = &policy
				return r
			},
			log: func(l []string) []string {
				return append(l, logLine(at(75.5), "/private/secret", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "the robots.txt of that time disallows it: Disallow: /private/",
		},
		"a kill of a crawl that a limit ended then": {
			records: func(r []ledger.Record) []ledger.Record {
				r = killed(r)
				r[len(r)-1].Why = "max-pages"
				return r
			},
			log:  func(l []string) []string { return append(l, logLine(at(75.5), "/lost", 200, "192.0.2.99", us)) },
			what: "1 request was under way when a process was killed",
		},
		"an answer on record as none, though it may have said how long to stay away": {
			records: func(r []ledger.Record) []ledger.Record {
				for i := range r {
					if r[i].URL == base+"/page7" && r[i].Type == ledger.Request {
						r[i].Status = 0
					}
				}
				return r
			},
			log: func(l []string) []string {
				for i := range l {
					if strings.Contains(l[i], "/page7 ") {
						l[i] = strings.Replace(l[i], " 200 ", " 429 ", 1)
					}
				}
				return l
			},
			want: map[verify.Name]verify.Verdict{verify.Agreed: verify.NotShown},
			what: "/page7 was answered with 429, which may say how long to stay away",
		},
		"a power loss, which takes the records of a second": {
			records: func(r []ledger.Record) []ledger.Record {
				again := r[0]
				again.Time, again.Boot = at(80), "since this evening"
				for i := range r {
					if r[i].Type == ledger.Request {
						r[i].Gap = secs(0.4)
					}
				}
				return append(r[:len(r)-1], again, ledger.Record{Type: ledger.Run, Event: ledger.EventStop, Time: at(90), Why: "interrupted"})
			},
			log: func(l []string) []string {
				for i := range 3 {
					l = append(l, logLine(at(75.5+0.4*float64(i)), fmt.Sprint("/lost", i), 200, "192.0.2.99", us))
				}
				return l
			},
			what: "3 requests were under way when a process was killed",
		},
		"a power loss before anything was asked for explains no thousand requests": {
			records: func(r []ledger.Record) []ledger.Record {
				first := r[0]
				first.Time, first.Boot, first.BootAt = at(-10), "since this morning", secs(100)
				return append([]ledger.Record{first}, r...)
			},
			log: func(l []string) []string {
				for i := range 3 {
					l = slices.Insert(l, i, logLine(at(-9+float64(i)), "/page1", 200, "192.0.2.99", us))
				}
				return l
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "is not on record",
		},
		"more than a kill explains": {
			records: func(r []ledger.Record) []ledger.Record { return killed(r, "/lost") },
			log: func(l []string) []string {
				return append(l, logLine(at(75.5), "/lost", 200, "192.0.2.99", us), logLine(at(78), "/hidden", 200, "192.0.2.99", us),
					logLine(at(82.1), "/lost", 200, "192.0.2.99", us))
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted},
			what: "/hidden at",
		},
		"a log without names": {
			log: func(l []string) []string {
				for i := range l {
					l[i], _, _ = strings.Cut(l[i], ` "-" "`)
				}
				return l
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.NotShown, verify.Seen: verify.NotShown},
			what: "without a User-Agent, so that they may be of anybody; as many as 25 fit the 25 requests on record",
		},
		"a request without an answer, and the same again when the process was killed": {
			records: func(r []ledger.Record) []ledger.Record {
				hung := request("/hung", 74)
				hung.Status, hung.Error, hung.End, hung.Time, hung.Took = 0, "interrupted", at(79), at(79), secs(5)
				return killed(slices.Insert(r, len(r)-1, hung), "/hung")
			},
			log: func(l []string) []string {
				for _, at := range []time.Time{at(74), at(79.5), at(82.1)} {
					l = append(l, logLine(at, "/hung", 200, "192.0.2.99", us))
				}
				return l
			},
			what: "1 request was under way when a process was killed",
		},
		"a path that is another one when its escapes are read": {
			records: func(r []ledger.Record) []ledger.Record {
				for i := range r {
					if r[i].URL == base+"/page7" {
						r[i].URL = base + "/a%2Fb%20c"
					}
				}
				return r
			},
			log: func(l []string) []string {
				for i := range l {
					l[i] = strings.Replace(l[i], "GET /page7 ", "GET /a/b+c ", 1)
				}
				return l
			},
			want: map[verify.Name]verify.Verdict{verify.Written: verify.Refuted, verify.Seen: verify.NotShown},
			what: "/a/b+c",
		},
		"another site of the server": {
			log: func(l []string) []string {
				for i := range l {
					l[i] = "a.example " + l[i]
				}
				return append(l, "b.example "+logLine(at(50), "/private/diary", 200, "192.0.2.99", us))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			records := long()
			lines := logOf(records)
			if tt.records != nil {
				records = tt.records(records)
			}
			if tt.log != nil {
				lines = tt.log(lines)
			}
			j := write(t, records)
			log := []accesslog.Source{{Name: "access.log", Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(strings.Join(lines, "\n") + "\n")), nil
			}}}
			c, err := verify.Compare(t.Context(), j, host, log, verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(c.Notes, "\n")
			for _, p := range c.Promises {
				for _, f := range p.Findings {
					said += "\n" + f.String()
				}
				want := verify.Proven
				if w, ok := tt.want[p.Name]; ok {
					want = w
				}
				if p.Verdict != want {
					t.Errorf("%s is %s, want %s: %v", p.Name, p.Verdict, want, p.Findings)
				}
			}
			if !strings.Contains(said, tt.what) {
				t.Errorf("said %s\nwant %q", said, tt.what)
			}
		})
	}
}
