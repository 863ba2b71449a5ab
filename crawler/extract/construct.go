package extract

import (
	"bytes"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A construction reads a page as the tree construction of the HTML standard (section 13.2.6) does, with its stack of open
// elements and its list of active formatting elements, but builds no tree: it hands the elements that tell something to a
// pruned one, in the order in which they would be in the tree. It knows the rules of a document's head, body and tables. As
// soon as anything else is called for, it is in doubt, and what it has handed over is void.
type construction struct {
	scan  scanner
	mode  mode
	tells *pruned

	open     openElements
	active   []activeElement
	form     int    // id of the form that fields belong to; 0 if none
	doctype  []byte // as written; nil if there was none before anything else
	quirky   *bool  // what isQuirky found out
	rooted   bool   // there has been an html tag, written or implied
	maxSteps int
	doubt    doubt
}

// A mode is an insertion mode: HTML standard, section 13.2.4.1. What the standard tells apart before the html tag and after
// the body is one here: it makes no difference to what tells something.
type mode uint8

const (
	beforeHead mode = iota
	inHeadMode
	inHeadNoscript
	afterHead
	inBodyMode
	inTable
	inCaption
	inColumnGroup
	inTableBody
	inRow
	inCell
)

// A doubt is why tags do not decide what a page tells.
type doubt uint8

const (
	noDoubt         doubt = iota
	doubtNUL              // a NUL is dropped in one place and replaced in another
	doubtDepth            // as many elements are open as the parser takes
	doubtSteps            // the stack is so deep that looking through it takes time out of proportion
	doubtReference        // a character reference that may stand for white space, where that matters
	doubtDoctype          // a long one
	doubtRoot             // attributes of a second html tag
	doubtTitle            // a long one
	doubtFrame            // frames and framesets
	doubtTemplate         // templates
	doubtFoster           // in a table, but in none of its cells: it is moved before the table
	doubtForeign          // HTML in SVG or MathML, or the end of HTML elements there
	doubtLink             // a link that is parted by the blocks inside it, so that it is there twice
	doubtFormatting       // more equal formatting elements than are opened again
)

var doubtNames = [...]string{
	"none", "nul", "depth", "steps", "reference", "doctype", "root", "title",
	"frame", "template", "foster", "foreign", "link", "formatting",
}

func (d doubt) String() string { return doubtNames[d] }

// What a construction goes into before the tree is the better judge.
const (
	maxOpen      = maxDepth - 2 // open elements; the parser opens some that are closed at once
	maxDoctype   = 1 << 10      // bytes
	stepsPerByte = 4            // open elements looked through
	stepsOfAny   = 256 << 10
)

// newConstruction returns one that can be used again and again, as long as nobody uses it meanwhile.
func newConstruction() *construction {
	return &construction{tells: newPruned(), open: openElements{stack: make([]openElement, 0, 64)}}
}

// reset forgets a page, but keeps the memory that reading it took.
func (c *construction) reset() {
	clear(c.open.stack)
	clear(c.active)
	c.tells.noscript, c.tells.gather = nil, nil
	c.tells.plant()
	*c = construction{tells: c.tells, open: openElements{stack: c.open.stack[:0]}, active: c.active[:0]}
}

// construct reads a page by its tags, and returns why that does not do. What it has handed to gather is void then.
func (c *construction) construct(text []byte, gather func(*goquery.Document)) doubt {
	defer c.reset()
	c.scan.buf, c.tells.gather, c.maxSteps = text, gather, stepsOfAny+stepsPerByte*len(text)
	if bytes.IndexByte(text, 0) >= 0 {
		return doubtNUL
	}
	c.tells.plant()
	for c.doubt == noDoubt {
		pos := c.scan.pos
		t := c.scan.next()
		c.token(t, pos)
		if t == eof {
			break
		}
	}
	if c.doubt == noDoubt {
		c.tells.flush()
	}
	return c.doubt
}

// token takes the next token and the text before it, which begins at pos. The text of a page passes here, with the elements
// around it known: whoever wants it for an index takes it from here.
func (c *construction) token(t token, pos int) {
	s := &c.scan
	if len(s.text) > 0 {
		c.text(s.text)
	}
	if c.doubt != noDoubt {
		return
	}
	switch t {
	case startTag:
		c.start()
	case endTag:
		c.end()
	case other:
		c.other(s.buf[pos+len(s.text) : s.pos])
	}
	if s.foreign.lost > 0 {
		c.doubt = doubtForeign
	}
	if c.open.steps > c.maxSteps {
		c.doubt = doubtSteps
	}
}

// push opens an element.
func (c *construction) push(e openElement) (id int) {
	if len(c.open.stack) >= maxOpen {
		c.doubt = doubtDepth
	}
	return c.open.push(e)
}

// void opens an element that is closed at once.
func (c *construction) void() {
	if len(c.open.stack) >= maxOpen {
		c.doubt = doubtDepth
	}
}

// raw skips the text of a raw element and its end tag.
func (c *construction) raw() { c.scan.next() }

// root opens the html element, if that has not been done.
func (c *construction) root() {
	if !c.rooted {
		c.rooted = true
		c.push(openElement{tag: atom.Html})
	}
}

// html takes an html tag. A second one adds to the attributes of the first.
func (c *construction) html() {
	s := &c.scan
	switch {
	case !c.rooted:
		c.root()
		c.tells.html(s.attrs)
	case s.nattr > 0:
		c.doubt = doubtRoot
	}
}

// text takes text, which is not empty.
func (c *construction) text(text []byte) {
	if c.open.foreign() {
		if isIntegrationPoint(c.open.top().name) && c.dangles() {
			c.doubt = doubtForeign
		}
		return
	}
	switch c.mode {
	case inBodyMode, inCaption, inCell:
		if c.dangles() {
			if c.open.topIs(atom.Pre) || c.open.topIs(atom.Listing) {
				c.doubt = doubtFormatting // unless it is the newline that is dropped there
			}
			c.reconstruct()
		}
		return
	}
	first := skipSpace(text, 0)
	if first == len(text) {
		return
	}
	switch c.mode {
	case inTable, inTableBody, inRow, inColumnGroup:
		c.doubt = doubtFoster
		return
	}
	switch text[first] {
	case '&':
		c.doubt = doubtReference
	default:
		c.startBody()
	}
}

// dangles reports whether there are active formatting elements that are not open.
func (c *construction) dangles() bool {
	n := len(c.active)
	return n > 0 && !c.active[n-1].isMarker() && c.open.index(c.active[n-1].id) < 0
}

// other takes a comment, doctype or the like. Comments are where they are and change nothing.
func (c *construction) other(markup []byte) {
	switch {
	case c.open.foreign():
		if bytes.HasPrefix(markup, []byte("<![CDATA[")) && c.dangles() {
			c.doubt = doubtForeign
		}
	case c.mode != beforeHead || c.rooted || c.doctype != nil:
	case len(markup) >= 9 && equalFold(markup[2:9], "doctype"):
		if c.doctype = markup; len(markup) > maxDoctype {
			c.doubt = doubtDoctype
		}
	}
}

// isQuirky reports whether the doctype, or that there is none, means quirks. The parser is asked, which has a list of them: in
// quirks mode a table stands in the paragraph before it.
func (c *construction) isQuirky() bool {
	if c.quirky == nil {
		q := c.askForQuirks()
		c.quirky = &q
	}
	return *c.quirky
}

func (c *construction) askForQuirks() bool {
	page := append(append([]byte{}, c.doctype...), "<p><table>"...)
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		c.doubt = doubtDoctype
		return false
	}
	for n := range root.Descendants() {
		if n.DataAtom == atom.Table {
			return n.Parent.DataAtom == atom.P
		}
	}
	return false
}

func (c *construction) start() {
	if c.open.foreign() {
		c.startForeign()
		return
	}
	switch c.mode {
	case beforeHead, inHeadMode, inHeadNoscript, afterHead:
		c.startInHead()
	case inBodyMode:
		c.startInBody()
	default:
		c.startInTable()
	}
}

func (c *construction) end() {
	if c.open.foreign() {
		c.endForeign()
		return
	}
	switch c.mode {
	case beforeHead, inHeadMode, inHeadNoscript, afterHead:
		c.endInHead()
	case inBodyMode:
		c.endInBody()
	default:
		c.endInTable()
	}
}
