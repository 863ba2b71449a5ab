package verify_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

const (
	host = "a.example"
	base = "http://a.example"
	file = "User-agent: *\nDisallow: /private/\nAllow: /private/press\nCrawl-delay: 2\n"
)

var began = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// at is a time after the beginning of the first run.
func at(seconds float64) time.Time { return began.Add(time.Duration(seconds * float64(time.Second))) }

func secs(seconds float64) ledger.Millis { return ledger.Millis(seconds * float64(time.Second)) }

func policy() *ledger.Policy {
	return &ledger.Policy{
		Dialect: "cautious", Delay: secs(1), Factor: 5, MaxDelay: secs(30), MaxRetryAfter: secs(86400), PerAddress: 2, Workers: 8,
		Rest: secs(60), MaxRest: secs(3600),
		MaxLife: secs(86400),
	}
}

// digest returns the digest of a robots.txt.
func digest(body string) string { return robots.Parse([]byte(body), robots.Cautious).Digest() }

// request returns a request that took 0.1 s and left so many seconds after the run began.
func request(url string, start float64) ledger.Record {
	return ledger.Record{
		Type: ledger.Request, Time: at(start + 0.1), URL: base + url, Site: host, Purpose: "page", Attempt: 1, Method: "GET",
		Address: "192.0.2.1:80", Start: at(start), End: at(start + 0.1), Clock: secs(start), Took: secs(0.1), Status: 200,
		Gap: secs(2.1), GapWhy: "crawl-delay", RobotsDigest: digest(file), RobotsReason: "no-rule",
	}
}

func robotsRequest(start float64) ledger.Record {
	r := request("/robots.txt", start)
	r.Purpose, r.Origin, r.RobotsDigest, r.RobotsReason = "robots", base, "", "robots-txt"
	r.Digest, r.Outcome, r.Expires = digest(file), "found", r.End.Add(24*time.Hour)
	return r
}

func outcome(url string, seconds float64) ledger.Record {
	return ledger.Record{
		Type: ledger.Outcome, Time: at(seconds), URL: base + url, Outcome: "done", Status: 200,
		File: "a.example~80/x", Digest: string(storage.DigestOf([]byte(url))),
	}
}

// story is a crawl of one site as it should be: robots.txt, a page, a page that a rule allows, a page that failed, and again.
func story() []ledger.Record {
	start := ledger.Record{Type: ledger.Run, Event: ledger.EventStart, Time: began, Product: "cybermapper", Policy: policy()}
	press := request("/private/press", 6)
	press.RobotsLine, press.RobotsRule, press.RobotsReason = 3, "Allow: /private/press", "rule"
	shaky := request("/shaky", 9)
	shaky.Status = 500
	retrying := outcome("/shaky", 9.2)
	retrying.Outcome, retrying.File, retrying.Digest, retrying.Status = "retrying", "", "", 500
	retrying.NotBefore = at(11.5)
	return paced([]ledger.Record{
		0:  start,
		1:  robotsRequest(0.5),
		2:  request("/", 3),
		3:  outcome("/", 3.2),
		4:  press,
		5:  outcome("/private/press", 6.2),
		6:  {Type: ledger.Refusal, Time: at(6.3), URL: base + "/private/diary", Gate: "robots", Reason: "robots-disallow", Rule: "Disallow: /private/", Line: 2, Digest: digest(file)},
		7:  shaky,
		8:  retrying,
		9:  request("/shaky", 12),
		10: outcome("/shaky", 12.2),
		11: {Type: ledger.Run, Event: ledger.EventStop, Time: at(13), Why: "done"},
	})
}

// paced lets each request tell of the pause before it.
func paced(records []ledger.Record) []ledger.Record {
	last := map[string]*ledger.Record{}
	for i := range records {
		r := &records[i]
		if r.Type != ledger.Request {
			continue
		}
		if before := last[r.Site]; before != nil {
			r.Kept, r.Owed = ledger.Millis(r.Start.Sub(before.End)), before.Gap
		}
		last[r.Site] = r
	}
	return records
}

// retold is the story under another robots.txt.
func retold(records []ledger.Record, body string) []ledger.Record {
	for i := range records {
		r := &records[i]
		if r.RobotsDigest != "" {
			r.RobotsDigest = digest(body)
		}
		if r.Digest == digest(file) {
			r.Digest = digest(body)
		}
	}
	return records
}

// write writes a job with these records, and with a page for every request that has an outcome with a digest.
func write(t testing.TB, records []ledger.Record) verify.Job {
	t.Helper()
	dir := t.TempDir()
	j := verify.Job{Ledger: filepath.Join(dir, "ledger"), Robots: filepath.Join(dir, "robots"), Pages: filepath.Join(dir, "pages")}
	for _, body := range []string{file, file + "Visit-time: 0100-0200\n"} {
		if _, err := robots.DirBodies(j.Robots).Put([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := ledger.Open(j.Ledger, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stored pages.Line
	s, err := pages.Open(j.Pages, pages.Options{Stored: func(l pages.Line) { stored = l }})
	if err != nil {
		t.Fatal(err)
	}
	ends, files := map[string]time.Time{}, map[string]string{}
	set := ledger.Millis(0)
	for i, r := range records {
		if set += r.Set; r.Boot == "" && (i == 0 || r.Type == ledger.Run) {
			r.Boot, r.BootAt = "since noon", ledger.Millis(r.Time.Sub(at(-1000)))-set
		}
		if r.Type == ledger.Request {
			ends[r.URL] = r.End
		}
		if r.Type == ledger.Outcome && r.Digest != "" {
			stored = pages.Line{File: files[r.URL]} // unless a line is added
			p := &storage.Page{URL: r.URL, FinalURL: r.URL, Fetched: ends[r.URL], Status: 200, Body: []byte(r.URL[len(base):])}
			if err := s.Put(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			r.File, r.Listing = stored.File, string(stored.Listing)
			files[r.URL] = r.File
		}
		if r.Type == ledger.Purge {
			r.File = files[r.URL]
			if _, err := s.Remove(context.Background(), func(l *pages.Line) bool { return l.File == r.File }); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return j
}

// prove proves what it can.
func prove(t testing.TB, j verify.Job, o verify.Options) *verify.Report {
	t.Helper()
	r, err := verify.Prove(t.Context(), j, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expectVerdict says if a promise has another verdict, or no finding that says what.
func expectVerdict(t testing.TB, p *verify.Promise, want verify.Verdict, what string) {
	t.Helper()
	if p.Verdict != want {
		t.Fatalf("%s is %s: %v", p.Name, p.Verdict, p.Findings)
	}
	if !slices.ContainsFunc(p.Findings, func(f verify.Finding) bool { return strings.Contains(f.What, what) }) {
		t.Errorf("findings %v, want %q", p.Findings, what)
	}
}

// edit changes a file.
func edit(t testing.TB, name string, change func(text string) string) {
	t.Helper()
	data := filetest.Read(t, name)
	filetest.Write(t, name, change(string(data)))
}
