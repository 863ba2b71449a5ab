package index

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// A matcher is a query ready to be asked: as an expression of FTS5, and as a way to find its words in a text.
type matcher struct {
	words []matchWord // of the clauses that must hold, in the order of the query
	loose []matchWord // the same, and the parts of those that are joined: for pages on which words are missing
	not   []matchWord

	wide bool // words may be in any language, on pages in that

	required []matchWord // if there are any, one of them must occur, whatever else does

	tags filters
}

// A matchWord is what one clause looks for: phrases of which one must occur. A word is a phrase of one.
type matchWord struct {
	text    string // as typed
	whole   bool   // as it stands: in quotes, or one of several
	runs    bool   // on from the word before: both are pairs of a run of characters
	phrases []phrase
}

// A phrase is a row of terms.
type phrase struct {
	terms  []string
	column int // -1 for all
	prefix bool
	langs  []string // languages of pages in which it counts; empty for all
}

// newMatcher works out the terms of a query. Words may be in any of the languages, and if it is wide, on pages in one of others in
// that; those that are not to be there may always. Languages that the query names take the place of the others, and what it finds
// without naming them it finds with them.
func newMatcher(p *parsedQuery, a *term.Analyzer, langs, others []string, wide bool) *matcher {
	for _, f := range p.filters.tags {
		if f.kind == "lang" && !f.not {
			langs, others = withLanguages(langs, f.values), nil
		}
	}
	m := &matcher{tags: p.filters, wide: wide}
	for _, c := range p.clauses {
		var foreign []string
		if wide || c.not {
			foreign = others
		}
		if len(c.terms) == 1 && !c.not {
			for _, t := range parted(c.terms[0]) {
				m.require(t, a, langs, foreign)
			}
			continue
		}
		switch w := newMatchWord(c.terms, a, langs, foreign); {
		case len(w.phrases) == 0:
		case c.not:
			m.not = append(m.not, w)
		default:
			m.words, m.loose = append(m.words, w), append(m.loose, w)
		}
	}
	m.words, m.loose = m.words[:min(len(m.words), maxWords)], m.loose[:min(len(m.loose), maxWords)]
	return m
}

// require adds a term that must occur, and its parts, which may stand apart.
func (m *matcher) require(t queryTerm, a *term.Analyzer, langs, foreign []string) {
	w := newMatchWord([]queryTerm{t}, a, langs, foreign)
	if len(w.phrases) == 0 {
		return
	}
	m.words = append(m.words, w.split(maxRun)...)
	parts := joined(t)
	if parts == nil {
		m.loose = append(m.loose, w.split(1)...)
	}
	for _, part := range parts {
		m.loose = append(m.loose, newMatchWord([]queryTerm{part}, a, langs, foreign))
	}
}

// newMatchWord works out the phrases of terms of which one must occur.
func newMatchWord(terms []queryTerm, a *term.Analyzer, langs, foreign []string) (w matchWord) {
	var texts []string
	for _, t := range terms {
		texts = append(texts, t.String())
		w.phrases = append(w.phrases, phrasesOf(t, a, langs, foreign)...)
		if rest := unelided(t); rest.text != "" {
			w.phrases = append(w.phrases, phrasesOf(rest, a, langs, foreign)...)
		}
	}
	w.text = strings.Join(texts, " OR ")
	w.whole = len(terms) > 1 || terms[0].quoted
	return w
}

// parted parts what was typed without blanks into what stands by itself: runs of characters of which words are not written apart,
// and words between them. Nobody who asks "谁赢得了2015年的超级碗?" wants all of that in a row.
func parted(t queryTerm) (list []queryTerm) {
	if t.quoted {
		return []queryTerm{t}
	}
	begin, end := 0, -1
	pairs := false
	s := term.NewScanner(t.text)
	for tok, ok := s.Next(); ok; tok, ok = s.Next() {
		if p := tok.Script == term.Pairs; end >= 0 && (p != pairs || p && tok.Start >= end) {
			piece := t
			piece.text, piece.prefix = t.text[begin:end], false
			list = append(list, piece)
			begin = tok.Start
		}
		pairs, end = tok.Script == term.Pairs, tok.End
	}
	t.text = t.text[begin:]
	return append(list, t)
}

// withLanguages returns languages, those of more that are not among them behind.
func withLanguages(langs, more []string) []string {
	langs = slices.Clone(langs)
	for _, lang := range more {
		if !slices.Contains(langs, lang) {
			langs = append(langs, lang)
		}
	}
	return langs
}

// phrasesOf returns the ways in which the words of a term may be written in the index: one for each language that makes a
// difference. A stem that is of another language counts on pages in that language alone: it may be rare, and rare words count much.
// So does that of a word with accents that were left out.
func phrasesOf(t queryTerm, a *term.Analyzer, langs, others []string) (phrases []phrase) {
	seen := map[string]int{}
	add := func(p phrase) {
		key := strings.Join(p.terms, " ")
		at, known := seen[key]
		switch {
		case key == "":
		case !known:
			seen[key] = len(phrases)
			phrases = append(phrases, p)
		case len(phrases[at].langs) > 0 && !slices.Contains(phrases[at].langs, p.langs[0]):
			phrases[at].langs = append(phrases[at].langs, p.langs...)
		}
	}
	for _, lang := range append(langs[:len(langs):len(langs)], "") {
		if lang == "" && len(phrases) > 0 {
			break // what no language of the index would make
		}
		p := phrase{column: t.column, prefix: t.prefix, terms: termsOf(t.text, a, lang)}
		add(p)
		if last := foldedLast(t.text); t.prefix && len(p.terms) > 0 && last != "" { // of a beginning no ending is cut
			p.terms = append(p.terms[:len(p.terms)-1:len(p.terms)-1], last)
			add(p)
		}
	}
	for _, lang := range others {
		add(phrase{column: t.column, prefix: t.prefix, terms: termsOf(t.text, a, lang), langs: []string{tagLang + lang}})
	}
	if t.prefix {
		return phrases
	}
	for _, lang := range slices.Concat(langs, others) {
		for _, terms := range accentedTerms(t.text, a, lang) {
			add(phrase{column: t.column, terms: terms, langs: []string{tagLang + lang}})
		}
	}
	return phrases
}

// termsOf returns the terms of a text in a row. If the last one is the last character of a run of pairs it goes, for it is part of
// the pair before: in the text that is looked for another one may follow.
func termsOf(text string, a *term.Analyzer, lang string) (terms []string) {
	s := term.NewScanner(text)
	end, part := -1, false
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		made := a.Term(text[t.Start:t.End], t.Script, lang)
		if made == "" {
			continue
		}
		terms = append(terms, made)
		part = t.Script == term.Pairs && t.End == end
		if end = -1; t.Script == term.Pairs {
			end = t.End
		}
	}
	if part {
		return terms[:len(terms)-1]
	}
	return terms
}

// foldedLast returns the last word of a text with its ending. A mark without a letter is no word.
func foldedLast(text string) string {
	s := term.NewScanner(text)
	last := ""
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		last = cmp.Or(term.Fold(text[t.Start:t.End]), last)
	}
	return last
}

// joined returns the words of what was typed as one, as in "Amazonas-Regenwald": none if there is but one, or it is to be as it
// stands.
func joined(t queryTerm) (list []queryTerm) {
	s := term.NewScanner(t.text)
	for tok, ok := s.Next(); ok && !t.quoted && tok.Script != term.Pairs; tok, ok = s.Next() {
		part := t
		part.text, part.prefix = t.text[tok.Start:tok.End], t.prefix && tok.End == len(t.text)
		list = append(list, part)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// elisions are what French, Italian and Catalan write before an apostrophe for a word that says next to nothing.
var elisions = strings.Fields("c d j l m n qu s t jusqu lorsqu puisqu quoiqu all coll dall dell nell sull gl un quest quell")

// unelided returns a word without what stands before its apostrophe: who asks for l'imprimante means une imprimante, too. It is
// empty if nothing does.
func unelided(t queryTerm) queryTerm {
	at := strings.IndexAny(t.text, "'’ʼ")
	if at < 0 || t.quoted || !slices.Contains(elisions, strings.ToLower(t.text[:at])) {
		return queryTerm{}
	}
	t.text = strings.TrimLeft(t.text[at:], "'’ʼ")
	return t
}

// maxRun is how many pairs of characters are looked for in a row. Of a longer run, which is a sentence without blanks, each pair is
// looked for by itself.
const maxRun = 4

// maxWords bounds the words of a query and the pairs that its sentences without blanks are cut into: a set of them is an uint64.
const maxWords = 64

// split parts what was typed as one word but is a run of more than so many pairs of characters into these.
func (w matchWord) split(most int) []matchWord {
	if w.whole || len(w.phrases) != 1 || w.phrases[0].prefix || len(w.phrases[0].terms) <= most || !isPairs(w.phrases[0].terms) {
		return []matchWord{w}
	}
	var words []matchWord
	for i, t := range w.phrases[0].terms {
		words = append(words, matchWord{text: t, runs: i > 0, phrases: []phrase{{terms: []string{t}, column: w.phrases[0].column}}})
	}
	return words
}

// appendText appends a word as it was typed. If the word before was appended and both are pairs of a run, they are one.
func (w *matchWord) appendText(list []string, before bool) []string {
	if !before || !w.runs {
		return append(list, w.text)
	}
	_, first := utf8.DecodeRuneInString(w.text)
	list[len(list)-1] += w.text[first:]
	return list
}

func isPairs(terms []string) bool {
	for _, t := range terms {
		if s := term.NewScanner(t); true {
			if tok, ok := s.Next(); !ok || tok.Script != term.Pairs {
				return false
			}
		}
	}
	return true
}

// within returns which words may stand in a part of a page: all but those that are looked for in another one.
func (m *matcher) within(column int) (set uint64) {
	for i, w := range m.words {
		if slices.ContainsFunc(w.phrases, func(p phrase) bool { return p.column < 0 || p.column == column }) {
			set |= 1 << i
		}
	}
	return set
}

// expression writes words as an expression of FTS5, all of them joined by op, within the filters. The heads table lacks columns: an
// expression for it names none that it does not have. It is empty when there is nothing to look for.
func (m *matcher) expression(words []matchWord, op string) string {
	var parts []string
	for _, w := range words {
		parts = append(parts, w.expression())
	}
	text := strings.Join(parts, " "+op+" ")
	if len(parts) > 1 {
		text = "(" + text + ")"
	}
	if len(m.required) > 0 {
		var required []string
		for _, w := range m.required {
			required = append(required, w.expression())
		}
		text = "(" + strings.Join(required, " OR ") + ") AND " + text
	}
	var nots []string
	for _, w := range m.not {
		nots = append(nots, w.expression())
	}
	for _, f := range m.tags.tags {
		if f.not && f.paths() {
			continue // see search.where
		}
		if f.not {
			nots = append(nots, tagExpression(f.tags))
			continue
		}
		if text != "" {
			text += " AND "
		}
		text += tagExpression(f.tags)
	}
	if text == "" {
		return ""
	}
	if len(nots) > 0 {
		text = "(" + text + ") NOT (" + strings.Join(nots, " OR ") + ")"
	}
	return text
}

func tagExpression(tags []string) string {
	var parts []string
	for _, t := range tags {
		parts = append(parts, quote(t))
	}
	return "tags : (" + strings.Join(parts, " OR ") + ")"
}

func (w *matchWord) expression() string {
	var parts []string
	for _, p := range w.phrases {
		parts = append(parts, p.expression())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

// begins reports whether the last term is the beginning of what is meant.
func (p *phrase) begins() bool { return p.prefix || isSingle(p.terms[len(p.terms)-1]) }

// expression writes a phrase. No word is found among tags, for each tag has a colon.
func (p *phrase) expression() string {
	text := quote(strings.Join(p.terms, " "))
	if p.begins() {
		text += " *"
	}
	if p.column >= 0 {
		text = columns[p.column].name + " : " + text
	}
	if len(p.langs) > 0 {
		text = "(" + text + " AND " + tagExpression(p.langs) + ")"
	}
	return text
}

// begins reports whether a word is the beginning of what is meant: with a star, or a single character that is part of pairs.
func (m *matcher) begins() bool {
	return slices.ContainsFunc(m.words, func(w matchWord) bool {
		return slices.ContainsFunc(w.phrases, func(p phrase) bool { return p.prefix || len(p.terms) == 1 && p.begins() })
	})
}

// isSingle reports whether a term is a single character of those that are indexed in pairs: any pair that begins with it is meant.
func isSingle(t string) bool {
	s := term.NewScanner(t)
	tok, ok := s.Next()
	return ok && tok.Script == term.Pairs && tok.End == len(t) && len([]rune(t)) == 1
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
