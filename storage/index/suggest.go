package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/index/term"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// Bounds of guessing what was meant.
const (
	suggestTime = 300 * time.Millisecond
	moreOften   = 10 // times that a word is on more pages than the one it may have been
	shortWord   = 5  // letters below which one mistake is all that is thought of, and none below three
	longEnding  = 5  // letters that are cut from a word at most
	otherEnding = 3  // letters by which another form of a word is longer or shorter
	guesses     = 16 // terms that are looked at for how they are written
	surfaces    = 5  // pages that are looked at for how a word is written
)

// suggest guesses what a query with few hits was meant to be: each word that hardly any page has may be another one with a letter
// or two wrong, and an address under which there is no page may be looked for on pages. It is no hit; whoever asked decides.
// Several words that are together on a page are taken as they are.
func (s *search) suggest() error {
	if p := withQuotes(s.q.Text); s.r.Total == 0 && p != nil {
		p.narrow(&s.q)
		s.suggestIfFound(s.ctx, p)
		return nil
	}
	if s.r.Total >= suspect || len(s.m.words) == 0 || s.r.Total > 0 && len(s.m.words) > 1 {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, suggestTime)
	defer cancel()
	p := *s.p
	p.clauses = append([]clause{}, s.p.clauses...)
	changed := false
	for i, c := range p.clauses {
		if c.not || len(c.terms) != 1 || c.terms[0].quoted || c.terms[0].prefix {
			continue
		}
		if word := s.x.meant(ctx, s.a, c.terms[0].text); word != "" {
			t := c.terms[0]
			t.text = word
			p.clauses[i].terms = []queryTerm{t}
			changed = true
		}
	}
	if !changed {
		return nil
	}
	s.suggestIfFound(ctx, &p)
	return nil
}

// suggestIfFound suggests a query that finds more pages.
func (s *search) suggestIfFound(ctx context.Context, p *parsedQuery) {
	again := *s
	again.ctx = ctx
	again.m = newMatcher(p, s.a, s.x.knownLanguages(), s.x.foreignLanguages(), true)
	if n, err := again.matches(again.m.words); err == nil && n > s.r.Total {
		s.r.Suggestion = p.String()
	}
}

// withQuotes returns a query with its addresses in quotes, so that they are looked for; nil if it has none, or other quotes.
func withQuotes(text string) *parsedQuery {
	words := strings.Fields(text)
	has := false
	for i, word := range words {
		if lower := strings.ToLower(word); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
			words[i], has = `"`+word+`"`, true
		}
	}
	if !has || strings.Contains(text, `"`) {
		return nil
	}
	return parse(strings.Join(words, " "))
}

func (x *Index) knownLanguages() []string {
	x.langsMu.Lock()
	defer x.langsMu.Unlock()
	return slices.Clip(x.langs)
}

// foreignLanguages returns the languages of pages that are not among the known ones.
func (x *Index) foreignLanguages() []string {
	x.langsMu.Lock()
	defer x.langsMu.Unlock()
	return slices.DeleteFunc(slices.Clone(x.allLangs), func(lang string) bool { return slices.Contains(x.langs, lang) })
}

// meant returns the word that another one may be a misspelling of; empty when none is likely.
func (x *Index) meant(ctx context.Context, a *term.Analyzer, word string) string {
	own := map[string]bool{}
	for _, lang := range append(x.knownLanguages(), "en") {
		if terms := termsOf(word, a, lang); len(terms) == 1 {
			own[terms[0]] = true
		}
	}
	if len(own) == 0 || utf8.RuneCountInString(word) < 3 {
		return ""
	}
	most := 0
	for t := range own {
		var n int
		if err := x.read.QueryRowContext(ctx, `SELECT doc FROM vocabulary WHERE term = ?`, t).Scan(&n); err == nil {
			most = max(most, n)
		}
	}
	if most >= suspect {
		return ""
	}
	var near []nearTerm
	for _, first := range firsts(own) {
		more, err := x.nearTerms(ctx, first, term.Fold(word), own, most)
		if err != nil {
			return ""
		}
		near = append(near, more...)
	}
	slices.SortStableFunc(near, func(a, b nearTerm) int {
		return cmp.Or(cmp.Compare(a.mistakes, b.mistakes), cmp.Compare(b.pages, a.pages), strings.Compare(a.text, b.text))
	})
	best, bestScore := "", 0.0
	for _, n := range near[:min(len(near), guesses)] {
		if n.mistakes > 1 && bestScore >= 0.5 {
			break // a word with one mistake is better than what further ones are likely to be
		}
		written := x.surface(ctx, a, n.text, word)
		d := mistaken(strings.ToLower(word), written)
		switch {
		case written == "", d == 0 && (!n.stem || abs(utf8.RuneCountInString(written)-utf8.RuneCountInString(word)) > otherEnding):
			continue
		case most > 0 && d != 1: // a word that is on pages is hardly several mistakes
			continue
		case d == 0: // it is near in another form
			d = 2 + n.mistakes
		}
		if score := float64(n.pages) / float64(n.pages+1) / float64(d*d); score > bestScore {
			best, bestScore = written, score
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// firsts returns the letters that the word may begin with which was meant: the first one, or the second in its place.
func firsts(own map[string]bool) (list []string) {
	for t := range own {
		for _, r := range []rune(t)[:min(2, utf8.RuneCountInString(t))] {
			if first := string(r); !slices.Contains(list, first) {
				list = append(list, first)
			}
		}
	}
	return list
}

// A nearTerm is a term that may be what was meant.
type nearTerm struct {
	text     string
	pages    int
	mistakes int
	stem     bool // near to a whole term
}

// nearTerms returns the terms that begin with first, are near to one of own, or to the beginning of the word, and are on far more
// pages than most. A mistake near its end may hide what is to be cut from a word: postion is no form of posit, as position is.
func (x *Index) nearTerms(ctx context.Context, first, word string, own map[string]bool, most int) (list []nearTerm, err error) {
	letters := []rune(word)
	for near, err := range sqlfile.Rows(ctx, x.read, func(n *nearTerm) []any { return []any{&n.text, &n.pages} },
		`SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?`, first, first+"\U0010FFFF") {
		if err != nil {
			return nil, err
		}
		if own[near.text] || near.pages < max(1, most*moreOften) || strings.ContainsRune(near.text, ':') {
			continue
		}
		near.mistakes = begun([]rune(near.text), letters)
		for t := range own {
			if d := mistaken(t, near.text); d > 0 {
				near.mistakes, near.stem = min(d, near.mistakes), true
			}
		}
		if near.mistakes <= 2 && (most == 0 || near.mistakes <= 1) {
			list = append(list, near)
		}
	}
	return list, nil
}

// begun returns how many mistakes make a term of the beginning of a word, all but what may be its ending.
func begun(near, word []rune) int {
	from := max(len(word)-longEnding, shortWord-1, len(near)-2)
	if from > len(word) || len(near) < shortWord-2 {
		return 3
	}
	return mistakes(near, word, from, 2)
}

// mistaken returns how many mistakes make one term of another; 0 when they are too many.
func mistaken(t, near string) int {
	length, allowed := utf8.RuneCountInString(t), 2
	if length < shortWord {
		allowed = 1
	}
	if d := utf8.RuneCountInString(near) - length; d > allowed || d < -allowed {
		return 0
	}
	if d := mistakes([]rune(t), []rune(near), utf8.RuneCountInString(near), allowed); d <= allowed {
		return d
	}
	return 0
}

// mistakes counts the letters that are missing, too many, wrong, or swapped with the next, in a word or in a beginning of it that
// is not shorter than from; what is more than most is most+1.
func mistakes(a, b []rune, from, most int) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return slices.Min(last[from:])
}

// A sample is a page with a term.
type sample struct {
	id          int64
	title, lang string
	most        int // characters that may be shown of it
}

// some returns some pages with a term.
func (x *Index) some(ctx context.Context, t string) (list []sample) {
	list, _ = all(ctx, x.read, func(p *sample) []any { return []any{&p.id, &p.title, &p.lang, &p.most} },
		`SELECT p.id, p.title, p.lang, p.max_snippet FROM fts JOIN pages p ON p.id = fts.rowid WHERE fts MATCH ? LIMIT ?`,
		quote(t), surfaces)
	return list
}

// surface returns how pages write the word that a term stands for: of what they show of it, what is nearest to the word that was
// typed, and then what is most frequent.
func (x *Index) surface(ctx context.Context, a *term.Analyzer, t, typed string) string {
	counts := map[string]int{}
	for _, p := range x.some(ctx, t) {
		texts := []string{p.title}
		if text, err := x.text(ctx, p.id); err == nil && p.most != 0 {
			texts = append(texts, cut(withoutHidden(text.Body), maxLooked))
		}
		for _, text := range texts {
			sc := term.NewScanner(text)
			for tok, ok := sc.Next(); ok; tok, ok = sc.Next() {
				word := text[tok.Start:tok.End]
				if c, ok := term.Initial(word, tok.Script, p.lang); ok && c != t[0] {
					continue
				}
				if a.Term(word, tok.Script, p.lang) == t {
					counts[strings.ToLower(word)]++
				}
			}
		}
	}
	best, nearest := "", 0
	for word, n := range counts {
		d := mistakes([]rune(strings.ToLower(typed)), []rune(word), utf8.RuneCountInString(word), term.MaxTerm)
		if best == "" || d < nearest || d == nearest && (n > counts[best] || n == counts[best] && word < best) {
			best, nearest = word, d
		}
	}
	return clean(best)
}
