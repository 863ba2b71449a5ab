package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// killedJob is a real job, killed nine times: pages, errors, a redirect, a robots.txt that moved, one that asks for pauses, none,
// and a site that wanted to be left alone for a second.
func killedJob(t *testing.T) string {
	t.Helper()
	web := webtest.New(t)
	large := webtest.Pages{"/robots.txt": {Body: "User-agent: *\nDisallow: /private/\nAllow: /private/press\n"}}
	var links strings.Builder
	for i := range 150 { // more than nine runs that are killed can ask for
		fmt.Fprintf(&links, `<a href="/%d.html">%d</a> `, i, i)
		large[fmt.Sprintf("/%d.html", i)] = webtest.Page{Body: fmt.Sprintf("<title>%d</title>page %d", i, i)}
	}
	large["/"] = webtest.Page{Body: links.String() + `<a href="/private/diary">d</a> <a href="/private/press">p</a> <a href="/gone">g</a> <a href="/old">o</a>`}
	large["/private/press"] = webtest.Page{Body: "press", Header: map[string]string{"Content-Usage": "train-ai=n"}}
	large["/old"] = webtest.Page{Status: 301, Header: map[string]string{"Location": "/1.html"}}
	var busy atomic.Int32
	small := webtest.Pages{"/": {Body: `<a href="/a">a</a> <a href="/b">b</a>`}, "/b": {Body: "b"}}
	moved, slow, tired, open := clonePages(small), clonePages(small), clonePages(small), clonePages(small)
	moved["/robots.txt"] = webtest.Page{Status: 301, Header: map[string]string{"Location": "/r.txt"}}
	moved["/r.txt"] = webtest.Page{Type: "text/plain", Body: "User-agent: *\nDisallow: /closed\n"}
	slow["/robots.txt"] = webtest.Page{Body: "User-agent: *\nCrawl-delay: 0.3\n"}
	tired["/a"] = webtest.Page{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if busy.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})}
	job := filepath.Join(t.TempDir(), "job")
	config := filepath.Join(t.TempDir(), "config.yaml")
	filetest.Write(t, config, "politeness:\n  host_rest: 500ms\n  jitter: 0\ncrawl:\n  retry_delay: 100ms\n")
	args := []string{"crawl", "--job", job, "--config", config, "--allow-private", "--quiet", "--delay", "40ms", "--delay-factor", "0", "--patience", "10s"}
	for _, pages := range []webtest.Pages{large, moved, slow, open} {
		args = append(args, web.Site(pages).URL+"/")
	}
	for kills := 0; kills < 9 || begun(job) < 2; kills++ { // a run may be killed before it has begun
		runAndKill(t, args, true)
	}
	runAndKill(t, append(args, web.Site(tired).URL+"/"), false)
	mustBeProven(t, job)
	return job
}

// begun returns how many runs the ledger of a job tells of.
func begun(job string) (n int) {
	for r, err := range ledger.ReadSound(filepath.Join(job, "ledger"), ledger.ReadOptions{Types: []ledger.Type{ledger.Run}}) {
		if err != nil { // killed in the middle of it, or before there was one
			return n
		}
		if isRun(ledger.EventStart)(&r) {
			n++
		}
	}
	return n
}

func clonePages(p webtest.Pages) webtest.Pages {
	c := webtest.Pages{}
	maps.Copy(c, p)
	return c
}

// evidenceIn is the evidence in a job directory.
func evidenceIn(dir string) verify.Job {
	return verify.Job{Ledger: filepath.Join(dir, "ledger"), Robots: filepath.Join(dir, "robots"), Pages: filepath.Join(dir, "pages")}
}

// retell puts other records in the place of the ledger, with a chain of their own.
func retell(t *testing.T, dir string, records []ledger.Record, o ledger.Options) {
	t.Helper()
	name := filepath.Join(dir, "ledger")
	if err := os.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	ledgertest.Write(t, name, o, records...)
}

// A teller knows where in a job the things are that lies are told about.
type teller struct {
	*testing.T
	dir     string
	records []ledger.Record
}

// nth returns the place of the nth record that is as asked for; less than 0 counts from the end.
func (l *teller) nth(n int, is func(r *ledger.Record) bool) int {
	l.Helper()
	var found []int
	for i := range l.records {
		if is(&l.records[i]) {
			found = append(found, i)
		}
	}
	if n < 0 {
		n += len(found)
	}
	if n < 0 || n >= len(found) {
		l.Fatalf("%d such records, want number %d", len(found), n)
	}
	return found[n]
}

// page returns a request for a page that was found, whose predecessor at the site is of the same run.
func (l *teller) page() *ledger.Record {
	run, last, found := 0, map[string]int{}, []int{}
	for i := range l.records {
		r := &l.records[i]
		if isRun(ledger.EventStart)(r) {
			run++
		}
		if r.Type != ledger.Request {
			continue
		}
		if r.Purpose == "page" && r.Status == 200 && r.RobotsDigest != "" && last[r.Site] == run {
			found = append(found, i)
		}
		last[r.Site] = run
	}
	return &l.records[found[len(found)*2/3]]
}

// copied returns a request like another, that is on record behind it.
func (l *teller) copied(like *ledger.Record, change func(r *ledger.Record)) {
	i := slices.IndexFunc(l.records, func(r ledger.Record) bool { return r.Seq == like.Seq })
	r := l.records[i]
	change(&r)
	l.records = slices.Insert(l.records, i+1, r)
}

func (l *teller) path(names ...string) string {
	return filepath.Join(append([]string{l.dir}, names...)...)
}

// stored returns the file of a stored page.
func (l *teller) stored() (name, url string) {
	r := l.records[l.nth(-3, func(r *ledger.Record) bool { return r.Type == ledger.Outcome && r.File != "" && r.SameAs == "" })]
	return l.path("pages", filepath.FromSlash(r.File)), r.URL
}

// list changes the list of pages.
func (l *teller) list(change func(line string) string) {
	rewriteFile(l.T, l.path("pages", "pages.jsonl"), func(data []byte) []byte {
		var out strings.Builder
		for line := range strings.Lines(string(data)) {
			out.WriteString(change(line))
		}
		return []byte(out.String())
	})
}

// robotsFile returns the stored file that decided most requests.
func (l *teller) robotsFile() string {
	return l.path("robots", strings.TrimPrefix(l.page().RobotsDigest, "sha256:"))
}

func is(kind ledger.Type) func(r *ledger.Record) bool {
	return func(r *ledger.Record) bool { return r.Type == kind }
}

func isRun(event string) func(r *ledger.Record) bool {
	return func(r *ledger.Record) bool { return r.Type == ledger.Run && r.Event == event }
}

func isRefusal(r *ledger.Record) bool { return r.Type == ledger.Refusal && r.Gate == "robots" }

func isRobots(r *ledger.Record) bool {
	return r.Type == ledger.Request && r.Purpose == "robots" && r.Outcome == "found"
}

// TestVerify_EveryLie tells lies about a real job that was killed nine times and is proven: in the ledger, with the chain
// computed anew where that helps the liar, and beside it. None is proven, and each answer names what was altered. Lies that can be
// told of a few records as well are in package verify.
func TestVerify_EveryLie(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls for some seconds")
	}
	t.Parallel()
	honest := killedJob(t)
	records := recordsOf(t, honest)
	truth, err := verify.Prove(t.Context(), evidenceIn(honest), verify.Options{})
	if err != nil || truth.Verdict != verify.Proven {
		t.Fatalf("the truth is %v, %v", truth, err)
	}
	var tree checkpoint.Tree
	if err := tree.Follow(filepath.Join(honest, "ledger"), int64(len(records)-10)); err != nil {
		t.Fatal(err)
	}
	kept := tree.Checkpoint("kept")

	const refuted, notShown, proven = verify.Refuted, verify.NotShown, verify.Proven
	file := "ledger-000001.jsonl"
	lines := func(change func(l [][]byte) [][]byte) func(l *teller) {
		return func(l *teller) {
			rewriteFile(l.T, l.path("ledger", file), func(data []byte) []byte {
				return bytes.Join(change(bytes.SplitAfter(data, []byte("\n"))), nil)
			})
		}
	}
	swap := func(from, to string) func(l *teller) {
		return lines(func(l [][]byte) [][]byte {
			for i := len(l) / 2; i < len(l); i++ {
				if bytes.Contains(l[i], []byte(from)) {
					l[i] = bytes.Replace(l[i], []byte(from), []byte(to), 1)
					return l
				}
			}
			t.Fatalf("no line has %s", from)
			return nil
		})
	}
	lies := []struct {
		lie  string
		tell func(l *teller)
		// chain: the lie is told in the records, and the chain computed anew
		chain   bool
		want    verify.Verdict
		promise verify.Name // that must not be proven
	}{
		// what the chain shows
		{"the first record dropped", lines(func(l [][]byte) [][]byte { return l[1:] }), false, refuted, verify.Chain},
		{"a record dropped", lines(func(l [][]byte) [][]byte { return slices.Delete(l, 20, 21) }), false, refuted, verify.Chain},
		{"the last record dropped", lines(func(l [][]byte) [][]byte { return l[:len(l)-2] }), false, refuted, verify.Chain},
		{"two records swapped", lines(func(l [][]byte) [][]byte { l[20], l[21] = l[21], l[20]; return l }), false, refuted, verify.Chain},
		{"a record repeated", lines(func(l [][]byte) [][]byte { return slices.Insert(l, 20, l[20]) }), false, refuted, verify.Chain},
		{"a time altered", swap(`"start":"2`, `"start":"3`), false, refuted, verify.Chain},
		{"a URL altered", swap(`.html"`, `.htm_"`), false, refuted, verify.Chain},
		{"a rule altered", swap(`"robots_reason":"no-rule"`, `"robots_reason":"no-rul_"`), false, refuted, verify.Chain},
		{"a digest altered", swap(`"digest":"sha256:`, `"digest":"sha256;`), false, refuted, verify.Chain},
		{"the last record altered", lines(func(l [][]byte) [][]byte {
			l[len(l)-2] = bytes.Replace(l[len(l)-2], []byte(`"event":"stop"`), []byte(`"event":"stoo"`), 1)
			return l
		}), false, refuted, verify.Chain},
		{"the end cut, and the note of it", func(l *teller) {
			lines(func(l [][]byte) [][]byte { return l[:len(l)-9] })(l)
			os.Remove(l.path("ledger", "ledger.head"))
		}, false, notShown, verify.Chain},
		{"a line of a MiB", lines(func(l [][]byte) [][]byte {
			return slices.Insert(l, 20, append(bytes.Repeat([]byte("x"), 1<<20), '\n'))
		}), false, refuted, verify.Chain},
		{"a line of 20 MiB", lines(func(l [][]byte) [][]byte {
			return slices.Insert(l, 20, append(bytes.Repeat([]byte("x"), 20<<20), '\n'))
		}), false, refuted, verify.Chain},
		{"zeros", lines(func(l [][]byte) [][]byte { clear(l[20][:len(l[20])-1]); return l }), false, refuted, verify.Chain},
		{"another ledger appended", lines(func(l [][]byte) [][]byte { return append(l, l...) }), false, refuted, verify.Chain},
		{"random bytes", lines(func(l [][]byte) [][]byte {
			sum := sha256.Sum256(l[20])
			l[20] = append(sum[:], '\n')
			return l
		}), false, refuted, verify.Chain},
		{"a note of the end that is garbage", func(l *teller) {
			rewriteFile(l.T, l.path("ledger", "ledger.head"), func([]byte) []byte { return []byte("nonsense") })
		}, false, refuted, verify.Chain},
		{"a ledger that was emptied", lines(func([][]byte) [][]byte { return nil }), false, refuted, verify.Chain},
		{"a whole file gone", func(l *teller) {
			retell(l.T, l.dir, l.records, ledger.Options{MaxFile: 20_000})
			for _, name := range l.segments() {
				if strings.Contains(name, "000002") {
					os.Remove(l.path("ledger", name))
				}
			}
		}, false, refuted, verify.Chain},
		{"the last file gone", func(l *teller) {
			retell(l.T, l.dir, l.records, ledger.Options{MaxFile: 20_000})
			names := l.segments()
			os.Remove(l.path("ledger", names[len(names)-1]))
		}, false, refuted, verify.Chain},

		// what the evidence contradicts
		{"a page that is closed was fetched", func(l *teller) {
			closed := l.records[l.nth(0, isRefusal)].URL
			r := l.page()
			r.URL = closed
		}, true, refuted, verify.Allowed},
		{"a robots.txt that was not in force", func(l *teller) {
			r, other := l.page(), ""
			for i := range l.records {
				if d := l.records[i].Digest; isRobots(&l.records[i]) && d != r.RobotsDigest {
					other = d
				}
			}
			r.RobotsDigest = other
		}, true, refuted, verify.Decided},
		{"a pause owed that was too short", func(l *teller) { l.page().Gap = ledger.Millis(time.Millisecond) }, true, refuted, verify.Gaps},
		{"a request too early", func(l *teller) {
			r := l.page()
			by := time.Duration(r.Kept) - 10*time.Millisecond
			r.Start, r.Clock, r.Kept = r.Start.Add(-by), r.Clock-ledger.Millis(by), r.Kept-ledger.Millis(by)
			r.Took += ledger.Millis(by)
		}, true, refuted, verify.Gaps},
		{"two requests at once", func(l *teller) {
			r := l.page()
			by := time.Duration(r.Kept) + 10*time.Millisecond
			r.Start, r.Clock, r.Took = r.Start.Add(-by), r.Clock-ledger.Millis(by), r.Took+ledger.Millis(by)
		}, true, refuted, verify.Alone},
		{"a page fetched twice", func(l *teller) {
			r := l.page()
			l.copied(r, func(r *ledger.Record) {
				by := 60 * time.Millisecond
				r.Start, r.End, r.Time, r.Clock = r.Start.Add(by), r.End.Add(by), r.Time.Add(by), r.Clock+ledger.Millis(by)
			})
		}, true, refuted, verify.Once},
		{"the request for robots.txt dropped", func(l *teller) {
			p := *l.page() // a run that was killed may have asked as well
			l.records = slices.DeleteFunc(l.records, func(r ledger.Record) bool {
				return isRobots(&r) && r.Seq < p.Seq && strings.HasPrefix(p.URL, r.Origin+"/")
			})
		}, true, refuted, verify.Decided},
		{"a request during a rest", func(l *teller) {
			i := l.nth(0, is(ledger.Rest))
			l.records[i].NotBefore = l.records[i].NotBefore.Add(time.Hour)
		}, true, refuted, verify.Gaps},
		{"the policy struck out", func(l *teller) {
			for i := range l.records {
				l.records[i].Policy = nil
			}
		}, true, notShown, verify.Gaps},
		{"a policy without a dialect", func(l *teller) {
			for i := range l.records {
				if p := l.records[i].Policy; p != nil {
					other := *p
					other.Dialect = ""
					l.records[i].Policy = &other
				}
			}
		}, true, notShown, verify.Allowed},
		{"a site renamed", func(l *teller) { l.page().Site = "elsewhere.example" }, true, refuted, verify.Gaps},
		{"a page altered", func(l *teller) {
			name, _ := l.stored()
			rewriteFile(l.T, name, func(data []byte) []byte { return append(data, '!') })
		}, false, refuted, verify.Pages},
		{"a page altered, and its line", func(l *teller) {
			name, url := l.stored()
			was := filetest.Read(l, name)
			is := append(slices.Clone(was), '!')
			rewriteFile(l.T, name, func([]byte) []byte { return is })
			l.list(func(line string) string {
				if !strings.Contains(line, url+`"`) {
					return line
				}
				line = strings.Replace(line, fmt.Sprintf("%x", sha256.Sum256(was)), fmt.Sprintf("%x", sha256.Sum256(is)), 1)
				return strings.Replace(line, fmt.Sprintf(`"bytes":%d`, len(was)), fmt.Sprintf(`"bytes":%d`, len(is)), 1)
			})
		}, false, refuted, verify.Listed},
		{"a page of which no request is on record", func(l *teller) {
			_, url := l.stored()
			l.records = slices.DeleteFunc(l.records, func(r ledger.Record) bool { return r.URL == url })
		}, true, refuted, verify.Pages},
		{"a page removed", func(l *teller) { name, _ := l.stored(); os.Remove(name) }, false, refuted, verify.Pages},
		{"the line of a page removed", func(l *teller) {
			_, url := l.stored()
			l.list(func(line string) string {
				if strings.Contains(line, url+`"`) {
					return ""
				}
				return line
			})
		}, false, refuted, verify.Pages},
		{"a robots.txt removed", func(l *teller) { os.Remove(l.robotsFile()) }, false, notShown, verify.Files},

		// what an earlier version believed
		{"a request moved by hours", func(l *teller) {
			r := l.page()
			r.Start, r.FirstByte, r.End, r.Time = r.Start.Add(6*time.Hour), r.FirstByte.Add(6*time.Hour), r.End.Add(6*time.Hour), r.Time.Add(6*time.Hour)
		}, true, refuted, verify.Records},
		{"ended before it began", func(l *teller) { r := l.page(); r.End = r.Start.Add(-time.Minute) }, true, refuted, verify.Records},
		{"a request in a record of an unknown type", func(l *teller) {
			l.copied(l.page(), func(r *ledger.Record) { r.Type = "fetch" })
		}, true, notShown, verify.Records},
		{"a preference turned", func(l *teller) {
			turned := false
			l.list(func(line string) string {
				turned = turned || strings.Contains(line, `"disallow"`)
				return strings.Replace(line, `"disallow"`, `"allow"`, 1)
			})
			if !turned {
				l.Error("no page of this story has a preference")
			}
		}, false, refuted, verify.Listed},
		{"the last run struck out", func(l *teller) {
			l.records = l.records[:l.nth(-1, isRun(ledger.EventStart))]
		}, true, notShown, verify.Pages},
	}
	for _, tt := range lies {
		t.Run(tt.lie, func(t *testing.T) {
			l := tellIn(t, honest)
			tt.tell(l)
			if tt.chain {
				retell(t, l.dir, l.records, ledger.Options{})
			}
			r, err := verify.Prove(t.Context(), evidenceIn(l.dir), verify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != tt.want {
				t.Errorf("is %s, want %s", r.Verdict, tt.want)
			}
			p := r.Promise(tt.promise)
			if p.Verdict == proven {
				t.Errorf("%s is proven", p.Name)
			}
			if !slices.ContainsFunc(p.Findings, func(f verify.Finding) bool { return f.Seq > 0 || f.File != "" || strings.Contains(f.What, "pages") }) && tt.promise != verify.Chain {
				t.Errorf("%s names no record: %v", p.Name, p.Findings)
			}
			if t.Failed() {
				for _, p := range r.Promises {
					t.Logf("%s %s %v", p.Verdict, p.Name, p.Findings[:min(len(p.Findings), 3)])
				}
			}
		})
	}

	// Another format and no ledger at all are no verdicts.
	for lie, tell := range map[string]func(l *teller){
		"a format of the future": swapAll(`"format":1`, `"format":9`),
		"an empty directory": func(l *teller) {
			if err := errors.Join(os.RemoveAll(l.path("ledger")), os.Mkdir(l.path("ledger"), 0o755)); err != nil {
				l.Fatal(err)
			}
		},
	} {
		t.Run(lie, func(t *testing.T) {
			l := tellIn(t, honest)
			tell(l)
			if code, out := runArgs(t, "verify", "--job", l.dir); code != cli.ExitUsage {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}

	// Terms that make a proof mild are part of it.
	for lie, tell := range map[string]func(r *ledger.Record){
		"a policy without pauses": func(r *ledger.Record) { p := *r.Policy; p.Delay = 0; r.Policy = &p },
		"no bound per address":    func(r *ledger.Record) { p := *r.Policy; p.PerAddress = 0; r.Policy = &p },
		"another product":         func(r *ledger.Record) { r.Product = "another" },
	} {
		t.Run(lie, func(t *testing.T) {
			l := tellIn(t, honest)
			for i := range l.records {
				if isRun(ledger.EventStart)(&l.records[i]) {
					tell(&l.records[i])
				}
			}
			retell(t, l.dir, l.records, ledger.Options{})
			r, err := verify.Prove(t.Context(), evidenceIn(l.dir), verify.Options{})
			if err != nil || r.Verdict == proven && cmp.Equal(r.Terms, truth.Terms) {
				t.Errorf("nobody can see it: %v %v", r.Terms, err)
			}
		})
	}

	// What agrees with itself shows against a checkpoint that was kept.
	for lie, tell := range map[string]func(r *ledger.Record) bool{
		"never at a site": func(r *ledger.Record) bool { return !strings.Contains(r.URL+r.Site, siteIn(records)) },
		"another robots.txt everywhere": func(r *ledger.Record) bool {
			r.RobotsDigest = strings.Replace(r.RobotsDigest, "a", "b", 1)
			r.Digest = strings.Replace(r.Digest, "a", "b", 1)
			return true
		},
		"another contact": func(r *ledger.Record) bool { r.UserAgent = strings.Replace(r.UserAgent, "/", "/9", 1); return true },
		"a day earlier": func(r *ledger.Record) bool {
			for _, at := range []*time.Time{&r.Time, &r.Start, &r.FirstByte, &r.End, &r.Expires, &r.NotBefore} {
				if !at.IsZero() {
					*at = at.Add(-24 * time.Hour)
				}
			}
			return true
		},
	} {
		t.Run(lie, func(t *testing.T) {
			l := tellIn(t, honest)
			l.records = slices.DeleteFunc(l.records, func(ledger.Record) bool { return false })
			var told []ledger.Record
			for _, r := range l.records {
				if tell(&r) {
					told = append(told, r)
				}
			}
			retell(t, l.dir, told, ledger.Options{})
			r, err := verify.Prove(t.Context(), evidenceIn(l.dir), verify.Options{Checkpoints: []checkpoint.Checkpoint{kept}})
			if err != nil {
				t.Fatal(err)
			}
			if p := r.Promise(verify.Continues); p.Verdict != refuted {
				t.Errorf("%s is %s: %v", p.Name, p.Verdict, p.Findings)
			}
		})
	}
}

// siteIn returns the site that the last request went to.
func siteIn(records []ledger.Record) string {
	for _, r := range slices.Backward(records) {
		if r.Type == ledger.Request {
			return r.Site
		}
	}
	return ""
}

// swapAll replaces a text in the whole ledger.
func swapAll(from, to string) func(l *teller) {
	return func(l *teller) {
		for _, name := range l.segments() {
			rewriteFile(l.T, l.path("ledger", name), func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(from), []byte(to)) })
		}
	}
}

// segments returns the names of the files with records.
func (l *teller) segments() (names []string) {
	list, err := os.ReadDir(l.path("ledger"))
	if err != nil {
		l.Fatal(err)
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), "ledger-") {
			names = append(names, e.Name())
		}
	}
	return names
}

// tellIn copies a job, for a lie to be told in it.
func tellIn(t *testing.T, job string) *teller {
	t.Helper()
	l := &teller{T: t, dir: t.TempDir(), records: recordsOf(t, job)}
	for _, part := range []string{"ledger", "robots", "pages"} {
		if err := os.CopyFS(filepath.Join(l.dir, part), os.DirFS(filepath.Join(job, part))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return l
}
