package journal_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/journal"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

func TestEventsBecomeRecords(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	u, via := frontiertest.URL(t, "http://a.example/x?a=1&b=2"), frontiertest.URL(t, "http://a.example/")

	files := journal.NewFiles()
	e := journal.New(l, files, func(err error) { t.Error(err) }).Events()
	r := crawler.Request{
		Purpose: crawler.ForPage, URL: u, Via: via, Site: "a.example", Depth: 1, Attempt: 1, Start: at, End: at.Add(time.Second),
		Address: netip.MustParseAddrPort("192.0.2.1:80"), Status: 200, Bytes: 5, LastEnd: at.Add(-4 * time.Second),
		Owed: 3 * time.Second, Gap: 5 * time.Second, GapWhy: "response-time",
	}
	r.Verdict.Allowed, r.Verdict.Reason, r.Verdict.Line, r.Verdict.Rule, r.Verdict.Digest = true, "rule", 2, "Allow: /x", "sha256:ab"
	e.Request(r)
	e.Request(crawler.Request{
		Purpose: crawler.ForRobots, URL: u, Site: "a.example", Start: at, End: at, Status: 503, RetryAfter: "60", Origin: "http://a.example",
		Robots: robots.State{Outcome: robots.Unreachable, NextTry: at},
	})
	e.Request(crawler.Request{
		Purpose: crawler.ForRobots, URL: u, Site: "a.example", Start: at, End: at, Status: 301, Location: "/y", Origin: "http://a.example",
	})
	e.Refusal(crawler.Refusal{URL: "mailto:me", Via: via, Depth: 1, Gate: crawler.GateURL, Reason: crawler.ReasonBadURL, Rule: "scheme"})
	e.Outcome(crawler.Outcome{URL: u, Via: via, Depth: 1, Status: frontier.Retrying, Reason: crawler.ReasonServerError, Code: 500, NotBefore: at})
	files.Keep(pages.Line{FinalURL: u.String(), File: "a.example~80/x.html", Digest: "sha256:cd"})
	e.Outcome(crawler.Outcome{URL: u, Status: frontier.Done, Code: 200, Stored: true})
	e.Rest(crawler.Rest{Site: "a.example", Until: at, Reason: crawler.ReasonBusy, Detail: "120", Failures: 2})
	filetest.Close(t, l)

	var got []ledger.Record
	for r, err := range ledger.Read(dir, ledger.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		r.Seq, r.Prev, r.Time, r.Format, r.Clock, r.Boot, r.BootAt = 0, "", time.Time{}, 0, 0, "", 0
		got = append(got, r)
	}
	want := []ledger.Record{
		{
			Type: ledger.Request, URL: u.String(), Site: "a.example", Via: via.String(), Depth: 1, Purpose: "page", Attempt: 1, Method: "GET",
			Address: "192.0.2.1:80", Start: at, End: at.Add(time.Second), Took: ledger.Millis(time.Second), Status: 200, Bytes: 5, Owed: ledger.Millis(3 * time.Second),
			Kept: ledger.Millis(4 * time.Second), Gap: ledger.Millis(5 * time.Second), GapWhy: "response-time",
			RobotsDigest: "sha256:ab", RobotsLine: 2, RobotsRule: "Allow: /x", RobotsReason: "rule",
		},
		{
			Type: ledger.Request, URL: u.String(), Site: "a.example", Purpose: "robots", Method: "GET", Start: at, End: at, Status: 503,
			RetryAfter: "60", Origin: "http://a.example", Outcome: "unreachable", NotBefore: at,
		},
		{
			Type: ledger.Request, URL: u.String(), Site: "a.example", Purpose: "robots", Method: "GET", Start: at, End: at, Status: 301,
			Location: "/y", Origin: "http://a.example", Outcome: "redirected",
		},
		{Type: ledger.Refusal, URL: "mailto:me", Via: via.String(), Depth: 1, Gate: "url", Reason: "bad-url", Rule: "scheme"},
		{Type: ledger.Outcome, URL: u.String(), Via: via.String(), Depth: 1, Outcome: "retrying", Reason: "server-error", Status: 500, NotBefore: at},
		{Type: ledger.Outcome, URL: u.String(), Outcome: "done", Status: 200, File: "a.example~80/x.html", Digest: "sha256:cd"},
		{Type: ledger.Rest, Site: "a.example", Reason: "too-many-requests", NotBefore: at, ErrorText: "120", Attempt: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// A crawl that cannot be accounted for is told to end.
func TestFailureIsTold(t *testing.T) {
	l, err := ledger.Open(t.TempDir(), ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	filetest.Close(t, l)
	var told error
	journal.New(l, nil, func(err error) { told = err }).Events().Rest(crawler.Rest{Site: "a.example"})
	if !errors.Is(told, ledger.ErrClosed) {
		t.Errorf("told %v, want %v", told, ledger.ErrClosed)
	}
}

// No page is kept before the request for it can be read.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	put := false
	sink := journal.Before(sinkFunc(func() {
		put = true
		n := 0
		for _, err := range ledger.Read(dir, ledger.ReadOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%d records on disk when the page is kept, want 1", n)
		}
	}), l)
	events := journal.New(l, nil, func(err error) { t.Error(err) }).Events()
	events.Request(crawler.Request{Purpose: crawler.ForPage, URL: frontiertest.URL(t, "http://a.example/")})
	if err := sink.Put(t.Context(), &storage.Page{}); err != nil || !put {
		t.Errorf("Put: %v, put %t", err, put)
	}
}

type sinkFunc func()

func (f sinkFunc) Put(context.Context, *storage.Page) error { f(); return nil }
