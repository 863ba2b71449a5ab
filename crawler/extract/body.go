package extract

import (
	"bytes"
	"context"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What trees of pages take where nothing is rebuilt. "<p>" makes an element.
const (
	treePerByte = tagCost/3 + textCost
	treeOfAny   = 1 << 20
)

// body reads a page: by its tags if they decide what it tells, else as a tree. If that would take too much, roughly by its tags.
// The error is that of ctx, which ends only the wait for the budget.
func (x *Extractor) body(ctx context.Context, g *gatherer, src *source) error {
	if src.xml {
		return x.within(ctx, int64(src.textSize()), func() { g.rough(src.text(), true) })
	}
	if !x.treesOnly {
		decided := false
		err := x.within(ctx, int64(src.textSize()), func() {
			c := x.constructions.Get().(*construction)
			defer x.constructions.Put(c)
			decided = g.tags(c, src.text())
		})
		if err != nil || decided {
			return err
		}
	}
	limit := x.opt.MaxTree
	if src.transcode { // what the tree takes is known too late to wait for it
		limit = min(limit, int64(len(src.body))*treePerByte+treeOfAny)
		return x.within(ctx, int64(src.textSize())+limit, func() {
			text := src.text()
			_, ok := bound(text, limit)
			g.tree(text, ok)
		})
	}
	cost, ok := bound(src.body, limit)
	return x.within(ctx, cost, func() { g.tree(src.body, ok) })
}

// within calls f when the budget has room for it.
func (x *Extractor) within(ctx context.Context, bytes int64, f func()) error {
	bytes = min(bytes, x.opt.Budget)
	if err := x.budget.Acquire(ctx, bytes); err != nil {
		return err
	}
	defer x.budget.Release(bytes)
	f()
	return nil
}

// bound returns an upper bound of the memory that parsing text into a tree takes, if that is within limit.
func bound(text []byte, limit int64) (int64, bool) {
	if cost, ok := glance(text); ok && cost <= limit {
		return cost, true
	}
	if cost, ok := weigh(text, limit); ok {
		return cost, true
	}
	return 0, false
}

// tags reads a page by its tags and reports whether they decide what it tells. If not, nothing has been read.
func (g *gatherer) tags(c *construction, text []byte) bool {
	before, page := *g, *g.page
	if c.construct(text, g.document) == noDoubt {
		return true
	}
	*g.page = page
	*g = before
	return false
}

// tree reads a page as a tree if it may be one and the parser can make it one, else roughly.
func (g *gatherer) tree(text []byte, may bool) {
	if !may {
		g.note(NoteTree)
		g.rough(text, false)
		return
	}
	root, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		g.note(NoteDepth)
		g.rough(text, false)
		return
	}
	g.document(goquery.NewDocumentFromNode(root))
}

// document takes what a document, or a part of it, tells.
func (g *gatherer) document(doc *goquery.Document) {
	for _, n := range doc.FindMatcher(telling{}).Nodes {
		g.element((*node)(n), isInHead(n))
	}
}

// isInHead reports whether an element is a child of the head, or of a noscript in it.
func isInHead(n *html.Node) bool {
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
