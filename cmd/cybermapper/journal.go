package main

import (
	"context"
	"fmt"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A journal writes what happens in a crawl into its ledger. A crawl that cannot be accounted for must not go on: the first
// record that cannot be written ends it.
type journal struct {
	ledger *ledger.Ledger
	fail   context.CancelCauseFunc
}

// events returns listeners that write everything down.
func (j *journal) events() crawler.Events {
	return crawler.Events{
		Request: func(r crawler.Request) { j.append(requestRecord(r)) },
		Refusal: func(r crawler.Refusal) { j.append(refusalRecord(r)) },
		Outcome: func(o crawler.Outcome) { j.append(outcomeRecord(o)) },
		Rest:    func(r crawler.Rest) { j.append(restRecord(r)) },
	}
}

func (j *journal) append(r ledger.Record) {
	if err := j.ledger.Append(r); err != nil {
		j.fail(fmt.Errorf("write ledger: %w", err))
	}
}

// restType is the record of a site that is left alone for a while: site, reason, not_before, error_text.
const restType ledger.Type = "rest"

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
		Type: ledger.Outcome, URL: o.URL.String(), Via: o.Via.String(), Depth: o.Depth, Outcome: statusText(o.Status),
		Reason: string(o.Reason), Status: o.Code, NotBefore: o.NotBefore, Bytes: o.Bytes, Location: o.Target.String(),
		LinksFound: o.Links, LinksNew: o.New,
	}
}

func restRecord(r crawler.Rest) ledger.Record {
	return ledger.Record{
		Type: restType, Site: r.Site, Reason: string(r.Reason), NotBefore: r.Until, ErrorText: r.Detail, Attempt: r.Failures,
	}
}

// statusText names the state of a URL.
func statusText(s frontier.Status) string {
	switch s {
	case frontier.Queued:
		return "queued"
	case frontier.Retrying:
		return "retrying"
	case frontier.Done:
		return "done"
	case frontier.Refused:
		return "refused"
	case frontier.Failed:
		return "failed"
	}
	return "unknown"
}

// verdictOf returns the robots decision that a record holds.
func verdictOf(r ledger.Record) robots.Verdict {
	if r.Type == ledger.Refusal {
		return robots.Verdict{Reason: robots.ReasonRule, Line: r.Line, Rule: r.Rule, Digest: r.Digest}
	}
	return robots.Verdict{
		Allowed: true, Reason: robots.Reason(r.RobotsReason), Line: r.RobotsLine, Rule: r.RobotsRule, Digest: r.RobotsDigest,
	}
}

// listeners joins several sets of listeners into one that calls them in order.
func listeners(all ...crawler.Events) crawler.Events {
	var joined crawler.Events
	for _, e := range all {
		joined.Request = both(joined.Request, e.Request)
		joined.Refusal = both(joined.Refusal, e.Refusal)
		joined.Outcome = both(joined.Outcome, e.Outcome)
		joined.Rest = both(joined.Rest, e.Rest)
	}
	return joined
}

func both[E any](first, second func(E)) func(E) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(e E) { first(e); second(e) }
}
