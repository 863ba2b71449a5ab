package extract

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// startInTable takes a start tag in a table: HTML standard, sections 13.2.6.4.9 to 13.2.6.4.15.
func (c *construction) startInTable() {
	tag := c.scan.tag
	for again := true; again; {
		switch c.mode {
		case inTable:
			again = c.startInTableItself(tag)
		case inColumnGroup:
			again = c.startInColumnGroup(tag)
		case inTableBody:
			again = c.startInTableBody(tag)
		case inRow:
			again = c.startInRow(tag)
		case inCell, inCaption:
			again = c.startInCell(tag)
		default:
			c.startInBody()
			return
		}
	}
}

// startInTableItself takes a start tag directly in a table, and reports whether it has to be taken in another mode.
func (c *construction) startInTableItself(tag atom.Atom) (again bool) {
	o := &c.open
	switch tag {
	case atom.Caption:
		o.clearTo(atom.Table)
		c.mark()
		c.push(openElement{tag: tag})
		c.mode = inCaption
	case atom.Colgroup, atom.Col:
		o.clearTo(atom.Table)
		c.push(openElement{tag: atom.Colgroup})
		c.mode = inColumnGroup
		return tag == atom.Col
	case atom.Tbody, atom.Tfoot, atom.Thead:
		o.clearTo(atom.Table)
		c.push(openElement{tag: tag})
		c.mode = inTableBody
	case atom.Td, atom.Th, atom.Tr:
		o.clearTo(atom.Table)
		c.push(openElement{tag: atom.Tbody})
		c.mode = inTableBody
		return true
	case atom.Table:
		if o.popUntil(tableScope, atom.Table) {
			c.resetMode()
			return true
		}
	case atom.Style, atom.Script:
		c.void()
		c.raw()
	case atom.Input:
		if kind, _ := c.scan.attr("type"); !strings.EqualFold(kind, "hidden") {
			c.doubt = doubtFoster
		}
		c.void()
	case atom.Form:
		if c.form == 0 {
			c.form = c.push(openElement{tag: tag})
			o.pop()
		}
	case atom.Template:
		c.doubt = doubtTemplate
	default:
		c.doubt = doubtFoster
	}
	return false
}

func (c *construction) startInColumnGroup(tag atom.Atom) (again bool) {
	switch tag {
	case atom.Html:
		c.html()
	case atom.Col:
		c.void()
	case atom.Template:
		c.doubt = doubtTemplate
	default:
		return c.leave(inTable)
	}
	return false
}

// leave closes the innermost element, and what was in it is taken in another mode.
func (c *construction) leave(m mode) (again bool) {
	c.open.pop()
	c.mode = m
	return true
}

func (c *construction) startInTableBody(tag atom.Atom) (again bool) {
	o := &c.open
	switch tag {
	case atom.Tr:
		o.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
		c.push(openElement{tag: tag})
		c.mode = inRow
		return false
	case atom.Td, atom.Th:
		o.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
		c.push(openElement{tag: atom.Tr})
		c.mode = inRow
		return true
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
		if o.popUntil(tableScope, atom.Tbody, atom.Thead, atom.Tfoot) {
			c.mode = inTable
			return true
		}
		return false
	}
	return c.startInTableItself(tag)
}

func (c *construction) startInRow(tag atom.Atom) (again bool) {
	o := &c.open
	switch tag {
	case atom.Td, atom.Th:
		o.clearTo(atom.Tr)
		c.push(openElement{tag: tag})
		c.mark()
		c.mode = inCell
		return false
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
		return c.closeRow()
	}
	return c.startInTableItself(tag)
}

// closeRow ends a row and reports whether there is one.
func (c *construction) closeRow() bool {
	if c.open.inScope(tableScope, atom.Tr) < 0 {
		return false
	}
	c.open.clearTo(atom.Tr)
	return c.leave(inTableBody)
}

// startInCell takes a start tag in a cell or in a caption.
func (c *construction) startInCell(tag atom.Atom) (again bool) {
	switch tag {
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Thead, atom.Tr:
		return c.closeCell()
	case atom.Th:
		if c.mode == inCell {
			return c.closeCell()
		}
	}
	c.startInBody()
	return false
}

// closeCell ends a cell, or a caption, and reports whether there is one.
func (c *construction) closeCell() bool {
	if c.mode == inCaption {
		if !c.open.popUntil(tableScope, atom.Caption) {
			return false
		}
		c.mode = inTable
	} else {
		if !c.open.popUntil(tableScope, atom.Td, atom.Th) {
			return false
		}
		c.mode = inRow
	}
	c.unmark()
	return true
}

// endInTable takes an end tag in a table.
func (c *construction) endInTable() {
	tag := c.scan.tag
	for again := true; again; {
		switch c.mode {
		case inTable:
			again = c.endInTableItself(tag)
		case inColumnGroup:
			again = c.endInColumnGroup(tag)
		case inTableBody:
			again = c.endInTableBody(tag)
		case inRow:
			again = c.endInRow(tag)
		case inCaption:
			again = c.endInCaption(tag)
		case inCell:
			again = c.endInCell(tag)
		default:
			c.endInBody()
			return
		}
	}
}

// endInTableItself takes an end tag directly in a table, and reports whether it has to be taken in another mode.
func (c *construction) endInTableItself(tag atom.Atom) (again bool) {
	switch tag {
	case atom.Table:
		if c.open.popUntil(tableScope, atom.Table) {
			c.resetMode()
		}
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr,
		atom.Template:
		// ignored
	case atom.P, atom.Br: // make one
		c.doubt = doubtFoster
	default:
		c.endInBody()
	}
	return false
}

func (c *construction) endInColumnGroup(tag atom.Atom) (again bool) {
	switch tag {
	case atom.Colgroup:
		c.leave(inTable)
		return false
	case atom.Col, atom.Template:
		return false
	}
	return c.leave(inTable)
}

func (c *construction) endInTableBody(tag atom.Atom) (again bool) {
	o := &c.open
	switch tag {
	case atom.Tbody, atom.Tfoot, atom.Thead:
		if o.inScope(tableScope, tag) >= 0 {
			o.clearTo(atom.Tbody, atom.Tfoot, atom.Thead)
			c.leave(inTable)
		}
		return false
	case atom.Table:
		if o.popUntil(tableScope, atom.Tbody, atom.Thead, atom.Tfoot) {
			c.mode = inTable
			return true
		}
		return false
	}
	return c.endInTableItself(tag)
}

func (c *construction) endInRow(tag atom.Atom) (again bool) {
	switch tag {
	case atom.Tr:
		c.closeRow()
		return false
	case atom.Table:
		return c.closeRow()
	case atom.Tbody, atom.Tfoot, atom.Thead:
		return c.open.inScope(tableScope, tag) >= 0 && c.closeRow()
	}
	return c.endInTableItself(tag)
}

func (c *construction) endInCaption(tag atom.Atom) (again bool) {
	switch tag {
	case atom.Caption:
		c.closeCell()
		return false
	case atom.Table:
		return c.closeCell()
	case atom.Body, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
		return false
	}
	c.endInBody()
	return false
}

func (c *construction) endInCell(tag atom.Atom) (again bool) {
	o := &c.open
	switch tag {
	case atom.Td, atom.Th:
		if o.popUntil(tableScope, tag) {
			c.unmark()
			c.mode = inRow
		}
		return false
	case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html:
		return false
	case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
		if o.inScope(tableScope, tag) < 0 {
			return false
		}
		if o.popUntil(tableScope, atom.Td, atom.Th) {
			c.unmark()
		}
		c.mode = inRow
		return true
	}
	c.endInBody()
	return false
}

// resetMode finds out where we are behind a table: HTML standard, "reset the insertion mode appropriately".
func (c *construction) resetMode() {
	for i := len(c.open.stack) - 1; i >= 0; i-- {
		c.open.steps++
		switch c.open.stack[i].tag {
		case atom.Td, atom.Th:
			c.mode = inCell
		case atom.Tr:
			c.mode = inRow
		case atom.Tbody, atom.Thead, atom.Tfoot:
			c.mode = inTableBody
		case atom.Caption:
			c.mode = inCaption
		case atom.Colgroup:
			c.mode = inColumnGroup
		case atom.Table:
			c.mode = inTable
		case atom.Body:
			c.mode = inBodyMode
		default:
			continue
		}
		return
	}
}
