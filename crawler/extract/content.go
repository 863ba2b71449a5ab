package extract

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Content is what a page says, part by part, for whoever lets it be searched.
type Content struct {
	Title    string // of what is not HTML: its first line
	Headings []Heading
	Emphasis string // what is set in bold or italics, or marked
	Lead     string // the first paragraphs
	Body     string // the main text: white space collapsed, a line for each block; lists of links before it come last
	Lists    int    // where in Body these begin; 0 if there are none
	Hidden   []Range
	Links    []TextLink
	Base     string // href of the first base element that has one, as written
	Lang     string // language tag of the body element, as written
	Cut      bool   // the page says more than MaxText
}

// A Heading is one of a page.
type Heading struct {
	Level int    // 1 to 6
	ID    string // of the heading, or of what it heads; empty when there is none
	Text  string
	At    int // where in Body it begins
}

// A Range is a part of Content.Body, in bytes, that must not be shown in excerpts: data-nosnippet.
type Range struct{ Start, End int }

// A TextLink is a hyperlink with its text.
type TextLink struct {
	Href, Text string
}

// Bounds of a Content besides MaxText.
const (
	maxOpenElements = 512 // further ones are not followed: they end with what is around them
	maxHeadings     = 1_000
	maxTextLinks    = 5_000
	maxHeadingText  = 500  // bytes
	maxLinkText     = 300  // bytes
	maxPart         = 8192 // bytes of Emphasis, and of Lead
	leadParagraphs  = 3
	leastShare      = 5 // of the text that is left without boilerplate, in parts of all: with less, all of it is the main text
)

// Content returns what a page, or a plain text, says. What is around the main text on every page of a site is left out, as far as
// the structure of the page tells: navigation, the head and foot of the page, what its author calls so by role or by one of a few
// class names. If hardly anything would be left, all of it counts; but how many links and choices are around a text that tells
// something makes no difference. The error is that of ctx, which ends only the wait for the budget.
func (x *Extractor) Content(ctx context.Context, in Input) (*Content, error) {
	src := x.open(in, func(string) {})
	var c *Content
	err := x.within(ctx, int64(src.textSize())+int64(len(src.body)), func() {
		if !src.html {
			c = plainContent(src.text(), x.opt.MaxText)
			return
		}
		s, w := scanner{buf: src.text(), xml: src.xml}, textWriter{max: x.opt.MaxText}
		r := contentReader{scanner: s, text: w, content: &Content{}}
		c = r.read()
	})
	return c, err
}

// A contentReader reads a page by its tags. Elements end at their end tag or with what is around them.
type contentReader struct {
	scanner
	text     textWriter
	content  *Content
	open     []surrounding
	now      traits
	segments []segment // of the text: what is alike in a row
	choices  int       // bytes of boilerplate that are text of links, or may be selected
	lead     int       // paragraphs of the lead
	joiner   lineJoiner
	measured measure // of what was read
	run      int     // where the text without a link began that stands last
	lists    []Range // of links, in the text

	told     told
	nextID   []byte // the last id met, if no text came since, as written
	heading  strings.Builder
	link     strings.Builder
	href     string
	mark     []byte // what the link has so far, as written, while mayMark
	mayMark  bool   // the link may turn out to be nothing but a mark
	headed   int    // where the text of the last heading ends
	emphasis strings.Builder
	leading  strings.Builder
	first    strings.Builder // the paragraph being read, as far as it may be part of the lead
}

// traits are what an element makes of the text in it.
type traits struct {
	boilerplate, main, hidden, silent bool
	emphasis, paragraph, pre          bool
	heading                           int8
	link, choice                      bool // choice: in a select
	article                           bool // in an article, a section or the main part: heads and feet there are its own
}

// An surrounding is one that has not ended.
type surrounding struct {
	tag    atom.Atom
	before traits
	from   measure // where it began
	tells  bool    // holds text that tells something besides links
}

// A segment is a part of the text, from start to the next segment.
type segment struct {
	start, end                int // end is set when the page was read
	boilerplate, main, hidden bool
	tells                     bool // holds text that tells something besides links
	told                      int  // where the first such text begins
	apart                     bool // does not follow what stands before it in the text
}

// read reads the page.
func (r *contentReader) read() *Content {
	r.segments = []segment{{}}
	silent := false // no text comes next
	for !r.text.full {
		tok := r.next()
		if !silent && !r.now.silent {
			r.take(r.scanner.text)
		}
		if tok == eof {
			break
		}
		silent = tok == startTag && isHidden(r.tag) || r.inert > 0 || r.foreign.inside()
		if r.inert > 0 || r.alien || tok == other {
			continue
		}
		if len(r.mark) > 0 && BreaksLine(r.tag) {
			r.release()
		}
		if tok == startTag {
			r.start()
		} else {
			r.end()
		}
		r.breakAt(tok)
	}
	r.content.Cut = r.text.full
	r.closeTo(0)
	r.assemble()
	return r.content
}

// take takes in text between tags. What a link to a part of the page begins with is held back while it may be but a mark, as
// # or ¶ beside a heading that leads to itself: documentation generators write one at each heading, and browsers show most only
// under the pointer.
func (r *contentReader) take(raw []byte) {
	if len(raw) == 0 {
		return
	}
	if r.mayMark && len(r.mark)+len(raw) <= longestMark && isMark(raw) {
		r.mark = append(r.mark, raw...)
		return
	}
	r.release()
	r.write(raw)
}

// longestMark is how many bytes of source a mark has at most.
const longestMark = 16

// isMark reports whether text between tags is of marks and blanks only.
func isMark(raw []byte) bool {
	return strings.IndexFunc(html.UnescapeString(string(raw)), func(c rune) bool {
		return !strings.ContainsRune("#¶§🔗⚓", c) && !unicode.In(c, unicode.Cf, unicode.Co, unicode.Mn, unicode.White_Space)
	}) < 0
}

// release writes what was held back, as the link says more than a mark.
func (r *contentReader) release() {
	mark := r.mark
	r.mayMark, r.mark = false, nil
	r.write(mark)
}

// breakAt parts words where a tag does.
func (r *contentReader) breakAt(tag token) {
	switch {
	case tag == startTag && r.isNoteMark():
		r.text.space = true
		r.blank()
	case r.tag == atom.A:
		if !r.now.pre && r.text.betweenLinks(tag) && r.heading.Len() > 0 {
			r.heading.WriteByte(' ')
		}
	case r.tag == atom.Td || r.tag == atom.Th || r.tag == atom.Option:
		r.text.space, r.joiner = true, lineJoiner{}
	case BreaksLine(r.tag):
		r.text.line, r.joiner = true, lineJoiner{}
		for _, b := range []*strings.Builder{&r.heading, &r.link} {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
		}
	}
}

// isNoteMark reports whether a link to a part of the page begins and is raised, in either order: the mark of a note, which is no
// part of the word before it.
func (r *contentReader) isNoteMark() bool {
	if !r.mayMark || len(r.open) < 2 {
		return false
	}
	outer, inner := r.open[len(r.open)-2].tag, r.open[len(r.open)-1].tag
	return outer == atom.Sup && inner == atom.A || outer == atom.A && inner == atom.Sup
}

// blank parts the words of what is being read, where nothing but white space stands between two tags.
func (r *contentReader) blank() {
	t, part := &r.now, func(b *strings.Builder, most int) {
		if s := b.String(); s != "" && s[len(s)-1] != ' ' {
			appendText(b, " ", most)
		}
	}
	if t.heading > 0 {
		part(&r.heading, maxHeadingText)
	}
	if t.link {
		part(&r.link, maxLinkText)
	}
	if t.boilerplate || t.heading > 0 {
		return
	}
	if t.emphasis {
		part(&r.emphasis, maxPart)
	}
	if t.paragraph && r.lead < leadParagraphs {
		part(&r.first, maxPart)
	}
}

// write takes in text between tags.
func (r *contentReader) write(raw []byte) {
	if len(raw) == 0 {
		return
	}
	raw = raw[:min(len(raw), maxSpaced*r.text.max)]
	before, s := r.text.Len(), ""
	plain := r.joiner == lineJoiner{} && isPlain(raw)
	if plain {
		r.text.writePlain(raw)
	} else {
		s = r.readable(raw)
		r.text.write(s)
	}
	if r.text.Len() == before && !r.text.full {
		if r.text.space {
			r.blank()
		}
		return
	}
	r.measureText(before)
	r.nextID = nil
	t := &r.now
	if t.boilerplate && (t.link || t.choice) {
		r.choices += r.text.Len() - before
	}
	part := !t.boilerplate && t.heading == 0 // that emphasis and first paragraphs are of
	emphasis, first := part && t.emphasis, part && t.paragraph && r.lead < leadParagraphs
	if plain && (t.heading > 0 || t.link || emphasis || first) {
		s = string(raw)
	}
	if t.heading > 0 {
		appendText(&r.heading, s, maxHeadingText)
	}
	if t.link {
		appendText(&r.link, s, maxLinkText)
	}
	if emphasis {
		appendText(&r.emphasis, s, maxPart)
	}
	if first {
		appendText(&r.first, s, maxPart)
	}
}

// readable returns text as it is read: without references, controls, and line breaks that are none.
func (r *contentReader) readable(raw []byte) string {
	s := string(raw)
	if strings.IndexByte(s, '&') >= 0 {
		s = html.UnescapeString(s)
	}
	if s = steerless(s); !r.now.pre {
		s = r.joiner.join(s)
	}
	return s
}

// appendText adds text up to a bound.
func appendText(b *strings.Builder, s string, most int) {
	if room := most - b.Len(); len(s) > room {
		s = strings.ToValidUTF8(s[:max(room, 0)], "")
	}
	b.WriteString(s)
}

// set changes the traits of what follows.
func (r *contentReader) set(t traits) {
	r.now = t
	next := segment{start: r.text.Len(), boilerplate: t.boilerplate, main: t.main, hidden: t.hidden}
	if last := &r.segments[len(r.segments)-1]; last.start == next.start {
		*last = next
	} else if last.boilerplate != next.boilerplate || last.main != next.main || last.hidden != next.hidden {
		r.segments = append(r.segments, next)
	}
}

// start takes in a start tag.
func (r *contentReader) start() {
	if breaksParagraph(r.tag) {
		r.endIn(atom.P)
	}
	r.told = r.readTold()
	switch r.tag {
	case atom.Base:
		if r.content.Base == "" {
			r.content.Base = unescapeAttr(r.told.href)
		}
	case atom.Body:
		if lang := strings.TrimSpace(unescapeAttr(r.told.lang)); r.content.Lang == "" && len(lang) <= maxLang {
			r.content.Lang = lang
		}
	case atom.A:
		r.endIn(atom.A) // links do not nest
	case atom.Li, atom.Dt, atom.Dd, atom.Option:
		r.endLast(r.tag)
	}
	if len(r.told.id) > 0 {
		r.nextID = r.told.id
	} else if len(r.told.name) > 0 && r.tag == atom.A {
		r.nextID = r.told.name
	}
	if n := len(r.content.Headings); r.now.heading > 0 && r.content.Headings[n-1].ID == "" && r.heading.Len() == 0 {
		r.content.Headings[n-1].ID = unescapeAttr(r.nextID) // of an anchor inside
	}
	if roleOf(r.tag) == void || r.tag == atom.Html {
		return
	}
	if r.xml && r.empty || len(r.open) >= maxOpenElements {
		return
	}
	before := r.now
	t := r.traits()
	r.open = append(r.open, surrounding{tag: r.tag, before: before, from: r.measure()})
	switch {
	case t.heading > 0 && before.heading == 0:
		r.text.line = true
		r.heading.Reset()
		r.content.Headings = append(r.content.Headings, Heading{
			Level: int(t.heading), ID: unescapeAttr(r.nextID), At: r.text.Len(),
		})
	case t.link && !before.link:
		r.link.Reset()
		r.href = unescapeAttr(r.told.href)
		r.mayMark = len(r.href) > 1 && r.href[0] == '#'
	case t.paragraph && !before.paragraph:
		r.first.Reset()
	}
	r.set(t)
}

// traits returns what the element that begins makes of the text in it.
func (r *contentReader) traits() traits {
	t := r.now
	t.silent = t.silent && !(t.link && breaksParagraph(r.tag)) // a mark has no blocks: its end tag is missing, or it is none
	switch r.tag {
	case atom.Nav, atom.Button, atom.Noscript:
		t.boilerplate = true
	case atom.Select:
		t.boilerplate, t.choice = true, true
	case atom.Header, atom.Footer, atom.Aside:
		t.boilerplate = t.boilerplate || !t.article
	case atom.Main:
		t.main, t.article = true, true
	case atom.Article, atom.Section:
		t.article = true
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if t.heading == 0 && len(r.content.Headings) < maxHeadings {
			t.heading = int8(r.name[1] - '0')
		}
	case atom.B, atom.Strong, atom.Em, atom.I, atom.Mark, atom.Dfn:
		t.emphasis = true
	case atom.P:
		t.paragraph = true
	case atom.Pre:
		t.pre = true
	case atom.A:
		t.link = r.told.isLink
		t.silent = t.silent || r.leadsToHeading()
	case atom.Br, atom.Body:
		return t
	}
	if len(r.told.role) > 0 {
		switch strings.ToLower(strings.TrimSpace(unescapeAttr(r.told.role))) {
		case "navigation", "banner", "contentinfo", "search", "menu", "menubar":
			t.boilerplate = true
		case "main":
			t.main, t.article = true, true
		}
	}
	if len(r.told.class) > 0 && r.tag != atom.Main && r.tag != atom.Article {
		for token := range strings.FieldsSeq(unescapeAttr(r.told.class)) {
			t.article = t.article || isDivision(token)
			box := t.article && token == "sidebar"
			t.boilerplate = t.boilerplate || !box && isFurniture(strings.ToLower(token))
			t.silent = t.silent || token == "headerlink" // the mark that shows up beside a heading
		}
	}
	t.hidden = t.hidden || r.told.hidden
	return t
}

// leadsToHeading reports whether a link stands right behind a heading and leads to it. However it is worded ("Section titled Use"),
// it tells nothing, and is shown as a mark.
func (r *contentReader) leadsToHeading() bool {
	n := len(r.content.Headings)
	if n == 0 || r.now.heading > 0 || r.text.Len() != r.headed || !bytes.HasPrefix(r.told.href, []byte("#")) {
		return false
	}
	id := unescapeAttr(r.told.href[1:])
	if decoded, err := url.PathUnescape(id); err == nil {
		id = decoded
	}
	return id != "" && id == r.content.Headings[n-1].ID
}

// breaksParagraph reports whether a start tag ends a paragraph that is open.
func breaksParagraph(tag atom.Atom) bool {
	return roleOf(tag) == block && tag != atom.Button && tag != atom.Noscript || tag == atom.Table || tag == atom.Hr
}

// end takes in an end tag.
func (r *contentReader) end() {
	for i, e := range slices.Backward(r.open) {
		if e.tag == r.tag {
			r.closeTo(i)
			return
		}
	}
}

// endIn ends an element that is open, unless a cell or the like is in between.
func (r *contentReader) endIn(tag atom.Atom) {
	for i, e := range slices.Backward(r.open) {
		switch {
		case e.tag == tag:
			r.closeTo(i)
			return
		case roleOf(e.tag) == barrier, roleOf(e.tag) == block:
			return
		}
	}
}

// endLast ends an element of a list when the next one begins.
func (r *contentReader) endLast(tag atom.Atom) {
	for i, e := range slices.Backward(r.open) {
		switch e.tag {
		case tag:
			r.closeTo(i)
			return
		case atom.Ul, atom.Ol, atom.Dl, atom.Select, atom.Table, atom.Div, atom.Section:
			return
		}
	}
}

// closeTo ends elements until so many are open.
func (r *contentReader) closeTo(n int) {
	for len(r.open) > n {
		r.close()
	}
}

// close ends the element that was opened last.
func (r *contentReader) close() {
	e := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	t := r.now
	switch {
	case t.heading > 0 && e.before.heading == 0:
		r.endHeading()
	case t.link && !e.before.link:
		if len(bytes.TrimSpace(r.mark)) == 0 {
			r.release()
		}
		r.mayMark, r.mark = false, nil
		r.endLink()
	}
	if t.emphasis && !e.before.emphasis && r.emphasis.Len() > 0 {
		appendText(&r.emphasis, "\n", maxPart)
	}
	if t.paragraph && !e.before.paragraph {
		r.endParagraph()
	}
	r.noteList(&e)
	r.set(e.before)
}
