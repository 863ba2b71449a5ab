package crawler

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// follow returns the links of a page that may be queued and tells of those that may not.
func (h *host) follow(e frontier.Entry, r *Reading) []frontier.Link {
	mayFollow := r.Directives.MayFollow()
	seen := make(map[frontier.URL]struct{}, len(r.Outlinks))
	links := make([]frontier.Link, 0, len(r.Outlinks))
	for i, o := range r.Outlinks {
		if h.Traps.Outlinks > 0 && i >= h.Traps.Outlinks {
			h.refuseLink(Refusal{URL: e.URL.String(), Via: e.URL, Depth: e.Depth + 1, Gate: GateTrap, Reason: ReasonOutlinks,
				Rule: strconv.Itoa(len(r.Outlinks)-i) + " links left out"})
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
		if gate, reason, rule := h.judge(l, o, mayFollow); reason != "" {
			h.refuseLink(Refusal{URL: linkName(o), Via: e.URL, Depth: l.Depth, Gate: gate, Reason: reason, Rule: rule})
			continue
		}
		known := h.knownRules(l.URL)
		if r, refused := h.tooSlow(l, known.Rules); refused {
			r.URL, r.Via, r.Depth, r.Verdict.Digest = l.URL.String(), e.URL, l.Depth, known.State.Digest
			h.refuseLink(r)
			continue
		}
		seen[o.URL] = struct{}{}
		links = append(links, l)
	}
	if r.Page.LinksCut {
		h.refuseLink(Refusal{URL: e.URL.String(), Via: e.URL, Depth: e.Depth + 1, Gate: GateTrap, Reason: ReasonOutlinks, Rule: "the rest of its links"})
	}
	return links
}

// judge is admit for a link of a page, which may be no URL, or one that its author asks us to leave.
func (c *Crawler) judge(l frontier.Link, o Outlink, mayFollow bool) (Gate, Reason, string) {
	switch {
	case o.URL.IsZero():
		return GateURL, ReasonBadURL, o.Err.Error()
	case !mayFollow:
		return GateMeta, ReasonNofollowPage, "nofollow"
	case !o.Rel.MayFollow():
		return GateMeta, ReasonNofollowLink, "rel=" + relName(o.Rel)
	}
	return c.admit(l)
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

// linkName returns the URL of a link, or what stands for it, shortened.
func linkName(o Outlink) string {
	if !o.URL.IsZero() {
		return o.URL.String()
	}
	return o.Href[:min(len(o.Href), 200)]
}

// redirect settles a page that moved: its target is a link like any other, with a chain that may not grow without end.
func (h *host) redirect(work context.Context, o frontier.Outcome, location string) error {
	e := o.Entry
	target, err := e.URL.Resolve(location)
	l := frontier.Link{URL: target, Via: e.URL, Depth: e.Depth, Hops: append(slices.Clip(e.Hops), e.URL), Kind: e.Kind, Modified: e.Modified}
	gate, reason, rule := GateURL, ReasonBadURL, ""
	switch {
	case err != nil:
		rule = err.Error()
	case target == e.URL || slices.Contains(e.Hops, target):
		gate, reason, rule = GateTrap, ReasonRedirectLoop, chain(append(l.Hops, target))
	case h.Traps.Redirects > 0 && len(l.Hops) > h.Traps.Redirects:
		gate, reason, rule = GateTrap, ReasonRedirectLimit, h.Traps.bound(ReasonRedirectLimit)
	default:
		gate, reason, rule = h.admit(l)
	}
	t := Outcome{Target: target, Links: 1}
	if reason != "" {
		name := target.String()
		if err != nil {
			name = location[:min(len(location), 200)]
		}
		h.tellRefusal(Refusal{URL: name, Via: e.URL, Depth: e.Depth, Gate: gate, Reason: reason, Rule: rule})
	} else {
		o.Links = []frontier.Link{l}
	}
	return h.settle(work, o, t)
}

// chain writes a chain of redirects.
func chain(hops []frontier.URL) string {
	s := make([]string, len(hops))
	for i, u := range hops {
		s[i] = u.String()
	}
	return strings.Join(s, " -> ")
}
