package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
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
	done, err := r.engine.Return(ctx, q)
	if err != nil {
		return fmt.Errorf("queue what is due: %w", err)
	}
	adopted, err := r.adopt(ctx, q.Most-done.Queued)
	if err != nil {
		return fmt.Errorf("queue the pages of an earlier version: %w", err)
	}
	done.Queued += adopted
	if r.Quiet {
		return nil
	}
	goesOn := ""
	if !q.Since.IsZero() {
		goesOn = ", all that was not since " + q.Since.Local().Format(time.DateTime) + " or is due"
	}
	fmt.Fprintf(r.Screen, "cybermapper: %s to be visited again%s\n", say.Plural(done.Queued, "URL"), goesOn)
	if done.Queued == 0 && !done.Next.IsZero() {
		fmt.Fprintf(r.Screen, "cybermapper: nothing is due before %s; --again=all does not wait for that\n",
			done.Next.Local().Format(time.DateTime))
	}
	return nil
}

// cutShort returns when a visit to everything began that no run has brought to its end, by the ledger in dir, of which the last run
// is this one; zero when there is none.
func cutShort(dir string) (began time.Time, err error) {
	for rec, err := range ledger.ReadSound(dir, ledger.ReadOptions{Types: []ledger.Type{ledger.Run}}) {
		switch {
		case err != nil:
			return began, err
		case rec.Event == ledger.EventStop && !crawler.Reason(rec.Why).CutsShort():
			began = time.Time{}
		case rec.Event == ledger.EventAgain && rec.Why == string(AgainAll) && began.IsZero():
			began = rec.Time
		}
	}
	return began, nil
}

// adopt queues pages of which the queue remembers nothing: an earlier version has stored them, or the queue was built anew. most is
// how many there is room for, if there is a limit.
func (r *run) adopt(ctx context.Context, most int64) (n int64, err error) {
	newest, err := r.unremembered(ctx)
	if len(newest) == 0 || err != nil {
		return 0, err
	}
	var batch []frontier.Link
	flush := func() error {
		added, err := r.stores.frontier.Add(ctx, batch)
		n += int64(added.New)
		batch = batch[:0]
		return err
	}
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		if r.Config.Crawl.MaxPages > 0 && n+int64(len(batch)) >= most {
			break
		}
		if start, ok := newest[pageKey(l)]; err != nil || !ok || start != l.Start {
			continue // a line that cannot be read is for check to tell
		}
		age := time.Since(l.Fetched).Abs() // years, by a clock that was wrong, in either direction
		if r.Again == AgainDue && age < time.Duration(r.Config.Recrawl.First) {
			continue
		}
		if batch = append(batch, adoptable(l)); len(batch) == settledAtOnce {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
	return n, flush()
}

// pageKey is what a page is known by in a table of many.
func pageKey(l pages.Line) (key [16]byte) {
	sum := sha256.Sum256([]byte(l.FinalURL))
	copy(key[:], sum[:])
	return key
}

// unremembered finds the pages of which the queue remembers nothing but that they are done, and where in the list the line of the
// version stored last begins: what it says is what may have changed. How many the queue remembers does not tell whether there are
// any, as it remembers what is no page, too.
func (r *run) unremembered(ctx context.Context) (newest map[[16]byte]int64, err error) {
	newest = map[[16]byte]int64{}
	for l, err := range pages.Read(r.job.Path(job.PagesDir)) {
		if err != nil {
			continue
		}
		u, err := frontier.ParseURL(l.FinalURL)
		if err != nil {
			continue
		}
		info, err := r.stores.frontier.Lookup(ctx, u)
		if err != nil {
			return nil, err
		}
		if info.Status == frontier.Done && info.Return == nil {
			newest[pageKey(l)] = l.Start
		}
	}
	return newest, nil
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
