package disk

import (
	"context"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// longBlock is how long a site may be blocked for Permit to wait all the same.
const longBlock = time.Minute

// Permit implements frontier.Lease.
func (l *lease) Permit(ctx context.Context, site string) (frontier.Grant, error) {
	if err := l.begin(ctx); err != nil {
		return frontier.Grant{}, err
	}
	defer l.end()
	return l.f.permit(ctx, l.ctx.Done(), site)
}

// Permit is Lease.Permit for who has no lease of the site: the process that has one asks this one for leave, say.
func (f *Frontier) Permit(ctx context.Context, site string) (frontier.Grant, error) {
	if err := f.beginWrite(ctx); err != nil {
		return frontier.Grant{}, err
	}
	defer f.using.Done()
	return f.permit(ctx, nil, site)
}

// permit waits at the gate of a site until it opens, or stop is closed.
func (f *Frontier) permit(ctx context.Context, stop <-chan struct{}, site string) (frontier.Grant, error) {
	s, err := f.pinFull(f.core.siteID(site), site)
	if err != nil {
		return frontier.Grant{}, err
	}
	for {
		g, change, until, err := f.tryPermit(s)
		if err == nil && g.Done == nil {
			err = f.sleep(ctx, stop, change, until)
		}
		if err != nil {
			f.unpin(s)
			return frontier.Grant{}, err
		}
		if g.Done != nil {
			return g, nil
		}
	}
}

// tryPermit lets a request pass the gate of a pinned site if it is open. Otherwise it says what to wait for.
func (f *Frontier) tryPermit(s *site) (g frontier.Grant, change <-chan struct{}, until int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.core.clock.now()
	switch open := f.passableLocked(s); {
	case f.err != nil:
		return g, nil, 0, f.err
	case s.rec.blocked > later(now, longBlock):
		p := &s.policy
		return g, nil, 0, &frontier.BlockedError{Site: s.name, Until: p.BlockedUntil, Reason: p.BlockReason}
	case open > now:
		return g, s.waitLocked(), open, nil
	case s.inFlight >= max(s.policy.Connections, 1):
		return g, s.waitLocked(), 0, nil
	}
	s.inFlight++
	g = frontier.Grant{Site: s.name, LastEnd: f.core.clock.moment(s.lastEnd)}
	if s.lastEnd != 0 {
		g.Owed = f.owedLocked(s)
	}
	if f.tookOver && f.opts.Drift > 0 && !s.own { // who had it before may have made a request later, and died
		g.LastEnd, g.Owed = time.Time{}, 0
	}
	var once sync.Once
	g.Done = func(gap time.Duration) { once.Do(func() { f.returned(s, gap) }) }
	return g, nil, 0, nil
}

// returned notes that a request to s has ended. Of several in flight, the one that asks for the longest rest gets it. The
// pin of Permit ends here.
func (f *Frontier) returned(s *site, gap time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	gapEnd := now.Add(max(gap, 0))
	if s.own && s.gapEnd.After(gapEnd) {
		gapEnd = s.gapEnd
	}
	s.inFlight--
	s.own, s.gapEnd, s.dirty = true, gapEnd, true
	s.lastEnd, s.gap = f.core.clock.at(now), gapEnd.Sub(now)
	s.wakeLocked()
	if s.lease == nil {
		f.scheduleLocked(s)
	}
	f.sites.unpin(s)
}
