package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Journal writes what happens in a crawl into its ledger. It is safe for concurrent use.
type Journal struct {
	ledger *ledger.Ledger
	files  *Files
	began  time.Time
	fail   func(error)
}

// New returns a journal of a run that begins now and writes into l; files, which may be nil, tells where pages are stored. A
// crawl that cannot be accounted for must not go on: fail is called with the error when a record cannot be written.
func New(l *ledger.Ledger, files *Files, fail func(error)) *Journal {
	return &Journal{ledger: l, files: files, began: time.Now(), fail: fail}
}

// Events returns listeners that write everything down.
func (j *Journal) Events() crawler.Events {
	return crawler.Events{
		Request: j.request,
		Refusal: func(r crawler.Refusal) { j.append(refusalRecord(r)) },
		Outcome: j.outcome,
		Rest:    func(r crawler.Rest) { j.append(restRecord(r)) },
	}
}

// request writes a request down, in memory: Before hands it on.
func (j *Journal) request(r crawler.Request) {
	rec := requestRecord(r)
	rec.Clock, rec.Took = ledger.Millis(r.Start.Sub(j.began)), ledger.Millis(r.End.Sub(r.Start))
	j.append(rec)
}

// Before returns a sink that hands everything that was written into l to the operating system before it hands a page to s, so that
// no page is on disk without the request for it even if the process is killed at that moment. Requests do not wait for it.
func Before(s storage.Sink, l *ledger.Ledger) storage.Sink { return &guarded{s, l} }

// BeforeArchive is Before for an archive.
func BeforeArchive(a storage.Archive, l *ledger.Ledger) storage.Archive { return &guardedArchive{a, l} }

type guarded struct {
	sink   storage.Sink
	ledger *ledger.Ledger
}

type guardedArchive struct {
	archive storage.Archive
	ledger  *ledger.Ledger
}

func (g *guardedArchive) Record(ctx context.Context, x *storage.Exchange) error {
	if err := g.ledger.Flush(); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return g.archive.Record(ctx, x)
}

func (g *guarded) Put(ctx context.Context, p *storage.Page) error {
	if err := g.ledger.Flush(); err != nil {
		return fmt.Errorf("write ledger: %w", err)
	}
	return g.sink.Put(ctx, p)
}

// outcome writes down what the frontier has made durable, after it has: a record of what was not yet would be a lie when the
// process is killed in between, and the URL visited again.
func (j *Journal) outcome(o crawler.Outcome) {
	rec := outcomeRecord(o)
	if l, ok := j.files.take(rec.URL); ok && o.Stored {
		rec.File, rec.SameAs, rec.Digest, rec.Listing = l.File, l.SameAs, string(l.Digest), string(l.Listing)
	}
	j.append(rec)
}

func (j *Journal) append(r ledger.Record) { j.check(j.ledger.Append(r)) }

func (j *Journal) check(err error) {
	if err != nil {
		j.fail(fmt.Errorf("write ledger: %w", err))
	}
}

func requestRecord(r crawler.Request) ledger.Record {
	rec := ledger.Record{
		Type: ledger.Request, URL: r.URL.String(), Site: r.Site, Via: r.Via.String(), Depth: r.Depth,
		Purpose: string(r.Purpose), Attempt: r.Attempt, Method: "GET", Proto: r.Proto,
		Start: r.Start, FirstByte: r.FirstByte, End: r.End, Status: r.Status, Bytes: r.Bytes, Truncated: r.Truncated,
		Proxy: r.Proxy, Location: r.Location, RetryAfter: r.RetryAfter,
		Error: string(r.Failure), ErrorText: r.Detail,
		Owed: ledger.Millis(r.Owed), Gap: ledger.Millis(r.Gap), GapWhy: r.GapWhy, Tenure: r.Tenure,
		RobotsDigest: r.Verdict.Digest, RobotsLine: r.Verdict.Line, RobotsRule: r.Verdict.Rule,
		RobotsReason: string(r.Verdict.Reason),
	}
	if r.Address.IsValid() {
		rec.Address = r.Address.String()
	}
	if r.From.IsValid() {
		rec.From = r.From.String()
	}
	if !r.LastEnd.IsZero() {
		rec.Kept = ledger.Millis(r.Start.Sub(r.LastEnd))
	}
	if r.Purpose == crawler.ForRobots {
		noteRobots(&rec, r)
	}
	return rec
}

// noteRobots notes what a request for robots.txt brought. A hop of which nothing is known was broken off by us.
func noteRobots(rec *ledger.Record, r crawler.Request) {
	s := r.Robots
	rec.Origin, rec.Digest, rec.Expires, rec.NotBefore = r.Origin, s.Digest, s.Expires, s.NextTry
	rec.Outcome = string(s.Outcome)
	if s.Outcome == "" && r.Location != "" {
		rec.Outcome = string(robots.Redirected)
	}
}

func refusalRecord(r crawler.Refusal) ledger.Record {
	return ledger.Record{
		Purpose: notForPage(r.Purpose),
		Type:    ledger.Refusal, URL: r.URL, Via: r.Via.String(), Depth: r.Depth, Gate: string(r.Gate), Reason: string(r.Reason),
		Rule: r.Rule, Line: r.Verdict.Line, Digest: r.Verdict.Digest,
	}
}

func outcomeRecord(o crawler.Outcome) ledger.Record {
	return ledger.Record{
		Purpose: notForPage(o.Purpose),
		Type:    ledger.Outcome, URL: o.URL.String(), Via: o.Via.String(), Depth: o.Depth, Outcome: o.Status.String(),
		Reason: string(o.Reason), Status: o.Code, NotBefore: o.NotBefore, Bytes: o.Bytes, Location: o.Target.String(),
		LinksFound: o.Links, LinksNew: o.New, LinksOnward: onward(o),
	}
}

// notForPage returns what a URL was to be asked for, or turned out to be, when that was no page.
func notForPage(p crawler.Purpose) string {
	if p == crawler.ForSitemap || p == crawler.ForRequisite {
		return string(p)
	}
	return ""
}

// onward returns how many links a page brings that leads nowhere else.
func onward(o crawler.Outcome) int {
	if o.Opens {
		return o.New
	}
	return 0
}

func restRecord(r crawler.Rest) ledger.Record {
	return ledger.Record{
		Type: ledger.Rest, Site: r.Site, Reason: string(r.Reason), NotBefore: r.Until, ErrorText: r.Detail, Attempt: r.Failures,
	}
}
