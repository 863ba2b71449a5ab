package crawler

import (
	"fmt"

	"github.com/cybermapper/cybermapper/frontier"
)

// This file holds the way of a link through the gates. To judge is to ask, and changes nothing; to admit is to judge and to count
// what passes. Every gate answers with a Refusal and whether it applies.

// judge passes a link through every gate that can be judged without asking the site, in the order of the Gate constants. Of a
// sitemap it is enough that its host is wanted, and that a page it names may be: each of these is judged by itself.
func (c *Crawler) judge(l frontier.Link) (Refusal, bool) {
	if r, refused := c.optedOut(l.URL); refused {
		return r, true
	}
	if name := c.actions.match(l.URL.PathQuery()); name != "" {
		return Refusal{Gate: GateAction, Reason: ReasonAction, Rule: name}, true
	}
	if r, refused := c.scope.Load().judge(l); refused {
		return r, true
	}
	if r, refused := c.config.Traps.judge(l.URL); refused {
		return r, true
	}
	if l.Kind == kindPage {
		if r, refused := c.traps.judgeHost(l.URL); refused {
			return r, true
		}
	}
	return c.config.Limits.judge(l)
}

// admit judges a link that is to be queued, and counts it.
func (c *Crawler) admit(l frontier.Link) (Refusal, bool) {
	if r, refused := c.judge(l); refused {
		return r, true
	}
	return c.count(l)
}

// count counts a link that has passed all other gates and is to be queued. The last room for a host may have been taken since it
// was judged.
func (c *Crawler) count(l frontier.Link) (Refusal, bool) {
	if l.Kind != kindPage {
		return Refusal{}, false
	}
	return c.traps.admitHost(l.URL)
}

// judge turns a link away that is too far from the seeds.
func (l Limits) judge(link frontier.Link) (Refusal, bool) {
	switch {
	case link.Kind != kindPage && l.SeedsOnly:
		return Refusal{Gate: GateLimit, Reason: ReasonDepth, Rule: "the seeds only, so no page that it names"}, true
	case link.Kind == kindPage && l.SeedsOnly && link.Depth > 0:
		return Refusal{Gate: GateLimit, Reason: ReasonDepth, Rule: "at most 0 links from a seed"}, true
	case link.Kind == kindPage && l.Depth > 0 && link.Depth > l.Depth:
		return Refusal{Gate: GateLimit, Reason: ReasonDepth, Rule: fmt.Sprintf("at most %d links from a seed", l.Depth)}, true
	}
	return Refusal{}, false
}
