package extract

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/unicode"
)

// A gatherer puts what elements tell into a page, within the limits. The tree and the tags of a page both feed it.
type gatherer struct {
	opt   *Options
	page  *Page
	query declaration // of the queries of links

	linkBytes, metaBytes int
	known                map[uint64]struct{} // links of a page that has many, by hash
	based, titled, named bool                // there has been a base, a title, an html element with a language
	metasCut             bool
	nested               int // in how many other documents this one is
}

// element takes notice of an element. head says that it stands in the head of the document.
func (g *gatherer) element(e *node, head bool) {
	switch e.DataAtom {
	case atom.A:
		g.anchor(KindA, e)
	case atom.Area:
		g.anchor(KindArea, e)
	case atom.Frame:
		src, _ := e.attr("src")
		g.frame(KindFrame, src, "")
	case atom.Iframe:
		src, _ := e.attr("src")
		doc, _ := e.attr("srcdoc")
		g.frame(KindIframe, src, doc)
	case atom.Base:
		g.base(e)
	case atom.Link:
		g.linkElement(e, head)
	case atom.Meta:
		g.meta(e)
	case atom.Html:
		g.language(e)
	case atom.Title:
		g.title(e)
	}
}

// base keeps the first base with an href. One that is too long for any resolver is like none, as in a browser.
func (g *gatherer) base(e *node) {
	if href, ok := e.attr("href"); ok && !g.based {
		g.based = true
		g.page.Base, _ = g.reference(href)
	}
}

// anchor adds a hyperlink. One with an empty href leads to the base.
func (g *gatherer) anchor(kind Kind, e *node) {
	if href, ok := e.attr("href"); ok {
		rel, _ := e.attr("rel")
		g.add(kind, href, rel)
	}
}

// frame adds the page in a frame; an empty src means about:blank.
func (g *gatherer) frame(kind Kind, src, srcdoc string) {
	if trim(src) != "" {
		g.add(kind, src, "")
	}
	if srcdoc != "" {
		g.srcdoc(srcdoc)
	}
}

// maxNested bounds the documents within documents that are read.
const maxNested = 4

// srcdoc adds the hyperlinks of a document that an attribute holds, read by its tags. They are resolved as those around it.
func (g *gatherer) srcdoc(doc string) {
	if g.nested == maxNested {
		return
	}
	g.nested++
	s := scanner{buf: []byte(doc)}
	for t := s.next(); t != eof; t = s.next() {
		if t != startTag || s.inert > 0 {
			continue
		}
		href, isLink := s.attr("href")
		rel, _ := s.attr("rel")
		switch {
		case s.tag == atom.A && isLink:
			g.add(KindA, href, rel)
		case s.tag == atom.Area && isLink && !s.alien:
			g.add(KindArea, href, rel)
		case s.tag == atom.Iframe && !s.alien:
			src, _ := s.attr("src")
			inner, _ := s.attr("srcdoc")
			g.frame(KindIframe, src, inner)
		}
	}
	g.nested--
}

// linkElement takes the relations it knows. A canonical address counts in the head only, where users' texts do not stand.
func (g *gatherer) linkElement(e *node, head bool) {
	rel, _ := e.attr("rel")
	href, _ := e.attr("href")
	if rel == "" || trim(href) == "" {
		return
	}
	mediaType, _ := e.attr("type")
	g.relate(rel, href, mediaType, head, false)
}

// relate records a typed link of a link element or of a Link header field.
func (g *gatherer) relate(rel, href, mediaType string, canonical, header bool) {
	var known [KindRelated + 1]bool
	sheet := false
	for term := range strings.FieldsSeq(rel) {
		switch strings.ToLower(term) {
		case "canonical":
			if ref, ok := g.reference(href); ok && canonical && g.page.Canonical == "" {
				g.page.Canonical, g.page.CanonicalHeader = ref, header
			}
		case "next":
			known[KindNext] = true
		case "prev", "previous":
			known[KindPrev] = true
		case "alternate":
			if kind, ok := alternateOf(mediaType); ok {
				known[kind] = true
			}
		case "stylesheet":
			sheet = true
		// What HTML 3.2 and 4 call the parts of a document, and the standard of today other pages: that some are named in this way
		// only, as the contents of a manual, and the page that searches it.
		case "start", "first", "last", "up", "top", "home", "contents", "toc", "index", "glossary", "chapter", "section",
			"subsection", "appendix", "copyright", "help", "search":
			if kind, ok := alternateOf(mediaType); ok && kind == KindAlternate {
				known[KindRelated] = true
			}
		}
	}
	for kind := KindNext; kind <= KindRelated; kind++ {
		if !known[kind] || kind == KindAlternate && sheet {
			continue
		}
		place := kind
		if header {
			place += KindHeaderNext - KindNext
		}
		g.add(place, href, rel)
	}
}

// alternateOf returns what an alternate of a media type is: another page or a feed. The rest is the same page once more for
// machines - oEmbed, JSON, calendars, data, the source to edit -, and programs like WordPress name three of these on every page.
func alternateOf(mediaType string) (Kind, bool) {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	switch mediaType = strings.ToLower(trim(mediaType)); mediaType {
	case "text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml", "application/pdf":
		return KindAlternate, true
	case "application/rss+xml", "application/atom+xml", "text/xml", "application/xml", "application/rdf+xml":
		return KindFeed, true
	}
	return KindAlternate, !strings.Contains(mediaType, "/") // nothing is said, or no media type
}

// meta keeps a META element with a name, follows a refresh and notes a language. Where some
// write property="robots" for a name, or http-equiv="X-Robots-Tag", that is the name.
func (g *gatherer) meta(e *node) {
	content, ok := e.attr("content")
	if !ok {
		return
	}
	if name, ok := e.attr("name"); ok {
		g.addMeta(trim(name), content)
	} else if property, _ := e.attr("property"); strings.EqualFold(trim(property), "robots") {
		g.addMeta("robots", content)
	}
	equiv, _ := e.attr("http-equiv")
	switch {
	case strings.EqualFold(trim(equiv), "x-robots-tag"):
		g.addMeta("X-Robots-Tag", content)
	case strings.EqualFold(equiv, "refresh"):
		if url := refreshURL(content); url != "" {
			g.add(KindRefresh, url, "")
		}
	case strings.EqualFold(equiv, "content-language"):
		g.defaultLang(content)
	}
}

// addMeta keeps a META element. From the first on that does not fit, the page counts as "robots: none".
func (g *gatherer) addMeta(name, content string) {
	if g.metasCut || name == "" {
		return
	}
	g.metaBytes += len(name) + len(content)
	if len(g.page.Metas) < g.opt.MaxMetas && g.metaBytes <= g.opt.MaxMetaBytes {
		g.page.Metas = append(g.page.Metas, Meta{g.clean(name), g.clean(content)})
		return
	}
	g.metasCut = true
	g.page.Metas = append(g.page.Metas, Meta{"robots", "none"})
	g.note(NoteMetas)
}

// language notes the language of the html element. It goes before those of META elements and of the header, even if empty.
func (g *gatherer) language(e *node) {
	lang, ok := e.attr("lang")
	if !ok {
		lang, ok = e.attr("xml:lang")
	}
	if ok && !g.named {
		g.setLang(lang)
		g.named = true
	}
}

// maxLang is the length beyond which a language tag is none: BCP 47 section 4.4.1 asks for 35.
const maxLang = 100

func (g *gatherer) setLang(lang string) {
	if lang = trim(lang); len(lang) <= maxLang {
		g.page.Lang = g.clean(lang)
	}
}

// defaultLang notes a language that counts if no better is known. A list of several is no language of the page.
func (g *gatherer) defaultLang(lang string) {
	if g.page.Lang == "" && !g.named && !strings.Contains(lang, ",") {
		g.setLang(lang)
	}
}

// title keeps the first title, as document.title has it: with only ASCII white space collapsed.
func (g *gatherer) title(e *node) {
	if g.titled {
		return
	}
	g.titled = true
	if text := e.FirstChild; text != nil {
		g.page.Title = collapse(strings.FieldsFuncSeq(g.clean(text.Data), isSpaceRune), g.opt.MaxTitle)
	}
}

func isSpaceRune(r rune) bool { return r < utf8.RuneSelf && isSpace(byte(r)) }

// cutLinks notes that no link fits any more.
func (g *gatherer) cutLinks() {
	g.page.LinksCut = true
	g.note(NoteLinks)
}

// add keeps a link if it fits.
func (g *gatherer) add(kind Kind, href, rel string) {
	if len(g.page.Links) >= g.opt.MaxLinks {
		g.cutLinks()
		return
	}
	href, ok := g.reference(href)
	if !ok {
		return
	}
	if g.linkBytes+len(href)+len(rel) > g.opt.MaxLinkBytes {
		g.cutLinks()
		return
	}
	l := Link{Href: href, Kind: kind, Rel: g.clean(rel)}
	if g.repeats(l) {
		return
	}
	g.linkBytes += len(href) + len(rel)
	if g.page.Links == nil {
		g.page.Links = make([]Link, 0, 64)
	}
	g.page.Links = append(g.page.Links, l)
}

// manyLinks is how many links a page has before those which are repeated are left out.
const manyLinks = 1000

// repeats reports whether a page with many links has this one already, of its kind and with its rel.
func (g *gatherer) repeats(l Link) bool {
	if len(g.page.Links) < manyLinks {
		return false
	}
	if g.known == nil {
		g.known = make(map[uint64]struct{}, 2*manyLinks)
		for _, l := range g.page.Links {
			g.known[l.hash()] = struct{}{}
		}
	}
	h := l.hash()
	_, again := g.known[h]
	g.known[h] = struct{}{}
	return again
}

func (l Link) hash() uint64 {
	return xxhash.Sum64String(l.Href) + 31*xxhash.Sum64String(l.Rel) + uint64(l.Kind)
}

// reference returns a reference as a link has it, unless it is too long.
func (g *gatherer) reference(href string) (string, bool) {
	href = trim(href)
	if len(href) > g.opt.MaxHref {
		g.note(NoteHref)
		return "", false
	}
	return encodeQuery(g.clean(href), g.query), true
}

// clean replaces what is not UTF-8, as a browser does.
func (g *gatherer) clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	s, _ = unicode.UTF8.NewDecoder().String(s) // cannot fail: it replaces
	return s
}

func (g *gatherer) note(note string) {
	if !slices.Contains(g.page.Notes, note) {
		g.page.Notes = append(g.page.Notes, note)
	}
}

// trim removes white space at the ends.
func trim(s string) string {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// collapse puts one blank between words, and cuts at max bytes between characters.
func collapse(words iter.Seq[string], max int) string {
	var b strings.Builder
	for word := range words {
		if b.Len() > 0 {
			word = " " + word
		}
		if b.Len()+len(word) > max {
			word = word[:max-b.Len()]
			for len(word) > 0 && !utf8.ValidString(word) {
				word = word[:len(word)-1]
			}
			b.WriteString(strings.TrimSuffix(word, " "))
			break
		}
		b.WriteString(word)
	}
	return b.String()
}
