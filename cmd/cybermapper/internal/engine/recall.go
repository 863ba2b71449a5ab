package engine

import (
	"errors"
	"iter"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// recallBytes is how much of the end of the ledger is read to recall what was visited: some hundred thousand pages, as many as
// the counters of the engine remember by default.
const recallBytes = 256 << 20

// recall tells the engine what earlier runs have visited, as far as the ledger in dir says.
func recall(dir string, e *crawler.Crawler) error {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome}, Tail: recallBytes}
	for r, err := range soundRecords(dir, o) {
		if err != nil {
			return err
		}
		if u, err := frontier.ParseURL(r.URL); err == nil && r.Status != 0 && r.Outcome != "retrying" {
			e.Recall(u, r.Status < 300 && r.SameAs == "")
		}
	}
	return nil
}

// soundRecords reads a ledger and leaves out lines that are no records: they must not keep a crawl from going on, and check and
// verify are there to find them.
func soundRecords(dir string, o ledger.ReadOptions) iter.Seq2[ledger.Record, error] {
	return func(yield func(ledger.Record, error) bool) {
		for r, err := range ledger.Read(dir, o) {
			if bad := (*ledger.CorruptError)(nil); errors.As(err, &bad) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
