package journal

import (
	"fmt"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Journal writes what happens in a crawl into its ledger. It is safe for concurrent use.
type Journal struct {
	ledger *ledger.Ledger
	fail   func(error)
}

// New returns a journal that writes into l. A crawl that cannot be accounted for must not go on: fail is called with the
// error when a record cannot be written.
func New(l *ledger.Ledger, fail func(error)) *Journal { return &Journal{ledger: l, fail: fail} }

// Events returns listeners that write everything down.
func (j *Journal) Events() crawler.Events {
	return crawler.Events{
		Request: func(r crawler.Request) { j.append(requestRecord(r)) },
		Refusal: func(r crawler.Refusal) { j.append(refusalRecord(r)) },
		Outcome: func(o crawler.Outcome) { j.append(outcomeRecord(o)) },
		Rest:    func(r crawler.Rest) { j.append(restRecord(r)) },
	}
}

func (j *Journal) append(r ledger.Record) {
	if err := j.ledger.Append(r); err != nil {
		j.fail(fmt.Errorf("write ledger: %w", err))
	}
}

// RestType is the record of a site that is left alone for a while: site, reason, not_before, error_text.
const RestType ledger.Type = "rest"

func requestRecord(r crawler.Request) ledger.Record {
	rec := ledger.Record{
		Type: ledger.Request, URL: r.URL.String(), Site: r.Site, Via: r.Via.String(), Depth: r.Depth,
		Purpose: string(r.Purpose), Attempt: r.Attempt, Method: "GET", Proto: r.Proto,
		Start: r.Start, FirstByte: r.FirstByte, End: r.End, Status: r.Status, Bytes: r.Bytes, Truncated: r.Truncated,
		Error: string(r.Failure), ErrorText: r.Detail,
		Owed: ledger.Millis(r.Owed), Gap: ledger.Millis(r.Gap), GapWhy: r.GapWhy,
		RobotsDigest: r.Verdict.Digest, RobotsLine: r.Verdict.Line, RobotsRule: r.Verdict.Rule, RobotsReason: string(r.Verdict.Reason),
	}
	if r.Address.IsValid() {
		rec.Address = r.Address.String()
	}
	if !r.LastEnd.IsZero() {
		rec.Kept = ledger.Millis(r.Start.Sub(r.LastEnd))
	}
	return rec
}

func refusalRecord(r crawler.Refusal) ledger.Record {
	return ledger.Record{
		Type: ledger.Refusal, URL: r.URL, Via: r.Via.String(), Depth: r.Depth, Gate: string(r.Gate), Reason: string(r.Reason),
		Rule: r.Rule, Line: r.Verdict.Line, Digest: r.Verdict.Digest,
	}
}

func outcomeRecord(o crawler.Outcome) ledger.Record {
	return ledger.Record{
		Type: ledger.Outcome, URL: o.URL.String(), Via: o.Via.String(), Depth: o.Depth, Outcome: say.Status(o.Status),
		Reason: string(o.Reason), Status: o.Code, NotBefore: o.NotBefore, Bytes: o.Bytes, Location: o.Target.String(),
		LinksFound: o.Links, LinksNew: o.New,
	}
}

func restRecord(r crawler.Rest) ledger.Record {
	return ledger.Record{
		Type: RestType, Site: r.Site, Reason: string(r.Reason), NotBefore: r.Until, ErrorText: r.Detail, Attempt: r.Failures,
	}
}
