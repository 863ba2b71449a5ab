package index

import (
	"net/url"
	"strings"
	"time"
)

// A Result is the answer to a query.
type Result struct {
	Understood string        `json:"query"` // as Parse has it
	Notices    []string      `json:"notices,omitempty"`
	Hits       []Hit         `json:"hits"`
	Total      int           `json:"total"`             // pages with all words; groups count as often as they have pages
	Some       bool          `json:"some,omitempty"`    // the hits end with pages on which some words are missing, for few have all
	More       bool          `json:"more,omitempty"`    // there are hits behind these
	Capped     bool          `json:"capped,omitempty"`  // these are the last, for no more than MaxHits pages can be paged through
	Partial    bool          `json:"partial,omitempty"` // time was up: the hits are some, and not the best
	Unmatched  []string      `json:"unmatched,omitempty"`
	Suggestion string        `json:"suggestion,omitempty"` // the query as it may have been meant; of a query with few hits only
	Facets     *Facets       `json:"facets,omitempty"`
	Took       time.Duration `json:"took_ns"`
}

// A Hit is a page that a query finds, and those that are the same or nearly so.
type Hit struct {
	Rank     int        `json:"rank"` // from 1
	URL      string     `json:"url"`
	Title    Excerpt    `json:"title"`
	Snippet  Excerpt    `json:"snippet"` // empty if the page asks for none
	Sections []Section  `json:"sections,omitempty"`
	Host     string     `json:"host"`
	Lang     string     `json:"lang,omitempty"`
	Type     string     `json:"type"`
	Fetched  time.Time  `json:"fetched,omitzero"`
	Modified time.Time  `json:"modified,omitzero"` // as the site says
	File     string     `json:"file,omitempty"`
	Archive  bool       `json:"archive"`           // a cached copy may be shown
	Missing  []string   `json:"missing,omitempty"` // words that are not on the page
	Same     []Relative `json:"same,omitempty"`    // pages with this text
	Similar  []Relative `json:"similar,omitempty"` // pages with nearly this text
	Score    float64    `json:"score"`
	Parts    []Part     `json:"parts,omitempty"` // with Query.Explain
}

// A Relative is a page that is the same as a hit, or nearly so.
type Relative struct {
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

// A Section is a part of a page, under a heading, with words that were asked for.
type Section struct {
	Heading Excerpt `json:"heading"`
	URL     string  `json:"url"` // of the heading itself
}

// A Part says in which part of a page how many words of the query stand.
type Part struct {
	Name   string   `json:"name"` // a column: title, headings, ...
	Weight float64  `json:"weight"`
	Words  []string `json:"words"`
}

// An Excerpt is a piece of text, the words that were asked for marked. It holds no control characters.
type Excerpt []Fragment

// A Fragment is part of an Excerpt.
type Fragment struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// String returns the text without marks.
func (e Excerpt) String() string {
	var b strings.Builder
	for _, f := range e {
		b.WriteString(f.Text)
	}
	return b.String()
}

// Facets count the hits, the first MaxHits of them, by what a query can be narrowed to.
type Facets struct {
	Counted int     `json:"counted"` // hits
	Hosts   []Facet `json:"hosts"`
	Langs   []Facet `json:"langs"`
	Types   []Facet `json:"types"`
	Months  []Facet `json:"months"` // the latest first; others by count
}

// A Facet is one value and how many hits have it.
type Facet struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// date is what before:, after: and months go by.
func (d *Document) date() time.Time {
	if !d.Modified.IsZero() {
		return d.Modified.UTC()
	}
	return d.Fetched.UTC()
}

// hostOf returns the host of a URL with its port.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// pageColumns are those of pages that dest takes.
const pageColumns = `id, grp, url, asked, title, lang, type, file, fetched, modified, expires, depth, source, max_snippet,
	no_archive, exact, near, words, canonical`

// dest returns where the values of pageColumns go; times works out what is not stored as it is.
func (r *row) dest() []any {
	d := &r.doc
	return []any{&r.id, &r.group, &d.URL, &d.Asked, &d.Text.Title, &d.Lang, &d.Type, &d.File, &r.fetched, &r.modified,
		&r.expires, &d.Depth, &d.Source, &d.MaxSnippet, &d.NoArchive, &r.exact, &r.near, &d.Words, &d.Canonical}
}

func (r *row) times() {
	d := &r.doc
	d.Fetched, d.Modified, d.Expires = fromUnix(r.fetched), fromUnix(r.modified), fromUnix(r.expires)
	d.Exact, d.Near = uint64(r.exact), uint64(r.near)
}
