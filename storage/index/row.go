package index

import (
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// A row is a document as it stands in the tables.
type row struct {
	id     int64
	group  int64
	doc    Document
	anchor string  // texts of links to it, a line each
	names  []int64 // numbers of what it calls others
	blob   []byte  // the text, packed, of one that is put in, with names
	terms  [colCount]string

	fetched, modified, expires int64 // as they stand in the table, until times
	exact, near                int64
}

// bound cuts a document to what an index takes, and composes its characters.
func (d *Document) bound() {
	t := &d.Text
	t.Body = cut(term.Composed(t.Body), MaxBody)
	for _, s := range []*string{&t.Title, &t.Emphasis, &t.Lead, &t.Description, &t.Keywords} {
		*s = cut(term.Composed(*s), MaxField)
	}
	t.Headings = t.Headings[:min(len(t.Headings), MaxHeadings)]
	for i := range t.Headings {
		t.Headings[i].Text = term.Composed(t.Headings[i].Text)
	}
	d.Links = d.Links[:min(len(d.Links), MaxLinks)]
	for i := range d.Links {
		d.Links[i].Text = term.Composed(d.Links[i].Text)
	}
}

// cut shortens a text to at most so many bytes, and makes it UTF-8.
func cut(s string, most int) string {
	if !utf8.ValidString(s) { // which is asked faster than it is made valid
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// fill works out the terms of a row, for a mode.
func (r *row) fill(a *term.Analyzer, mode Mode) {
	var terms []byte
	r.terms = [colCount]string{}
	r.terms[colTags] = strings.Join(tagsOf(&r.doc), " ")
	for _, column := range mode.columns() {
		if text := r.part(column, &r.doc.Text); text != "" {
			terms = a.Append(slices.Grow(terms[:0], len(text)), text, r.doc.Lang)
			r.terms[column] = string(terms)
		}
	}
}

// columns returns those that are filled, besides the tags.
func (m Mode) columns() []int {
	switch m {
	case Title:
		return []int{colTitle, colAddress}
	case Lead:
		return []int{colTitle, colAddress, colLead}
	case Meta:
		return []int{colTitle, colAddress, colDescription, colKeywords}
	}
	return []int{colBody, colTitle, colHeadings, colEmphasis, colAnchor, colLead, colDescription, colKeywords, colAddress}
}

// part returns what stands in a column, before it is made terms. The text is that of the row, which may not be loaded.
func (r *row) part(column int, t *Text) string {
	switch column {
	case colBody:
		return bodyOf(t)
	case colTitle:
		return t.Title
	case colHeadings:
		return headingsOf(t)
	case colEmphasis:
		return t.Emphasis
	case colAnchor:
		return r.anchor
	case colLead:
		return t.Lead
	case colDescription:
		return t.Description
	case colKeywords:
		return t.Keywords
	case colAddress:
		return addressOf(r.doc.URL)
	}
	return ""
}

// fillAnchor works out the terms of what other pages call it.
func (r *row) fillAnchor(a *term.Analyzer) {
	r.terms[colAnchor] = string(a.Append(nil, r.anchor, r.doc.Lang))
}

// bodyOf returns the body without the first paragraphs, which have a column of their own and need not be written down twice.
func bodyOf(t *Text) string {
	var rest []string
	body := t.Body
	for line := range strings.Lines(t.Lead) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		if at := strings.Index(body, line); at >= 0 && isLine(body, at, at+len(line)) {
			rest, body = append(rest, body[:at]), body[at+len(line):]
		}
	}
	return strings.Join(append(rest, body), "")
}

// isLine reports whether text[from:to] is a line, or several.
func isLine(text string, from, to int) bool {
	return (from == 0 || text[from-1] == '\n') && (to == len(text) || text[to] == '\n')
}

func headingsOf(t *Text) string {
	var b strings.Builder
	for _, h := range t.Headings {
		b.WriteString(h.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// addressOf returns the words of an address: those of its path and query.
func addressOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	words := u.Path
	if q, err := url.QueryUnescape(u.RawQuery); err == nil && q != "" {
		words += " " + q
	}
	return strings.ReplaceAll(strings.ToValidUTF8(words, " "), "_", " ")
}

// Kinds of tags.
const (
	tagHost  = "h:"
	tagLang  = "l:"
	tagType  = "t:"
	tagMonth = "m:"
)

// tagsOf returns what a query can be narrowed by: each host and domain that the page belongs to, its language, the names of its
// type, the month of its date.
func tagsOf(d *Document) (tags []string) {
	for _, h := range hostsOf(d.URL) {
		tags = append(tags, tagHost+h)
	}
	if d.Lang != "" {
		tags = append(tags, tagLang+d.Lang)
	}
	for _, t := range typesOf(d.URL, d.Type) {
		tags = append(tags, tagType+t)
	}
	return append(tags, tagMonth+d.date().Format("2006-01"))
}

// hostsOf returns the host of a URL, with and without its port, and the domains above it.
func hostsOf(raw string) (hosts []string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil
	}
	host, name := strings.ToLower(u.Host), strings.ToLower(u.Hostname())
	if host != name {
		hosts = append(hosts, asTag(host))
	}
	hosts = append(hosts, asTag(name))
	if _, err := netip.ParseAddr(name); err == nil {
		return hosts
	}
	for {
		_, parent, ok := strings.Cut(name, ".")
		if !ok || parent == "" {
			return hosts
		}
		name = parent
		hosts = append(hosts, asTag(name))
	}
}

// typesOf returns what a type is called: html of text/html, and the ending of the path.
func typesOf(raw, mediaType string) (types []string) {
	_, sub, _ := strings.Cut(mediaType, "/")
	short, known := map[string]string{
		"text/html": "html", "application/xhtml+xml": "html", "text/plain": "txt", "text/markdown": "md", "text/x-markdown": "md",
	}[mediaType]
	if !known {
		short = strings.TrimPrefix(sub, "x-")
	}
	if short != "" {
		types = append(types, asTag(short))
	}
	if u, err := url.Parse(raw); err == nil {
		if ext := strings.ToLower(strings.TrimPrefix(path.Ext(u.Path), ".")); ext != "" && ext != short && len(ext) <= 8 {
			types = append(types, asTag(ext))
		}
	}
	return types
}

// asTag makes a tag one term, whatever it holds.
func asTag(s string) string {
	return strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && !strings.ContainsRune(tokenChars, r) && !isAlphanumeric(r) {
			return '_'
		}
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, s)
}

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
