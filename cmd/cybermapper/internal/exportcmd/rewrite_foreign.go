package exportcmd

import (
	"slices"

	"golang.org/x/net/html"
)

// foreign are the open elements of SVG and MathML in a page, outermost first. In them a tag may be closed where it is opened, no
// element has raw text, and CDATA is read (HTML standard, sections 13.2.5.42 and 13.2.6.5).
type foreign []string

// inside reports whether what comes next stands in foreign content, rather than in HTML, be it within such.
func (f foreign) inside() bool { return len(f) > 0 && !slices.Contains(integrationPoints, f[len(f)-1]) }

// start takes notice of a start tag and reports whether it is one of foreign content.
func (f *foreign) start(t html.Token) bool {
	switch {
	case t.Data == "svg", t.Data == "math":
	case !f.inside():
		return false
	case slices.Contains(breakouts, t.Data):
		*f = nil
		return false
	}
	if t.Type == html.StartTagToken && len(*f) < maxForeign {
		*f = append(*f, t.Data)
	}
	return true
}

// end takes notice of an end tag, which closes the innermost element of its name.
func (f *foreign) end(name string) {
	for i := len(*f) - 1; i >= 0; i-- {
		if (*f)[i] == name {
			*f = (*f)[:i]
			return
		}
	}
}

// maxForeign bounds the elements that are followed: as many as may be open in the tree of x/net/html.
const maxForeign = 512

// integrationPoints are the foreign elements in which HTML stands.
var integrationPoints = []string{"desc", "foreignobject", "title", "annotation-xml", "mi", "mn", "mo", "ms", "mtext"}

// breakouts are the elements of HTML whose start tag ends foreign content.
var breakouts = []string{
	"b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4", "h5",
	"h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s", "small", "span",
	"strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var",
}
