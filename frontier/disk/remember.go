package disk

import (
	"context"
	"time"
)

// Unclean reports whether the last process did not close the frontier, or did on another machine (see Options.Log): then others may
// know of requests that the frontier has not heard of, and should tell it with Owe and Block before the first lease.
func (f *Frontier) Unclean() bool { return f.unclean }

// ReliesOn returns what [Options.Barrier] had returned when the frontier was last written to before it was opened; 0 when that is
// not known. If what that counts reaches less far now, it is not what the frontier relies on: an older copy, say.
func (f *Frontier) ReliesOn() uint64 { return f.reliesOn }

// Owe notes that a request to site ended at lastEnd and made the next one owe gap. What is known to last longer stays. It is as
// durable as if this process had made the request.
func (f *Frontier) Owe(ctx context.Context, site string, lastEnd time.Time, gap time.Duration) error {
	if err := f.beginWrite(ctx); err != nil {
		return err
	}
	defer f.using.Done()
	s, err := f.pinFull(f.core.siteID(site), site)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.sites.unpin(s)
	end := min(f.core.clock.when(lastEnd), f.core.clock.now()) // the wall clock may have been set back since
	if later(end, gap) > later(s.lastEnd, s.gap) {
		s.lastEnd, s.gap, s.dirty = end, gap, true
		f.scheduleLocked(s)
	}
	return nil
}

// Block keeps requests from a site until a time, for one more failure in a row, and is durable on return. What blocks the site for
// longer stays.
func (f *Frontier) Block(ctx context.Context, site string, until time.Time, reason string) error {
	if err := f.beginWrite(ctx); err != nil {
		return err
	}
	defer f.using.Done()
	s, err := f.pinFull(f.core.siteID(site), site)
	if err != nil {
		return err
	}
	defer f.unpin(s)
	f.mu.Lock()
	p, blocked := s.policy, s.rec.blocked // the policy shows it on the wall clock as it was then
	f.mu.Unlock()
	if f.core.clock.when(until) <= blocked {
		return nil
	}
	p.BlockedUntil, p.BlockReason = until, reason
	p.Failures++
	return f.commit(&request{site: site, policy: &p})
}

// ChangeState replaces what a site remembers in SitePolicy.State by what change makes of it, durably. It is for who has the
// frontier to itself.
func (f *Frontier) ChangeState(ctx context.Context, site string, change func([]byte) []byte) error {
	if err := f.beginWrite(ctx); err != nil {
		return err
	}
	defer f.using.Done()
	s, err := f.pinFull(f.core.siteID(site), site)
	if err != nil {
		return err
	}
	defer f.unpin(s)
	f.mu.Lock()
	p := s.policy
	f.mu.Unlock()
	p.State = change(p.State)
	return f.commit(&request{site: site, policy: &p})
}
