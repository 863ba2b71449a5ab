package engine

import (
	"context"
	"errors"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier/cluster"
)

// The limits that the nodes of a crawl share.
const (
	sharedPages = "pages"
	sharedBytes = "bytes"

	leastBytes = 1 << 20 // of a piece of the second
)

// A crewQuota takes pieces of the limits of the job as a whole.
type crewQuota struct {
	node   *cluster.Member
	limits crawler.Limits
	pages  crawler.Allowance
	bytes  crawler.Allowance
}

// Claim implements crawler.Quota.
func (q *crewQuota) Claim(ctx context.Context) (pages, bytes crawler.Allowance, err error) {
	err = errors.Join(q.take(ctx, sharedPages, q.limits.Pages, 1, &q.pages),
		q.take(ctx, sharedBytes, q.limits.Bytes, leastBytes, &q.bytes))
	return q.pages, q.bytes, err
}

func (q *crewQuota) take(ctx context.Context, name string, limit, least int64, a *crawler.Allowance) error {
	if limit <= 0 || a.IsLast {
		a.IsLast = true
		return nil
	}
	n, err := q.node.Take(ctx, name, limit, least)
	a.All += n
	a.IsLast = n == 0 && err == nil
	return err
}

// GiveBack implements crawler.Quota.
func (q *crewQuota) GiveBack(ctx context.Context, pages, bytes int64) error {
	ctx, cancel := context.WithTimeout(ctx, crewEvery)
	defer cancel()
	var errs []error
	for name, n := range map[string]int64{sharedPages: q.pages.All - pages, sharedBytes: q.bytes.All - bytes} {
		if n > 0 {
			errs = append(errs, q.node.GiveBack(ctx, name, n))
		}
	}
	return errors.Join(errs...)
}
