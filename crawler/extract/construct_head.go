package extract

import "golang.org/x/net/html/atom"

// startInHead takes a start tag before the body.
func (c *construction) startInHead() {
	tag := c.scan.tag
	switch {
	case tag == atom.Html:
		c.html()
		return
	case tag == atom.Frameset || tag == atom.Frame:
		c.doubt = doubtFrame
		return
	case tag == atom.Template:
		c.doubt = doubtTemplate
		return
	case tag == atom.Head && c.mode == beforeHead:
		c.startHead()
		return
	case tag == atom.Head: // there is one
		return
	}
	if c.mode == beforeHead {
		c.startHead()
	}
	switch {
	case c.mode == inHeadNoscript && c.startInNoscript(tag):
	case c.mode == inHeadMode && tag == atom.Noscript:
		c.void()
		c.mode = inHeadNoscript
		c.tells.enterNoscript()
	case !c.headElement(tag, inHead):
		c.startBody()
		if tag == atom.Body {
			return // it is the one
		}
		c.startInBody()
	}
}

// startInNoscript takes a start tag in a noscript of the head and reports whether it stands there.
func (c *construction) startInNoscript(tag atom.Atom) bool {
	switch tag {
	case atom.Noscript:
		return true // ignored
	case atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Style:
		return c.headElement(tag, inHead)
	}
	c.leaveNoscript()
	return false
}

func (c *construction) leaveNoscript() {
	c.mode = inHeadMode
	c.tells.leaveNoscript()
}

// headElement takes the start tag of an element that heads hold, and reports whether it is one.
func (c *construction) headElement(tag atom.Atom, where place) bool {
	s := &c.scan
	switch tag {
	case atom.Base, atom.Link, atom.Meta:
		c.tells.add(tag, "", s.attrs, where)
	case atom.Basefont, atom.Bgsound:
	case atom.Title:
		c.title(where)
	case atom.Script, atom.Style, atom.Noframes:
		c.raw()
	default:
		return false
	}
	c.void()
	return true
}

// title takes a title, its text and its end tag.
func (c *construction) title(where place) {
	c.scan.next()
	text := c.scan.text
	if len(text) > maxRawTitle {
		c.doubt = doubtTitle
		return
	}
	c.tells.title(rawTitle(text), where)
}

// startHead opens the head.
func (c *construction) startHead() {
	c.root()
	c.mode = inHeadMode
}

// startBody ends the head and opens the body.
func (c *construction) startBody() {
	c.root()
	c.tells.leaveNoscript()
	c.mode = inBodyMode
	c.push(openElement{tag: atom.Body})
}

// endInHead takes an end tag before the body.
func (c *construction) endInHead() {
	if c.doctype == nil {
		c.doctype = []byte{} // one that comes now is ignored
	}
	switch tag := c.scan.tag; {
	case c.mode == inHeadNoscript && tag == atom.Noscript:
		c.leaveNoscript()
	case c.mode == inHeadNoscript && tag != atom.Br: // ignored
	case tag == atom.Head && c.mode != afterHead:
		c.root()
		c.mode = afterHead
	case tag == atom.Body, tag == atom.Html, tag == atom.Br:
		c.startBody()
		c.endInBody()
	}
}
