package index

import (
	"slices"
	"strings"
)

// headingBonus is by how much the score grows of a page with a heading in which stands what was asked for. Of a long page that has
// many sections all words are a small part, so that a short one on something else, with the words here and there, comes before it.
const headingBonus = 1

// liftHeaded lifts matches with all words of the query in a row in their headings, in whatever form of them.
func (s *search) liftHeaded() error {
	t, ok := s.p.inARow()
	if !ok || !s.inHeads() {
		return nil
	}
	t.column = colHeadings
	var others []string
	if s.m.wide {
		others = s.x.foreignLanguages()
	}
	w := newMatchWord([]queryTerm{t}, s.a, s.x.knownLanguages(), others)
	w.phrases = slices.DeleteFunc(w.phrases, func(p phrase) bool { // what counts in some languages alone takes most of the time
		return len(p.terms) < 2 || !s.m.wide && len(p.langs) > 0
	})
	if len(w.phrases) == 0 {
		return nil
	}
	m := matcher{tags: s.m.tags}
	headed, err := all(s.ctx, s.x.read, func(m *match) []any { return []any{&m.id} },
		`SELECT rowid FROM heads WHERE heads MATCH ? LIMIT ?`, m.expression([]matchWord{w}, "AND"), s.x.ranked)
	has := make(map[int64]bool, len(headed))
	for _, m := range headed {
		has[m.id] = true
	}
	for i := range s.ranked {
		if m := &s.ranked[i]; has[m.id] {
			m.score *= 1 + headingBonus
		}
	}
	return err
}

// inARow returns the words of a query as a phrase; ok is false if it has none, or asks for anything else.
func (p *parsedQuery) inARow() (t queryTerm, ok bool) {
	var words []string
	for _, c := range p.clauses {
		if c.not || len(c.terms) != 1 || c.terms[0].prefix || c.terms[0].column >= 0 {
			return queryTerm{}, false
		}
		words = append(words, c.terms[0].text)
	}
	return queryTerm{text: strings.Join(words, " "), column: -1, quoted: true}, len(words) > 0
}
