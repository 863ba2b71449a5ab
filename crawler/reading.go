package crawler

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/crawler/sitemap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// A Reading is what a crawler sees in one response: the page, what it asks of robots, and where it leads.
type Reading struct {
	URL        frontier.URL
	Page       *extract.Page
	Directives robots.Directives // META and X-Robots-Tag together, the most restrictive of each
	Canonical  frontier.URL      // zero when none is named
	Master     frontier.URL      // what META URL names, if that is absolute; zero otherwise
	Outlinks   []Outlink         // those of Page.Links, in their order, then those of a feed's entries

	header http.Header
	feeds  []frontier.URL // that the page names as such
	isFeed bool
}

// An Outlink is a reference found in a page. URL is zero when it is none of http and https, or no URL at all.
type Outlink struct {
	URL  frontier.URL
	Href string // as written
	Kind extract.Kind
	Rel  robots.Rel
	Err  error // why URL is zero
}

// Read reads one response the way the engine does. x is never nil; product is our token, for directives that name a robot. The
// error is ctx's; whatever body holds can be read.
func Read(ctx context.Context, x *extract.Extractor, product string, u frontier.URL, h http.Header, body []byte) (*Reading, error) {
	page, err := x.Page(ctx, extract.Input{URL: u.String(), Header: h, Body: body})
	if err != nil {
		return nil, err
	}
	r := &Reading{URL: u, Page: page, header: h}
	r.Directives = robots.HeaderDirectives(h.Values("X-Robots-Tag"),
		product).Merge(robots.MetaDirectives(robotsMetas(page), product))
	base := u
	if page.Base != "" {
		if b, err := u.Resolve(page.Base); err == nil {
			base = b
		}
	}
	if page.Canonical != "" {
		from := base
		if page.CanonicalHeader {
			from = u
		}
		r.Canonical, _ = from.Resolve(page.Canonical)
	}
	if m := page.MetaURL; strings.HasPrefix(strings.ToLower(m), "http") && strings.Contains(m, "://") {
		r.Master, _ = frontier.ParseURL(m)
	}
	r.Outlinks = make([]Outlink, 0, len(page.Links))
	for _, l := range page.Links {
		o := Outlink{Href: l.Href, Kind: l.Kind, Rel: robots.LinkRel(l.Rel)}
		from := base
		if l.Kind.Header() {
			from = u
		}
		o.URL, o.Err = from.Resolve(l.Href)
		if o.Kind.Feed() && o.Err == nil {
			r.feeds = append(r.feeds, o.URL)
		}
		r.Outlinks = append(r.Outlinks, o)
	}
	r.readFeed(body)
	return r, nil
}

// readFeed adds what the entries of a feed lead to, and the next part of it, if the response is one: RSS or Atom.
func (r *Reading) readFeed(body []byte) {
	if r.Page.HTML || !strings.HasSuffix(r.Page.Type, "xml") {
		return
	}
	var entries []Outlink
	s, _ := sitemap.Read(bytes.NewReader(body), sitemap.Options{Charset: r.Page.Charset}, func(e sitemap.Entry) error {
		o := Outlink{Href: e.Loc, Kind: extract.KindEntry}
		if e.Next {
			o.Kind = extract.KindNext
		}
		from := r.URL
		for _, base := range e.Bases {
			if u, err := from.Resolve(base); err == nil {
				from = u
			}
		}
		o.URL, o.Err = from.Resolve(e.Loc)
		entries = append(entries, o)
		return nil
	})
	if r.isFeed = s.Format == sitemap.RSS || s.Format == sitemap.Atom; r.isFeed {
		r.Outlinks = append(r.Outlinks, entries...)
	}
}

// entriesAreOf reports whether all entries of a feed, if it has any, are of one page, as the comments on an article are.
func (r *Reading) entriesAreOf(u frontier.URL) bool {
	isElsewhere := func(o Outlink) bool { return o.Kind == extract.KindEntry && o.URL != u }
	return !slices.ContainsFunc(r.Outlinks, isElsewhere)
}

// NamesPartFeed reports whether a link of the page, which is so many links from a seed, is to the feed of a part of its site: of
// a tag, an author, the comments on an article. Many programs name one on every page, some in the text as well, and what it tells
// stands on pages. The feeds that seeds and front pages name are those of sites.
func (r *Reading) NamesPartFeed(o Outlink, depth int) bool {
	return depth > 0 && r.URL.PathQuery() != "/" && slices.Contains(r.feeds, o.URL)
}

func robotsMetas(p *extract.Page) []robots.Meta {
	metas := make([]robots.Meta, len(p.Metas))
	for i, m := range p.Metas {
		metas[i] = robots.Meta(m)
	}
	return metas
}

// Links returns the pages that the text of the page leads to: the targets of a, area, frame and iframe, in document order,
// each once, without the page itself and without links that are marked nofollow.
func (r *Reading) Links() []frontier.URL {
	seen := map[frontier.URL]bool{r.URL: true}
	var links []frontier.URL
	for _, o := range r.Outlinks {
		if o.URL.IsZero() || !o.Rel.MayFollow() || o.Kind > extract.KindIframe || seen[o.URL] {
			continue
		}
		seen[o.URL] = true
		links = append(links, o.URL)
	}
	return links
}

// Preferences returns what the page may be used for, by all that is said of it: in itself, in its header, in the rules under
// which it was fetched, and in the TDM file of its origin. Of the latter two either may be nil.
func (r *Reading) Preferences(rules *robots.Rules, tdm *preference.TDMFile) preference.Preferences {
	return preference.Read(&preference.Capture{
		PathQuery: r.URL.PathQuery(), Rules: rules, Header: r.header, Metas: robotsMetas(r.Page),
		Directives: r.Directives, TDMFile: tdm,
	})
}

// The ways in which a page names another as the one that it mirrors, stronger first.
const (
	ByCanonical = "canonical" // link rel=canonical, in the page or its header (RFC 6596)
	ByMetaURL   = "meta-url"  // META URL, its ancestor of 1996
)

// Mirror returns the page that this one says it is a copy of, and how; zero when it says so of none. That is a note for those
// who show results: it makes nobody ask for that page, and what robots.txt forbids stays forbidden.
func (r *Reading) Mirror() (of frontier.URL, by string) {
	switch {
	case !r.Canonical.IsZero() && r.Canonical != r.URL:
		return r.Canonical, ByCanonical
	case r.Canonical.IsZero() && r.Master != r.URL && !r.Master.IsZero():
		return r.Master, ByMetaURL
	}
	return frontier.URL{}, ""
}

// Queue returns those of Links that may be followed: all or none.
func (r *Reading) Queue() []frontier.URL {
	if !r.Directives.MayFollow() {
		return nil
	}
	return r.Links()
}

// MayIndex reports whether the page may be kept at the time now.
func (r *Reading) MayIndex(now time.Time) bool { return r.Directives.MayIndex(now) }
