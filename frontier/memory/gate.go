package memory

import (
	"context"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// longBlock is how long a site may be blocked for Permit to wait all the same.
const longBlock = time.Minute

func (l *lease) Permit(ctx context.Context, site string) (frontier.Grant, error) {
	for {
		g, passed, until, err := l.tryPermit(ctx, site)
		if err != nil || g.Done != nil {
			return g, err
		}
		if err := l.wait(ctx, passed, until); err != nil {
			return frontier.Grant{}, err
		}
	}
}

// wait is Frontier.wait, and ends with the lease too.
func (l *lease) wait(ctx context.Context, passed <-chan struct{}, until time.Time) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	err := l.f.wait(waiting, passed, until)
	if err != nil && l.ctx.Err() != nil && ctx.Err() == nil {
		return nil // tryPermit says why
	}
	return err
}

// tryPermit lets a request pass the gate of the site if it is open. Otherwise it says what to wait for.
func (l *lease) tryPermit(ctx context.Context, name string) (g frontier.Grant, passed <-chan struct{}, until time.Time, err error) {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if err := l.usableLocked(ctx); err != nil {
		return g, nil, until, err
	}
	s := l.f.siteLocked(name)
	p, now := s.info.Policy, time.Now()
	switch {
	case p.BlockedUntil.Sub(now) > longBlock:
		return g, nil, until, &frontier.BlockedError{Site: name, Until: p.BlockedUntil, Reason: p.BlockReason}
	case s.opens().After(now):
		return g, s.passed, s.opens(), nil
	case s.inFlight >= max(p.Connections, 1):
		return g, s.passed, until, nil
	}
	return l.f.passLocked(s), nil, until, nil
}

// passLocked lets one request to s leave.
func (f *Frontier) passLocked(s *site) frontier.Grant {
	s.inFlight++
	g := frontier.Grant{Site: s.name, LastEnd: s.info.LastEnd}
	if !g.LastEnd.IsZero() {
		g.Owed = s.next.Sub(g.LastEnd)
	}
	var once sync.Once
	g.Done = func(gap time.Duration) { once.Do(func() { f.returned(s, gap) }) }
	return g
}

// returned notes that a request to s has ended. Of several in flight, the one that asks for the longest rest gets it.
func (f *Frontier) returned(s *site, gap time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.inFlight--
	s.info.LastEnd = time.Now()
	s.next = latest(s.next, s.info.LastEnd.Add(max(gap, 0)))
	f.rescheduleLocked(s)
	broadcast(&s.passed)
}
