package extract

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// An activeElement is an entry of the list of active formatting elements (HTML standard, section 13.2.4.3): what is opened again
// where it was closed before its end tag.
type activeElement struct {
	id    int // of the open element; 0 for a marker
	tag   atom.Atom
	attrs []byte // as written
	tells bool   // is a link
}

func (e *activeElement) isMarker() bool { return e.id == 0 }

// maxFamily is how many active elements of a name there may be between markers before attributes would have to be compared: the
// "Noah's Ark clause".
const maxFamily = 3

// indexOfActive returns where the last active element of that name is, after the last marker; -1 if there is none.
func (c *construction) indexOfActive(tag atom.Atom) int {
	for i := len(c.active) - 1; i >= 0 && !c.active[i].isMarker(); i-- {
		c.open.steps++
		if c.active[i].tag == tag {
			return i
		}
	}
	return -1
}

// indexOfActiveID returns where the active element with that id is, -1 when it is not active.
func (c *construction) indexOfActiveID(id int) int {
	c.open.steps += len(c.active)
	return slices.IndexFunc(c.active, func(e activeElement) bool { return e.id == id })
}

func (c *construction) deactivate(i int) { c.active = slices.Delete(c.active, i, i+1) }

// mark hides the active elements so far from what follows.
func (c *construction) mark() { c.active = append(c.active, activeElement{}) }

// unmark ends what the last marker began.
func (c *construction) unmark() {
	for i := len(c.active) - 1; i >= 0; i-- {
		if c.active[i].isMarker() {
			c.active = c.active[:i]
			return
		}
	}
	c.doubt = doubtFormatting
}

// reconstruct opens the active elements again that are not open.
func (c *construction) reconstruct() {
	first := len(c.active)
	for first > 0 && !c.active[first-1].isMarker() && c.open.index(c.active[first-1].id) < 0 {
		first--
	}
	for i := first; i < len(c.active); i++ {
		e := &c.active[i]
		e.id = c.push(openElement{tag: e.tag})
		if e.tells {
			c.tells.add(e.tag, "", e.attrs, inBody)
		}
	}
}

// startFormatting opens a formatting element.
func (c *construction) startFormatting() {
	s := &c.scan
	family := 0
	for i := len(c.active) - 1; i >= 0 && !c.active[i].isMarker(); i-- {
		if c.active[i].tag == s.tag {
			family++
		}
	}
	if family >= maxFamily {
		c.doubt = doubtFormatting
		return
	}
	e := activeElement{id: c.push(openElement{tag: s.tag}), tag: s.tag, attrs: s.attrs}
	if s.tag == atom.A {
		if _, e.tells = s.rawAttr("href"); e.tells {
			c.tells.add(s.tag, "", s.attrs, inBody)
		}
	}
	c.active = append(c.active, e)
}

// startLink opens an a element, of which there is only one at a time.
func (c *construction) startLink() {
	if i := c.indexOfActive(atom.A); i >= 0 {
		id := c.active[i].id
		c.endFormatting(atom.A)
		c.open.remove(id)
		if i := c.indexOfActiveID(id); i >= 0 {
			c.deactivate(i)
		}
	}
	c.reconstruct()
	c.startFormatting()
}

// maxAdoptions is how often the adoption agency algorithm begins anew.
const maxAdoptions = 8

// endFormatting is the adoption agency algorithm for an end tag: HTML standard, section 13.2.6.4.7, but for what it moves in the
// tree, which leaves the elements in the order of their tags.
func (c *construction) endFormatting(tag atom.Atom) {
	if c.open.topIs(tag) && c.indexOfActiveID(c.open.top().id) < 0 {
		c.open.pop()
		return
	}
	for range maxAdoptions {
		at := c.indexOfActive(tag)
		if at < 0 {
			c.open.closeOrdinary(tag, nil)
			return
		}
		outer := c.open.index(c.active[at].id)
		if outer < 0 {
			c.deactivate(at)
			return
		}
		if c.open.inScope(defaultScope, tag) < 0 {
			return
		}
		block := slices.IndexFunc(c.open.stack[outer:], func(e openElement) bool { return isSpecial(e.tag) })
		if block < 0 {
			c.open.stack = c.open.stack[:outer]
			c.deactivate(at)
			return
		}
		if c.adopt(at, outer, outer+block); c.doubt != noDoubt {
			return
		}
	}
}

// adopt is one round of the algorithm for the active element at, which is open at outer and has the furthest block inside it.
func (c *construction) adopt(at, outer, block int) {
	if c.active[at].tells {
		c.doubt = doubtLink // it would be there twice, and its double not behind all that we have seen
		return
	}
	bookmark, moved := at, false
	for inner, x := 1, block-1; x > outer; inner, x = inner+1, x-1 {
		i := c.indexOfActiveID(c.open.stack[x].id)
		switch {
		case i < 0:
			c.open.stack = slices.Delete(c.open.stack, x, x+1)
			block--
		case c.active[i].tells:
			c.doubt = doubtLink
			return
		case inner > 3:
			c.deactivate(i)
			if i <= bookmark {
				bookmark--
			}
		default:
			if !moved {
				bookmark = i + 1
			}
			moved = true
		}
	}
	at = c.indexOfActiveID(c.open.stack[outer].id)
	double := c.active[at]
	if at < bookmark {
		bookmark--
	}
	c.deactivate(at)
	c.open.stack = slices.Delete(c.open.stack, outer, outer+1)
	double.id = c.open.insert(block, openElement{tag: double.tag}) // where the block was before, it is after now
	c.active = slices.Insert(c.active, bookmark, double)
}
