package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

var errLeaseClosed = errors.New("frontier: lease is closed")

// A lease is the right to fetch from one site.
type lease struct {
	f      *Frontier
	site   *site
	ctx    context.Context // ends with the lease
	cancel context.CancelFunc

	// Guarded by f.mu.
	info   frontier.SiteInfo
	taken  map[uint64]*record
	yield  time.Time
	closed bool
}

var _ frontier.Lease = (*lease)(nil)

func newLease(f *Frontier, s *site) *lease {
	ctx, cancel := context.WithCancel(context.Background())
	return &lease{f: f, site: s, ctx: ctx, cancel: cancel, info: s.describe(), taken: make(map[uint64]*record)}
}

func (l *lease) Site() string             { return l.site.name }
func (l *lease) Context() context.Context { return l.ctx }

func (l *lease) Info() frontier.SiteInfo {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	info := l.info
	info.Policy.State = slices.Clone(info.Policy.State)
	return info
}

func (l *lease) usableLocked(ctx context.Context) error {
	if err := l.f.usableLocked(ctx); err != nil {
		return err
	}
	if l.closed {
		return errLeaseClosed
	}
	return nil
}

func (l *lease) Next(ctx context.Context) (e frontier.Entry, ok bool, err error) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if err := l.usableLocked(ctx); err != nil {
		return frontier.Entry{}, false, err
	}
	r := l.site.take(time.Now())
	if r == nil {
		return frontier.Entry{}, false, nil
	}
	r.by = l
	l.taken[r.info.Entry.ID] = r
	return r.info.Entry, true, nil
}

func (l *lease) SetPolicy(ctx context.Context, p frontier.SitePolicy) error {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if err := l.usableLocked(ctx); err != nil {
		return err
	}
	p.State = slices.Clone(p.State)
	l.info.Policy = p
	l.site.info.Policy = p
	broadcast(&l.site.passed)
	return nil
}

func (l *lease) Settle(ctx context.Context, outcomes ...frontier.Outcome) (added frontier.AddResult, err error) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if err := l.usableLocked(ctx); err != nil {
		return added, err
	}
	if err := l.checkLocked(outcomes); err != nil {
		return added, err
	}
	now := time.Now()
	for i := range outcomes {
		l.settleLocked(&outcomes[i], now)
	}
	for _, o := range outcomes {
		a := l.f.addLocked(o.Links)
		added.Known += a.Known
		added.New += a.New
	}
	return added, nil
}

// checkLocked finds what is wrong with outcomes before any of them is settled.
func (l *lease) checkLocked(outcomes []frontier.Outcome) error {
	settled := make(map[uint64]bool, len(outcomes))
	for _, o := range outcomes {
		id := o.Entry.ID
		switch r := l.taken[id]; {
		case r == nil || settled[id] || r.info.Entry.URL != o.Entry.URL:
			return fmt.Errorf("frontier: settle %s: not taken with this lease, or settled already", o.Entry.URL)
		case o.Status < frontier.Retrying || o.Status > frontier.Failed:
			return fmt.Errorf("frontier: settle %s: status %d is no outcome", o.Entry.URL, o.Status)
		}
		if err := checkLinks(o.Links); err != nil {
			return fmt.Errorf("frontier: settle %s: %w", o.Entry.URL, err)
		}
		settled[id] = true
	}
	return nil
}

func (l *lease) settleLocked(o *frontier.Outcome, now time.Time) {
	s, r := l.site, l.taken[o.Entry.ID]
	delete(l.taken, o.Entry.ID)
	r.by = nil
	s.count(r.info.Status, -1)
	s.count(o.Status, +1)
	s.info.Bytes += o.Bytes
	if o.Page {
		s.info.Pages++
	}
	info := frontier.Info{Status: o.Status, Depth: r.info.Depth, Reason: o.Reason, Code: o.Code}
	if o.Status == frontier.Retrying {
		info.NotBefore = o.NotBefore
		info.Entry = r.info.Entry
		if !o.Unasked {
			info.Entry.Attempt++
		}
		if o.Excused {
			info.Entry.Excused++
		}
		r.info = info
		s.enqueue(r, now)
		return
	}
	if len(o.State) > 0 {
		link := r.info.Entry.Link
		link.State, link.Force = bytes.Clone(o.State), false
		r.remembered = &frontier.Return{Link: link, Due: o.Again}
	}
	info.Settled = now
	info.Entry.URL = r.info.Entry.URL
	r.info = info
}

func (l *lease) Yield(until time.Time) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	l.yield = until
}

func (l *lease) Close() error {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.cancel()
	if l.f.closedLocked() {
		return frontier.ErrClosed
	}
	now := time.Now()
	for _, r := range l.taken {
		r.by = nil
		l.site.enqueue(r, now)
	}
	l.site.lease = nil
	l.site.rested = latest(now, l.yield)
	l.f.leases--
	l.f.rescheduleLocked(l.site)
	broadcast(&l.f.changed) // perhaps this was the last lease out
	return nil
}
