package sitemap

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
)

// A shape says where a format keeps its entries.
type shape struct {
	format Format
	item   string // the element of an entry,
	depth  int    // how deep it lies; the root is at 1
	loc    string // elements directly in it
	dates  []string
}

// shapes lists the formats by the names of their root elements.
func shapes(root string) (shape, bool) {
	switch root {
	case "urlset":
		return shape{URLSet, "url", 2, "loc", []string{"lastmod"}}, true
	case "sitemapindex":
		return shape{Index, "sitemap", 2, "loc", []string{"lastmod"}}, true
	case "rss":
		return shape{RSS, "item", 3, "link", []string{"pubDate"}}, true
	case "RDF": // RSS 1.0
		return shape{RSS, "item", 2, "link", nil}, true
	case "feed":
		return shape{Atom, "entry", 2, "link", []string{"updated", "modified"}}, true
	}
	return shape{}, false
}

// xml reads any of the formats that are XML.
func (p *parser) xml(r *bufio.Reader) error {
	src := &tokenSource{r: r, most: p.opts.MaxToken}
	x := &xmlReader{parser: p, dec: xml.NewDecoder(src)}
	x.dec.Strict = false
	x.dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	for {
		src.left = src.most
		token, err := x.dec.Token()
		if errors.Is(err, io.EOF) && x.format == "" {
			return endf(Unknown, "no element")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = x.token(token)
		}
		if err != nil {
			return x.because(err)
		}
		if x.depth == 0 && x.format != "" {
			return nil // whatever follows the root
		}
	}
}

// tokenSource gives the decoder one token of bounded length after the other.
type tokenSource struct {
	r          *bufio.Reader
	most, left int
}

func (s *tokenSource) ReadByte() (byte, error) {
	if s.left--; s.left < 0 {
		return 0, endf(LongToken, "a tag or text of more than %d bytes", s.most)
	}
	return s.r.ReadByte()
}

func (s *tokenSource) Read(b []byte) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, endf(LongToken, "a tag or text of more than %d bytes", s.most)
	}
	return s.r.Read(b)
}

// An xmlReader follows the elements of a file.
type xmlReader struct {
	*parser
	dec *xml.Decoder
	shape
	space string // the namespace of what counts, mostly that of the root
	base  string // the xml:base of the root
	depth int
	open  bool   // inside an entry
	entry Entry  // that is open
	guid  string // its permalink by another name; empty when there is none
	field string // element of it that is open; empty when none that matters
	text  []byte // of field
}

// because names an error of the decoder.
func (x *xmlReader) because(err error) error {
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return endf(Broken, "line %d: %s", syntax.Line, syntax.Msg)
	}
	return err
}

func (x *xmlReader) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.StartElement:
		return x.start(t)
	case xml.EndElement:
		return x.end()
	case xml.CharData:
		if room := x.opts.MaxLoc + headLen - len(x.text); x.field != "" && room > 0 { // blanks around it may go
			x.text = append(x.text, t[:min(len(t), room)]...)
		}
	case xml.Directive:
		if isHTML(t) {
			return endf(Unknown, "a page of HTML")
		}
		return endf(HasDTD, "a document type declaration")
	}
	return nil
}

func isHTML(directive xml.Directive) bool {
	f := strings.Fields(strings.ToLower(string(directive[:min(len(directive), 64)])))
	return len(f) > 1 && f[0] == "doctype" && f[1] == "html"
}

func (x *xmlReader) start(t xml.StartElement) error {
	if x.depth++; x.depth > x.opts.MaxDepth {
		return endf(TooDeep, "elements nested more than %d deep", x.opts.MaxDepth)
	}
	if x.depth == 1 {
		return x.root(t)
	}
	if x.isFeedLink(t.Name) {
		return x.nextLink(t.Attr)
	}
	if t.Name.Space != x.space {
		return nil // an extension
	}
	switch {
	case x.depth == x.shape.depth && t.Name.Local == x.item:
		x.open, x.guid = true, ""
		x.entry = Entry{Sitemap: x.format == Index, Bases: [3]string{x.base, x.baseOf(t.Attr)}}
	case !x.open || x.depth != x.shape.depth+1:
	case x.format == Atom && t.Name.Local == x.loc:
		x.atomLink(t.Attr)
	case t.Name.Local == x.loc && x.entry.Loc == "", x.isDate(t.Name.Local) && x.entry.LastMod.IsZero(),
		x.format == URLSet && t.Name.Local == changefreq && x.entry.Every == 0,
		x.format == RSS && t.Name.Local == guid && isPermalink(t.Attr):
		x.field, x.text = t.Name.Local, x.text[:0]
	}
	return nil
}

func (x *xmlReader) root(t xml.StartElement) error {
	s, ok := shapes(t.Name.Local)
	if !ok {
		return endf(Unknown, "the root element is %.40q", t.Name.Local)
	}
	x.shape, x.space, x.summary.Format = s, t.Name.Space, s.format
	x.base = x.baseOf(t.Attr)
	if t.Name.Local == "RDF" {
		x.space = "http://purl.org/rss/1.0/" // of all below
	}
	return nil
}

func (x *xmlReader) isDate(name string) bool {
	return slices.Contains(x.dates, name)
}

// atomLink takes the link to the page itself: that without a rel, or an alternate (RFC 4287 section 4.2.7.2).
func (x *xmlReader) atomLink(attrs []xml.Attr) {
	if rel, href := relAndHref(attrs); rel == "alternate" && x.entry.Loc == "" {
		x.entry.Loc, x.entry.Bases[2] = href, x.baseOf(attrs)
	}
}

// isFeedLink reports whether an element that opens is a link of the feed itself: of Atom, whose elements feeds of RSS use for it.
func (x *xmlReader) isFeedLink(name xml.Name) bool {
	switch x.format {
	case Atom:
		return x.depth == 2 && name == (xml.Name{Space: x.space, Local: x.loc})
	case RSS:
		return x.depth == 3 && !x.open && name == (xml.Name{Space: "http://www.w3.org/2005/Atom", Local: "link"})
	}
	return false
}

// nextLink hands over the link of a feed to its next part, or to the archive before it, which has the entries that do not stand in
// this one (RFC 5005 sections 3 and 4).
func (x *xmlReader) nextLink(attrs []xml.Attr) error {
	rel, href := relAndHref(attrs)
	if rel != "next" && rel != "prev-archive" {
		return nil
	}
	return x.parser.entry(Entry{Loc: href, Next: true, Bases: [3]string{x.base, "", x.baseOf(attrs)}})
}

func relAndHref(attrs []xml.Attr) (rel, href string) {
	rel = "alternate"
	for _, a := range attrs {
		switch a.Name {
		case xml.Name{Local: "rel"}:
			rel = a.Value
		case xml.Name{Local: "href"}:
			href = strings.TrimSpace(a.Value)
		}
	}
	return rel, href
}

// baseOf returns what the URLs of an element are relative to, if that is said (RFC 4287 section 2). It is of Atom alone: the URLs
// of the other formats are whole.
func (x *xmlReader) baseOf(attrs []xml.Attr) string {
	for _, a := range attrs {
		if x.format == Atom && a.Name == (xml.Name{Space: "http://www.w3.org/XML/1998/namespace", Local: "base"}) {
			return strings.TrimSpace(a.Value)
		}
	}
	return ""
}

// guid is the element of RSS that names an item, by its address if nothing else is said (RSS 2.0, element guid).
const guid = "guid"

func isPermalink(attrs []xml.Attr) bool {
	for _, a := range attrs {
		if a.Name.Local == "isPermaLink" {
			return strings.EqualFold(strings.TrimSpace(a.Value), "true")
		}
	}
	return true
}

func (x *xmlReader) end() error {
	defer func() { x.depth-- }()
	switch {
	case x.open && x.depth == x.shape.depth:
		x.open = false
		if x.entry.Loc == "" && isURL(x.guid) {
			x.entry.Loc = x.guid
		}
		return x.parser.entry(x.entry)
	case x.field == "" || x.depth != x.shape.depth+1:
	case x.field == x.loc:
		x.entry.Loc, x.field = strings.TrimSpace(string(x.text)), ""
	case x.field == guid:
		x.guid, x.field = strings.TrimSpace(string(x.text)), ""
	case x.field == changefreq:
		x.entry.Every, x.field = frequencies[strings.ToLower(strings.TrimSpace(string(x.text)))], ""
	default:
		x.entry.LastMod, x.field = parseDate(string(x.text)), ""
	}
	return nil
}
