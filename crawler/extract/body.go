package extract

import (
	"bytes"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// body reads a page, as a tree if it may be one.
func (g *gatherer) body(text []byte, tree, xml bool) {
	switch {
	case tree && g.tree(text):
	case tree:
		g.note(NoteDepth)
		g.tags(text, false)
	default:
		if !xml {
			g.note(NoteTree)
		}
		g.tags(text, xml)
	}
}

// tree reads a page as a tree and reports whether the parser could make it one.
func (g *gatherer) tree(text []byte) bool {
	root, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return false
	}
	for _, n := range goquery.NewDocumentFromNode(root).FindMatcher(telling{}).Nodes {
		if n.DataAtom == atom.Title {
			if n.FirstChild != nil {
				g.title(n.FirstChild.Data)
			} else {
				g.title("")
			}
			continue
		}
		g.element(n.DataAtom, (*node)(n), inHead(n))
	}
	return true
}

// inHead reports whether an element is a child of the head, or of a noscript in it.
func inHead(n *html.Node) bool {
	p := n.Parent
	if p != nil && p.DataAtom == atom.Noscript {
		p = p.Parent
	}
	return p != nil && p.DataAtom == atom.Head
}

// telling is a goquery.Matcher of the elements that tell something, found in one walk. The content of a template is not
// part of the document, unless it is the shadow tree that the element around it shows.
type telling struct{}

// Match reports whether n tells something.
func (telling) Match(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return false
	}
	switch n.DataAtom {
	case atom.A: // those of SVG and MathML are links too
		return true
	case atom.Area, atom.Base, atom.Frame, atom.Html, atom.Iframe, atom.Link, atom.Meta, atom.Title:
		return n.Namespace == ""
	}
	return false
}

// MatchAll returns the telling elements among root and what is below it, in document order.
func (t telling) MatchAll(root *html.Node) []*html.Node {
	found := make([]*html.Node, 0, 64)
	for n := root; n != nil; {
		if t.Match(n) {
			found = append(found, n)
		}
		if n.FirstChild != nil && !isInert(n) {
			n = n.FirstChild
			continue
		}
		for n != root && n.NextSibling == nil {
			n = n.Parent
		}
		if n == root {
			break
		}
		n = n.NextSibling
	}
	return found
}

// isInert reports whether an element is a template whose content is not shown.
func isInert(n *html.Node) bool {
	if n.DataAtom != atom.Template || n.Namespace != "" {
		return false
	}
	mode, _ := (*node)(n).attr("shadowrootmode")
	return !isShadow(mode)
}

// Filter returns those nodes that tell something.
func (t telling) Filter(nodes []*html.Node) []*html.Node {
	var found []*html.Node
	for _, n := range nodes {
		if t.Match(n) {
			found = append(found, n)
		}
	}
	return found
}

// isShadow reports whether a template with that shadowrootmode is the shadow tree of the element around it.
func isShadow(mode string) bool {
	return strings.EqualFold(mode, "open") || strings.EqualFold(mode, "closed")
}

// A node is an element of the tree.
type node html.Node

func (n *node) attr(name string) (string, bool) {
	for i := range n.Attr {
		if a := &n.Attr[i]; a.Key == name && a.Namespace == "" {
			return a.Val, true
		}
	}
	if n.Namespace == "svg" && name == "href" {
		for i := range n.Attr {
			if a := &n.Attr[i]; a.Key == name && a.Namespace == "xlink" {
				return a.Val, true
			}
		}
	}
	return "", false
}

// tags reads a page by its tags.
func (g *gatherer) tags(text []byte, xml bool) {
	s := scanner{buf: text, xml: xml}
	head := true
	for t := s.next(); t != eof; {
		head = head && (s.inert > 0 || !startsBody(&s, t))
		switch {
		case t != startTag || s.inert > 0 || s.alien && s.tag != atom.A:
		case s.tag == atom.Title:
			t = s.next()
			g.title(html.UnescapeString(string(s.text[:min(len(s.text), maxRawTitle)])))
			continue
		default:
			g.element(s.tag, &s, head)
		}
		t = s.next()
	}
}

// maxRawTitle is how much of a title is looked at, white space and entities included.
const maxRawTitle = 64 << 10

// startsBody reports whether a token, or the text before it, ends the head of a document.
func startsBody(s *scanner, t token) bool {
	if raw := t == endTag && isRaw(s.tag); !raw && len(bytes.TrimLeft(s.text, space)) > 0 {
		return true
	}
	switch s.tag {
	case atom.Title, atom.Meta, atom.Link, atom.Base, atom.Script, atom.Style, atom.Noscript,
		atom.Template, atom.Noframes, atom.Basefont, atom.Bgsound, atom.Head:
		return false
	case atom.Html:
		return t == endTag
	case atom.Body, atom.Br:
		return t != other
	}
	return t == startTag
}
