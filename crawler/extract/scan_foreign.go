package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// foreign follows elements of SVG and MathML, where raw text does not exist and CDATA does. It knows where it is as long as
// nothing but such elements is inside them. Where HTML stands among them (by integration points, or by tags that break out
// of foreign content: HTML standard, section 13.2.6.5) it takes all of it for HTML, and remembers that it may be wrong.
type foreign struct {
	open [][]byte // names of the open elements, svg or math first
	lost int      // how often it has been unclear where we are
}

func (f *foreign) inside() bool { return len(f.open) > 0 }

// maxDepth is how many elements may be open in the tree parser of x/net/html.
const maxDepth = 512

// start takes notice of a start tag and reports whether it is one of foreign content.
func (f *foreign) start(s *scanner) bool {
	switch {
	case !f.inside() && s.tag != atom.Svg && s.tag != atom.Math:
		return false
	case f.inside() && (isIntegrationPoint(f.open[len(f.open)-1]) || breaksOut(s.tag)), s.unclear:
		f.lose()
		return false
	case len(f.open) == maxDepth:
		f.lose()
	case !s.empty:
		f.open = append(f.open, s.name)
	}
	return true
}

// end takes notice of an end tag, which closes the innermost element of its name.
func (f *foreign) end(name []byte) {
	if !f.inside() {
		return
	}
	for i := len(f.open) - 1; i >= 0; i-- {
		if bytes.EqualFold(f.open[i], name) {
			f.open = f.open[:i]
			return
		}
	}
	f.lose()
}

func (f *foreign) lose() {
	f.open = f.open[:0]
	f.lost++
}

// isIntegrationPoint reports whether HTML may stand in a foreign element. It does not look at encoding attributes.
func isIntegrationPoint(name []byte) bool {
	switch lookupTag(name) {
	case atom.Title, atom.Desc, atom.ForeignObject, atom.Foreignobject, atom.AnnotationXml,
		atom.Mi, atom.Mo, atom.Mn, atom.Ms, atom.Mtext:
		return true
	}
	return false
}

// breaksOut reports whether a start tag ends foreign content. (Of font some do; we cannot be bothered to tell which.)
func breaksOut(tag atom.Atom) bool {
	switch tag {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl, atom.Dt,
		atom.Em, atom.Embed, atom.Font, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I,
		atom.Img, atom.Li, atom.Listing, atom.Menu, atom.Meta, atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S,
		atom.Small, atom.Span, atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table, atom.Tt, atom.U, atom.Ul, atom.Var:
		return true
	}
	return false
}
