package index

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// Bounds of a query. What is beyond is left out, with a notice.
const (
	MaxQuery = 1000 // bytes
	MaxTerms = 32   // words and phrases
	MaxHits  = 1000 // that can be paged through
)

// A Query is what somebody asks for.
type Query struct {
	Text   string // words and operators; see Parse
	Limit  int    // hits; default 10
	Offset int    // hits to pass over

	Site  string    // host or domain; empty for all. This and those below narrow the query as its operators do
	Lang  string    // language tag
	Type  string    // html, pdf, text/plain
	Since time.Time // date of the page: as the site says, else when it was fetched
	Until time.Time // before this

	Facets    bool // count hits by host, language, type and month
	Ungrouped bool // pages that are the same, or nearly so, are hits of their own
	Explain   bool // say of each hit in which parts the words stand
}

// A parsedQuery is what a query was understood as.
type parsedQuery struct {
	clauses []clause // of which all must hold
	filters filters
	notices []string
}

// A clause holds when one of its terms does; or, if not is set, when none does.
type clause struct {
	not   bool
	terms []queryTerm
}

// A queryTerm is a word or a phrase, perhaps in one part of the page.
type queryTerm struct {
	text   string // as typed, without quotes and operators
	column int    // -1 for all
	quoted bool
	prefix bool // the last word is the beginning of one
}

// filters narrow a query: all of them must hold.
type filters struct {
	tags  []tagFilter
	since time.Time
	until time.Time
}

// A tagFilter holds when a page has one of the tags; or, if not is set, when it has none.
type tagFilter struct {
	not    bool
	kind   string   // the operator
	values []string // behind it, as they are understood
	tags   []string
}

// paths reports whether a filter names parts of hosts, for which there are no tags.
func (f *tagFilter) paths() bool {
	return f.kind == "site" && slices.ContainsFunc(f.values, func(site string) bool { return strings.Contains(site, "/") })
}

// Parse says how a query is understood, and what of it is not taken as it stands. It takes any text:
//
//	word         all words must be on the page
//	"a phrase"   in this order
//	-word        not on the page; -w and --word are words, as options of commands are
//	a OR b       one of them; AND between two words is left out
//	word*        any word that begins so
//	intitle:word inurl:word            in that part
//	site:host filetype:pdf lang:de     narrows, as does -site:host; lang:de OR lang:fr
//	https://host/path                  as site: does, for who pastes an address
//	after:2026-01 before:2026-02-03    by date
func Parse(text string) (understood string, notices []string) {
	p := parse(text)
	return p.String(), p.notices
}

// parse reads a query.
func parse(text string) *parsedQuery {
	p := &parsedQuery{}
	r := queryReader{p: p, rest: p.clean(text)}
	for r.next() {
	}
	return p
}

func (p *parsedQuery) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); len(p.notices) < 20 {
		p.notices = append(p.notices, n)
	}
}

// clean bounds a query, and replaces what is no text.
func (p *parsedQuery) clean(text string) string {
	if len(text) > MaxQuery {
		text = cut(text, MaxQuery)
		p.note("the query is cut to %d bytes", MaxQuery)
	}
	return cleaned(text)
}

// cleaned replaces what is no text.
func cleaned(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return unicode.ReplacementChar
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, term.Composed(strings.ToValidUTF8(text, "\uFFFD")))
}

// A queryReader goes through a query.
type queryReader struct {
	p    *parsedQuery
	rest string
	or   bool   // the next term is another way to say the last one
	last int    // clause that a term can be another way of; -1 when none can
	kind string // of the filter that was read last; empty behind a term
	n    int    // terms
}

// next reads a term, an operator or a filter. It returns false at the end.
func (r *queryReader) next() bool {
	r.rest = strings.TrimLeft(r.rest, " ")
	if r.rest == "" {
		return false
	}
	if r.n >= MaxTerms {
		r.p.note("only the first %d words are looked for", MaxTerms)
		return false
	}
	if r.isOr() || r.isAnd() {
		return true
	}
	not := r.isExcluded()
	if !not && len(r.rest) > 1 && r.rest[0] == '+' && r.rest[1] != ' ' {
		r.rest = r.rest[1:]
	}
	name := r.operator()
	value, quoted := r.value()
	if name != "" && r.filter(name, value, not) {
		r.or, r.kind = false, name
		return true
	}
	if value == "NOT" && !quoted && !not && r.rest != "" { // as in SQL's NOT NULL
		r.p.note("NOT is looked for as a word; -word leaves out pages with it")
	}
	t := queryTerm{text: value, quoted: quoted, column: -1}
	switch name {
	case "intitle":
		t.column = colTitle
	case "inurl":
		t.column = colAddress
		if decoded, err := url.PathUnescape(t.text); err == nil { // as copied from where the address is shown
			t.text = cleaned(decoded)
		}
		t.text = strings.ReplaceAll(t.text, "_", " ")
	}
	r.add(t, not)
	return true
}

// isExcluded reads the dash before what is not to be there. In tail -f and in --name it belongs to an option of a command, and in
// Benutzer und -gruppen it stands for the beginning of the word before.
func (r *queryReader) isExcluded() bool {
	rest, ok := strings.CutPrefix(r.rest, "-")
	if !ok || rest == "" || rest[0] == ' ' || rest[0] == '-' {
		return false
	}
	word, _, _ := strings.Cut(rest, " ")
	word = strings.TrimRight(word, ",.;:!?)]")
	switch joins := r.joins(); {
	case len(word) == 1 && countLetters(word) == 1:
		r.p.note(`-%s is looked for, as options and numbers are; -"%[1]s" leaves it out`, word)
	case joins != "" && hasLetter(word) && !strings.ContainsAny(word, `":`):
		r.p.note(`-%s is looked for: behind %q it is the end of a word; -"%[1]s" leaves it out`, word, joins)
	default:
		r.rest = rest
		return true
	}
	return false
}

// joins returns the word that was read last if it joins two of which the second may be written without its beginning.
func (r *queryReader) joins() string {
	if r.kind != "" || r.last < 0 || len(r.p.clauses) == 0 {
		return ""
	}
	terms := r.p.clauses[r.last].terms
	switch t := terms[len(terms)-1]; strings.ToLower(t.text) {
	case "und", "oder", "bzw.", "en", "of", "och", "eller", "og": // German, Dutch, Swedish, Danish, Norwegian
		if !t.quoted && t.column < 0 {
			return t.text
		}
	}
	return ""
}

// isOr reads OR. A | parts the name of a page from that of its site in most titles, and is no operator.
func (r *queryReader) isOr() bool {
	rest, ok := strings.CutPrefix(r.rest+" ", "OR ")
	if !ok {
		return false
	}
	r.rest = strings.TrimSuffix(rest, " ")
	if r.kind == "" && (len(r.p.clauses) == 0 || r.last < 0) {
		r.p.note("OR stands between two words")
	} else {
		r.or = true
	}
	return true
}

// isAnd reads AND between two terms, which means nothing more.
func (r *queryReader) isAnd() bool {
	rest, ok := strings.CutPrefix(r.rest, "AND ")
	if !ok || r.kind == "" && len(r.p.clauses) == 0 || r.or || strings.Trim(rest, " ") == "" {
		return false
	}
	r.p.note(`AND is left out, as all words must be there; "AND" looks for it`)
	r.rest = rest
	return true
}

// operator reads the name of an operator with its colon; an address needs none. Other words with a colon are words.
func (r *queryReader) operator() string {
	name, _, ok := strings.Cut(r.rest, ":")
	if !ok || strings.ContainsAny(name, ` "`) {
		return ""
	}
	if len(name)+1 == len(r.rest) || r.rest[len(name)+1] == ' ' {
		return ""
	}
	switch lower := strings.ToLower(name); lower {
	case "site", "intitle", "inurl", "filetype", "lang", "before", "after":
		r.rest = r.rest[len(name)+1:]
		return lower
	}
	switch web := strings.EqualFold(name, "http") || strings.EqualFold(name, "https"); {
	case web && strings.HasPrefix(r.rest[len(name):], "://"):
		return "site"
	case !strings.HasPrefix(r.rest[len(name):], "://") && !strings.HasPrefix(r.rest[len(name):], "::") && hasLetter(name):
		r.p.note("%s: is no operator, so it is looked for as words", name)
	}
	return ""
}

// value reads a word, or what stands between quotes.
func (r *queryReader) value() (value string, quoted bool) {
	for _, q := range []string{`"`, "“", "”", "„", "«", "»", "「"} {
		rest, ok := strings.CutPrefix(r.rest, q)
		if !ok {
			continue
		}
		end := strings.IndexAny(rest, `"“”»«」`)
		if end < 0 {
			r.p.note("a quotation mark is missing at the end")
			r.rest = ""
			return rest, true
		}
		value = rest[:end]
		r.rest = rest[end:]
		for _, q := range []string{`"`, "“", "”", "»", "«", "」"} {
			if after, ok := strings.CutPrefix(r.rest, q); ok {
				r.rest = after
				break
			}
		}
		if after, ok := strings.CutPrefix(r.rest, "*"); ok && (after == "" || after[0] == ' ') {
			r.rest = after
			value += "*"
		}
		r.rest = strings.TrimLeft(r.rest, "-+") // which join a word to it, as in „Model C“-Schulen
		return value, true
	}
	end := strings.IndexAny(r.rest, ` "`)
	if end < 0 {
		end = len(r.rest)
	}
	value, r.rest = r.rest[:end], r.rest[end:]
	return value, false
}

// add takes in a word or a phrase.
func (r *queryReader) add(t queryTerm, not bool) {
	if word, ok := strings.CutSuffix(t.text, "*"); ok {
		word = strings.TrimRight(word, "*")
		t.text, t.prefix = word, true
		if countLetters(word) < 2 {
			r.p.note("* stands behind at least two letters")
			t.prefix = false
		}
	}
	if countLetters(t.text) == 0 {
		r.or = false
		return
	}
	if r.or && r.kind != "" {
		r.p.note("OR does not stand between %s: and a word", r.kind)
		r.or = false
	}
	r.kind = ""
	r.n++
	if r.or && !not {
		c := &r.p.clauses[r.last]
		c.terms = append(c.terms, t)
		r.or = false
		return
	}
	if r.or {
		r.p.note("OR does not stand before what is not to be there")
	}
	r.or = false
	r.p.clauses = append(r.p.clauses, clause{not: not, terms: []queryTerm{t}})
	if r.last = len(r.p.clauses) - 1; not {
		r.last = -1
	}
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

func countLetters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// String writes a query as it was understood, so that it would be understood the same way.
func (p *parsedQuery) String() string {
	var parts []string
	for _, c := range p.clauses {
		var terms []string
		for _, t := range c.terms {
			terms = append(terms, t.String())
		}
		text := strings.Join(terms, " OR ")
		if c.not {
			text = "-" + text
		}
		parts = append(parts, text)
	}
	for _, f := range p.filters.tags {
		text := f.kind + ":" + strings.Join(f.values, " OR "+f.kind+":")
		if f.not {
			text = "-" + text
		}
		parts = append(parts, text)
	}
	if t := p.filters.since; !t.IsZero() {
		parts = append(parts, "after:"+dateOf(t, -1))
	}
	if t := p.filters.until; !t.IsZero() {
		parts = append(parts, "before:"+dateOf(t, 0))
	}
	return strings.Join(parts, " ")
}

func (t queryTerm) String() string {
	text := t.text
	if t.quoted {
		text = `"` + text + `"`
	}
	if t.prefix {
		text += "*"
	}
	switch t.column {
	case colTitle:
		return "intitle:" + text
	case colAddress:
		return "inurl:" + text
	}
	return text
}

// positive reports whether anything is looked for.
func (p *parsedQuery) positive() bool {
	return slices.ContainsFunc(p.clauses, func(c clause) bool { return !c.not })
}

// narrows reports whether a filter names what is looked for.
func (f *filters) narrows() bool {
	return !f.since.IsZero() || !f.until.IsZero() || slices.ContainsFunc(f.tags, func(t tagFilter) bool { return !t.not })
}
