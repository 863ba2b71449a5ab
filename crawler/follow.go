package crawler

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/internal/hashset"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// follow returns the links of a page that may be queued and tells of those that may not.
func (h *host) follow(work context.Context, e frontier.Entry, reading *Reading) []frontier.Link {
	mayFollow := reading.Directives.MayFollow()
	seen := make(map[frontier.URL]struct{}, len(reading.Outlinks))
	links := make([]frontier.Link, 0, len(reading.Outlinks))
	var met robots.Answer // at the origin of the link before: most links of a page lead to one
	at := ""
	for i, o := range reading.Outlinks {
		if h.config.Traps.Outlinks > 0 && len(seen) >= h.config.Traps.Outlinks {
			h.crawl.tellRefusedLink(Refusal{URL: e.URL.String(), Via: e.URL, Depth: e.Depth + 1, Gate: GateTrap,
				Reason: ReasonOutlinks, Rule: strconv.Itoa(len(reading.Outlinks)-i) + " links left out"})
			break
		}
		if o.URL == e.URL {
			continue
		}
		if _, again := seen[o.URL]; again && !o.URL.IsZero() {
			continue
		}
		l := frontier.Link{URL: o.URL, Via: e.URL, Depth: e.Depth + 1}
		if o.Rel.NoReferrer {
			l.Via = frontier.URL{}
		}
		if origin := o.URL.Origin(); origin != at {
			at = origin
			met, _ = h.rules.met(origin)
		}
		l, r, refused := h.admitOutlink(l, reading, o, mayFollow, &met)
		if refused {
			r.URL, r.Via, r.Depth = nameOf(o.URL, o.Href), e.URL, l.Depth
			if h.crawl.isFirstRefusal(r) && !(r.Reason == ReasonDepth && h.isKnown(work, l.URL)) {
				h.crawl.tellRefusal(r)
			}
			continue
		}
		seen[o.URL] = struct{}{}
		links = append(links, l)
	}
	if reading.Page.LinksCut {
		h.crawl.tellRefusedLink(Refusal{URL: e.URL.String(), Via: e.URL, Depth: e.Depth + 1, Gate: GateTrap, Reason: ReasonOutlinks,
			Rule: "the rest of its links"})
	}
	return links
}

// isKnown reports whether a URL of the site that is too deep here was found nearer to a seed. On other sites, of which another
// machine may know, that is not looked up.
func (h *host) isKnown(work context.Context, u frontier.URL) bool {
	if u.Site() != h.site {
		return false
	}
	info, err := h.config.Frontier.Lookup(work, u)
	return err == nil && info.Status != frontier.Unknown
}

// admitOutlink is admit for a link of a page, which may be no URL, one that its author asks us to leave, or on a site that is
// known to be slow. It returns the link as it is to be queued.
func (h *host) admitOutlink(l frontier.Link, reading *Reading, o Outlink, mayFollow bool, met *robots.Answer,
) (frontier.Link, Refusal, bool) {
	switch {
	case o.URL.IsZero():
		return l, Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: o.Err.Error()}, true
	case !mayFollow:
		return l, Refusal{Gate: GateMeta, Reason: ReasonNofollowPage, Rule: "nofollow"}, true
	case !o.Rel.MayFollow():
		return l, Refusal{Gate: GateMeta, Reason: ReasonNofollowLink, Rule: "rel=" + relName(o.Rel)}, true
	case reading.NamesPartFeed(o, l.Depth-1):
		return l, Refusal{Gate: GateScope, Reason: ReasonPartFeed}, true
	}
	l, r, refused := h.crawl.judgeOrCheck(l)
	if refused {
		return l, r, true
	}
	if r, refused := h.crawl.tooSlow(h.site, l, met.Rules); refused {
		r.Verdict.Digest = met.State.Digest
		return l, r, true
	}
	r, refused = h.crawl.count(l)
	return l, r, refused
}

// judgeOrCheck is judge for a link of which it is enough, if links are checked, that its page is there when it is out of scope.
func (c *Crawler) judgeOrCheck(l frontier.Link) (frontier.Link, Refusal, bool) {
	r, refused := c.judge(l)
	if refused && c.config.CheckLinks && r.Reason == ReasonOutOfScope && l.Kind == kindPage {
		l.Kind = kindCheck
		r, refused = c.judge(l)
	}
	return l, r, refused
}

// relName returns the link type that asks not to follow.
func relName(r robots.Rel) string {
	switch {
	case r.NoFollow:
		return "nofollow"
	case r.UGC:
		return "ugc"
	}
	return "sponsored"
}

// nameOf returns the URL of a link, or what stands for it, shortened.
func nameOf(u frontier.URL, href string) string {
	if !u.IsZero() {
		return u.String()
	}
	return shown(href)
}

// redirect ends a page that moved: its target is a link like any other, with a chain that may not grow without end. A site whose
// cookies are taken may have been after one: a chain that leads back to a URL of it asks for that once more, which then brings it.
func (c *Crawler) redirect(e frontier.Entry, o frontier.Outcome, location string) ending {
	target, err := e.URL.Resolve(location)
	l := frontier.Link{URL: target, Via: e.URL, Depth: e.Depth, Hops: append(slices.Clip(e.Hops), e.URL), Kind: e.Kind,
		Modified: e.Modified}
	if e.Kind == kindCheck {
		l.Kind = kindPage // a way back into the scope, perhaps
	}
	end := ending{settled: o, told: Outcome{Target: target, Links: 1}}
	end.seen.digest = storage.DigestOf([]byte(location))
	if i := slices.Index(l.Hops, target); i >= 0 && c.config.Fetch.TakesCookies(target.Origin()) && c.errands.begin(target) {
		l.Force, l.Hops = true, slices.Clip(l.Hops[:i])
		if target == e.URL { // which has not moved
			l.Via, l.State, end.settled.Reason = e.Via, e.State, ""
		}
	}
	r, refused := c.admitTarget(l, err)
	if refused {
		moved, err := c.followSeed(e, l, r)
		if err != nil {
			return ending{err: err}
		}
		if moved {
			r, refused = c.admit(l)
		}
	}
	if refused && c.config.CheckLinks && r.Reason == ReasonOutOfScope && l.Kind == kindPage {
		l.Kind = kindCheck
		r, refused = c.admitTarget(l, err)
	}
	if !refused {
		end.settled.Links = []frontier.Link{l}
		return end
	}
	end.vain = r.Reason == ReasonAction
	if end.vain && strings.HasSuffix(r.Rule, "?") {
		r.Reason = ReasonSignIn
	}
	r = r.of(l)
	if err != nil {
		r.URL = shown(location)
	}
	c.tellRefusal(r)
	return end
}

// admitTarget is admit for the target of a redirect; err says why that is no URL.
func (c *Crawler) admitTarget(target frontier.Link, err error) (Refusal, bool) {
	t := &c.config.Traps
	switch {
	case err != nil:
		return Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: err.Error()}, true
	case !target.Force && slices.Contains(target.Hops, target.URL):
		return Refusal{Gate: GateTrap, Reason: ReasonRedirectLoop, Rule: chain(append(target.Hops, target.URL))}, true
	case t.Redirects > 0 && len(target.Hops) > t.Redirects:
		return t.refusal(ReasonRedirectLimit), true
	}
	return c.admit(target)
}

// errands are the URLs that were asked for once more because a chain of redirects led back to them, perhaps with a cookie.
type errands struct {
	mu   sync.Mutex
	urls hashset.Set
}

// maxErrands bounds how many there are in a run; of more URLs a chain that leads back is the end.
const maxErrands = 10_000

// begin reports whether a URL may be asked for once more, which it may be once in a run.
func (s *errands) begin(u frontier.URL) bool {
	h := xxhash.Sum64String(u.String())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.urls.Has(h) || s.urls.Len() >= maxErrands {
		return false
	}
	s.urls.Add(h)
	return true
}

// chain writes a chain of redirects.
func chain(hops []frontier.URL) string {
	s := make([]string, len(hops))
	for i, u := range hops {
		s[i] = u.String()
	}
	return strings.Join(s, " -> ")
}
