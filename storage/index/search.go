package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// Bounds of the work for one query.
const (
	common    = 300  // matches from which on titles, headings and anchor texts are looked at first
	foreign   = 40   // matches below which a query may be in a language that few pages are in: else those in it come last
	few       = 10   // matches below which pages with some of the words are hits too
	suspect   = 5    // matches below which a query may have been mistyped
	filling   = 2000 // matches that are ranked for pages with some of the words, but for those of the rarest word
	reordered = 60   // best matches that are put in order again
)

// Search answers a query. The error is ErrNothing for a query in which nothing is looked for, ctx's, or says that the index cannot
// be read. Time that runs out is none: see Result.Partial.
func (x *Index) Search(ctx context.Context, q Query) (*Result, error) {
	began := time.Now()
	p := parse(q.Text)
	p.narrow(&q)
	if !p.positive() && !p.filters.narrows() {
		return nil, ErrNothing
	}
	a := x.analyzer()
	defer x.giveBack(a)
	langs, err := x.languages(ctx)
	if err != nil {
		return nil, fmt.Errorf("search: %w", classify(err))
	}
	limited, cancel := context.WithTimeout(ctx, x.maxTime)
	defer cancel()
	s := &search{x: x, ctx: limited, q: q, p: p, a: a, seen: map[int64]bool{}}
	s.m = newMatcher(p, a, langs, x.foreignLanguages(), false)
	s.now = time.Now().Unix()
	s.r = &Result{Understood: p.String(), Notices: p.notices, Hits: []Hit{}}
	if len(s.m.words) == 0 && !p.filters.narrows() {
		return nil, ErrNothing
	}
	if err := s.run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limited.Err() == nil {
			return nil, fmt.Errorf("search: %w", classify(err))
		}
		s.r.Partial = true
		s.ctx = ctx // what was found is still to be shown
		if err := s.show(); err != nil {
			return nil, fmt.Errorf("search: %w", classify(err))
		}
	}
	s.r.Took = time.Since(began)
	return s.r, nil
}

// narrow takes in what a query says besides its text.
func (p *parsedQuery) narrow(q *Query) {
	q.Limit = min(max(cmp.Or(q.Limit, 10), 1), MaxHits)
	q.Offset = min(max(q.Offset, 0), MaxHits)
	r := queryReader{p: p}
	for _, f := range []struct{ name, value string }{{"site", q.Site}, {"lang", q.Lang}, {"filetype", q.Type}} {
		if f.value != "" {
			r.filter(f.name, f.value, false)
		}
	}
	p.filters.within(q.Since, q.Until)
}

// A search is one query being answered.
type search struct {
	x   *Index
	ctx context.Context
	q   Query
	p   *parsedQuery
	m   *matcher
	a   *term.Analyzer
	r   *Result

	wide  *matcher // in any language, if that finds no more pages with all words
	some  *matcher // of pages on which words are missing
	usual *matcher // of those matches that come first, if not of all: m is wider then

	now int64

	ranked []match        // all that is known to match, best first
	seen   map[int64]bool // ids in ranked
	heads  int            // of ranked: those found by titles, headings and anchor texts
	common int            // of ranked: those in the usual languages
	full   int            // of ranked: pages with all words
	looked int            // bytes of long texts that were looked through for snippets
}

// A match is a page that fits.
type match struct {
	id    int64
	score float64
	row   *row // loaded, of those that are put in order again
}

// scored is where a query puts a match with its score.
func (m *match) scored() []any { return []any{&m.id, &m.score} }

// run finds, orders and shows.
func (s *search) run() error {
	steps := []func() error{s.count, s.find, s.reorder, s.show, s.facets, s.suggest}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// count finds out how many pages have all words, and which words none has.
func (s *search) count() (err error) {
	s.r.Total, err = s.matches(s.m.words)
	if err == nil && s.r.Total < MaxHits && len(s.m.words) > 0 {
		err = s.widen()
	}
	if err != nil || s.r.Total > 0 || len(s.m.words) == 0 {
		return err
	}
	narrowed := s.m
	defer func() { s.m = narrowed }()
	s.m = &matcher{} // filters leave pages out, not words
	none := false    // of the word before
	for _, w := range narrowed.words {
		n, err := s.matches([]matchWord{w})
		if err != nil {
			return err
		}
		if n == 0 {
			s.r.Unmatched = w.appendText(s.r.Unmatched, none)
		}
		none = n == 0
	}
	return nil
}

// widen takes a query that not very many pages answer to be in any of the languages of the index, and not in the usual ones alone.
// Names and terms stand on pages in all languages, and each cuts other endings. Where many pages are in the usual languages, those
// in others come behind: what is rare counts much, and that a word is in its form of another language says nothing.
func (s *search) widen() error {
	others := s.x.foreignLanguages()
	if len(others) == 0 {
		return nil
	}
	narrow := s.m
	s.m = newMatcher(s.p, s.a, s.x.knownLanguages(), others, true)
	n, err := s.matches(s.m.words)
	if err != nil || n <= s.r.Total {
		s.m, s.wide = narrow, s.m
		return err
	}
	if s.r.Total >= foreign {
		s.usual = narrow
	}
	s.r.Total = n
	return nil
}

// matches counts the pages with all words.
func (s *search) matches(words []matchWord) (n int, err error) {
	where, args := s.where("fts", words, "AND")
	if where == "" {
		return 0, nil
	}
	err = s.x.read.QueryRowContext(s.ctx, `SELECT count(*) FROM `+s.from("fts")+` WHERE `+where, args...).Scan(&n)
	return n, err
}

// from returns the tables of a query: pages only if filters need them, for that touches every match.
func (s *search) from(table string) string {
	f := &s.m.tags
	paths := slices.ContainsFunc(f.tags, func(t tagFilter) bool { return t.paths() })
	if paths || !f.since.IsZero() || !f.until.IsZero() || s.m.expression(s.m.words, "AND") == "" {
		return table + ` JOIN pages p ON p.id = ` + table + `.rowid`
	}
	return table
}

// where returns the condition of a query.
func (s *search) where(table string, words []matchWord, op string) (where string, args []any) {
	var parts []string
	if e := s.m.expression(words, op); e != "" {
		parts = append(parts, table+` MATCH ?`)
		args = append(args, e)
	}
	f := &s.m.tags
	const date = `iif(p.modified != 0, p.modified, p.fetched)`
	if !f.since.IsZero() {
		parts = append(parts, date+` >= ?`)
		args = append(args, f.since.Unix())
	}
	if !f.until.IsZero() {
		parts = append(parts, date+` < ?`)
		args = append(args, f.until.Unix())
	}
	for i := range f.tags {
		if f.tags[i].paths() {
			text, values := f.tags[i].where()
			parts, args = append(parts, text), append(args, values...)
		}
	}
	return strings.Join(parts, " AND "), args
}

// where returns the condition that a page is of one of the sites, or of none of them: of the host, or below a URL of it.
func (f *tagFilter) where() (text string, args []any) {
	var any []string
	for _, site := range f.values {
		if !strings.Contains(site, "/") {
			any = append(any, `instr('.' || p.host || ':', ?)`)
			args = append(args, "."+site+":")
			continue
		}
		for _, scheme := range []string{"https://", "http://", "https://www.", "http://www."} {
			any = append(any, `(p.url >= ? AND p.url < ?)`)
			args = append(args, scheme+site, scheme+site+"\U0010FFFF")
		}
		host, path, _ := strings.Cut(site, "/")
		if strings.Contains(host, ":") {
			continue
		}
		for _, host := range []string{host, "www." + host} { // at whatever port
			any = append(any, `(p.host >= ? AND p.host < ? AND substr(p.url, instr(p.url, '://') + 3 + length(p.host), ?) = ?)`)
			args = append(args, host+":", host+";", len("/"+path), "/"+path)
		}
	}
	text = "(" + strings.Join(any, " OR ") + ")"
	if f.not {
		text = "NOT " + text
	}
	return text, args
}
