package changescmd

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Span says which changes are wanted: of runs, by their number from 1, or since a time.
type Span struct {
	First, Last  int // runs; 0 for those that the times choose
	Since, Until time.Time
	Kinds        []Kind // none means all
	Compare      bool   // fill in how the text of each changed page differs
	LatestFirst  bool   // instead of by kind
	Memory       int64  // bytes that may be held of pages and of changes; at most 256 MiB are, as by default
}

// A ran is one run.
type ran struct {
	from  time.Time
	seq   uint64 // of its first record
	again bool   // it visited what was settled
	whole bool   // it ended as it was meant to: it was not killed, interrupted or ended by an error
}

// runs returns all runs of the job, and whether the clock was set while one went on.
func (g *gatherer) runs() (all []ran, set bool, err error) {
	for r, err := range g.records(ledger.Run) {
		if err != nil {
			return nil, false, err
		}
		switch {
		case r.Event == ledger.EventClock:
			set = true
		case r.Event == ledger.EventStart:
			all = append(all, ran{from: r.Time, seq: r.Seq})
		case len(all) == 0:
		case r.Event == ledger.EventAgain:
			all[len(all)-1].again = true
		case r.Event == ledger.EventStop:
			all[len(all)-1].whole = !crawler.Reason(r.Why).CutsShort()
		}
	}
	return all, set, nil
}

// span works out which times are meant: without a word those since the job began to be visited again, or of its last run.
func (g *gatherer) span(s Span) error {
	g.from, g.to = s.Since, s.Until
	if g.to.IsZero() {
		g.to = time.Now()
	}
	if !s.Since.IsZero() {
		return nil
	}
	runs, set, err := g.runs()
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return cli.UsageError("cybermapper crawl --job DIR begins one", "the ledger of the job tells of no run")
	}
	if s.First == 0 {
		s.First, s.Last = lastAgain(runs), len(runs)
	}
	if s.First < 1 || s.Last < s.First || s.Last > len(runs) {
		return cli.UsageError("--since names a time instead", "the job has %d runs, not %d to %d", len(runs), s.First, s.Last)
	}
	g.from, g.first = runs[s.First-1].from, runs[s.First-1].seq
	if s.Until.IsZero() && s.Last < len(runs) {
		g.to, g.end = runs[s.Last].from, runs[s.Last].seq // a run that was killed has no end of its own
	}
	g.open = s.Until.IsZero() && g.end == 0
	if set || !slices.IsSortedFunc(runs, func(a, b ran) int { return a.from.Compare(b.from) }) {
		g.visits = map[uint64]bool{}
	}
	return nil
}

// lastAgain returns the number of the run that began to visit the job again, or of the last one. A run that was cut short and the
// next one are the same visit.
func lastAgain(runs []ran) int {
	first := 0
	for i := len(runs) - 1; i >= 0 && (first == 0 || !runs[i].whole); i-- {
		if runs[i].again {
			first = i + 1
		}
	}
	return cmp.Or(first, len(runs))
}

// records yields the records of some types.
func (g *gatherer) records(types ...ledger.Type) func(yield func(ledger.Record, error) bool) {
	return func(yield func(ledger.Record, error) bool) {
		for r, err := range ledger.ReadSound(g.path(job.LedgerDir), ledger.ReadOptions{Types: types}) {
			if err != nil {
				err = fmt.Errorf("read ledger: %w", err)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// isBefore and within say where a record is. That of a run is where it stands: the clock may have been set between two of them.
func (g *gatherer) isBefore(r ledger.Record) bool {
	if g.first > 0 {
		return r.Seq < g.first
	}
	return r.Time.Before(g.from)
}

func (g *gatherer) within(r ledger.Record) bool {
	switch {
	case g.isBefore(r):
		return false
	case g.end > 0:
		return r.Seq < g.end
	}
	return g.open || r.Time.Before(g.to)
}
