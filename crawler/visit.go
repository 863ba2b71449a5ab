package crawler

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
	"github.com/cybermapper/cybermapper/storage"
)

// visit is what happens to one URL, from top to bottom. It returns when the answer is there; reading and storing it goes on
// while the site's gap passes. A nil error with the entry unsettled means that it goes back to the queue.
func (h *host) visit(ctx, work context.Context, e frontier.Entry) error {
	page, bytes := false, int64(0)
	release := func() { h.budget.settle(page, bytes) }

	if entry, out := h.optedOut(e.URL); out {
		release()
		return h.leave(work, e, entry)
	}
	if e.Kind == kindPage && h.full() {
		release()
		return h.refuse(work, e, Refusal{Gate: GateLimit, Reason: ReasonPagesPerHost, Rule: fmt.Sprintf("at most %d pages of a host", h.Limits.PagesPerHost)})
	}
	answer, err := h.rules(ctx, work, e.URL.Origin())
	if isKind(err, fetch.KindForbidden, fetch.KindOptedOut) {
		release()
		return h.failed(work, e, err)
	} else if err != nil {
		release()
		return err
	}
	verdict := answer.Rules.Test(e.URL.PathQuery())
	if verdict.Reason == robots.ReasonUnreachable {
		release()
		return h.unreachable(work, answer)
	}
	if h.over() { // robots.txt was fetched just now: the page has to wait
		release()
		return nil
	}
	if !verdict.Allowed {
		release()
		return h.refuse(work, e, Refusal{Gate: GateRobots, Reason: ReasonDisallowed, Rule: verdict.Rule, Verdict: verdict})
	}
	if e.Kind == kindPage && !e.Via.IsZero() && h.isSitemap(answer, e.URL) {
		e.Kind = kindSitemap // a link led there before robots.txt was known
	}
	tdm, ready, err := h.heedWishes(ctx, work, e, answer.Rules, verdict)
	if err != nil || !ready {
		release()
		return err
	}

	x, err := h.askFor(ctx, work, e, verdict)
	x.finish(answer.Rules)
	if err != nil {
		release()
		return h.failed(work, e, err)
	}
	r := x.response
	bytes = r.WireBytes
	if handled, err := h.troubled(work, e, r); handled || err != nil {
		r.Release()
		release()
		return err
	}
	page = isPage(r.Status) && e.Kind == kindPage
	h.conclude(work, func() error {
		defer release()
		defer r.Release()
		return h.process(ctx, work, e, r, basis{verdict, answer.Rules, tdm})
	})
	return nil
}

// askFor makes the request for an entry.
func (h *host) askFor(ctx, work context.Context, e frontier.Entry, v robots.Verdict) (*exchange, error) {
	return h.ask(ctx, work, Request{
		Purpose: purpose(e), URL: e.URL, Via: e.Via, Site: h.site, Depth: e.Depth, Attempt: e.Attempt + 1, Verdict: v,
	}, fetch.Request{URL: e.URL.String(), Accept: acceptFor(e), Referer: e.Via.String()})
}

// accept is what a page request asks for: pages first, but a link to anything else is honoured too.
const accept = "text/html,application/xhtml+xml,*/*;q=0.5"

// trapped returns why an entry that was queued is not asked for after all: too much like it was.
func (h *host) trapped(e frontier.Entry, rules *robots.Rules) (Refusal, bool) {
	if e.Kind == kindPage {
		return h.traps.visit(e, rules)
	}
	if e.Attempt == 0 && !h.sitemaps.visit(h.site, h.Sitemaps.PerSite) {
		return Refusal{Gate: GateSitemap, Reason: ReasonSitemaps, Rule: fmt.Sprintf("at most %d sitemaps of a site in a run", h.Sitemaps.PerSite)}, true
	}
	return Refusal{}, false
}

// full reports whether the site has had as many pages as it may.
func (h *host) full() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.Limits.PagesPerHost > 0 && h.pages >= h.Limits.PagesPerHost
}

// refuse settles an entry that a gate turned away.
func (h *host) refuse(work context.Context, e frontier.Entry, r Refusal) error {
	r.URL, r.Via, r.Depth = e.URL.String(), e.Via, e.Depth
	h.tellRefusal(r)
	_, err := h.lease.Settle(work, frontier.Outcome{Entry: e, Status: frontier.Refused, Reason: string(r.Reason)})
	return err
}

// troubled handles answers that are no answer: the host or the URL is to be tried again later.
func (h *host) troubled(work context.Context, e frontier.Entry, r *fetch.Response) (bool, error) {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true, h.signal(work, e, r)
	case http.StatusUnauthorized, http.StatusForbidden:
		return false, h.denied(work, e)
	}
	if err := h.healthy(work); err != nil {
		return true, err
	}
	switch {
	case r.Status >= 500, r.Status == http.StatusRequestTimeout, r.Status == http.StatusTooEarly:
		return true, h.again(work, e, ReasonServerError, r.Status)
	case r.Truncated == fetch.CutDisconnect && e.Attempt < h.Retries:
		return true, h.again(work, e, ReasonCut, r.Status)
	}
	return false, nil
}

// conclude runs f beside the next visits, a bounded number at once.
func (h *host) conclude(work context.Context, f func() error) {
	h.concludeMax <- struct{}{}
	h.conclusions.Go(func() {
		defer func() { <-h.concludeMax }()
		if err := f(); err != nil && work.Err() == nil {
			h.fail(err)
		}
	})
}

// A basis is what was known of the origin when a page was asked for.
type basis struct {
	verdict robots.Verdict
	rules   *robots.Rules
	tdm     *preference.TDMFile
}

// process makes something of an answer: a redirect is a link, a page is stored and its links are passed on, everything else
// is only noted.
func (h *host) process(ctx, work context.Context, e frontier.Entry, r *fetch.Response, b basis) error {
	o := frontier.Outcome{Entry: e, Status: frontier.Done, Code: r.Status, Bytes: r.WireBytes}
	if isRedirect(r.Status) && r.Header.Get("Location") != "" {
		return h.redirect(work, o, r.Header.Get("Location"))
	}
	if !isPage(r.Status) {
		return h.settle(work, o, Outcome{})
	}
	if e.Kind != kindPage {
		return h.processSitemap(ctx, work, o, r)
	}
	o.Page = true
	h.countPage()
	reading, err := Read(work, h.Extract, h.Product, e.URL, r.Header, r.Body)
	if err != nil {
		return err
	}
	h.traps.content(e.URL, r.Body)
	if missing, err := h.isSoft404(ctx, work, e.URL, reading); err != nil {
		return err
	} else if missing {
		o.Reason = string(ReasonSoft404)
		return h.settle(work, o, Outcome{Page: true})
	}
	t := Outcome{Page: true}
	if reading.MayIndex(time.Now()) {
		if err := h.Sink.Put(work, newPage(e, r, b, reading)); err != nil {
			return err
		}
		t.Stored = true
	} else {
		h.tellRefusal(Refusal{URL: e.URL.String(), Via: e.Via, Depth: e.Depth, Gate: GateMeta, Reason: ReasonNoindex,
			Rule: strings.Join(reading.Directives.Strings(), ", ")})
	}
	o.Links = h.follow(e, reading)
	t.Links = len(reading.Outlinks)
	return h.settle(work, o, t)
}

func (h *host) countPage() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages++
}

// settle makes an outcome durable and tells it.
func (h *host) settle(work context.Context, o frontier.Outcome, t Outcome) error {
	added, err := h.lease.Settle(work, o)
	if err != nil {
		return err
	}
	e := o.Entry
	t.Purpose, t.URL, t.Via, t.Depth = purpose(e), e.URL, e.Via, e.Depth
	t.Status, t.Reason, t.Code, t.NotBefore, t.Bytes = o.Status, Reason(o.Reason), o.Code, o.NotBefore, o.Bytes
	t.Queued += len(o.Links)
	t.New += added.New
	h.tellOutcome(t)
	return nil
}

func newPage(e frontier.Entry, r *fetch.Response, b basis, reading *Reading) *storage.Page {
	first := e.URL
	if len(e.Hops) > 0 {
		first = e.Hops[0]
	}
	p, v := reading.Page, b.verdict
	uses, preferences := storedPreferences(reading.Preferences(b.rules, b.tdm))
	mirror, by := reading.Mirror()
	return &storage.Page{
		URL: first.String(), FinalURL: e.URL.String(), Fetched: r.End, Status: r.Status,
		Type: p.Type, Charset: p.Charset, Body: r.Body, Digest: storage.DigestOf(r.Body), Title: p.Title,
		Canonical: reading.Canonical.String(), Lang: p.Lang, Depth: e.Depth, Via: e.Via.String(), LastMod: e.Modified, Truncated: r.Truncated,
		RobotsDigest: storage.Digest(v.Digest), RobotsLine: v.Line, RobotsRule: cmp.Or(v.Rule, string(v.Reason)),
		Directives: reading.Directives.Strings(), Description: p.Description, Keywords: p.Keywords, DocumentState: p.DocumentState,
		MetaURL: p.MetaURL, MirrorOf: mirror.String(), MirrorBy: by, Uses: uses, Preferences: preferences,
	}
}

// storedPreferences are preferences in the words of package storage.
func storedPreferences(p preference.Preferences) (uses map[string]string, all []storage.Preference) {
	for use, v := range p.Combined() {
		if uses == nil {
			uses = map[string]string{}
		}
		uses[string(use)] = string(v)
	}
	for _, s := range p {
		all = append(all, storage.Preference{
			Use: string(s.Use), Value: string(s.Value), Source: s.Source, Place: string(s.Place), Line: s.Line, Text: s.Text, Policy: s.Policy,
		})
	}
	return uses, all
}

func isPage(status int) bool {
	return status == http.StatusOK || status == http.StatusNonAuthoritativeInfo || status == http.StatusPartialContent
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
