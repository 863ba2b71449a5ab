package engine

import (
	"bytes"
	"context"
	"iter"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// recallBytes is how much of the end of the ledger is read to recall what was visited: some hundred thousand pages, as many as
// the counters of the engine remember by default.
const recallBytes = 256 << 20

// recall tells the engine what earlier runs have visited, as far as the ledger in dir says. It tells watch whether a page was
// banned. What was parked and waits in the queue q has been released since; q is nil where others have it.
func recall(ctx context.Context, dir string, q frontier.Frontier, e *crawler.Crawler, watch *banWatch) error {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Run, ledger.Outcome, ledger.Refusal}, Tail: recallBytes, Match: isNews}
	parked := map[frontier.URL]ledger.Record{}
	for r, err := range ledger.ReadSound(dir, o) {
		if err != nil {
			return err
		}
		watch.recall(r)
		if r.Type == ledger.Run {
			continue
		}
		u, err := frontier.ParseURL(r.URL)
		switch {
		case err != nil:
		case r.Type == ledger.Refusal && crawler.Reason(r.Reason).Parks():
			parked[u] = r
		case crawler.Reason(r.Reason).IsAgain(): // it was counted when it was visited first
		case r.Type == ledger.Outcome && r.Status != 0 && r.Outcome != "retrying":
			delete(parked, u)
			via, _ := frontier.ParseURL(r.Via) // zero for a seed
			e.Recall(crawler.Memory{URL: u, Via: via, New: r.LinksNew, Opens: r.LinksOnward > 0})
		}
	}
	for u, r := range parked {
		if waits, err := isQueued(ctx, q, u); err != nil {
			return err
		} else if waits {
			continue
		}
		e.RecallParked(u, crawler.Reason(r.Reason), r.Rule)
	}
	return nil
}

// isQueued reports whether a URL waits in q, if that is not nil.
func isQueued(ctx context.Context, q frontier.Frontier, u frontier.URL) (bool, error) {
	if q == nil {
		return false, nil
	}
	info, err := q.Lookup(ctx, u)
	return info.Status == frontier.Queued || info.Status == frontier.Retrying, err
}

// unchanged is in the record of a visit that found nothing new, which in a job of many visits most records tell of.
var unchanged = []byte(`"reason":"` + string(crawler.ReasonUnchanged) + `"`)

// isNews reports whether a line of the ledger may tell of more than that.
func isNews(line []byte) bool { return !bytes.Contains(line, unchanged) }

// parkedLinks yields what the ledger of a job tells as parked, as far back as is recalled.
func parkedLinks(dir string, l *ledger.Ledger) iter.Seq2[crawler.ParkedLink, error] {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}, Gates: []string{string(crawler.GateTrap)}, Tail: recallBytes}
	return func(yield func(crawler.ParkedLink, error) bool) {
		if err := l.Flush(); err != nil {
			yield(crawler.ParkedLink{}, err)
			return
		}
		for r, err := range ledger.ReadSound(dir, o) {
			if err != nil {
				yield(crawler.ParkedLink{}, err)
				return
			}
			link, ok := linkOf(r)
			if !ok || crawler.Reason(r.Reason) != crawler.ReasonEndless {
				continue
			}
			if !yield(crawler.ParkedLink{Link: link, Rule: r.Rule}, nil) {
				return
			}
		}
	}
}
