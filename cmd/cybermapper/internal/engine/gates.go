package engine

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A debt is what the last requests to a site, as the ledger has them, still ask for.
type debt struct {
	end    time.Time // of the request that made the next one owe a gap that is not over
	gap    time.Duration
	until  time.Time // no request before: as robots.txt could not be had, or the ledger says of a rest
	failed crawler.Request
}

// recallGates lets the frontier of a run that was killed know what the ledger knows and it does not: a request is in the ledger
// before anything is made of its answer. began, when this run did, has a monotonic reading: the wall clock may be set meanwhile.
func recallGates(ctx context.Context, dir string, f *disk.Frontier, p *crawler.Politeness, began time.Time) error {
	owed := debts{}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Rest, ledger.Run}, Tail: recallBytes}
	var clock recordClock
	for r, err := range ledger.ReadSound(dir, o) {
		if err != nil {
			return err
		}
		owed.shift(clock.set(r))
		switch r.Type {
		case ledger.Rest:
			if d := owed.of(r.Site); r.NotBefore.After(d.until) {
				d.until = r.NotBefore
			}
		case ledger.Request:
			owed.request(r, p)
		}
	}
	owed.shift(clock.setSince(began))
	for site, d := range owed {
		d.anchor(began)
		if err := d.settle(ctx, site, f, p); err != nil {
			return fmt.Errorf("recall the pause owed to %s: %w", site, err)
		}
	}
	return nil
}

// debts are those of all sites, by name.
type debts map[string]*debt

func (s debts) of(site string) *debt {
	d := s[site]
	if d == nil {
		d = &debt{}
		s[site] = d
	}
	return d
}

// request takes note of what a request asks for.
func (s debts) request(r ledger.Record, p *crawler.Politeness) {
	d := s.of(r.Site)
	d.end, d.gap = r.End, time.Duration(r.Gap)
	if u, err := frontier.ParseURL(r.Origin); err == nil && r.Outcome == string(robots.Unreachable) {
		s.of(u.Site()).until = r.NotBefore
	}
	if r.Purpose == string(crawler.ForRobots) {
		return
	}
	d.failed = crawler.Request{Status: r.Status, Failure: crawler.Reason(r.Error), RetryAfter: r.RetryAfter, End: r.End}
	if !p.Rests(d.failed, 0).After(r.End) {
		d.failed = crawler.Request{} // it has answered well
	}
}

// shift tells the times as a clock does that was set.
func (s debts) shift(by time.Duration) {
	if by == 0 {
		return
	}
	for _, d := range s {
		d.each(func(t time.Time) time.Time { return t.Add(by) })
	}
}

// anchor gives times on the wall clock as it was at a moment of this process the reading of the clock that nobody sets.
func (d *debt) anchor(moment time.Time) {
	d.each(func(t time.Time) time.Time { return moment.Add(t.Sub(moment)) })
}

func (d *debt) each(change func(time.Time) time.Time) {
	for _, t := range []*time.Time{&d.end, &d.until, &d.failed.End} {
		if !t.IsZero() {
			*t = change(*t)
		}
	}
}

// A recordClock follows the wall clock through the records of a ledger.
type recordClock struct {
	last time.Time
	boot ledger.Record // the last one that says what the clock of the machine showed
}

// set returns by how much the wall clock was set before a record; the times of all before that differ by it. When it was set back
// while no process ran, nobody knows when the run began: as soon as the one before it had ended, so that no pause is cut short.
func (c *recordClock) set(r ledger.Record) time.Duration {
	last := c.last
	c.last = r.Time
	if r.Boot != "" {
		c.boot = r
	}
	switch {
	case r.Type != ledger.Run:
	case r.Event == ledger.EventClock:
		return time.Duration(r.Set)
	case r.Event == ledger.EventStart && r.Time.Before(last):
		return r.Time.Sub(last)
	}
	return 0
}

// startSlack is how much longer than known a run may take until its record of its start: the ledger will say that the pauses begin
// then when the wall clock was set back before.
const startSlack = 10 * time.Second

// setSince returns the same of a run that begins now.
func (c *recordClock) setSince(now time.Time) time.Duration {
	if by := now.Sub(c.last); by < 0 {
		return by + startSlack
	}
	return c.boot.SetSince(now)
}

// settle tells the frontier.
func (d *debt) settle(ctx context.Context, site string, f *disk.Frontier, p *crawler.Politeness) error {
	if d.end.Add(d.gap).After(time.Now()) {
		if err := f.Owe(ctx, site, d.end, d.gap); err != nil {
			return err
		}
	}
	until, reason := d.until, crawler.ReasonUnreachable
	if !d.failed.End.IsZero() {
		info, _, err := f.Site(ctx, site)
		if err != nil {
			return err
		}
		now := time.Now()
		failed := now.Add(d.failed.End.Sub(now))     // as the wall clock goes now, like what the frontier tells
		if info.Policy.BlockedUntil.Before(failed) { // otherwise the frontier knows
			if rest := p.Rests(d.failed, info.Policy.Failures); rest.After(until) {
				until, reason = rest, reasonOf(d.failed)
			}
		}
	}
	if !until.After(time.Now()) {
		return nil
	}
	return f.Block(ctx, site, until, string(reason))
}

// reasonOf says in a word why a request makes a site rest.
func reasonOf(r crawler.Request) crawler.Reason {
	switch {
	case r.Failure != "":
		return r.Failure
	case r.Status == http.StatusServiceUnavailable:
		return crawler.ReasonUnavailable
	}
	return crawler.ReasonBusy
}
