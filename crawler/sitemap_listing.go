package crawler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"mime"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/sitemap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// processSitemap reads a sitemap and settles it. What it names is queued before: whoever is killed in between reads it again.
func (h *host) processSitemap(ctx, work context.Context, o frontier.Outcome, r *fetch.Response) error {
	l := &listing{host: h, entry: o.Entry}
	if err := l.read(ctx, work, r); err != nil {
		return ignoreEnd(ctx, err)
	}
	return h.settle(work, o, Outcome{Links: l.links, Queued: l.queued, New: l.new})
}

// A listing is the reading of one sitemap.
type listing struct {
	*host
	entry frontier.Entry

	batch              []frontier.Link // not queued yet
	proofs             map[string]bool // by origin, whether the sitemap may speak for it
	asked              int             // other origins that were asked
	refused            map[Reason]int
	links, queued, new int
}

// errIndex ends the reading of an index that may not be one.
var errIndex = errors.New("an index of sitemaps too far from robots.txt")

// read reads the sitemap and queues what it names.
func (l *listing) read(ctx, work context.Context, r *fetch.Response) error {
	l.proofs, l.refused = map[string]bool{}, map[Reason]int{}
	options := sitemap.Options{Cut: r.Truncated != ""}
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil {
		options.Charset = params["charset"]
	}
	s, err := sitemap.Read(bytes.NewReader(r.Body), options, func(e sitemap.Entry) error { return l.add(ctx, work, e) })
	if err != nil && !errors.Is(err, errIndex) {
		return err
	}
	l.report(s, r, err)
	return l.flush(work)
}

// report tells what was left out, and why. err is nil or errIndex.
func (l *listing) report(s sitemap.Summary, r *fetch.Response, err error) {
	switch {
	case err != nil:
		l.limit(ReasonSitemapIndex, fmt.Sprintf("%v: at most %d after another", err, l.Sitemaps.Indexes))
	case r.Truncated != "":
		l.limit(cutReason(r.Truncated), fmt.Sprintf("cut off after %d bytes: %s", len(r.Body), r.Truncated))
	case s.Ended != "":
		l.limit(Reason(s.Ended), s.Detail)
	}
	for reason, n := range s.Skipped {
		l.limit(Reason(reason), fmt.Sprintf("%d entries left out", n))
	}
	for reason, n := range l.refused {
		if more := n - l.Sitemaps.Refusals; l.Sitemaps.Refusals > 0 && more > 0 {
			l.limit(reason, fmt.Sprintf("%d more URLs in it", more))
		}
	}
}

// cutReason says why a sitemap came in part only.
func cutReason(truncated string) Reason {
	switch truncated {
	case fetch.CutLength:
		return Reason(sitemap.TooLarge)
	case fetch.CutRatio:
		return Reason(sitemap.TooDense)
	}
	return Reason(sitemap.Broken)
}

// limit tells that something of the sitemap itself was left out.
func (l *listing) limit(reason Reason, rule string) {
	l.tellRefusal(Refusal{URL: l.entry.URL.String(), Via: l.entry.Via, Depth: l.entry.Depth, Gate: GateSitemap, Reason: reason, Rule: rule})
}

// add judges one entry of the sitemap.
func (l *listing) add(ctx, work context.Context, e sitemap.Entry) error {
	if most := l.Sitemaps.Indexes; e.Sitemap && (most > 0 && int(l.entry.Kind) > most || l.entry.Kind == math.MaxUint8) {
		return errIndex
	}
	if work.Err() != nil {
		return work.Err()
	}
	l.links++
	link := frontier.Link{Via: l.entry.URL, Depth: l.entry.Depth + 1, Modified: e.LastMod}
	if e.Sitemap {
		link.Kind, link.Depth, link.Hops = l.entry.Kind+1, l.entry.Depth, l.chain()
	}
	var err error
	if link.URL, err = frontier.ParseURL(e.Loc); err != nil {
		l.refuse(Refusal{URL: e.Loc[:min(len(e.Loc), 200)], Depth: link.Depth, Gate: GateURL, Reason: ReasonBadURL, Rule: err.Error()})
		return nil
	}
	gate, reason, rule, err := l.judge(ctx, work, link)
	if err != nil {
		return err
	}
	if reason != "" {
		l.refuse(Refusal{URL: link.URL.String(), Depth: link.Depth, Gate: gate, Reason: reason, Rule: rule})
		return nil
	}
	if l.batch = append(l.batch, link); len(l.batch) == sitemapBatch {
		return l.flush(work)
	}
	return nil
}

// chain returns how the sitemap was come by, itself at the end: redirects and indexes.
func (l *listing) chain() []frontier.URL { return append(slices.Clip(l.entry.Hops), l.entry.URL) }

// refuse tells of a URL that is not queued, unless there were very many.
func (l *listing) refuse(r Refusal) {
	if l.refused[r.Reason]++; l.Sitemaps.Refusals > 0 && l.refused[r.Reason] > l.Sitemaps.Refusals {
		return
	}
	r.Via = l.entry.URL
	l.refuseLink(r)
}

// flush queues what has been found so far.
func (l *listing) flush(work context.Context) error {
	added, err := l.enqueue(work, l.batch)
	if err != nil {
		return fmt.Errorf("queue URLs of a sitemap: %w", err)
	}
	l.queued += len(l.batch)
	l.new += added.New
	l.batch = l.batch[:0]
	return nil
}

// judge passes a link through the gates; the last one is whether the sitemap may speak for it.
func (l *listing) judge(ctx, work context.Context, link frontier.Link) (gate Gate, reason Reason, rule string, err error) {
	if gate, reason, rule = l.admit(link); reason != "" {
		return gate, reason, rule, nil
	}
	own := l.entry.URL
	if link.URL.Origin() == own.Origin() && strings.HasPrefix(link.URL.PathQuery(), directory(own)) {
		return "", "", "", nil
	}
	reason, err = l.prove(ctx, work, link.URL)
	return GateSitemap, reason, "robots.txt of " + link.URL.Origin() + " does not name this sitemap", err
}

// prove finds out whether the sitemap may speak for URLs of an origin: it may if the robots.txt there names it, or the
// index or the redirect that led to it (https://www.sitemaps.org/protocol.html, "Sitemaps & Cross Submits").
func (l *listing) prove(ctx, work context.Context, u frontier.URL) (Reason, error) {
	origin := u.Origin()
	proven, known := l.proofs[origin]
	if !known {
		if u.Site() != l.site {
			if l.asked++; l.Sitemaps.Proofs > 0 && l.asked > l.Sitemaps.Proofs {
				return ReasonSitemapProofs, nil
			}
		}
		file, err := l.fileOf(ctx, work, u)
		if err != nil {
			return "", err
		}
		names := newSitemapNames(file)
		proven = slices.ContainsFunc(l.chain(), func(s frontier.URL) bool { return names.urls[s] })
		l.proofs[origin] = proven
	}
	if !proven {
		return ReasonSitemapScope, nil
	}
	return "", nil
}

// fileOf returns the robots.txt of the origin of u, nil when there is none or none to be had now.
func (l *listing) fileOf(ctx, work context.Context, u frontier.URL) (*robots.File, error) {
	answer, err := robots.Answer{}, error(nil)
	if u.Site() == l.site {
		answer, err = l.rules(ctx, work, u.Origin())
	} else {
		answer, err = l.foreignRules(ctx, work, u)
	}
	var blocked *frontier.BlockedError
	if errors.As(err, &blocked) || isKind(err, fetch.KindForbidden, fetch.KindOptedOut) {
		return nil, nil
	}
	return answer.File, err
}

// foreignRules returns what is known of the robots.txt of another site, and asks for it, under the permit of that site, when
// that is nothing.
func (h *host) foreignRules(ctx, work context.Context, u frontier.URL) (robots.Answer, error) {
	info, _, err := h.Frontier.Site(ctx, u.Site())
	if err != nil {
		return robots.Answer{}, err
	}
	return h.askRobots(ctx, work, u.Origin(), KnownRobots(info.Policy)[u.Origin()])
}
