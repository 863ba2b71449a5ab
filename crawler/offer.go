package crawler

import (
	"context"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Disposition is what became of a link that was offered: it was refused, or it was known, or else it is queued now.
type Disposition struct {
	Refusal               // its Gate is empty when none refused the link
	Known   frontier.Info // what was known of it before; its Status is Unknown when nothing was
}

// Queued reports whether the link was queued by being offered.
func (f Disposition) Queued() bool { return f.Gate == "" && f.Known.Status == frontier.Unknown }

// Offer passes links through the gates, as those of a page, queues what passes, and tells what became of each, in the same
// order. A link is refused for robots.txt only if that is known and fresh; else it meets its rules before it is asked for. What
// was refused for an opt-out that has been lifted counts as not known. On return it is durable. Offer may be called at any time
// before the frontier is closed, also while Run is at work.
func (c *Crawler) Offer(ctx context.Context, links []frontier.Link) ([]Disposition, error) {
	all := make([]Disposition, len(links))
	seen := make(map[frontier.URL]bool, len(links))
	var queue []frontier.Link
	for i, l := range links {
		d, err := c.dispose(ctx, l)
		if err != nil {
			return nil, err
		}
		switch {
		case d.Gate != "":
			c.tellRefusedLink(d.Refusal)
		case seen[l.URL]:
			d.Known.Status = frontier.Queued
		case d.Known.Status == frontier.Unknown:
			seen[l.URL] = true
			l.Force = true // it may have been refused for an opt-out
			queue = append(queue, l)
		}
		all[i] = d
	}
	_, err := c.config.Frontier.Add(ctx, queue)
	return all, err
}

// dispose works out what becomes of one link.
func (c *Crawler) dispose(ctx context.Context, l frontier.Link) (d Disposition, err error) {
	info, err := c.config.Frontier.Lookup(ctx, l.URL)
	if err != nil {
		return d, err
	}
	if wasOut := info.Status == frontier.Refused &&
		info.Reason == string(ReasonOptedOut); info.Status != frontier.Unknown && !wasOut {
		d.Known = info
		return d, nil
	}
	r, refused := c.judge(l)
	if !refused {
		r, refused, err = c.judgeKnownRules(ctx, l)
	}
	if err == nil && !refused {
		r, refused = c.count(l)
	}
	if refused {
		d.Refusal = r.of(l)
	}
	return d, err
}

// judgeKnownRules turns a link away that the robots.txt of its origin forbids, if that is known and fresh.
func (c *Crawler) judgeKnownRules(ctx context.Context, l frontier.Link) (Refusal, bool, error) {
	site, _, err := c.config.Frontier.Site(ctx, l.URL.Site())
	if err != nil {
		return Refusal{}, false, err
	}
	origin := l.URL.Origin()
	rules, known := c.config.Robots.Known(origin, KnownRobots(site.Policy)[origin])
	if !known {
		return Refusal{}, false, nil
	}
	v := rules.Test(l.URL.PathQuery())
	if v.Allowed || v.Reason == robots.ReasonUnreachable {
		return Refusal{}, false, nil
	}
	return Refusal{Gate: GateRobots, Reason: ReasonDisallowed, Rule: v.Rule, Verdict: v}, true, nil
}

// Reconsider queues those of links that pass all gates now: it is for links that were turned away before the operator asked for
// more, by scope, depth, or the bound on a host or on a place that looks endless, or were only checked. What is known for another
// reason stays as it is, and nothing is told of what is turned away once more. It returns how many were queued, durably. Like Offer
// it may be called at any time.
func (c *Crawler) Reconsider(ctx context.Context, links []frontier.Link) (queued int, err error) {
	return c.reconsider(ctx, links, c.mayQueue)
}

// reconsider queues the links that pass all gates and for which mayQueue holds, which also says whether they are parked.
func (c *Crawler) reconsider(ctx context.Context, links []frontier.Link,
	mayQueue func(context.Context, *frontier.Link) (again, parked bool, err error)) (queued int, err error) {
	var pass []frontier.Link
	taken := int64(0) // of what was parked
	for _, l := range links {
		if _, refused := c.judge(l); refused {
			continue
		}
		again, parked, err := mayQueue(ctx, &l)
		if err != nil {
			return 0, err
		}
		if !again {
			continue
		}
		if _, refused := c.count(l); refused {
			continue
		}
		l.Force = true // it may be settled: the limit of its host was reached
		pass = append(pass, l)
		if parked {
			taken++
		}
	}
	added, err := c.config.Frontier.Add(ctx, pass)
	if err == nil {
		c.parking.parked.Add(-taken)
	}
	return added.New, err
}

// mayQueue reports whether a URL that passes all gates is not known, was only asked for to see whether it is there, or was refused
// for what the operator wanted or for a bound on its site or its place that has room now; parked says that it was put aside then.
// A page that was visited before that is asked for with what was remembered of it.
func (c *Crawler) mayQueue(ctx context.Context, l *frontier.Link) (again, parked bool, err error) {
	info, err := c.config.Frontier.Lookup(ctx, l.URL)
	if err != nil || info.Status == frontier.Unknown {
		return err == nil, false, err
	}
	if info.Status == frontier.Done && Reason(info.Reason) == ReasonChecked {
		return l.Kind == kindPage, false, nil // it was out of scope
	}
	if info.Status != frontier.Refused {
		return false, false, nil
	}
	if info.Return != nil {
		l.State = info.Return.State
	}
	reason := Reason(info.Reason)
	again, err = c.hasRoom(ctx, l.URL, l.Kind, reason)
	return again, reason.Parks(), err
}

// hasRoom reports whether what a URL was refused for lets it pass now; judge does.
func (c *Crawler) hasRoom(ctx context.Context, u frontier.URL, kind uint8, refused Reason) (bool, error) {
	switch refused {
	case ReasonPagesPerHost, ReasonBytesPerHost, ReasonTimePerHost:
		site, _, err := c.config.Frontier.Site(ctx, u.Site())
		_, full := c.config.ofHost(u.Site()).judge(costOf(site), kind == kindPage)
		return !full, err
	case ReasonAction, ReasonSignIn, ReasonOutOfScope, ReasonExcluded, ReasonNotIncluded, ReasonMediaType, ReasonDepth,
		ReasonURLLength, ReasonPathDepth, ReasonRepeated, ReasonHostsPerDomain:
		return true, nil
	case ReasonQueries, ReasonPrefixPages:
		_, full := c.traps.judgePlace(u)
		return !full || c.parking.released(u), nil
	case ReasonEndless:
		d := c.parking.detector
		return d == nil || c.parking.released(u) || d.IsExempt(trapURL(u)), nil
	case ReasonPrefixYield:
		return true, nil
	}
	return false, nil
}
