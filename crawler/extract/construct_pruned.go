package extract

import (
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// How much of a pruned tree is in memory. When it is full, the gatherer takes what it tells, and it begins anew.
const (
	prunedElements = 256
	prunedBytes    = 64 << 10 // of attributes
)

// A pruned tree has the elements of a page that tell something, with the attributes that tell it, and what is around them as
// far as it matters: html, head, noscript, body. They are selected from it as from a full one.
type pruned struct {
	gather func(*goquery.Document)

	document, root, head, body html.Node
	noscript                   *html.Node // in the head, if that is where we are

	elements []html.Node      // a slab of prunedElements
	attrs    []html.Attribute // a slab, with room for maxPicked of each
	bytes    int
}

// maxPicked is how many attributes of an element tell something, at most.
const maxPicked = 3

func newPruned() *pruned {
	return &pruned{
		elements: make([]html.Node, 0, prunedElements),
		attrs:    make([]html.Attribute, 0, prunedElements*maxPicked),
	}
}

// A place is where in a document an element stands.
type place uint8

const (
	inBody place = iota
	inHead       // or in a noscript in the head
)

// plant makes the tree empty.
func (p *pruned) plant() {
	p.document = html.Node{Type: html.DocumentNode}
	p.root = html.Node{Type: html.ElementNode, DataAtom: atom.Html, Data: "html"}
	p.head = html.Node{Type: html.ElementNode, DataAtom: atom.Head, Data: "head"}
	p.body = html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	p.document.AppendChild(&p.root)
	p.root.AppendChild(&p.head)
	p.root.AppendChild(&p.body)
	if p.noscript != nil {
		p.enterNoscript()
	}
	clear(p.elements)
	clear(p.attrs)
	p.elements, p.attrs, p.bytes = p.elements[:0], p.attrs[:0], 0
}

func (p *pruned) enterNoscript() {
	p.noscript = &html.Node{Type: html.ElementNode, DataAtom: atom.Noscript, Data: "noscript"}
	p.head.AppendChild(p.noscript)
}

func (p *pruned) leaveNoscript() { p.noscript = nil }

// flush hands the tree to the gatherer and begins anew.
func (p *pruned) flush() {
	p.gather(goquery.NewDocumentFromNode(&p.document))
	p.plant()
}

// add puts an element with what tells something of the attributes in raw, which ends with the '>' of its tag.
func (p *pruned) add(tag atom.Atom, namespace string, raw []byte, where place) {
	n := p.element(tag, namespace)
	n.Attr = p.pick(tag, namespace, raw)
	if len(n.Attr) == 0 {
		p.elements = p.elements[:len(p.elements)-1]
		return
	}
	p.append(n, where)
}

// html puts the attributes of an html tag, unless there were any.
func (p *pruned) html(raw []byte) {
	if len(p.root.Attr) == 0 {
		p.root.Attr = p.pick(atom.Html, "", raw)
	}
}

// title puts a title with that text.
func (p *pruned) title(text string, where place) {
	n := p.element(atom.Title, "")
	if text != "" {
		p.bytes += len(text)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: text})
	}
	p.append(n, where)
}

func (p *pruned) append(n *html.Node, where place) {
	parent := &p.body
	if where == inHead {
		parent = &p.head
		if p.noscript != nil {
			parent = p.noscript
		}
	}
	parent.AppendChild(n)
	if len(p.elements) == prunedElements || p.bytes >= prunedBytes {
		p.flush()
	}
}

// element takes an empty element from the slab.
func (p *pruned) element(tag atom.Atom, namespace string) *html.Node {
	p.elements = append(p.elements, html.Node{Type: html.ElementNode, DataAtom: tag, Data: tag.String(), Namespace: namespace})
	return &p.elements[len(p.elements)-1]
}

// pick returns the attributes in raw that a gatherer asks for, the first of each name.
func (p *pruned) pick(tag atom.Atom, namespace string, raw []byte) []html.Attribute {
	start := len(p.attrs)
	for i := skipSpace(raw, 0); i < len(raw) && raw[i] != '>'; i = skipSpace(raw, i) {
		key, val, next := nextAttr(raw, i)
		i = next
		wanted, space := telltale(tag, namespace, key)
		if wanted == "" || hasAttr(p.attrs[start:], wanted, space) {
			continue
		}
		p.attrs = append(p.attrs, html.Attribute{Namespace: space, Key: wanted, Val: unescapeAttr(val)})
		p.bytes += len(val)
	}
	return p.attrs[start:len(p.attrs):len(p.attrs)]
}

func hasAttr(attrs []html.Attribute, key, namespace string) bool {
	for i := range attrs {
		if attrs[i].Key == key && attrs[i].Namespace == namespace {
			return true
		}
	}
	return false
}

// telltale returns the name, and the namespace of it, that key is for an element that a gatherer looks at; "" if it does not ask
// for that one.
func telltale(tag atom.Atom, namespace string, key []byte) (name, space string) {
	if namespace == "svg" && equalFold(key, "xlink:href") {
		return "href", "xlink"
	}
	for _, name := range tellingAttrs(tag) {
		if equalFold(key, name) {
			return name, ""
		}
	}
	return "", ""
}

// tellingAttrs returns the attributes that a gatherer asks an element for.
func tellingAttrs(tag atom.Atom) []string {
	switch tag {
	case atom.A, atom.Area:
		return anchorAttrs[:]
	case atom.Link:
		return linkAttrs[:]
	case atom.Base:
		return anchorAttrs[:1]
	case atom.Frame, atom.Iframe:
		return frameAttrs[:]
	case atom.Meta:
		return metaAttrs[:]
	case atom.Html:
		return htmlAttrs[:]
	}
	return nil
}

var (
	anchorAttrs = [...]string{"href", "rel"}
	linkAttrs   = [...]string{"href", "rel", "type"}
	frameAttrs  = [...]string{"src", "srcdoc"}
	metaAttrs   = [...]string{"name", "property", "content", "http-equiv"}
	htmlAttrs   = [...]string{"lang", "xml:lang"}
)
