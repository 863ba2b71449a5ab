package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// maxBeyond bounds the sites beyond the scope whose links are counted.
const maxBeyond = 1000

// tellBeyond says in the report of a job of which no page has led on where its links lead. Of any other the ledger would take long.
func (r *run) tellBeyond(ctx context.Context, told *progress.Report) error {
	t := told.Total
	noLinks := told.Run.Requisites + progress.Redirects(told.Run) // which are new as well
	ledOn := told.Run.New > 0 && (t.Pages > 1 || told.Run.New > noLinks)
	if ledOn || told.Run.Pages != t.Pages || t.Known > maxSeeds || told.Run.Reasons[crawler.ReasonOutOfScope] == 0 {
		return nil
	}
	if err := r.stores.ledger.Flush(); err != nil {
		return err
	}
	links := map[string]int64{}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}, Gates: []string{string(crawler.GateScope)}}
	for rec, err := range ledger.ReadSound(r.job.Path(job.LedgerDir), o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		u, err := frontier.ParseURL(rec.URL)
		if err != nil || rec.Reason != string(crawler.ReasonOutOfScope) || rec.Purpose != "" {
			continue // what a page needs is no link
		}
		if _, known := links[u.Site()]; known || len(links) < maxBeyond {
			links[u.Site()]++
		}
	}
	for site, n := range links {
		told.Beyond = append(told.Beyond, progress.Beyond{Site: site, Links: n})
	}
	slices.SortFunc(told.Beyond, func(a, b progress.Beyond) int {
		return cmp.Or(cmp.Compare(b.Links, a.Links), cmp.Compare(a.Site, b.Site))
	})
	return nil
}
