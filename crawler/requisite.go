package crawler

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage"
)

// Requisites say whether what pages need to be shown is fetched too: images, styles and what these name, scripts, fonts, icons. A
// requisite is an entry of the queue like any page, under the same rules and pauses. It comes before pages, counts as none, and
// brings no links but, if it is a style sheet, requisites of its own. Include and Accept are about pages and do not concern it.
type Requisites struct {
	Fetch   bool
	Hosts   []string // from which they are taken besides those in scope: names, *.NAME for all below it, or AnyHost
	PerPage int      // those of one page or style sheet; default 5,000
	Nested  int      // style sheets that lead to one another; always, at most MaxNested; default 5
}

// AnyHost stands in Requisites.Hosts for all of them.
const AnyHost = "any"

// MaxNested is the largest Requisites.Nested: there is a kind of entries of a frontier for each.
const MaxNested = 16

func (q Requisites) withDefaults() Requisites {
	q.PerPage = max(cmp.Or(q.PerPage, 5000), 0)
	q.Nested = min(cmp.Or(max(q.Nested, 0), 5), MaxNested)
	return q
}

// The kinds of requisites, in frontier.Link, by how many style sheets lie between them and a page.
const (
	kindRequisite  uint8 = kindCheck - 1 // of a page
	kindLastNested       = kindRequisite - MaxNested

	kindCheckNeeded = kindLastNested - 1 // one that is asked for only to see whether it is there
)

// requisiteDepth is before all pages but seeds, so that a page and what it needs are of one time.
const requisiteDepth = 0

// isCheck reports whether a kind is that of what is asked for only to see whether it is there.
func isCheck(kind uint8) bool { return kind == kindCheck || kind == kindCheckNeeded }

// isRequisite reports whether a kind is that of a requisite that is kept.
func isRequisite(kind uint8) bool { return kindLastNested <= kind && kind <= kindRequisite }

// sheetsBefore returns how many style sheets led to a requisite.
func sheetsBefore(kind uint8) int { return int(kindRequisite - kind) }

// A Requisite is a reference of a page, or of a style sheet, to what it needs to be shown. URL is zero when it is none of http and
// https, or no URL at all.
type Requisite struct {
	URL  frontier.URL
	Href string // as written
	Kind extract.RequisiteKind
	Err  error // why URL is zero

	Small bool // as extract.Requisite.Small
}

// ReadRequisites reads what a response needs to be shown; cut says that there was more than the extractor takes. The error is
// ctx's; whatever body holds can be read.
func ReadRequisites(ctx context.Context, x *extract.Extractor, u frontier.URL, h http.Header,
	body []byte) (all []Requisite, cut bool, err error) {
	found, err := x.Requisites(ctx, extract.Input{URL: u.String(), Header: h, Body: body})
	if err != nil {
		return nil, false, err
	}
	base := u
	if found.Base != "" {
		if b, err := u.Resolve(found.Base); err == nil {
			base = b
		}
	}
	all = make([]Requisite, 0, len(found.List))
	for _, r := range found.List {
		q := Requisite{Href: r.Href, Kind: r.Kind, Small: r.Small}
		q.URL, q.Err = base.Resolve(r.Href)
		all = append(all, q)
	}
	return all, found.Cut, nil
}

// needs returns the requisites of a page or style sheet that are to be asked for, and tells of those that may not: to be kept, or,
// if links are checked, to see whether they are there. kept says whether what needs them is.
func (h *host) needs(work context.Context, e frontier.Entry, r *fetch.Response, mayFollow, kept bool) (n needed, err error) {
	q := &h.config.Requisites
	fetches := q.Fetch && kept
	if !fetches && !h.config.CheckLinks {
		return n, nil
	}
	kind := kindRequisite
	if isRequisite(e.Kind) {
		kind = e.Kind - 1
	}
	if !fetches {
		kind = kindCheckNeeded
	}
	all, cut, err := ReadRequisites(work, h.config.Extract, e.URL, r.Header, r.Body)
	if err != nil {
		return n, err
	}
	refuse := func(u string, r Refusal) {
		r.URL, r.Via, r.Depth, r.Purpose = u, e.URL, requisiteDepth, ForRequisite
		h.crawl.tellRefusedLink(r)
	}
	most := q.PerPage
	if most > 0 && len(all) > most {
		all, cut = all[:most], true
	}
	if cut {
		refuse(e.URL.String(), Refusal{Gate: GateTrap, Reason: ReasonRequisites, Rule: fmt.Sprintf("at most %d of a page", most)})
	}
	if len(all) > 0 && isRequisite(e.Kind) && sheetsBefore(e.Kind) >= q.Nested {
		refuse(e.URL.String(), Refusal{Gate: GateTrap, Reason: ReasonRequisites,
			Rule: fmt.Sprintf("at most %d style sheets that lead to one another", q.Nested)})
		return n, nil
	}
	seen := map[frontier.URL]bool{e.URL: true}
	for _, o := range all {
		if seen[o.URL] && !o.URL.IsZero() {
			continue
		}
		l, r, refused := h.admitRequisite(frontier.Link{URL: o.URL, Via: e.URL, Depth: requisiteDepth, Kind: kind}, o, mayFollow)
		if refused {
			refuse(nameOf(o.URL, o.Href), r)
			continue
		}
		seen[o.URL] = true
		if isRequisite(l.Kind) && o.Kind != extract.RequisiteObject {
			n.before = append(n.before, l)
		} else {
			n.behind = append(n.behind, l)
		}
	}
	return n, nil
}

// needed are links to what a page or style sheet needs. An entry is queued as what it is met as first: what stands before the links
// of the page is fetched as what it needs, whatever the limits of pages, though it may be linked as well, as images are; what is
// behind them, such as a document that is embedded and linked, is a page.
type needed struct{ before, behind []frontier.Link }

// with puts the links of the page between them.
func (n needed) with(links []frontier.Link) []frontier.Link {
	return slices.Concat(n.before, links, n.behind)
}

// admitRequisite is admitOutlink for what a page needs. Who asks not to follow its links is taken at its word.
func (h *host) admitRequisite(l frontier.Link, o Requisite, mayFollow bool) (frontier.Link, Refusal, bool) {
	switch {
	case o.URL.IsZero():
		return l, Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: o.Err.Error()}, true
	case !mayFollow:
		return l, Refusal{Gate: GateMeta, Reason: ReasonNofollowPage, Rule: "nofollow"}, true
	}
	r, refused := h.crawl.judge(l)
	if refused && h.config.CheckLinks && r.Reason == ReasonOutOfScope {
		l.Kind = kindCheckNeeded
		r, refused = h.crawl.judge(l)
	}
	if refused {
		return l, r, true
	}
	known, _ := h.rules.met(l.URL.Origin())
	if r, refused := h.crawl.tooSlow(h.site, l, known.Rules); refused {
		r.Verdict.Digest = known.State.Digest
		return l, r, true
	}
	r, refused = h.crawl.count(l)
	return l, r, refused
}

// processRequisite stores what a page needs, unless that asks not to be kept.
func (h *host) processRequisite(work context.Context, e frontier.Entry, o frontier.Outcome, x *exchange, b basis) ending {
	r := x.response
	past, _ := ReadPast(e.State)
	seen := seenIn(r, storage.DigestOf(r.Body))
	reading, err := Read(work, h.config.Extract, h.config.Robots.Product(), e.URL, r.Header, nil)
	if err != nil {
		return ending{err: err}
	}
	unwanted, isUnwanted, _ := h.crawl.unwantedPage(e.Link, r)
	seen.unkept = isUnwanted
	mayIndex := reading.MayIndex(time.Now())
	if !isUnwanted {
		err = x.archive(work, !mayIndex)
	}
	end := ending{settled: o, seen: seen, err: err}
	unchanged := past.holds(seen.digest)
	isKept := unchanged && past.Made&MadeNoPage == 0
	switch {
	case err != nil:
		return end
	case unchanged && (isKept || isUnwanted || !h.crawl.keepsPages):
		end.settled.Reason = string(ReasonUnchanged)
	case past.Digest != "" && !unchanged:
		end.settled.Reason = string(ReasonChanged)
	}
	switch {
	case isUnwanted:
		h.crawl.tellRefusal(unwanted.of(e.Link))
		return end
	case !mayIndex:
		h.crawl.tellRefusal(noindex(reading.Directives).of(e.Link))
		return end
	case !isKept:
		p := newPage(e, r, b, reading, "")
		p.Digest, p.Kind = seen.digest, storage.KindRequisite
		if end.err = h.config.Sink.Put(work, p); end.err != nil {
			return end
		}
		end.told.Stored = true
	}
	links := h.alsoPage(e, reading.Page.Type)
	if isStyle(reading.Page.Type) {
		var n needed
		n, end.err = h.needs(work, e, r, reading.Directives.MayFollow(), true)
		links = n.with(nil)
	}
	end.settled.Links, end.told.Links = links, len(links)
	return end
}

// alsoPage returns a link to an entry that was not asked for as a page and turns out to be one that is wanted: it is asked for once
// more, as what it is.
func (h *host) alsoPage(e frontier.Entry, mediaType string) []frontier.Link {
	if !isHTML(mediaType) {
		return nil
	}
	l := frontier.Link{URL: e.URL, Via: e.Via, Depth: e.Depth + 1, Force: true}
	if _, refused := h.crawl.admit(l); refused {
		return nil
	}
	return []frontier.Link{l}
}

func isStyle(mediaType string) bool { return mediaType == "text/css" }

// judgeRequisite turns a requisite away of a host that the operator has not named.
func (s *scope) judgeRequisite(u frontier.URL) (Refusal, bool) {
	if s.contains(u) || s.Mode == ScopePrefix && s.has(&s.wanted, u.Site()) || takesHost(s.requisites, u) {
		return Refusal{}, false
	}
	return s.refusal(ReasonOutOfScope, "requisite-hosts"), true
}

// takesHost reports whether one of the patterns is for the host of u.
func takesHost(hosts []string, u frontier.URL) bool {
	name := u.Hostname()
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return slices.ContainsFunc(hosts, func(p string) bool {
		p = strings.ToLower(p)
		below, isBelow := strings.CutPrefix(p, "*.")
		switch {
		case p == AnyHost:
			return true
		case isBelow:
			return err != nil && strings.HasSuffix(name, "."+below)
		}
		return p == name || p == u.Host()
	})
}
