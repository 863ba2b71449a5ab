package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// What a tree is made of, in bytes. A tag counts for itself and the text behind it; an end tag may make an element too.
const (
	nodeCost   = 112          // an html.Node
	tagCost    = 2 * nodeCost // an element and a text
	cloneCost  = nodeCost     // a formatting element that is rebuilt
	attrCost   = 160          // an html.Attribute in a grown slice, and the tokenizer's notes of it
	cloneAttr  = 48           // an html.Attribute
	textCost   = 3            // per byte of the page: a text, while it grows
	tokenCost  = 4            // per byte of the longest token, for which the tokenizer's buffer grows
	depthCost  = 4            // per open element that is not special, at each tag: time to look through them, at a price
	parserCost = 16 << 10     // buffers, and elements that tags of tables imply
)

// maxRebuilt is how many formatting elements may be waiting to be rebuilt. More would exceed maxDepth where they are.
const maxRebuilt = maxDepth

// maxBlocks is how many elements the adoption agency algorithm takes out of a formatting element at its end tag; with more
// than that inside, the formatting element stays active.
const maxBlocks = 8

// A weigher bounds the memory of a page's tree from its tags, in one pass over the bytes and never too low.
//
// What makes that hard is one rule of the HTML standard (section 13.2.4.3): formatting elements, as b and a, that are still
// active when the element around them ends are rebuilt, attributes and all, before the next text or inline element. So each
// tag may cost as many elements as are active. An end tag makes a formatting element inactive only if the parser finds it
// in scope and not too many blocks in between, and what is in scope and between depends in turn on the end tags that the
// parser ignores. The weigher therefore keeps a stack of open elements like the parser's, but takes an element off only
// where the parser is certain to do so too: an end tag ends the innermost element that is not formatting, or nothing.
// Whatever stays too long on the stack only adds to the weight.
type weigher struct {
	scan scanner
	cost int64

	open    []opened
	active  int      // formatting elements in open
	clone   int64    // cost of the dearest of them
	depth   [][]byte // names of open elements that are neither formatting nor special, maxDepth at most
	longest int      // token

	rootAttrs                   int // attributes of html and body tags
	frameset, template, columns bool
}

// An opened is an element that is open as far as the weigher knows.
type opened struct {
	tag  atom.Atom
	role role
}

// weigh returns an upper bound of the memory that parsing text into a tree takes, and whether it is known to be within
// limit.
func weigh(text []byte, limit int64) (int64, bool) {
	w := weigher{scan: scanner{buf: text}, cost: textCost*int64(len(text)) + parserCost}
	for {
		t, known := w.next()
		total := w.cost + int64(w.longest)*tokenCost
		if !known || total > limit {
			return total, false
		}
		if t == eof {
			return total, true
		}
	}
}

// next takes account of the next token and reports whether the weight is still known.
func (w *weigher) next() (t token, known bool) {
	s := &w.scan
	pos, raw, lost := s.pos, s.raw != 0, s.foreign.lost
	t = s.next()
	w.longest = max(w.longest, len(s.text), s.pos-pos-len(s.text))
	w.cost += int64(w.active)*w.clone + int64(len(w.depth))*depthCost
	if raw && lost > 0 && bytes.IndexByte(s.text, '<') >= 0 {
		return t, false // raw text for us, perhaps tags for the parser
	}
	switch t {
	case startTag:
		return t, w.start()
	case endTag:
		w.end(lost)
	case other:
		w.cost += tagCost
		return t, s.foreign.lost == 0 || !bytes.HasPrefix(s.buf[pos+len(s.text):], []byte("<![CDATA["))
	}
	return t, true
}

func (w *weigher) start() bool {
	s, tag := &w.scan, w.scan.tag
	w.cost += tagCost + int64(s.nattr)*attrCost
	if s.alien && (s.empty || len(s.foreign.open) > 1) {
		return true
	}
	switch r := roleOf(tag); r {
	case formatting:
		if tag == atom.A { // ends the one before
			w.close(atom.A)
		}
		w.active++
		w.clone = max(w.clone, cloneCost+cloneAttr*int64(s.nattr))
		w.open = append(w.open, opened{tag, r})
	case plain:
		if len(w.depth) < maxDepth {
			w.depth = append(w.depth, s.name)
		}
	case block, barrier:
		w.open = append(w.open, opened{tag, r})
	case root: // the parser goes through all attributes the element has got so far
		w.rootAttrs += s.nattr
		if s.nattr > 0 {
			w.cost += int64(w.rootAttrs) * attrCost
		}
	}
	return w.active <= maxRebuilt && !w.ignored(tag)
}

// ignored reports whether the parser may ignore a start tag of that name, and then read what follows in another way.
func (w *weigher) ignored(tag atom.Atom) bool {
	switch tag {
	case atom.Frameset:
		w.frameset = true
	case atom.Col:
		w.columns = true
	case atom.Template:
		w.template = true
		return w.scan.foreign.inside() || w.scan.foreign.lost > 0 // x/net/html then ignores the rest of the page
	case atom.Svg, atom.Math, atom.Noscript:
		return w.frameset || w.template && w.columns
	}
	return false
}

// end takes account of an end tag. lost is what was known of foreign content before it.
func (w *weigher) end(lost int) {
	w.cost += tagCost
	s, tag := &w.scan, w.scan.tag
	if s.alien && s.foreign.lost == lost {
		if !s.foreign.inside() {
			w.remove(len(w.open) - 1) // the svg or math; nothing is put above it
		}
		return
	}
	switch roleOf(tag) {
	case plain:
		if n := len(w.depth) - 1; n >= 0 && bytes.EqualFold(w.depth[n], s.name) {
			w.depth = w.depth[:n]
		}
	case formatting:
		w.close(tag)
	case block, barrier:
		if i := w.innermost(); i >= 0 && w.open[i].tag == tag && tag != atom.Form && tag != atom.Template {
			w.remove(i)
		}
	}
}

// innermost returns the index of the innermost open element that is not formatting, -1 if there is none.
func (w *weigher) innermost() int {
	i := len(w.open) - 1
	for i >= 0 && w.open[i].role == formatting {
		i--
	}
	return i
}

// close takes the innermost formatting element of that name off the stack, if its end tag would, and counts what the
// adoption agency algorithm builds for each block inside it.
func (w *weigher) close(tag atom.Atom) {
	blocks := 0
	for i := len(w.open) - 1; i >= 0; i-- {
		o := w.open[i]
		found := o.role == formatting && o.tag == tag
		if o.role == block {
			blocks++
		}
		if !found && o.role != barrier && blocks < maxBlocks {
			continue
		}
		w.cost += int64(blocks) * int64(w.active) * w.clone
		if found {
			w.active--
			w.remove(i)
		}
		return
	}
}

func (w *weigher) remove(i int) { w.open = append(w.open[:i], w.open[i+1:]...) }

// A role is what an element means to the weigher.
type role uint8

const (
	plain      role = iota // none of these
	void                   // never open when another tag comes
	formatting             // put on the list of active formatting elements
	block                  // special: may part a formatting element from its end tag
	barrier                // hides formatting elements outside it from end tags inside it
	root                   // merged into the one there is
)

func roleOf(tag atom.Atom) role {
	switch tag {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike,
		atom.Strong, atom.Tt, atom.U:
		return formatting
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Button, atom.Center, atom.Colgroup, atom.Dd,
		atom.Details, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer,
		atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Li, atom.Listing,
		atom.Main, atom.Menu, atom.Nav, atom.Noscript, atom.Ol, atom.P, atom.Plaintext, atom.Pre, atom.Section,
		atom.Summary, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr, atom.Ul:
		return block
	case atom.Applet, atom.Caption, atom.Marquee, atom.Math, atom.Object, atom.Select, atom.Svg, atom.Table, atom.Td,
		atom.Template, atom.Th:
		return barrier
	case atom.Html, atom.Body:
		return root
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Br, atom.Col, atom.Embed, atom.Frame, atom.Frameset,
		atom.Head, atom.Hr, atom.Iframe, atom.Img, atom.Input, atom.Keygen, atom.Link, atom.Meta, atom.Noembed,
		atom.Noframes, atom.Param, atom.Script, atom.Source, atom.Style, atom.Textarea, atom.Title, atom.Track, atom.Wbr, atom.Xmp:
		return void
	}
	return plain
}
