package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Lease implements frontier.Frontier, for the sites of the partitions of this node. It returns ErrIdle and ErrWaiting when that
// holds of all partitions, whoever owns them.
func (f *Frontier) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	for {
		if err := f.begin(ctx); err != nil {
			return nil, err
		}
		parts, change, ended := f.due(patience)
		if ended != nil {
			return nil, ended
		}
		for _, p := range parts {
			l, err := p.tryLease(ctx)
			if l != nil || err != nil {
				return l, err
			}
		}
		if len(parts) == 0 {
			f.look()
			if err := f.sleep(ctx, change); err != nil {
				return nil, err
			}
		}
	}
}

// due returns the partitions that may have a site that is due, what to wait for when there are none, and why there is nothing to
// wait for.
func (f *Frontier) due(patience time.Duration) (parts []*partition, change <-chan struct{}, ended error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.patience = patience
	if f.paused {
		return nil, f.waitLocked(), nil
	}
	parts = f.partitionsLocked(func(p *partition) bool { return p.stale || !p.next.IsZero() && !p.next.After(now) })
	if len(parts) == 0 {
		ended = f.end.reason(now, patience)
	}
	return parts, f.waitLocked(), ended
}

// sleep returns when change is closed, a site becomes due, or a while has passed.
func (f *Frontier) sleep(ctx context.Context, change <-chan struct{}) error {
	wait := endEvery
	f.mu.Lock()
	for _, p := range f.owned {
		if !p.leaving && !f.paused && !p.next.IsZero() {
			wait = min(wait, time.Until(p.next))
		}
	}
	f.mu.Unlock()
	timer := time.NewTimer(max(wait, 0))
	defer timer.Stop()
	select {
	case <-change:
	case <-timer.C:
	case <-f.ctx.Done():
		return frontier.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// tryLease leases a site of the partition if one is due.
func (p *partition) tryLease(ctx context.Context) (frontier.Lease, error) {
	if err := p.lend.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.lend.Release(1)
	if err := p.wakeUpLocked(ctx); err != nil {
		return nil, ignoreLost(p, err)
	}
	f := p.node
	f.mu.Lock()
	p.stale = false
	f.mu.Unlock()
	l, next, err := p.store.TryLease(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil:
		return nil, ignoreLost(p, err)
	case l == nil:
		p.next = next
		return nil, nil
	}
	p.stale = true // another may be due
	p.leases++
	return &lease{Lease: l, p: p}, nil
}

// A lease is that of a store, for as long as this node owns the partition.
type lease struct {
	frontier.Lease
	p      *partition
	closed bool // guarded by Frontier.mu
}

// Next implements frontier.Lease. A partition that is to be given back has nothing more that is due, nor has a crawl that is
// paused.
func (l *lease) Next(ctx context.Context) (frontier.Entry, bool, error) {
	if err := l.p.node.begin(ctx); err != nil {
		return frontier.Entry{}, false, err
	}
	if l.isLeaving() {
		return frontier.Entry{}, false, nil
	}
	e, ok, err := l.Lease.Next(ctx)
	return e, ok, l.lost(err)
}

func (l *lease) isLeaving() bool {
	f := l.p.node
	f.mu.Lock()
	defer f.mu.Unlock()
	return l.p.leaving || f.paused
}

// Permit implements frontier.Lease. The node that owns a site says when it may be asked.
func (l *lease) Permit(ctx context.Context, site string) (frontier.Grant, error) {
	if !l.p.tenure.Valid() {
		return frontier.Grant{}, frontier.ErrLost
	}
	if l.p.node.place.of(site) != l.p.id {
		g, err := l.p.node.permit(ctx, l.Context(), site)
		return l.p.under(g), err
	}
	g, err := l.Lease.Permit(ctx, site)
	if err == nil && !l.p.tenure.Valid() { // it waited
		g.Done(0)
		return frontier.Grant{}, frontier.ErrLost
	}
	return l.p.under(g), l.lost(err)
}

// under returns a grant that names the right of this node to the partition, and ends with it.
func (p *partition) under(g frontier.Grant) frontier.Grant {
	if g.Done != nil {
		g.Tenure, g.Valid = p.name, p.tenure.Valid
	}
	return g
}

// SetPolicy implements frontier.Lease.
func (l *lease) SetPolicy(ctx context.Context, policy frontier.SitePolicy) error {
	return l.lost(l.Lease.SetPolicy(ctx, policy))
}

// Settle implements frontier.Lease. Links to sites of other partitions are durable with the outcomes, and on their way.
func (l *lease) Settle(ctx context.Context, outcomes ...frontier.Outcome) (frontier.AddResult, error) {
	res, err := l.Lease.Settle(ctx, outcomes...)
	if err == nil {
		l.p.pace.count(time.Now(), len(outcomes))
	}
	return res, l.lost(err)
}

// Close implements frontier.Lease.
func (l *lease) Close() error {
	err := l.Lease.Close()
	f := l.p.node
	f.mu.Lock()
	defer f.mu.Unlock()
	if !l.closed {
		l.closed = true
		if l.p.leases--; l.p.leases == 0 && l.p.idle != nil {
			close(l.p.idle)
			l.p.idle = nil
		}
		l.p.stale = true
		f.wakeLocked()
	}
	return l.lost(err)
}

// lost makes an error of a partition that was lost say so.
func (l *lease) lost(err error) error {
	if err != nil && (l.p.isLost() || errors.Is(err, frontier.ErrClosed) && l.p.node.ctx.Err() == nil) {
		return fmt.Errorf("partition %d: %w", l.p.id, frontier.ErrLost)
	}
	return err
}
