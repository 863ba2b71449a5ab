package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// What a crawl owes to sites outlives it: whoever starts over has not paid. The debts that are left are written down before
// anything of the old crawl is deleted.

// debtBytes is how much of the end of the ledger is read for the pauses that are owed: more than any pause of a crawl at full pace.
const debtBytes = 64 << 20

// startOver deletes what a job holds, but for what it owes. The sites of a demo are gone.
func startOver(ctx context.Context, j *job.Job, kind job.Kind) error {
	if kind == job.Demo {
		return j.Clear()
	}
	debts, err := readDebts(j.Path(job.DebtsFile))
	if err == nil {
		err = addDebts(ctx, j, debts)
	}
	if err != nil {
		return withDebtsHint(fmt.Errorf("find out what the earlier crawl owes to sites: %w", err))
	}
	if err := writeDebts(j, debts); err != nil {
		return err
	}
	return j.Clear()
}

// addDebts takes in what the queue and the ledger of a job say.
func addDebts(ctx context.Context, j *job.Job, debts map[string]crawler.Debt) error {
	now := time.Now()
	owe := func(site string, d crawler.Debt) {
		if d.Until.After(now) && d.Until.After(debts[site].Until) {
			debts[site] = d
		}
	}
	owed, err := debtsOfLedger(j.Path(job.LedgerDir), now)
	if err != nil {
		return err
	}
	for site, d := range owed {
		owe(site, d)
	}
	f, err := disk.Open(j.Path(job.FrontierDir), disk.Options{ReadOnly: true})
	if err != nil {
		return nil // there is none, or a damaged one, which must not keep anybody from starting over; the ledger has said the same
	}
	for info, serr := range f.Sites(ctx) {
		if serr != nil {
			err = serr
			break
		}
		p := info.Policy
		owe(info.Site, crawler.Debt{Until: p.BlockedUntil, Reason: p.BlockReason, Failures: p.Failures})
		if !info.LastEnd.IsZero() {
			owe(info.Site, crawler.Debt{Until: info.LastEnd.Add(p.Delay), Reason: "delay", Failures: p.Failures})
		}
	}
	return errors.Join(err, f.Close())
}

// debtsOfLedger returns the pauses that the end of a ledger tells of, also those that are over.
func debtsOfLedger(dir string, now time.Time) (map[string]crawler.Debt, error) {
	debts := map[string]crawler.Debt{}
	owe := func(site string, d crawler.Debt) {
		if d.Until.After(debts[site].Until) {
			debts[site] = d
		}
	}
	shift := func(by time.Duration) {
		for site, d := range debts {
			d.Until = d.Until.Add(by)
			debts[site] = d
		}
	}
	err := readPauses(dir, debtBytes, now, shift, func(r ledger.Record) {
		if r.Type == ledger.Rest {
			owe(r.Site, crawler.Debt{Until: r.NotBefore, Reason: r.Reason, Failures: r.Attempt})
		} else {
			owe(r.Site, crawler.Debt{Until: r.End.Add(time.Duration(r.Gap)), Reason: "delay"})
		}
	})
	return debts, err
}

// readDebts returns the debts of a crawl before this one, in a file of that name, that are still to be paid.
func readDebts(name string) (map[string]crawler.Debt, error) {
	debts := map[string]crawler.Debt{}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return debts, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what is owed to sites: %w", err)
	}
	if err := json.Unmarshal(text, &debts); err != nil {
		return nil, &debtsError{err}
	}
	for site, d := range debts {
		if time.Until(d.Until) <= 0 {
			delete(debts, site)
		}
	}
	return debts, nil
}

// A debtsError says that what is owed to sites is not as it was written.
type debtsError struct{ err error }

// Error implements error.
func (e *debtsError) Error() string { return job.DebtsFile + ": " + e.err.Error() }

// withDebtsHint says what helps if what is owed to sites cannot be read.
func withDebtsHint(err error) error {
	if _, isDamaged := errors.AsType[*debtsError](err); isDamaged {
		return &cli.Error{Code: cli.ExitDisk, Err: err,
			Hint: "cybermapper repair --job DIR takes it for the longest that any site can have asked for"}
	}
	return err
}

// mendDebts puts in the place of debts that cannot be read the longest that any site can have asked for when they were written, and
// returns until when that is owed to every site.
func mendDebts(j *job.Job, p crawler.Politeness) (until time.Time, err error) {
	_, err = readDebts(j.Path(job.DebtsFile))
	if _, isDamaged := errors.AsType[*debtsError](err); !isDamaged {
		return until, err
	}
	info, err := os.Stat(j.Path(job.DebtsFile))
	if err != nil {
		return until, err
	}
	until = info.ModTime().Add(max(p.MaxRetryAfter, p.MaxRest))
	return until, writeDebts(j, map[string]crawler.Debt{crawler.EverySite: {Until: until, Reason: "delay"}})
}

func writeDebts(j *job.Job, debts map[string]crawler.Debt) error {
	text, err := json.MarshalIndent(debts, "", "  ")
	if err != nil {
		return err
	}
	return job.WriteFile(j.Path(job.DebtsFile), append(text, '\n'))
}
