package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// urlOf returns the number of the nth record of a type about a URL, from 0.
func urlOf(r []ledger.Record, kind ledger.Type, path string, nth int) int {
	for i := range r {
		if r[i].Type == kind && r[i].URL == base+path {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	panic("no such record: " + path)
}

// renamed tells of a page by another URL.
func renamed(r []ledger.Record, path, url string) []ledger.Record {
	for i := range r {
		if r[i].URL == base+path {
			r[i].URL = url
		}
	}
	return r
}

// failing lets a site answer 503 three times in a row, with a rest each of which the last is called the nth and takes so long.
func failing(r []ledger.Record, nth int, last float64) []ledger.Record {
	from := 20.0
	for i, rest := range []float64{60, 120, last} {
		x := request("/busy", from)
		x.Status, x.Attempt = 503, i+1
		later := outcome("/busy", from+0.3)
		later.Outcome, later.File, later.Digest, later.Status, later.NotBefore = "retrying", "", "", 503, at(from+1)
		attempt := i + 1
		if i == 2 {
			attempt = nth
		}
		r = slices.Insert(r, len(r)-1, x, ledger.Record{Type: ledger.Rest, Time: at(from + 0.2), Site: host, NotBefore: at(from + 0.2 + rest),
			Reason: "unavailable", Attempt: attempt}, later)
		from += rest + 1
	}
	r[len(r)-1].Time = at(from)
	return paced(r)
}

// TestProve_LiesWithAChainOfTheirOwn lets an operator lie who knows the format, and computes the chain anew. Each lie has been told
// to an earlier version, which believed it.
func TestProve_LiesWithAChainOfTheirOwn(t *testing.T) {
	at0 := func(r []ledger.Record) int { return urlOf(r, ledger.Request, "/private/press", 0) }
	for name, tt := range map[string]struct {
		tell    func(r []ledger.Record) []ledger.Record
		promise verify.Name
		want    verify.Verdict
		what    string
	}{
		"a pause that was not kept": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Kept = secs(60); return r },
			verify.Records, verify.Refuted, "the clocks show 2.9s",
		},
		"a page by a name that goes past its rule": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", base+"/open/../private/diary") },
			verify.Records, verify.NotShown, "has a path that goes up",
		},
		"likewise, in other letters": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", base+"/%2E/private/diary") },
			verify.Records, verify.NotShown, "has a path that goes up",
		},
		"a page by a name with a tab": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", base+"/priv\tate/diary") },
			verify.Records, verify.NotShown, "has characters that no request can have",
		},
		"a page behind a fragment": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", base+"/#/private/diary") },
			verify.Records, verify.NotShown, "has characters that no request can have",
		},
		"a page by a name with a backslash": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", base+`/open/..\private/diary`) },
			verify.Records, verify.NotShown, "has a backslash in its path",
		},
		"a page by a name with its host escaped": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", "http://a%2eexample/gone") },
			verify.Records, verify.NotShown, "has a host by another name",
		},
		"a page of a host that is an address in short": {
			func(r []ledger.Record) []ledger.Record { return renamed(r, "/gone", "http://127.1/gone") },
			verify.Records, verify.NotShown, "has a host by another name",
		},
		"a robots.txt that is still one that never came": {
			func(r []ledger.Record) []ledger.Record {
				r[3].Status = 304
				return r
			},
			verify.Decided, verify.NotShown, "which no record before it has brought",
		},
		"a redirect of robots.txt that was not followed": {
			func(r []ledger.Record) []ledger.Record {
				r[2].Location, r[2].Outcome, r[2].Expires = "https://www.a.example/robots.txt", "unavailable", at(90000)
				return r
			},
			verify.Decided, verify.Refuted, "but led to https://www.a.example/robots.txt",
		},
		"the TDM file asked for every few seconds": {
			func(r []ledger.Record) []ledger.Record {
				one, two := request("/.well-known/tdmrep.json", 12.5), request("/.well-known/tdmrep.json", 12.9)
				one.Purpose, two.Purpose = "tdmrep", "tdmrep"
				return slices.Insert(r, len(r)-1, one, two)
			},
			verify.Once, verify.NotShown, "asks for the TDM file again after 400ms",
		},
		"a name that no User-Agent had": {
			func(r []ledger.Record) []ledger.Record {
				r[0].UserAgent, r[len(r)-1].UserAgent = "other/1.0", "other/1.0"
				return r
			},
			verify.Records, verify.NotShown, `read robots.txt as "cybermapper" and called itself "other/1.0"`,
		},
		"a rest moved to a site that was never asked": {
			func(r []ledger.Record) []ledger.Record {
				return slices.Insert(r, 8, ledger.Record{Type: ledger.Rest, Time: at(9.1), Site: "b.example", NotBefore: at(78), Reason: "unavailable",
					Attempt: 1})
			},
			verify.Rests, verify.NotShown, "asked for nothing before",
		},
		"a third failure in a row that is called the first": {
			func(r []ledger.Record) []ledger.Record { return failing(r, 1, 60) },
			verify.Rests, verify.NotShown, "says that it is for failure 1 in a row; on record are 3",
		},
		"a rest that did not double": {
			func(r []ledger.Record) []ledger.Record { return failing(r, 3, 60) },
			verify.Rests, verify.Refuted, "is shorter than the 4m0s that are promised after 3 failures in a row",
		},
		"an outcome told twice": {
			func(r []ledger.Record) []ledger.Record {
				n := urlOf(r, ledger.Outcome, "/", 0)
				return slices.Insert(r, n, r[n])
			},
			verify.Once, verify.NotShown, "is a second outcome of one request",
		},
		"a stored page called unstored": {
			func(r []ledger.Record) []ledger.Record {
				n := urlOf(r, ledger.Outcome, "/", 0)
				r[n].File, r[n].Digest, r[n].Listing = "", "", "sha256:0"
				return r
			},
			verify.Pages, verify.Refuted, "these do not fit",
		},
		"a page called what another page needs": {
			func(r []ledger.Record) []ledger.Record {
				r[urlOf(r, ledger.Request, "/busy", 1)].Purpose = "requisite"
				return r
			},
			verify.Pages, verify.NotShown, "was not asked for as that",
		},
		"a pause by an override that is not on record": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].GapWhy = "override"; return r },
			verify.Records, verify.NotShown, "an override for the site does: false",
		},
		"an address of the crawler that has no way to the site": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].From = "2001:db8::1"; return r },
			verify.Records, verify.NotShown, "has no way to the address asked",
		},
		"an address of another port": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Address = "192.0.2.1:8080"; return r },
			verify.Records, verify.NotShown, "has another port than its URL",
		},
		"a pause that was not owed": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Owed = secs(60); return r },
			verify.Records, verify.NotShown, "says that a pause of 1m0s was owed",
		},
		"a robots.txt kept in force by a pause made up": {
			func(r []ledger.Record) []ledger.Record {
				n := at0(r)
				open := robotsRequest(13)
				open.Digest, open.Expires = digest(file+"Visit-time: 0100-0200\n"), at(90000)
				r[n].Owed = secs(3600)
				for i := range r {
					if r[i].Start.Before(at(13)) {
						continue
					}
					r[i].Start, r[i].End, r[i].Time, r[i].Clock = r[i].Start.Add(70*time.Second), r[i].End.Add(70*time.Second), r[i].Time.Add(70*time.Second), r[i].Clock+secs(70)
				}
				return slices.Insert(r, n, open)
			},
			verify.Decided, verify.Refuted, "in force was",
		},
		"a request moved by hours, its clock left": {
			func(r []ledger.Record) []ledger.Record {
				x := &r[at0(r)]
				x.Start, x.End, x.Time = x.Start.Add(6*time.Hour), x.End.Add(6*time.Hour), x.Time.Add(6*time.Hour)
				return r
			},
			verify.Records, verify.NotShown, "differ by 6h0m0s",
		},
		"requests that follow sooner than the clock of the run says": {
			func(r []ledger.Record) []ledger.Record { return hurried(long(), 900*time.Millisecond, false) },
			verify.Records, verify.NotShown, "since the first request of the run",
		},
		"a negative time": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Took = -secs(1); return r },
			verify.Records, verify.Refuted, "negative time",
		},
		"ended before it began": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].End = r[at0(r)].Start.Add(-time.Minute); return r },
			verify.Records, verify.NotShown, "by that on the wall",
		},
		"written a day before": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Time = at(-86400); return r },
			verify.Records, verify.NotShown, "before the record before it",
		},
		"an address removed": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Address = ""; return r },
			verify.Address, verify.NotShown, "does not say from which address",
		},
		"a second request called a probe": {
			func(r []ledger.Record) []ledger.Record {
				again := request("/", 110)
				again.Purpose = "probe"
				return paced(slices.Insert(r, len(r)-1, again))
			},
			verify.Decided, verify.Refuted, "is called a probe",
		},
		"a second request called a witness": {
			func(r []ledger.Record) []ledger.Record {
				again := request("/", 110)
				again.Purpose, again.Via = "witness", base+"/"
				return paced(slices.Insert(r, len(r)-1, again))
			},
			verify.Decided, verify.Refuted, "http://a.example/ had not failed",
		},
		"each second request called a witness for the page before": {
			func(r []ledger.Record) []ledger.Record {
				for i := range 3 {
					at := 110 + 20*float64(i)
					page, again := request(fmt.Sprintf("/new%d", i), at), request("/", at+10)
					again.Purpose, again.Via = "witness", page.URL
					r = slices.Insert(r, len(r)-1, page, outcome(fmt.Sprintf("/new%d", i), at+0.2), again)
				}
				return paced(r)
			},
			verify.Decided, verify.Refuted, "http://a.example/new2 had not failed",
		},
		"a disallowed page called a redirect of robots.txt": {
			func(r []ledger.Record) []ledger.Record {
				secret := robotsRequest(2)
				secret.URL, secret.Outcome, secret.Digest, secret.Expires = base+"/private/diary", "", "", time.Time{}
				return slices.Insert(r, 3, secret)
			},
			verify.Decided, verify.Refuted, "follows a redirect of robots.txt that led to http://a.example/r.txt",
		},
		"a request in a record of an unknown type": {
			func(r []ledger.Record) []ledger.Record {
				secret := request("/private/diary", 110)
				secret.Type = "fetch"
				return slices.Insert(r, len(r)-1, secret)
			},
			verify.Allowed, verify.NotShown, "1 record is not understood",
		},
		"another method": {
			func(r []ledger.Record) []ledger.Record { r[at0(r)].Method = "POST"; return r },
			verify.Records, verify.Refuted, "used the method POST",
		},
		"a rule that did not decide": {
			func(r []ledger.Record) []ledger.Record {
				r[at0(r)].RobotsLine, r[at0(r)].RobotsRule = 2, "Disallow: /private/"
				return r
			},
			verify.Decided, verify.Refuted, "the file decides by allowed by line 3: Allow: /private/press",
		},
		"a Disallow quoted as an Allow": {
			func(r []ledger.Record) []ledger.Record {
				r[at0(r)].RobotsLine, r[at0(r)].RobotsRule = 2, "allow: /private/"
				return r
			},
			verify.Files, verify.Refuted, "line 2 of",
		},
		"a refusal by a rule that is not in the file": {
			func(r []ledger.Record) []ledger.Record {
				n := urlOf(r, ledger.Refusal, "/private/diary", 0)
				r[n].Line, r[n].Rule = 77, "Disallow: /nowhere/"
				return r
			},
			verify.Refused, verify.Refuted, "the file decides by line 2",
		},
		"a refusal of a page that is allowed, and was requested": {
			func(r []ledger.Record) []ledger.Record {
				r[urlOf(r, ledger.Refusal, "/private/diary", 0)].URL = base + "/"
				return r
			},
			verify.Refused, verify.Refuted, "the file allows it",
		},
		"a rest struck out": {
			func(r []ledger.Record) []ledger.Record {
				r = slices.DeleteFunc(r, func(r ledger.Record) bool { return r.Type == ledger.Rest })
				soon := request("/soon", 48.2)
				n := urlOf(r, ledger.Request, "/busy", 1)
				return paced(slices.Insert(r, n, soon))
			},
			verify.Rests, verify.Refuted, "before the rest was over",
		},
	} {
		t.Run(name, func(t *testing.T) {
			records := everything()
			for i := range records { // nothing here is about opt-outs
				if records[i].Event == ledger.EventOptOut || records[i].Event == ledger.EventLifted {
					records[i].Rule = "*.example.net"
				}
			}
			p := prove(t, write(t, tt.tell(records)), verify.Options{}).Promise(tt.promise)
			expectVerdict(t, p, tt.want, tt.what)
		})
	}
}

// TestProve_LiesBesideTheLedger alters what lies beside the ledger.
func TestProve_LiesBesideTheLedger(t *testing.T) {
	robotsFile := func(j verify.Job) string { return filepath.Join(j.Robots, strings.TrimPrefix(digest(file), "sha256:")) }
	for name, tt := range map[string]struct {
		harm    func(t *testing.T, j verify.Job)
		options verify.Options
		promise verify.Name
		want    verify.Verdict
		what    string
	}{
		"a page removed with its line": {
			harm: func(t *testing.T, j verify.Job) {
				filetest.Remove(t, filepath.Join(j.Pages, "a.example~80", "~index.html"))
				edit(t, filepath.Join(j.Pages, "pages.jsonl"), func(s string) string { _, rest, _ := strings.Cut(s, "\n"); return rest })
			},
			promise: verify.Pages, want: verify.Refuted, what: "is not in pages.jsonl",
		},
		"a status turned in the list of pages": {
			harm: func(t *testing.T, j verify.Job) {
				edit(t, filepath.Join(j.Pages, "pages.jsonl"), func(s string) string { return strings.Replace(s, `"status":200`, `"status":404`, 1) })
			},
			promise: verify.Listed, want: verify.Refuted, what: "is not the line that was written",
		},
		"a page altered, and only the list looked at": {
			harm:    func(*testing.T, verify.Job) {},
			options: verify.Options{SkipFiles: true},
			promise: verify.Pages, want: verify.NotShown, what: "were not read",
		},
		"a robots.txt altered": {
			harm: func(t *testing.T, j verify.Job) {
				edit(t, robotsFile(j), func(s string) string { return s + "#" })
			},
			promise: verify.Files, want: verify.Refuted, what: "was altered",
		},
		"a pipe in the place of a robots.txt": {
			harm: func(t *testing.T, j verify.Job) {
				filetest.Remove(t, robotsFile(j))
				mkfifo(t, robotsFile(j))
			},
			promise: verify.Files, want: verify.NotShown, what: "is not a regular file",
		},
		"a device without end in the place of a robots.txt": {
			harm: func(t *testing.T, j verify.Job) {
				filetest.Remove(t, robotsFile(j))
				if err := os.Symlink("/dev/zero", robotsFile(j)); err != nil {
					t.Skip(err)
				}
			},
			promise: verify.Files, want: verify.NotShown, what: "is not a regular file",
		},
		"a pipe in the place of a page": {
			harm: func(t *testing.T, j verify.Job) {
				name := filepath.Join(j.Pages, "a.example~80", "~index.html")
				filetest.Remove(t, name)
				mkfifo(t, name)
			},
			promise: verify.Pages, want: verify.Refuted, what: "not a regular file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := write(t, story())
			tt.harm(t, j)
			p := prove(t, j, tt.options).Promise(tt.promise)
			expectVerdict(t, p, tt.want, tt.what)
		})
	}
}

// Terms that make every verdict mild go with it.
func TestProve_ShowsTheTerms(t *testing.T) {
	records := everything()
	records[0].Policy.Delay, records[0].Product = 0, "another"
	r := prove(t, write(t, records), verify.Options{})
	if len(r.Terms) != 1 || r.Terms[0].Product != "another" || r.Terms[0].Policy.Delay != 0 {
		t.Fatalf("terms %+v", r.Terms)
	}
	if o := r.Terms[0].Overrides; len(o) != 1 || o[0].Site != "own.example" || o[0].Connections != 2 || !o[0].OwnGap || o[0].Seq != 2 {
		t.Errorf("overrides %+v", o)
	}
}

// TestProve_LinesThatOthersReadOtherwise lets an operator lie in the lines themselves, so that one reader sees one record
// and the next another, and computes the chain anew. The record is named, and nothing is proven.
func TestProve_LinesThatOthersReadOtherwise(t *testing.T) {
	for name, tell := range map[string]func(line string) string{
		"a member twice":              func(l string) string { return strings.Replace(l, `"url":`, `"url":"http://b.example/","url":`, 1) },
		"a member in other letters":   func(l string) string { return strings.Replace(l, `"url":`, `"URL":"http://b.example/","url":`, 1) },
		"a member that is escaped":    func(l string) string { return strings.Replace(l, `"url":`, `"\u0075rl":"http://b.example/","url":`, 1) },
		"a carriage return behind it": func(l string) string { return l + "\r" },
		"a member that no record has": func(l string) string { return strings.TrimSuffix(l, "}") + `,"cookies":"sent"}` },
		"bytes that are no text": func(l string) string {
			return strings.Replace(l, `"method":"GET"`, "\"method\":\"GET\",\"proto\":\"HTTP\xff\"", 1)
		},
		"a record of another format":   func(l string) string { return strings.Replace(l, `,"url":`, `,"format":2,"url":`, 1) },
		"a policy with a member twice": func(l string) string { return strings.Replace(l, `"delay_ms":`, `"delay_ms":1,"delay_ms":`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			j := write(t, story())
			altered := 0
			rechain(t, j, func(n int, line string) string {
				told := tell(line)
				if altered == 0 && told != line && (n == 1 || strings.Contains(line, `"purpose":"page"`)) {
					altered = n
					return told
				}
				return line
			})
			r := prove(t, j, verify.Options{})
			for _, p := range r.Promises {
				if p.Name != verify.Chain && p.Verdict == verify.Proven {
					t.Errorf("%s is proven", p.Name)
				}
			}
			if p := r.Promise(verify.Records); altered == 0 || len(p.Findings) == 0 || p.Findings[0].Seq != uint64(altered) {
				t.Errorf("findings %v, want record %d", p.Findings, altered)
			}
		})
	}
}

// rechain changes lines of a ledger of one file, and computes the chain anew.
func rechain(t *testing.T, j verify.Job, change func(n int, line string) string) {
	t.Helper()
	filetest.Remove(t, filepath.Join(j.Ledger, "ledger.head"))
	edit(t, filepath.Join(j.Ledger, "ledger-000001.jsonl"), func(s string) string {
		var out strings.Builder
		prev, n := strings.Repeat("0", 64), 0
		for line := range strings.Lines(s) {
			n++
			at := strings.Index(line, `"prev":"`) + len(`"prev":"`)
			line = change(n, line[:at]+prev+strings.TrimSuffix(line[at+64:], "\n"))
			prev = ledger.Sum([]byte(line))
			out.WriteString(line + "\n")
		}
		return out.String()
	})
}
