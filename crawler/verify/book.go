package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A book is the ledger of one job as far as a pass has read it.
type book struct {
	summary
	job       Job
	index, of int  // of the job among all, and how many these are
	shared    bool // its crawl, as far as is known
	until     uint64
	list      os.FileInfo // of pages when verifying began, while the job is running
	listLines int         // to look at, likewise
	addresses addresses
	chain     ledger.Report
	trail     *trail // nil but in the first pass that goes through
	err       error  // why the ledger could not be read

	at   *ledger.Entry // the next record to be judged, its times steadied; nil at the end
	said time.Time     // when it says that it was written
}

// records yields the records of the book that the pass is to look at.
func (b *book) records(yield func(*ledger.Entry) bool) {
	o := b.trail.options()
	if b.of > 1 {
		o.Workers = 1 + runtime.GOMAXPROCS(0)/b.of
	}
	b.chain, b.err = b.job.walkWith(o, func(e *ledger.Entry) bool {
		return (b.until == 0 || e.Seq <= b.until) && yield(e)
	})
}

// walk judges all ledgers, or as much of them as can be until memory is full.
func (p *pass) walk(ctx context.Context) error {
	var err error
	if len(p.books) == 1 {
		p.records(func(e *ledger.Entry) bool {
			p.turn(e)
			err = errors.Join(p.judge(), ctx.Err())
			return err == nil && !p.full
		})
	} else {
		err = p.merge(ctx)
	}
	if err != nil || p.full {
		return err
	}
	for _, b := range p.books {
		if err := b.readable(); err != nil && b.job.Name != "" {
			return fmt.Errorf("%s: %w", b.job.Name, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// merge judges the records of several ledgers in the order of their times. Each ledger keeps its own order.
func (p *pass) merge(ctx context.Context) error {
	nexts := make([]func() (*ledger.Entry, bool), len(p.books))
	turn := func(i int) {
		p.book = p.books[i]
		e, _ := nexts[i]()
		p.turn(e)
	}
	for i, b := range p.books {
		next, stop := iter.Pull(b.records)
		defer stop()
		nexts[i] = next
		turn(i)
	}
	for {
		first := -1
		for i, b := range p.books {
			if b.at != nil && (first < 0 || b.at.Time.Before(p.books[first].at.Time)) {
				first = i
			}
		}
		if first < 0 || p.full {
			return ctx.Err()
		}
		p.book = p.books[first]
		p.nth++
		if err := errors.Join(p.judge(), ctx.Err()); err != nil {
			return fmt.Errorf("%s: %w", p.job.Name, err)
		}
		turn(first)
	}
}

// turn makes e, which may be nil, the next record of the book at hand.
func (p *pass) turn(e *ledger.Entry) {
	if p.at = e; e != nil {
		p.said = e.Time
		p.steady(e)
	}
}

// judge judges the next record of the book at hand.
func (p *pass) judge() error {
	return errors.Join(p.trail.add(p.at), p.record(p.at, p.said))
}

// readable says why a ledger that was read to its end proves nothing, nil if it does.
func (b *book) readable() error {
	bad := b.chain.Bad
	switch {
	case errors.Is(b.err, fs.ErrNotExist):
		return ErrNoLedger
	case b.err != nil:
		return fmt.Errorf("read the ledger: %w", b.err)
	case bad != nil && bad.Format != 0:
		return fmt.Errorf("%w: %w", ErrFormat, bad)
	case b.chain.Records == 0 && bad == nil:
		return ErrNoLedger
	case b.run == nil:
		b.run = &run{ended: true} // the chain is broken before anything can be judged
	}
	return nil
}

// reference names a record of the book at hand among those of all.
func (b *book) reference(e *ledger.Entry) uint64 { return e.Seq*uint64(b.of) + uint64(b.index) }

// referred returns the number of a record, and the job whose it is.
func (b *book) referred(ref uint64) (seq uint64, job int) {
	return ref / uint64(b.of), int(ref % uint64(b.of))
}

// runID names the run at hand among those of all jobs; it is never 0.
func (b *book) runID() int32 { return int32(b.run.number*b.of + b.index) }

// jobOf returns whose run it is.
func (b *book) jobOf(runID int32) int { return int(runID) % b.of }
