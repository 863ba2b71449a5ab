package crawler

import (
	"context"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Disposition is what became of a link that was offered: it was refused, or it was known, or else it is queued now.
type Disposition struct {
	Gate    Gate // that refused it; empty when none did
	Reason  Reason
	Rule    string
	Verdict robots.Verdict // GateRobots only
	Known   frontier.Info  // what was known of it before; its Status is Unknown when nothing was
}

// Queued reports whether the link was queued by being offered.
func (f Disposition) Queued() bool { return f.Gate == "" && f.Known.Status == frontier.Unknown }

// Offer passes links through the gates, as those of a page, queues what passes, and tells what became of each, in the same
// order. A link is refused for robots.txt only if that is known and fresh; else it meets its rules before it is asked for. What
// was refused for an opt-out that has been lifted counts as not known. On return it is durable. Offer may be called at any time
// before the frontier is closed, also while Run is at work.
func (c *Crawler) Offer(ctx context.Context, links []frontier.Link) ([]Disposition, error) {
	fates := make([]Disposition, len(links))
	seen := make(map[frontier.URL]bool, len(links))
	var queue []frontier.Link
	for i, l := range links {
		f, err := c.fate(ctx, l)
		if err != nil {
			return nil, err
		}
		switch {
		case f.Gate != "":
			c.refuseLink(Refusal{URL: l.URL.String(), Via: l.Via, Depth: l.Depth, Gate: f.Gate, Reason: f.Reason, Rule: f.Rule, Verdict: f.Verdict})
		case seen[l.URL]:
			f.Known.Status = frontier.Queued
		case f.Known.Status == frontier.Unknown:
			seen[l.URL] = true
			l.Force = true // it may have been refused for an opt-out
			queue = append(queue, l)
		}
		fates[i] = f
	}
	_, err := c.Frontier.Add(ctx, queue)
	return fates, err
}

// fate works out what becomes of one link.
func (c *Crawler) fate(ctx context.Context, l frontier.Link) (f Disposition, err error) {
	info, err := c.Frontier.Lookup(ctx, l.URL)
	if err != nil {
		return f, err
	}
	if wasOut := info.Status == frontier.Refused && info.Reason == string(ReasonOptedOut); info.Status != frontier.Unknown && !wasOut {
		f.Known = info
		return f, nil
	}
	if f.Gate, f.Reason, f.Rule = c.admit(l); f.Gate != "" {
		return f, nil
	}
	site, _, err := c.Frontier.Site(ctx, l.URL.Site())
	if err != nil {
		return f, err
	}
	origin := l.URL.Origin()
	if rules, known := c.Robots.Known(origin, KnownRobots(site.Policy)[origin]); known {
		if v := rules.Test(l.URL.PathQuery()); !v.Allowed && v.Reason != robots.ReasonUnreachable {
			f.Gate, f.Reason, f.Rule, f.Verdict = GateRobots, ReasonDisallowed, v.Rule, v
		}
	}
	return f, nil
}

// Reconsider queues those of links that pass all gates now: it is for links that were turned away before the operator asked for
// more, by scope, depth, or the bound on a host or on a place that looks endless. What is known for another reason stays as it is, and nothing is told of what is
// turned away once more. It returns how many were queued, durably. Like Offer it may be called at any time.
func (c *Crawler) Reconsider(ctx context.Context, links []frontier.Link) (queued int, err error) {
	var pass []frontier.Link
	for _, l := range links {
		if gate, _, _ := c.admit(l); gate != "" {
			continue
		}
		again, err := c.mayQueue(ctx, l.URL)
		if err != nil {
			return 0, err
		}
		if again {
			l.Force = true // it may be settled: the limit of its host was reached
			pass = append(pass, l)
		}
	}
	added, err := c.Frontier.Add(ctx, pass)
	return added.New, err
}

// mayQueue reports whether a URL is not known, or was refused for a bound on its site or its place that has room now.
func (c *Crawler) mayQueue(ctx context.Context, u frontier.URL) (bool, error) {
	info, err := c.Frontier.Lookup(ctx, u)
	if err != nil || info.Status == frontier.Unknown {
		return err == nil, err
	}
	if info.Status != frontier.Refused {
		return false, nil
	}
	switch Reason(info.Reason) {
	case ReasonPagesPerHost:
		site, _, err := c.Frontier.Site(ctx, u.Site())
		return c.Limits.PagesPerHost <= 0 || site.Pages < c.Limits.PagesPerHost, err
	case ReasonQueries, ReasonPrefixPages, ReasonPrefixYield:
		return c.traps.full(u) == "", nil
	}
	return false, nil
}
