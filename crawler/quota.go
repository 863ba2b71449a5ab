package crawler

import (
	"context"
	"fmt"

	"go.uber.org/zap"
)

// An Allowance is how much of a limit a process may use in all since it began.
type Allowance struct {
	All    int64
	IsLast bool // there is no more of it, for whoever asks
}

// A Quota hands out the limits of a job that several processes work on, piece by piece, so that they do not fetch more together
// than was asked for. Its methods are called by one goroutine at a time.
type Quota interface {
	// Claim takes further pieces of Limits.Pages and Limits.Bytes, where they are set and there is more. ctx ends when the run
	// does.
	Claim(ctx context.Context) (pages, bytes Allowance, err error)
	// GiveBack gives back what was claimed and not used.
	GiveBack(ctx context.Context, pages, bytes int64) error
}

// claim takes further pieces of the limits whenever those before are nearly used up, until ctx ends.
func (r *run) claim(ctx context.Context) {
	b := r.crawl.budget
	for {
		select {
		case <-b.claimed.wanted:
		case <-ctx.Done():
			return
		}
		isLast, err := r.claimOnce(ctx)
		if err != nil && ctx.Err() == nil {
			r.stop(err)
		}
		if isLast || err != nil {
			return
		}
	}
}

func (r *run) claimOnce(ctx context.Context) (isLast bool, err error) {
	pages, bytes, err := r.crawl.config.Quota.Claim(ctx)
	if err != nil {
		return false, fmt.Errorf("claim a piece of the limits: %w", err)
	}
	r.crawl.budget.grow(pages, bytes)
	return pages.IsLast && bytes.IsLast, nil
}

// returnQuota gives back what was claimed and not used.
func (c *Crawler) returnQuota(ctx context.Context) {
	if c.config.Quota == nil {
		return
	}
	pages, bytes := c.budget.used()
	if err := c.config.Quota.GiveBack(ctx, pages, bytes); err != nil {
		c.config.Log.Warn("what is left of the limits could not be given back", zap.Error(err))
	}
}
