package crawler

import (
	"context"
	"fmt"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file holds the way of a link through the gates. To judge is to ask, and changes nothing; to admit is to judge and to count
// what passes. Every gate answers with a Refusal and whether it applies.

// Gates are the gates of the operator that judge a link by itself: none depends on what was visited, nor on the site. They are safe
// for concurrent use.
type Gates struct {
	actions actions
	scope   *scope
	types   *MediaTypes
	traps   *Traps
	limits  *Limits
}

// NewGates returns the gates of a crawl of which no more is known than Actions, Scope, Traps and Limits; the other fields of config
// may be missing. All seeds stand in Scope.
func NewGates(config Config) (*Gates, error) {
	scope, err := newScope(config.Scope)
	if err != nil {
		return nil, err
	}
	scope.requisites = config.Requisites.Hosts
	if config.Actions == nil {
		config.Actions = DefaultActions()
	}
	traps, limits := config.Traps.withDefaults(), config.Limits.withDefaults()
	return &Gates{newActions(config.Actions), scope, &config.MediaTypes, &traps, &limits}, nil
}

// Judge turns a link away that the operator does not want. Of a sitemap it is enough that its host is wanted, and that a page it
// names may be: each of these is judged by itself.
func (g *Gates) Judge(l frontier.Link) (Refusal, bool) {
	if r, refused := g.judgeURL(l); refused {
		return r, true
	}
	return g.judgePlace(l)
}

// judgeURL asks whether a URL is wanted, and what it looks like.
func (g *Gates) judgeURL(l frontier.Link) (Refusal, bool) {
	if name := g.actions.match(l.URL.Hostname(), l.URL.PathQuery()); name != "" {
		return Refusal{Gate: GateAction, Reason: ReasonAction, Rule: name}, true
	}
	if r, refused := g.scope.judge(l); refused {
		return r, true
	}
	if rule, unwanted := g.types.of(l.Kind).judgeLink(l.URL); unwanted {
		return Refusal{Gate: GateScope, Reason: ReasonMediaType, Rule: rule}, true
	}
	return g.traps.judge(l)
}

// judgePlace asks how far from a seed it lies, and at which port.
func (g *Gates) judgePlace(l frontier.Link) (Refusal, bool) {
	if r, refused := g.limits.judge(l); refused {
		return r, true
	}
	return judgePort(l.URL)
}

// judgePort turns a URL away whose port belongs to another service.
func judgePort(u frontier.URL) (Refusal, bool) {
	if port := u.Port(); fetch.IsBadPort(port) {
		return Refusal{Gate: GateAddress, Reason: ReasonBadPort, Rule: (&fetch.PortError{Port: port}).Error()}, true
	}
	return Refusal{}, false
}

// gates returns those of now.
func (c *Crawler) gates() *Gates {
	return &Gates{c.actions, c.scope, &c.config.MediaTypes, &c.config.Traps, &c.config.Limits}
}

// judge passes a link through every gate that can be judged without asking the site, in the order of the Gate constants.
func (c *Crawler) judge(l frontier.Link) (Refusal, bool) {
	if r, refused := c.optedOut(l.URL); refused {
		return r, true
	}
	g := c.gates()
	if r, refused := g.judgeURL(l); refused {
		return r, true
	}
	if g.scope.boundsHost(l) && bringsHost(l) && !isSeed(l) {
		if r, refused := c.traps.judgeHost(l.URL); refused {
			return r, true
		}
	}
	return g.judgePlace(l)
}

// admitTurn judges an entry whose turn has come, by what the operator wants now: that may be less than when it was queued, in an
// earlier run.
func (c *Crawler) admitTurn(e frontier.Entry) (Refusal, bool) {
	if r, refused := c.optedOut(e.URL); refused {
		return r, true
	}
	g := c.gates()
	r, refused := g.Judge(e.Link)
	if r.Reason == ReasonOutOfScope && g.scope.isEmpty() {
		refused = false // nobody said what the scope is; the queue is there all the same
	}
	if refused {
		return r, true
	}
	if !g.scope.boundsHost(e.Link) {
		return Refusal{}, false
	}
	return c.traps.admitHost(e.URL, isSeed(e.Link))
}

// admitVisit is the last gate: it counts what is about to be asked for, and turns away what is too much like what was.
func (h *host) admitVisit(ctx, work context.Context, e frontier.Entry, rules *robots.Rules) (Refusal, bool) {
	c := h.crawl
	if e.Kind == kindPage {
		released := c.parking.released(e.URL)
		if r, alike := c.traps.judgeLikeness(e); alike { // no further spelling, but nothing new
			return r, true
		}
		if bare, has := c.traps.bare(e); has && h.isPageAt(ctx, work, bare) {
			return c.traps.refusal(ReasonPermutation), true
		}
		if !released {
			if r, suspect := c.parking.judge(e); suspect {
				return r, true
			}
		}
		return c.traps.admitPage(e, rules, released)
	}
	if e.Attempt > 0 || isCheck(e.Kind) || isRequisite(e.Kind) {
		return Refusal{}, false
	}
	return c.sitemaps.admit(h.site, c.config.Sitemaps.PerSite)
}

// isPageAt reports whether a URL was answered with a page. An answer that is being read is waited for.
func (h *host) isPageAt(ctx, work context.Context, url string) bool {
	info := h.lookUp(work, url)
	for ended := true; info.Leased && ended; {
		ended = h.awaitConclusion(ctx) // if not, the last one may have ended since the look
		info = h.lookUp(work, url)
	}
	return info.Status == frontier.Done && IsPage(info.Code)
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
	if !c.scope.boundsHost(l) || !bringsHost(l) {
		return Refusal{}, false
	}
	return c.traps.admitHost(l.URL, isSeed(l))
}

// boundsHost reports whether the host of a link is counted among those of its domain. Where only the hosts of seeds are wanted
// nobody can lead the crawl to others without end.
func (s *scope) boundsHost(l frontier.Link) bool {
	return isRequisite(l.Kind) || l.Kind == kindPage && (s.Mode == ScopeDomain || s.Mode == ScopeAny)
}

// bringsHost reports whether the host of a link may be one that was not counted: that of the page it was found on was, at its turn.
func bringsHost(l frontier.Link) bool { return l.Via.IsZero() || l.URL.Site() != l.Via.Site() }

// isSeed reports whether the operator gave a link, and no page did.
func isSeed(l frontier.Link) bool { return l.Depth == 0 && l.Via.IsZero() }

// judge turns a link away that is too far from the seeds.
func (l Limits) judge(link frontier.Link) (Refusal, bool) {
	switch {
	case isCheck(link.Kind), isRequisite(link.Kind): // as far as the page that has it
	case link.Kind != kindPage && l.SeedsOnly:
		return Refusal{Gate: GateLimit, Reason: ReasonDepth, Rule: "the seeds only, so no page that it names"}, true
	case link.Kind == kindPage && l.SeedsOnly && link.Depth > 0:
		return Refusal{Gate: GateLimit, Reason: ReasonDepth, Rule: "at most 0 links from a seed"}, true
	case link.Kind == kindPage && l.Depth > 0 && link.Depth > l.Depth:
		return Refusal{Gate: GateLimit, Reason: ReasonDepth, Rule: fmt.Sprintf("at most %d links from a seed", l.Depth)}, true
	}
	return Refusal{}, false
}
