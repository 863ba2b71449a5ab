package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/bootclock"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A gate is what the last requests to a site, as the ledger has them, still ask for.
type gate struct {
	end    time.Time // of the request that made the next one owe a gap that is not over
	gap    time.Duration
	until  time.Time // no request before: as robots.txt could not be had, or the ledger says of a rest
	failed crawler.Request
}

// gates are those of all sites, by name.
type gates map[string]*gate

// recallGates lets the frontier of a run that was killed know what the ledger knows and it does not: a request is in the ledger
// before anything is made of its answer. began, when this run did, has a monotonic reading: the wall clock may be set meanwhile.
func recallGates(ctx context.Context, dir string, f *disk.Frontier, p *crawler.Politeness, began time.Time) error {
	all := gates{}
	err := readPauses(dir, recallBytes, began, all.shift, func(r ledger.Record) {
		if r.Type == ledger.Request {
			all.request(r, p)
		} else if g := all.of(r.Site); r.NotBefore.After(g.until) {
			g.until = r.NotBefore
		}
	})
	if err != nil {
		return err
	}
	for site, g := range all {
		g.anchor(began)
		if err := g.settle(ctx, site, f, p); err != nil {
			return fmt.Errorf("recall the pause owed to %s: %w", site, err)
		}
	}
	return nil
}

// readPauses calls tell for the requests and the rests in the last bytes of the ledger in dir; one that does not exist has none.
// Where it finds that the wall clock was set, until now, it calls shift with by how much: all times that it told before differ by
// that.
func readPauses(dir string, bytes int64, now time.Time, shift func(by time.Duration), tell func(r ledger.Record)) error {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Request, ledger.Rest, ledger.Run}, Tail: bytes}
	var clock recordClock
	for r, err := range ledger.ReadSound(dir, o) {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return err
		}
		if by := clock.set(r); by != 0 {
			shift(by)
		}
		if r.Type != ledger.Run {
			tell(r)
		}
	}
	if by := clock.setSince(now); by != 0 {
		shift(by)
	}
	return nil
}

func (all gates) of(site string) *gate {
	g := all[site]
	if g == nil {
		g = &gate{}
		all[site] = g
	}
	return g
}

// request takes note of what a request asks for.
func (all gates) request(r ledger.Record, p *crawler.Politeness) {
	g := all.of(r.Site)
	g.end, g.gap = r.End, time.Duration(r.Gap)
	if u, err := frontier.ParseURL(r.Origin); err == nil && r.Outcome == string(robots.Unreachable) {
		all.of(u.Site()).until = r.NotBefore
	}
	if r.Purpose == string(crawler.ForRobots) {
		return
	}
	g.failed = crawler.Request{Status: r.Status, Failure: crawler.Reason(r.Error), RetryAfter: r.RetryAfter, End: r.End}
	if !p.Rests(g.failed, 0).After(r.End) {
		g.failed = crawler.Request{} // it has answered well
	}
}

// shift tells the times as a clock does that was set.
func (all gates) shift(by time.Duration) {
	for _, g := range all {
		g.each(func(t time.Time) time.Time { return t.Add(by) })
	}
}

// anchor gives times on the wall clock as it was at a moment of this process the reading of the clock that nobody sets.
func (g *gate) anchor(moment time.Time) {
	g.each(func(t time.Time) time.Time { return moment.Add(t.Sub(moment)) })
}

func (g *gate) each(change func(time.Time) time.Time) {
	for _, t := range []*time.Time{&g.end, &g.until, &g.failed.End} {
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
// while no process ran, the clock of the machine tells when the run, or the repair, began. Where that does not, nobody knows: as
// soon as the one before it had ended, so that no pause is cut short.
func (c *recordClock) set(r ledger.Record) (by time.Duration) {
	switch {
	case r.Type != ledger.Run:
	case r.Event == ledger.EventClock:
		by = time.Duration(r.Set)
	case r.Event == ledger.EventStart || r.Event == ledger.EventRepair:
		known := false
		if by, known = c.setBack(bootclock.Reading{Boot: r.Boot, Since: time.Duration(r.BootAt)}, r.Time); !known {
			by = min(r.Time.Sub(cmp.Or(c.last, r.Time)), 0)
		}
	}
	c.last = r.Time
	if r.Boot != "" {
		c.boot = r
	}
	return by
}

// startSlack is how much longer than known a run may take until its record of its start: the ledger will say that the pauses begin
// then when the wall clock was set back before, and the clock of the machine is not known.
const startSlack = 10 * time.Second

// setSince returns the same of a run that begins now.
func (c *recordClock) setSince(now time.Time) time.Duration {
	here := bootclock.Read()
	here.Since -= time.Since(now)
	if by, known := c.setBack(here, now.Round(0)); known {
		return by
	}
	if by := now.Sub(c.last); by < 0 {
		return by + startSlack
	}
	return c.boot.SetSince(now)
}

// setBack returns by how much the wall clock was set back since the last record, if the clock of the machine shows that it was.
func (c *recordClock) setBack(here bootclock.Reading, now time.Time) (by time.Duration, known bool) {
	passed := here.Since - time.Duration(c.boot.BootAt)
	by = now.Sub(c.boot.Time) - passed
	isSet := by <= -time.Second || by < 0 && now.Before(c.last)
	return by, isSet && here.Boot != "" && here.Boot == c.boot.Boot && passed >= 0
}

// settle tells the frontier.
func (g *gate) settle(ctx context.Context, site string, f *disk.Frontier, p *crawler.Politeness) error {
	if g.end.Add(g.gap).After(time.Now()) {
		if err := f.Owe(ctx, site, g.end, g.gap); err != nil {
			return err
		}
	}
	until, reason := g.until, crawler.ReasonUnreachable
	if !g.failed.End.IsZero() {
		info, _, err := f.Site(ctx, site)
		if err != nil {
			return err
		}
		now := time.Now()
		failed := now.Add(g.failed.End.Sub(now))     // as the wall clock goes now, like what the frontier tells
		if info.Policy.BlockedUntil.Before(failed) { // otherwise the frontier knows
			if rest := p.Rests(g.failed, info.Policy.Failures); rest.After(until) {
				until, reason = rest, cmp.Or(g.failed.Failure, crawler.SignalReason(g.failed.Status))
			}
		}
	}
	if !until.After(time.Now()) {
		return nil
	}
	return f.Block(ctx, site, until, string(reason))
}
