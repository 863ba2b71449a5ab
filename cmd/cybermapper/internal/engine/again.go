package engine

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// Again says what of a job is visited another time.
type Again string

// The ways to come back.
const (
	AgainNone Again = ""
	AgainDue  Again = "due" // what is due
	AgainAll  Again = "all" // everything that is not gone for good
)

// visitAgain queues what is to be visited another time. The ledger says so before: what was settled may be asked for once more.
func (r *run) visitAgain(ctx context.Context) error {
	if r.Again == AgainNone {
		return nil
	}
	q := crawler.ReturnRequest{All: r.Again == AgainAll, Most: r.Config.Crawl.MaxPages}
	if q.All {
		var err error
		if q.Since, err = cutShort(r.job.Path(job.LedgerDir)); err != nil {
			return err
		}
	}
	if err := r.stores.ledger.Append(r.runRecord(ledger.EventAgain, string(r.Again))); err != nil {
		return err
	}
	if err := r.stores.ledger.Flush(); err != nil {
		return err
	}
	adopting, err := r.newAdoption(ctx, inTable) // looks before they wait, as then it takes several times as long
	if err != nil {
		return fmt.Errorf("look for the pages of an earlier version: %w", err)
	}
	done, err := r.engine.Return(ctx, q)
	if err != nil {
		return fmt.Errorf("queue what is due: %w", err)
	}
	if q.Most > 0 {
		adopting.most = q.Most - (done.Queued - done.Closed)
	}
	if err := adopting.adopt(ctx); err != nil {
		return fmt.Errorf("queue the pages of an earlier version: %w", err)
	}
	done.Queued += adopting.queued
	if r.Quiet {
		return nil
	}
	goesOn := ""
	if !q.Since.IsZero() {
		goesOn = ", all that was not since " + q.Since.Local().Format(time.DateTime) + " or is due"
	}
	closed := ""
	if done.Closed > 0 {
		closed = fmt.Sprintf(", %s of them closed by robots.txt until now", say.Count(done.Closed))
	}
	fmt.Fprintf(r.Screen, "cybermapper: %s to be visited again%s%s\n", say.Plural(done.Queued, "URL"), closed, goesOn)
	if done.Queued == 0 && !done.Next.IsZero() {
		fmt.Fprintf(r.Screen, "cybermapper: nothing is due before %s; --again=all does not wait for that\n",
			done.Next.Local().Format(time.DateTime))
	}
	return nil
}

// lastRuns is how much of the end of the ledger is read first for the runs before this one, in bytes.
const lastRuns = 16 << 20

// cutShort returns when a visit to everything began that no run has brought to its end, by the ledger in dir, of which the last run
// is this one; zero when there is none. Of a ledger of many visits it reads as much of the end as tells that.
func cutShort(dir string) (began time.Time, err error) {
	for _, tail := range []int64{lastRuns, recallBytes, 0} {
		var ended bool
		if began, ended, err = cutShortAtEnd(dir, tail); ended || err != nil {
			break
		}
	}
	return began, err
}

// cutShortAtEnd reads the end of the ledger, so many bytes at least or all for 0, and says whether a run has come to its end there:
// then it does not matter what was before.
func cutShortAtEnd(dir string, tail int64) (began time.Time, ended bool, err error) {
	for rec, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Run}, Tail: tail}) {
		switch {
		case err != nil:
			return began, false, err
		case rec.Event == ledger.EventStop && !crawler.Reason(rec.Why).CutsShort():
			began, ended = time.Time{}, true
		case rec.Event == ledger.EventAgain && rec.Why == string(AgainAll) && began.IsZero():
			began = rec.Time
		}
	}
	return began, ended, nil
}

// inTable is how many pages are looked for at once of those that the queue has forgotten, which takes 40 MB.
const inTable = 1 << 20

// An adoption queues pages of which the queue remembers nothing: an earlier version has stored them, or the queue was built anew.
// How many the queue remembers does not tell whether there are any, as it remembers what is no page, too. Very many are looked for
// in several parts, each page in one of them.
type adoption struct {
	*run
	seed         maphash.Seed
	part, parts  uint64
	most, queued int64
}

// newAdoption looks how many there are, of which up to tabled make a part.
func (r *run) newAdoption(ctx context.Context, tabled int) (*adoption, error) {
	a := &adoption{run: r, seed: maphash.MakeSeed(), most: math.MaxInt64}
	lines := 0
	for _, err := range a.unremembered(ctx) {
		if err != nil {
			return nil, err
		}
		lines++
	}
	a.parts = uint64((lines + tabled - 1) / tabled)
	return a, nil
}

// adopt queues them, and no more than most.
func (a *adoption) adopt(ctx context.Context) error {
	for a.part = range a.parts {
		if err := a.adoptPart(ctx); err != nil {
			return err
		}
	}
	return nil
}

// adoptPart queues the pages of the part at hand.
func (a *adoption) adoptPart(ctx context.Context) error {
	newest := map[uint64]int64{} // where the line of the version stored last begins: what it says is what may have changed
	for l, err := range a.unremembered(ctx) {
		if err != nil {
			return err
		}
		if key := a.key(l); key%a.parts == a.part {
			newest[key] = l.Start
		}
	}
	var batch []frontier.Link
	flush := func() error {
		added, err := a.stores.frontier.Add(ctx, batch)
		a.queued += int64(added.New)
		batch = batch[:0]
		return err
	}
	for l, err := range pages.Read(a.job.Path(job.PagesDir)) {
		if a.queued+int64(len(batch)) >= a.most {
			break
		}
		if start, ok := newest[a.key(l)]; err != nil || !ok || start != l.Start {
			continue // a line that cannot be read is for check to tell
		}
		age := time.Since(l.Fetched).Abs() // years, by a clock that was wrong, in either direction
		if a.Again == AgainDue && age < time.Duration(a.Config.Recrawl.First) {
			continue
		}
		if batch = append(batch, adoptable(l)); len(batch) == settledAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// key is what a page is known by in a table.
func (a *adoption) key(l pages.Line) uint64 { return maphash.String(a.seed, l.FinalURL) }

// unremembered iterates over the lines of the pages of which the queue remembers nothing but that they are done.
func (a *adoption) unremembered(ctx context.Context) iter.Seq2[pages.Line, error] {
	return func(yield func(pages.Line, error) bool) {
		for l, err := range pages.Read(a.job.Path(job.PagesDir)) {
			u, bad := frontier.ParseURL(l.FinalURL)
			if err != nil || bad != nil {
				continue
			}
			info, err := a.stores.frontier.Lookup(ctx, u)
			if err == nil && (info.Status != frontier.Done || info.Return != nil) {
				continue
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// adoptable returns the link to visit a stored page again of which the queue remembers nothing.
func adoptable(l pages.Line) frontier.Link {
	link := frontier.Link{Depth: l.Depth, Modified: l.LastMod, Force: true, Kind: crawler.Purpose(l.Kind).Kind()}
	link.URL, _ = frontier.ParseURL(l.FinalURL)
	link.Via, _ = frontier.ParseURL(l.Via) // zero for a seed
	if l.URL != l.FinalURL {
		if first, err := frontier.ParseURL(l.URL); err == nil {
			link.Hops = []frontier.URL{first}
		}
	}
	header := l.Header
	if l.Truncated != "" {
		header = nil // a condition would leave it as it is
	}
	link.State = crawler.PastOf(header, l.Digest, l.Fetched)
	return link
}
