package crawler

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/sitemap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage"
)

// processSitemap reads a sitemap. What it names is queued before it is settled: whoever is killed in between reads it again.
func (h *host) processSitemap(ctx, work context.Context, e frontier.Entry, o frontier.Outcome, r *fetch.Response) ending {
	past, _ := ReadPast(e.State)
	digest, err := storage.DigestFrom(r.Open())
	if err != nil {
		return ending{err: err}
	}
	seen := seenIn(r, digest)
	if past.holds(seen.digest) && past.Made&MadeSitemap != 0 {
		o.Reason = string(ReasonUnchanged)
		return ending{settled: o, seen: seen}
	}
	l := newListing(h, e)
	if err := l.read(ctx, work, r); err != nil {
		return ending{err: ignoreEnd(ctx, err)}
	}
	seen.barred = len(l.unknown) > 0
	return ending{settled: o, told: Outcome{Links: l.links, Queued: l.queued, New: l.new}, seen: seen}
}

// A listing is the reading of one sitemap.
type listing struct {
	host   *host
	bounds *Sitemaps
	entry  frontier.Entry

	batch              []frontier.Link // not queued yet
	proofs             map[string]bool // by origin, whether the sitemap may speak for it
	unknown            map[string]bool // origins of which it is not known, for their robots.txt could not be had
	asked              int             // other origins that were asked
	refused            map[Reason]int
	links, queued, new int
}

func newListing(h *host, e frontier.Entry) *listing {
	return &listing{host: h, bounds: &h.config.Sitemaps, entry: e,
		proofs: map[string]bool{}, unknown: map[string]bool{}, refused: map[Reason]int{}}
}

// errIndex ends the reading of an index that may not be one.
var errIndex = errors.New("an index of sitemaps too far from robots.txt")

// read reads the sitemap and queues what it names.
func (l *listing) read(ctx, work context.Context, r *fetch.Response) error {
	options := sitemap.Options{Cut: r.Truncated != ""}
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil {
		options.Charset = params["charset"]
	}
	s, err := sitemap.Read(r.Open(), options, func(e sitemap.Entry) error { return l.add(ctx, work, e) })
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
		l.limit(ReasonSitemapIndex, fmt.Sprintf("%v: at most %d after another", err, l.bounds.Indexes))
	case r.Truncated != "":
		l.limit(cutReason(r.Truncated), fmt.Sprintf("cut off after %d bytes: %s", r.Size(), r.Truncated))
	case s.Ended != "":
		l.limit(Reason(s.Ended), s.Detail)
	}
	for reason, n := range s.Skipped {
		l.limit(Reason(reason), fmt.Sprintf("%d entries left out", n))
	}
	for reason, n := range l.refused {
		if more := n - l.bounds.Refusals; l.bounds.Refusals > 0 && more > 0 {
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
	l.host.crawl.tellRefusal(Refusal{Gate: GateSitemap, Reason: reason, Rule: rule}.of(l.entry.Link))
}

// add judges one entry of the sitemap.
func (l *listing) add(ctx, work context.Context, e sitemap.Entry) error {
	indexes := indexesBefore(l.entry.Kind)
	if most := l.bounds.Indexes; e.Sitemap && (most > 0 && indexes >= most || indexes == maxIndexes) {
		return errIndex
	}
	if work.Err() != nil {
		return work.Err()
	}
	l.links++
	link := frontier.Link{Via: l.entry.URL, Depth: l.entry.Depth + 1, Modified: e.LastMod, Every: e.Every}
	if e.Sitemap {
		link.Kind, link.Depth, link.Hops = sitemapBehind(indexes+1), l.entry.Depth, l.chain()
	}
	var bad error
	link.URL, bad = frontier.ParseURL(e.Loc)
	r, refused, err := l.admit(ctx, work, link, bad)
	if err != nil {
		return err
	}
	if refused {
		r = r.of(link)
		if bad != nil {
			r.URL = shown(e.Loc)
		}
		l.leaveOut(r)
		return nil
	}
	if len(l.entry.State) > 0 { // it may tell what has changed
		known, err := l.host.config.Frontier.Lookup(work, link.URL)
		if err != nil {
			return err
		}
		link = toldChanged(link, known)
	}
	if l.batch = append(l.batch, link); len(l.batch) == sitemapBatch {
		return l.flush(work)
	}
	return nil
}

// chain returns how the sitemap was come by, itself at the end: redirects and indexes.
func (l *listing) chain() []frontier.URL { return append(slices.Clip(l.entry.Hops), l.entry.URL) }

// leaveOut tells of a URL that is not queued, unless there were very many.
func (l *listing) leaveOut(r Refusal) {
	if l.refused[r.Reason]++; l.bounds.Refusals > 0 && l.refused[r.Reason] > l.bounds.Refusals {
		return
	}
	l.host.crawl.tellRefusedLink(r)
}

// flush queues what has been found so far.
func (l *listing) flush(work context.Context) error {
	added, err := l.host.crawl.enqueue(work, l.batch)
	if err != nil {
		return fmt.Errorf("queue URLs of a sitemap: %w", err)
	}
	l.queued += len(l.batch)
	l.new += added.New
	l.batch = l.batch[:0]
	return nil
}

// admit passes a link through the gates; the last one is whether the sitemap may speak for it. bad says why it is no URL.
func (l *listing) admit(ctx, work context.Context, link frontier.Link, bad error) (Refusal, bool, error) {
	if bad != nil {
		return Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: bad.Error()}, true, nil
	}
	if r, refused := l.host.crawl.judge(link); refused {
		return r, true, nil
	}
	own := l.entry.URL
	if link.URL.Origin() != own.Origin() || !strings.HasPrefix(link.URL.PathQuery(), directory(own)) {
		if r, refused, err := l.prove(ctx, work, link.URL); refused || err != nil {
			return r, refused, err
		}
	}
	r, refused := l.host.crawl.count(link)
	return r, refused, nil
}

// prove finds out whether the sitemap may speak for URLs of an origin: it may if the robots.txt there names it, or the
// index or the redirect that led to it (https://www.sitemaps.org/protocol.html, "Sitemaps & Cross Submits").
func (l *listing) prove(ctx, work context.Context, u frontier.URL) (Refusal, bool, error) {
	origin := u.Origin()
	unproven := Refusal{Gate: GateSitemap, Reason: ReasonSitemapScope,
		Rule: "robots.txt of " + origin + " does not name this sitemap"}
	proven, known := l.proofs[origin]
	if known {
		if l.unknown[origin] {
			unproven.Rule = unknownProof(origin)
		}
		return unproven, !proven, nil
	}
	if u.Site() != l.host.site {
		if l.asked++; l.bounds.Proofs > 0 && l.asked > l.bounds.Proofs {
			unproven.Reason = ReasonSitemapProofs
			return unproven, true, nil
		}
	}
	file, isKnown, err := l.fileOf(ctx, work, u)
	if err != nil {
		return Refusal{}, false, err
	}
	if !isKnown {
		l.unknown[origin], unproven.Rule = true, unknownProof(origin)
	}
	names := newSitemapNames(file)
	proven = slices.ContainsFunc(l.chain(), func(s frontier.URL) bool { return names.urls[s] })
	l.proofs[origin] = proven
	return unproven, !proven, nil
}

func unknownProof(origin string) string {
	return "robots.txt of " + origin + " could not be had, so it is not known whether it names this sitemap"
}

// fileOf returns the robots.txt of the origin of u, nil when there is none or, which is not to know, none to be had now.
func (l *listing) fileOf(ctx, work context.Context, u frontier.URL) (file *robots.File, isKnown bool, err error) {
	var answer robots.Answer
	if u.Site() == l.host.site {
		answer, err = l.host.rules.of(ctx, work, u.Origin())
	} else {
		answer, err = l.host.rules.foreign(ctx, work, u)
	}
	var blocked *frontier.BlockedError
	switch {
	case errors.As(err, &blocked):
		return nil, false, nil
	case isKind(err, fetch.KindForbidden, fetch.KindOptedOut):
		return nil, true, nil
	}
	return answer.File, answer.State.Outcome != robots.Unreachable || answer.File != nil, err
}
