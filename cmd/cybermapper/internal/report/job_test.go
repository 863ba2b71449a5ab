package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// epoch is when the crawls of these tests begin.
var epoch = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// at returns the moment d after epoch.
func at(d time.Duration) time.Time { return epoch.Add(d) }

func millis(n float64) ledger.Millis { return ledger.Millis(n * float64(time.Millisecond)) }

// hostile is what a server might say to break out of a text.
const hostile = `"'></script><script>document.title='owned'</script><img src=x onerror=alert(1)>`

// newJob returns a directory with a ledger and a list of pages.
func newJob(t testing.TB, records []ledger.Record, lines []pages.Line) string {
	t.Helper()
	dir := t.TempDir()
	ledgertest.Write(t, filepath.Join(dir, "ledger"), ledger.Options{}, records...)
	if err := os.Mkdir(filepath.Join(dir, "pages"), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "pages", "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(f)
	for _, line := range lines {
		if err := e.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Close(t, f)
	return dir
}

// get is a request for a page that was answered.
func get(site string, start, took time.Duration, change func(r *ledger.Record)) ledger.Record {
	r := ledger.Record{
		Type: ledger.Request, Time: at(start + took), URL: "http://" + site + "/" + fmt.Sprint(start.Milliseconds()), Site: site, Purpose: "page", Attempt: 1,
		Method: "GET", Start: at(start), End: at(start + took), Status: 200, Bytes: 1000,
		Owed: millis(250), Kept: millis(251), Gap: millis(250), GapWhy: "floor",
		RobotsDigest: digest, RobotsReason: "no-rule",
	}
	if change != nil {
		change(&r)
	}
	return r
}

const digest = "sha256:e332c0d77d9e2355c7165694240c0b9c38e8e4d8a69a9154494f43c5a409309d"

// askRobots is a request for robots.txt.
func askRobots(site string, change func(r *ledger.Record)) ledger.Record {
	return get(site, 0, time.Millisecond, func(r *ledger.Record) {
		r.URL, r.Purpose, r.Attempt, r.Owed, r.Kept = "http://"+site+"/robots.txt", "robots", 0, 0, 0
		r.RobotsDigest, r.RobotsReason = "", "robots-txt"
		change(r)
	})
}

func page(url string, after time.Duration, change func(l *pages.Line)) pages.Line {
	l := pages.Line{
		URL: url, FinalURL: url, File: pages.FileName(url), Fetched: at(after), Status: 200, Type: "text/html", Bytes: 900,
		Digest: digest, Title: "A page",
	}
	if change != nil {
		change(&l)
	}
	return l
}

// sample is a job that has something of everything, and much that is hostile.
func sample(t testing.TB) string {
	records := []ledger.Record{
		{Type: ledger.Run, Event: "start", Time: epoch, Version: "1", Product: "cybermapper", UserAgent: "cybermapper/1 " + hostile},
		askRobots("a.example", func(r *ledger.Record) {}),
		askRobots("b.example", func(r *ledger.Record) {
			r.Status, r.Outcome, r.Origin, r.Truncated = 404, "unavailable", "http://b.example", "disconnect"
		}),
		askRobots("c.example", func(r *ledger.Record) { r.Status, r.Error, r.ErrorText = 0, "dns", "no such host" }),
		askRobots("d.example", func(r *ledger.Record) { r.Status = 301 }),
		askRobots("e.example", func(r *ledger.Record) { r.Bytes = 0 }),
		askRobots("e.example", func(r *ledger.Record) { r.Status = 304 }),
		askRobots("f.example", func(r *ledger.Record) { r.Truncated = "disconnect" }),
		askRobots("g.example", func(r *ledger.Record) { r.Status, r.Outcome, r.Origin = 302, "redirected", "http://g.example" }),
		askRobots("h.example", func(r *ledger.Record) { r.Outcome, r.Origin, r.Digest = "found", "http://g.example", digest }),
		askRobots("i.example", func(r *ledger.Record) { r.Status, r.Error, r.Origin = 0, "private-address", "http://i.example" }),
		get("d.example", time.Second, time.Millisecond, nil),
		get("a.example", time.Second, 100*time.Millisecond, nil),
		get("a.example", 2*time.Second, 100*time.Millisecond, func(r *ledger.Record) { r.Kept = millis(240) }),
		get("a.example", 3*time.Second, 900*time.Millisecond, func(r *ledger.Record) { r.Attempt, r.Truncated = 2, "length" }),
		get("a.example", 5*time.Second, 20*time.Millisecond, func(r *ledger.Record) {
			r.Status, r.Error, r.ErrorText, r.URL = 0, "timeout", hostile, "http://a.example/?x="+hostile
		}),
		{Type: ledger.Refusal, URL: "http://a.example/tmp/", Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /tmp/", Line: 2, Digest: digest},
		{Type: ledger.Refusal, URL: "http://a.example/tmp/x", Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /tmp/", Line: 2, Digest: digest},
		{Type: ledger.Refusal, URL: "http://b.example/n/n/n/n/", Gate: "trap", Reason: "repeated-segments", Rule: hostile},
		{Type: ledger.Refusal, URL: "javascript:" + hostile, Gate: "url", Reason: "bad-url", Rule: hostile},
		{Type: ledger.Outcome, URL: "http://a.example/1000", Outcome: "done", Status: 200, Bytes: 1000},
		{Type: ledger.Outcome, URL: "http://a.example/5000", Outcome: "failed", Reason: "timeout"},
		{Type: "rest", Site: "c.example", Reason: "dns", NotBefore: at(time.Hour), ErrorText: hostile},
	}
	lines := []pages.Line{
		page("http://a.example/1000", 1100*time.Millisecond, nil),
		page("http://a.example/2000", 2100*time.Millisecond, func(l *pages.Line) { l.SameAs = "a.example~80/1000" }),
		page("http://a.example/3000", 3900*time.Millisecond, func(l *pages.Line) { l.Type, l.Truncated, l.Title = "application/pdf", "length", hostile }),
	}
	return newJob(t, records, lines)
}
