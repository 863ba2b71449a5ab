package index

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// Bounds of the work for one query.
const (
	common    = 300  // matches from which on titles, headings and anchor texts are looked at first
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
	s := &search{x: x, ctx: limited, q: q, p: p, m: newMatcher(p, a, langs), a: a, seen: map[int64]bool{}, now: time.Now().Unix()}
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
	if !q.Since.IsZero() {
		p.filters.since = q.Since
	}
	if !q.Until.IsZero() {
		p.filters.until = q.Until
	}
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
	now int64

	ranked []match        // all that is known to match, best first
	seen   map[int64]bool // ids in ranked
	full   int            // of ranked: pages with all words
}

// A match is a page that fits.
type match struct {
	id    int64
	score float64
	row   *row // loaded, of those that are put in order again
}

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
	s.r.Total, err = s.matches("fts", s.m.words)
	if err == nil && s.r.Total < few && len(s.m.words) > 0 {
		err = s.widen()
	}
	if err != nil || s.r.Total > 0 || len(s.m.words) == 0 {
		return err
	}
	for _, w := range s.m.words {
		n, err := s.matches("fts", []matchWord{w})
		if err != nil {
			return err
		}
		if n == 0 {
			s.r.Unmatched = append(s.r.Unmatched, w.text)
		}
	}
	return nil
}

// widen takes a query that hardly any page answers to be in any of the languages of the index, and not in the usual ones alone. To
// do so at once would reward the rare stems that a word has in languages that it is not of.
func (s *search) widen() error {
	all := s.x.allLanguages()
	if len(all) <= len(s.x.knownLanguages()) {
		return nil
	}
	narrow := s.m
	s.m = newMatcher(s.p, s.a, all)
	n, err := s.matches("fts", s.m.words)
	if err != nil || n <= s.r.Total {
		s.m = narrow
		return err
	}
	s.r.Total = n
	return nil
}

// matches counts the pages with all words.
func (s *search) matches(table string, words []matchWord) (n int, err error) {
	where, args := s.where(table, words, "AND")
	if where == "" {
		return 0, nil
	}
	err = s.x.read.QueryRowContext(s.ctx, `SELECT count(*) FROM `+s.from(table)+` WHERE `+where, args...).Scan(&n)
	return n, err
}

// from returns the tables of a query: pages only if filters need them, for that touches every match.
func (s *search) from(table string) string {
	f := &s.m.tags
	if len(f.prefixes) > 0 || !f.since.IsZero() || !f.until.IsZero() || s.m.expression(s.m.words, "AND") == "" {
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
	for _, prefix := range f.prefixes {
		var any []string
		for _, scheme := range []string{"https://", "http://", "https://www.", "http://www."} {
			any = append(any, `(p.url >= ? AND p.url < ?)`)
			args = append(args, scheme+prefix, scheme+prefix+"\U0010FFFF")
		}
		parts = append(parts, "("+strings.Join(any, " OR ")+")")
	}
	return strings.Join(parts, " AND "), args
}

// wanted is how many matches must be known to show what is asked for.
func (s *search) wanted() int {
	if s.q.Facets {
		return MaxHits
	}
	return min(MaxHits, max(2*(s.q.Offset+s.q.Limit)+20, reordered))
}

// find ranks the matches.
func (s *search) find() error {
	if len(s.m.words) == 0 {
		return s.newest()
	}
	if s.r.Total > common && s.inHeads() {
		if err := s.rank("heads", s.m.words, "AND", s.wanted()); err != nil {
			return err
		}
	}
	if missing := s.q.Offset + s.q.Limit + few - len(s.ranked); missing > 0 || s.q.Facets && len(s.ranked) < MaxHits &&
		s.r.Total < 20_000 {
		if err := s.rank("fts", s.m.words, "AND", s.wanted()); err != nil {
			return err
		}
	}
	s.full = len(s.ranked)
	if s.r.Total < few && len(s.m.words) > 1 {
		return s.fill()
	}
	return nil
}

// fill adds pages on which words are missing. They must have a rare one; words that are on thousands of pages only add to the
// score.
func (s *search) fill() error {
	words := slices.Clone(s.m.words)
	counts := map[string]int{}
	for _, w := range words {
		n, err := s.matches("fts", []matchWord{w})
		if err != nil {
			return err
		}
		counts[w.text] = n
	}
	slices.SortStableFunc(words, func(a, b matchWord) int { return cmp.Compare(counts[a.text], counts[b.text]) })
	rare, sum := 0, 0
	for rare < len(words) && (sum == 0 || sum+counts[words[rare].text] <= filling) {
		sum += counts[words[rare].text]
		rare++
	}
	s.m.required = words[:rare]
	if rare == len(words) {
		s.m.required = nil
	}
	err := s.rank("fts", words, "OR", few+s.q.Offset+s.q.Limit)
	s.m.required = nil
	return err
}

// inHeads reports whether the query can be asked of the table heads: it has the columns, and nothing is excluded for standing
// elsewhere.
func (s *search) inHeads() bool { return len(s.m.not) == 0 && s.x.mode == Words }

// rank adds the best matches in a table to those that are known, in their order.
func (s *search) rank(table string, words []matchWord, op string, most int) error {
	where, args := s.where(table, words, op)
	query := `SELECT ` + table + `.rowid,
		` + table + `.rank FROM ` + s.from(table) + ` WHERE ` + where + ` AND ` + table + `.rank MATCH '` +
		weights(table == "heads") + `' ORDER BY ` + table + `.rank LIMIT ?`
	rows, err := s.x.read.QueryContext(s.ctx, query, append(args, most+len(s.ranked))...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() && len(s.ranked) < MaxHits {
		var m match
		if err := rows.Scan(&m.id, &m.score); err != nil {
			return err
		}
		if m.score = -m.score; !s.seen[m.id] {
			s.seen[m.id] = true
			s.ranked = append(s.ranked, m)
		}
	}
	return rows.Err()
}

// newest finds the pages of a query without words: those that filters leave, the highest in their sites first.
func (s *search) newest() error {
	where, args := s.where("fts", nil, "AND")
	if !strings.Contains(where, "MATCH") {
		args = slices.DeleteFunc(args, func(a any) bool { return a == "" })
	}
	from := `pages p`
	if strings.Contains(where, "MATCH") {
		from = `fts JOIN pages p ON p.id = fts.rowid`
	}
	if where == "" {
		where = "1"
	}
	if err := s.x.read.QueryRowContext(s.ctx, `SELECT count(*) FROM `+from+` WHERE `+where, args...).Scan(&s.r.Total); err != nil {
		return err
	}
	rows, err := s.x.read.QueryContext(s.ctx, `SELECT p.id FROM `+from+` WHERE `+where+` ORDER BY p.depth, length(p.url),
		p.id LIMIT ?`,
		append(args, s.wanted())...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var m match
		if err := rows.Scan(&m.id); err != nil {
			return err
		}
		s.ranked = append(s.ranked, m)
	}
	s.full = len(s.ranked)
	return rows.Err()
}

// reorder puts the best matches in order again, by how much of their title was asked for.
func (s *search) reorder() error {
	n := min(len(s.ranked), reordered)
	if err := s.loadAll(s.ranked[:n]); err != nil {
		return err
	}
	for i := range n {
		if r := s.ranked[i].row; r != nil {
			s.ranked[i].score *= 1 + s.titleBonus(r)
		}
	}
	byScore := func(a, b match) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(s.ranked[:min(n, s.full)], byScore)
	if n > s.full {
		slices.SortStableFunc(s.ranked[s.full:n], byScore)
	}
	return nil
}

// loadAll reads the rows of matches, without their texts.
func (s *search) loadAll(matches []match) error {
	ids := make([]string, len(matches))
	at := make(map[int64]*match, len(matches))
	for i := range matches {
		ids[i], at[matches[i].id] = strconv.FormatInt(matches[i].id, 10), &matches[i]
	}
	rows, err := s.x.read.QueryContext(s.ctx, `SELECT `+pageColumns+` FROM pages WHERE id IN (`+strings.Join(ids, ",")+`)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r := &row{}
		if err := rows.Scan(r.dest()...); err != nil {
			return err
		}
		r.times()
		at[r.id].row = r
	}
	return rows.Err()
}

// load reads the row of a match, without its text. There is none when the page was taken out meanwhile.
func (s *search) load(m *match) error {
	if m.row != nil {
		return nil
	}
	r := &row{}
	err := s.x.read.QueryRowContext(s.ctx, `SELECT `+pageColumns+` FROM pages WHERE id = ?`, m.id).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	r.times()
	m.row = r
	return nil
}

// maxBonus is by how much the score grows of a page whose title is what was asked for.
const maxBonus = 0.6

// titleBonus is the more the fewer words a title has besides those that were asked for, if it has all of these.
func (s *search) titleBonus(r *row) float64 {
	f := newFinder(s.m, s.a, r.doc.Lang)
	found, tokens := f.words(r.doc.Text.Title)
	if tokens == 0 || len(s.m.words) == 0 {
		return 0
	}
	share := float64(found.count()) / float64(len(s.m.words))
	if share < 1 {
		return 0.2 * share
	}
	return maxBonus * math.Min(1, float64(found.tokens)/float64(tokens))
}
