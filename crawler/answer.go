package crawler

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
	"github.com/cybermapper/cybermapper/storage"
)

// process makes something of an answer: a redirect is a link, a page is stored and its links are passed on, everything else
// is only noted.
func (h *host) process(ctx, work context.Context, e frontier.Entry, x *exchange, b basis) ending {
	r := x.response
	o := frontier.Outcome{Status: frontier.Done, Code: r.Status, Bytes: r.WireBytes}
	past, _ := ReadPast(e.State)
	switch {
	case isUnchanged(r, past):
		return h.processUnchanged(work, e, r)
	case isRedirect(r.Status) && r.Location() != "":
		if past.Page {
			o.Reason = string(ReasonMoved)
		}
		return h.crawl.redirect(e, o, r.Location())
	case !IsPage(r.Status):
		if past.Page && isGone(&o) {
			o.Reason = string(ReasonGone)
		}
		return ending{settled: o, seen: sighting{header: r.Header}}
	case isCheck(e.Kind):
		o.Reason = string(ReasonChecked)
		o.Links = h.alsoPage(e, contentType(r.Header))
		return ending{settled: o, seen: sighting{header: r.Header}}
	case isRequisite(e.Kind):
		return h.processRequisite(work, e, o, x, b)
	case e.Kind != kindPage:
		return h.processSitemap(ctx, work, e, o, r)
	}
	return h.processPage(ctx, work, e, o, x, b)
}

// isUnchanged reports whether an answer says that what is remembered is as it was.
func isUnchanged(r *fetch.Response, past Past) bool {
	return past.isOfVisit() && r.Status == http.StatusNotModified
}

// unchanged is the ending of an entry with such an answer: what the page says of itself still holds.
func (h *host) unchanged(e frontier.Entry, r *fetch.Response) ending {
	if past, _ := ReadPast(e.State); past.Noindex != "" {
		h.crawl.tellRefusal(Refusal{Gate: GateMeta, Reason: ReasonNoindex, Rule: past.Noindex}.of(e.Link))
	}
	return asBefore(r)
}

func asBefore(r *fetch.Response) ending {
	o := frontier.Outcome{Status: frontier.Done, Reason: string(ReasonUnchanged), Code: r.Status, Bytes: r.WireBytes}
	return ending{settled: o, seen: sighting{header: r.Header}}
}

// saysOfRobots reports whether an answer itself, and not what it brings, says what robots may do with it.
func saysOfRobots(r *fetch.Response) bool { return r.Header.Get("X-Robots-Tag") != "" }

// processUnchanged keeps what an earlier visit has brought, unless the site says now that it may not be kept.
func (h *host) processUnchanged(work context.Context, e frontier.Entry, r *fetch.Response) ending {
	if e.Kind != kindPage && !isRequisite(e.Kind) || !saysOfRobots(r) {
		return h.unchanged(e, r)
	}
	reading, err := Read(work, h.config.Extract, h.config.Robots.Product(), e.URL, r.Header, nil)
	switch {
	case err != nil:
		return ending{err: err}
	case reading.MayIndex(time.Now()):
		return h.unchanged(e, r)
	}
	h.crawl.tellRefusal(noindex(reading.Directives).of(e.Link))
	end := asBefore(r)
	end.seen.barred = true
	return end
}

// processPage reads a page, stores it unless its author or the operator wants something else, and passes its links on.
func (h *host) processPage(ctx, work context.Context, e frontier.Entry, o frontier.Outcome, x *exchange, b basis) ending {
	past, _ := ReadPast(e.State)
	o.Page = !past.Page // it counts once
	seen := seenIn(x.response, storage.DigestOf(x.response.Body))
	reading, isWanted, err := h.readPage(work, e, x.response)
	seen.unkept = !isWanted
	if err != nil || reading == nil {
		return ending{settled: o, seen: seen, err: err}
	}
	seen.state = reading.Page.DocumentState
	mayIndex := reading.MayIndex(time.Now())
	if !mayIndex {
		rule := noindex(reading.Directives).Rule
		seen.noindex = strings.ToValidUTF8(rule[:min(len(rule), maxValidator)], "")
	}
	seen.barred = !mayIndex && saysOfRobots(x.response)
	if isWanted {
		if err := x.archive(work, !mayIndex); err != nil {
			return ending{err: err}
		}
	}
	text := h.crawl.texts.read(x.response.Body)
	if missing, err := h.isSoft404(ctx, work, e.URL, reading); err != nil || missing {
		o.Reason = string(ReasonSoft404)
		return ending{settled: o, text: text, seen: seen, err: err}
	}
	var isKept bool
	o.Reason, isKept = h.compared(past, seen, isWanted)
	end := ending{settled: o, told: Outcome{Links: len(reading.Outlinks)}, text: text, seen: seen}
	switch {
	case !isWanted:
	case !mayIndex:
		h.crawl.tellRefusal(noindex(reading.Directives).of(e.Link))
	case !isKept:
		p := newPage(e, x.response, b, reading, h.crawl.texts.near(e.URL, text.Text, seen.digest))
		p.Digest = seen.digest
		if err := h.config.Sink.Put(work, p); err != nil {
			return ending{err: err}
		}
		end.told.Stored = true
	}
	return h.passOn(work, e, x.response, reading, isWanted, mayIndex, end)
}

// compared holds a page against what is known of earlier visits. It gives the reason that follows, if there is one, and whether the
// page is stored already.
func (h *host) compared(past Past, seen sighting, isWanted bool) (reason string, isKept bool) {
	isSame := past.holds(seen.digest)
	isKept = isSame && past.Made&MadeNoPage == 0
	switch {
	case isSame && (isKept || !isWanted || !h.crawl.keepsPages), seen.barred && past.Page && past.Digest == "":
		return string(ReasonUnchanged), isKept
	case past.Page && !isSame:
		return string(ReasonChanged), isKept
	}
	return "", isKept
}

// passOn adds to how a page ended what it links to, needs and shows, and as what other page it seems to be.
func (h *host) passOn(work context.Context, e frontier.Entry, r *fetch.Response, reading *Reading, isWanted, mayIndex bool,
	end ending) ending {
	links := h.follow(work, e, reading)
	n, err := h.needs(work, e, r, reading.Directives.MayFollow(), mayIndex && isWanted)
	if err != nil {
		return ending{err: err}
	}
	end.settled.Links = n.with(links)
	if end.shows, err = h.shows(work, e, r, end.text); err != nil {
		return ending{err: err}
	}
	end.mirrors, end.extras = h.onceMore(work, e.URL, reading)
	tellsKnown := reading.isFeed && (len(end.extras) > 0 || reading.entriesAreOf(e.Via)) // what stands on the page
	end.unkept = !mayIndex || tellsKnown
	return end
}

// readPage reads a page, and says whether it is of a kind that is wanted. Of one that is not, nothing is read where nothing in it
// can be followed; then there is no reading.
func (h *host) readPage(work context.Context, e frontier.Entry, r *fetch.Response) (reading *Reading, isWanted bool, err error) {
	unwanted, isUnwanted, readable := h.crawl.unwantedPage(e.Link, r)
	if !isUnwanted || readable {
		reading, err = Read(work, h.config.Extract, h.config.Robots.Product(), e.URL, r.Header, r.Body)
	}
	if err != nil {
		return nil, false, err
	}
	if !isUnwanted {
		unwanted.Rule, isUnwanted = h.config.MediaTypes.judgeBody(e.URL, r.Header, reading.Page.Type)
	}
	if isUnwanted {
		h.crawl.tellRefusal(unwanted.of(e.Link))
	}
	return reading, !isUnwanted, nil
}

// onceMore says how a page seems to be another one of its site that was visited: it names that as its canonical one, or one that
// another page named, too, of which both have all parameters, or its address is that with one of these parameters more, and it does
// not name itself.
func (h *host) onceMore(work context.Context, u frontier.URL, reading *Reading) (mirrors bool, extras []string) {
	m, by := reading.Mirror()
	if by == ByCanonical && m.Site() == h.site {
		mirrors = h.crawl.traps.isMirror(u, m) || h.crawl.traps.isVisited(m, u) ||
			h.lookUp(work, m.String()).Status == frontier.Done
	}
	if !mirrors && !reading.Canonical.IsZero() || !strings.Contains(u.PathQuery(), "?") {
		return mirrors, nil
	}
	extras, base := h.crawl.traps.extras(u)
	if base != "" && h.lookUp(work, base).Status != frontier.Done {
		extras = nil
	}
	return mirrors, extras
}

// lookUp returns what is known of a URL, which is nothing if it is none.
func (h *host) lookUp(work context.Context, url string) frontier.Info {
	u, err := frontier.ParseURL(url)
	if err != nil {
		return frontier.Info{}
	}
	info, err := h.config.Frontier.Lookup(work, u)
	if err != nil {
		return frontier.Info{}
	}
	return info
}

func newPage(e frontier.Entry, r *fetch.Response, b basis, reading *Reading, near string) *storage.Page {
	first := e.URL
	if len(e.Hops) > 0 {
		first = e.Hops[0]
	}
	p, v := reading.Page, b.verdict
	uses, preferences := StoredPreferences(reading.Preferences(b.rules, b.tdm))
	mirror, by := reading.Mirror()
	return &storage.Page{
		URL: first.String(), FinalURL: e.URL.String(), Fetched: r.End, Status: r.Status,
		Type: p.Type, Charset: p.Charset, Body: r.Body, Title: p.Title,
		Canonical: reading.Canonical.String(), Lang: p.Lang, Depth: e.Depth, Via: e.Via.String(), LastMod: e.Modified, Near: near,
		Truncated: r.Truncated, RobotsDigest: storage.Digest(v.Digest), RobotsLine: v.Line,
		RobotsRule: cmp.Or(v.Rule, string(v.Reason)), Directives: reading.Directives.Strings(), Description: p.Description,
		Keywords: p.Keywords, DocumentState: p.DocumentState, Header: keptHeader(r.Header),
		MetaURL: p.MetaURL, MirrorOf: mirror.String(), MirrorBy: by, Uses: uses, Preferences: preferences,
	}
}

// keptFields are the fields of a response that are kept with a page: those in which links and directives stand, those that say how
// long it is good for, and by what it is known again, and from what it came. What else Read looks at is told by the page.
var keptFields = [...]string{"Link", "Refresh", "X-Robots-Tag", "Etag", "Last-Modified", "Cache-Control", "Expires", "Date",
	"Content-Language", "Content-Location", "Content-Disposition", "Vary", "Server"}

// keptHeader returns those.
func keptHeader(h http.Header) map[string][]string {
	kept := map[string][]string{}
	for _, name := range keptFields {
		if values := h.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// noindex is the refusal of a page whose author asks that it be not kept.
func noindex(d robots.Directives) Refusal {
	return Refusal{Gate: GateMeta, Reason: ReasonNoindex, Rule: whereSaid(d)}
}

// whereSaid lists the terms that keep a page from being stored, and where each stands.
func whereSaid(d robots.Directives) string {
	var said []string
	for _, t := range d.Terms {
		if t.Effect != robots.EffectApplied || t.Name != "noindex" && t.Name != "none" && t.Name != "unavailable_after" {
			continue
		}
		text := t.Name
		if t.Value != "" {
			text += ": " + t.Value
		}
		where := "META ROBOTS"
		if t.Source == robots.SourceHeader {
			where = "X-Robots-Tag"
		}
		if text += " in " + where; !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	if len(said) == 0 { // more terms than are kept
		return strings.Join(d.Strings(), ", ")
	}
	return strings.Join(said, ", ")
}

// StoredPreferences returns preferences in the words of package storage: what they come to for each use, and what each source says.
func StoredPreferences(p preference.Preferences) (uses map[string]string, all []storage.Preference) {
	for use, v := range p.Combined() {
		if uses == nil {
			uses = map[string]string{}
		}
		uses[string(use)] = string(v)
	}
	for _, s := range p {
		all = append(all, storage.Preference{
			Use: string(s.Use), Value: string(s.Value), Source: s.Source, Place: string(s.Place), Line: s.Line, Text: s.Text,
			Policy: s.Policy,
		})
	}
	return uses, all
}

// IsPage reports whether what comes with a status is the page, as browsers take it: of the 2xx it is, those that HTTP does not know
// included (RFC 9110 section 15), but not with 202, which tells how the request stands (15.3.3), nor where there is none.
func IsPage(status int) bool {
	switch status {
	case http.StatusAccepted, http.StatusNoContent, http.StatusResetContent:
		return false
	}
	return status >= 200 && status < 300
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
