package index

import (
	"cmp"
	"database/sql"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// Bounds of what is shown.
const (
	snippetLen  = 220      // bytes
	looked      = 16 << 10 // bytes of a text that are looked through for a snippet
	maxLooked   = 64 << 10 // likewise, if a word is not among those
	maxFurther  = 2 << 20  // likewise of all hits, if no word is
	maxSections = 3
	maxTitle    = 200 // bytes of a title
)

// A finder finds the words of a query in texts of one language.
type finder struct {
	a    *term.Analyzer
	lang string

	first    map[string][]phraseAt // phrases by their first term
	prefixes []phraseAt            // those of which the first term is a beginning

	starts [256]bool // bytes that a term begins with
}

// A phraseAt is a phrase of a word of the query.
type phraseAt struct {
	word int
	phrase
}

func newFinder(m *matcher, a *term.Analyzer, lang string) *finder {
	f := &finder{a: a, lang: lang, first: map[string][]phraseAt{}}
	for i, w := range m.words {
		for _, p := range w.phrases {
			if len(p.langs) > 0 && !slices.Contains(p.langs, tagLang+lang) {
				continue
			}
			for _, t := range p.terms {
				f.starts[t[0]] = true
			}
			at := phraseAt{i, p}
			if len(p.terms) == 1 && p.begins() {
				f.prefixes = append(f.prefixes, at)
				continue
			}
			f.first[p.terms[0]] = append(f.first[p.terms[0]], at)
		}
	}
	return f
}

// A found is a set of words of a query.
type found struct {
	set    uint64
	tokens int // in which they stand
}

func (f found) count() int { return bits.OnesCount64(f.set) }

// A span is where a word of the query stands in a text.
type span struct {
	start, end int
	word       int
}

// spans returns where the words of the query stand, in order, and how many tokens the text has.
func (f *finder) spans(text string) (spans []span, tokens int) {
	var open []struct {
		phraseAt
		next, start int
	}
	s := term.NewScanner(text)
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		word := text[t.Start:t.End]
		if c, ok := term.Initial(word, t.Script, f.lang); ok && !f.starts[c] {
			tokens++
			open = open[:0]
			continue
		}
		made := f.a.Term(word, t.Script, f.lang)
		if made == "" {
			continue
		}
		tokens++
		still := open[:0]
		for _, o := range open {
			if want := o.terms[o.next]; want != made && !(o.next == len(o.terms)-1 && o.begins() && strings.HasPrefix(made, want)) {
				continue
			}
			if o.next++; o.next == len(o.terms) {
				spans = append(spans, span{o.start, t.End, o.word})
				continue
			}
			still = append(still, o)
		}
		open = still
		for _, p := range f.first[made] {
			if len(p.terms) == 1 {
				spans = append(spans, span{t.Start, t.End, p.word})
				continue
			}
			open = append(open, struct {
				phraseAt
				next, start int
			}{p, 1, t.Start})
		}
		for _, p := range f.prefixes {
			if strings.HasPrefix(made, p.terms[0]) || strings.HasPrefix(term.Fold(word), p.terms[0]) {
				spans = append(spans, span{t.Start, t.End, p.word})
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return spans, tokens
}

// words returns which words of the query a text has, and how many tokens it has.
func (f *finder) words(text string) (found, int) {
	spans, tokens := f.spans(text)
	var w found
	end := -1
	for _, s := range spans {
		w.set |= 1 << s.word
		if s.start >= end {
			w.tokens++
			end = s.end
		}
	}
	return w, tokens
}

// covers reports whether a text has no other words than those of the query.
func (f *finder) covers(text string) bool {
	spans, _ := f.spans(text)
	covered := make([]bool, len(text))
	for _, sp := range spans {
		for i := sp.start; i < sp.end; i++ {
			covered[i] = true
		}
	}
	s := term.NewScanner(text)
	for t, ok := s.Next(); ok; t, ok = s.Next() {
		if (!covered[t.Start] || !covered[t.End-1]) && f.a.Term(text[t.Start:t.End], t.Script, f.lang) != "" {
			return false
		}
	}
	return true
}

// mark returns a text with the words of the query marked.
func (f *finder) mark(text string) Excerpt {
	spans, _ := f.spans(text)
	return marked(text, spans, 0, len(text))
}

// marked returns text[from:to] with spans marked.
func marked(text string, spans []span, from, to int) Excerpt {
	var e Excerpt
	add := func(s string, match bool) {
		if s = clean(s); s == "" {
			return
		}
		if n := len(e); n > 0 && e[n-1].Match == match {
			e[n-1].Text += s
			return
		}
		e = append(e, Fragment{s, match})
	}
	at := from
	for _, s := range spans {
		if s.start < at && s.end <= at || s.end <= from || s.start >= to {
			continue
		}
		start := max(s.start, at)
		add(text[at:start], false)
		add(text[start:min(s.end, to)], true)
		at = min(s.end, to)
	}
	add(text[at:to], false)
	return e
}

// clean returns text that can be shown: no control characters, none that turn the direction, no line breaks, no two blanks in a
// row.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError, r == '\ufeff':
			continue
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// isSeen reports whether a character leaves a mark of its own where it is shown.
func isSeen(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && r != '\u2800' && // the blank of Braille
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func isClean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == ' ' && i > 0 && s[i-1] == ' ' {
			return false
		}
	}
	return true
}

// excerpts reads the text of a hit, and fills in what is shown of it.
func (s *search) excerpts(h *Hit, r *row) error {
	text, err := s.x.text(s.ctx, r.id)
	if err == nil {
		err = s.x.read.QueryRowContext(s.ctx, `SELECT anchor FROM pages WHERE id = ?`, r.id).Scan(&r.anchor)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it was taken out just now
	}
	if err != nil {
		return err
	}
	text.Title = r.doc.Text.Title
	f := newFinder(s.m, s.a, r.doc.Lang)
	h.Title = f.mark(cut(text.Title, maxTitle))
	if !strings.ContainsFunc(h.Title.String(), isSeen) {
		h.Title = Excerpt{{Text: h.URL}} // else nobody could see what to click on
	}
	shown := withoutHidden(text.Body)
	spans, _ := f.spans(cut(shown, looked))
	if len(shown) > looked && !s.all(spans) {
		spans, _ = f.spans(cut(shown, maxLooked))
		if titled, _ := f.words(text.Title); len(spans) == 0 && titled.count() < len(s.m.words) {
			spans = s.further(f, shown)
		}
	}
	h.Snippet = snippet(shown, spans, &text, f, r.doc.MaxSnippet)
	left := r.doc.MaxSnippet
	if left > 0 {
		left -= utf8.RuneCountInString(h.Snippet.String())
	}
	h.Sections = sections(h.URL, &text, f, left)
	if len(s.m.words) > 1 || s.m == s.some {
		h.Missing = s.missing(f, &text, r, spans)
	}
	if s.q.Explain {
		h.Parts = s.parts(f, &text, r)
	}
	return nil
}

// further returns the first places of a text behind the part that was looked through, which has none.
func (s *search) further(f *finder, text string) []span {
	for from := maxLooked; from < len(text) && s.looked < maxFurther; from += maxLooked {
		begin := from - snippetLen // a phrase may have begun before
		if blank := strings.IndexAny(text[begin:from], " \n"); blank >= 0 {
			begin += blank
		} else {
			begin = len(cut(text, begin))
		}
		part := cut(text[begin:], maxLooked+snippetLen)
		s.looked += len(part)
		spans, _ := f.spans(part)
		for i := range spans {
			spans[i].start += begin
			spans[i].end += begin
		}
		if len(spans) > 0 {
			return spans
		}
	}
	return nil
}

// all reports whether spans have every word of the query.
func (s *search) all(spans []span) bool {
	var w found
	for _, sp := range spans {
		w.set |= 1 << sp.word
	}
	return w.count() == len(s.m.words)
}

// missing returns the words that are nowhere on a page where they may be: neither at spans, which are those of the text that was
// looked through, nor in other parts.
func (s *search) missing(f *finder, t *Text, r *row, spans []span) (missing []string) {
	var have found
	for _, sp := range spans {
		have.set |= 1 << sp.word
	}
	have.set &= s.m.within(colBody)
	parts := []int{colTitle, colAnchor, colDescription, colKeywords, colAddress, colHeadings, colEmphasis, colLead}
	if len(t.Body) > maxLooked || strings.ContainsRune(t.Body, NoSnippetOn) {
		parts = append(parts, colBody)
	}
	for _, column := range parts {
		if have.count() == len(s.m.words) {
			return nil
		}
		w, _ := f.words(r.part(column, t))
		have.set |= w.set & s.m.within(column)
	}
	for i, w := range s.m.words {
		if have.set&(1<<i) == 0 {
			missing = w.appendText(missing, i > 0 && have.set&(1<<(i-1)) == 0)
		}
	}
	return missing
}

// parts says in which parts of a page the words stand.
func (s *search) parts(f *finder, t *Text, r *row) (parts []Part) {
	for i := range colTags {
		w, _ := f.words(r.part(i, t))
		if w.set == 0 {
			continue
		}
		p := Part{Name: columns[i].name, Weight: columns[i].weight}
		for j, word := range s.m.words {
			if w.set&(1<<j) != 0 {
				p.Words = append(p.Words, word.text)
			}
		}
		parts = append(parts, p)
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.Weight, a.Weight) })
	return parts
}

// withoutHidden returns a body without what must not be shown. A line break stays where something was.
func withoutHidden(body string) string {
	if !strings.ContainsRune(body, NoSnippetOn) {
		return body
	}
	var b strings.Builder
	depth := 0
	for _, r := range body {
		switch r {
		case NoSnippetOn:
			if depth++; depth == 1 {
				b.WriteByte('\n')
			}
		case NoSnippetOff:
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// sections returns the headings with the most words of the query that a link can lead to, and that do not have more characters
// than may be shown, if most is not negative.
func sections(url string, t *Text, f *finder, most int) []Section {
	type scored struct {
		Section
		words, level int
	}
	var all []scored
	for _, h := range t.Headings {
		if h.ID == "" || h.Level < 2 {
			continue
		}
		if w, _ := f.words(h.Text); w.set != 0 {
			all = append(all, scored{Section{f.mark(cut(h.Text, maxTitle)), withFragment(url, h.ID)}, w.count(), h.Level})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.words, a.words) })
	var sections []Section
	for _, s := range all[:min(len(all), maxSections)] {
		if most >= 0 {
			if most -= utf8.RuneCountInString(s.Heading.String()); most < 0 {
				break
			}
		}
		sections = append(sections, s.Section)
	}
	return sections
}
