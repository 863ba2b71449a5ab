package extract

import (
	"golang.org/x/net/html/atom"
)

// startInBody takes a start tag in the body: HTML standard, section 13.2.6.4.7.
func (c *construction) startInBody() {
	s, tag := &c.scan, c.scan.tag
	switch tag {
	case atom.Html:
		c.html()
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Title:
		c.headElement(tag, inBody)
	case atom.Template:
		c.doubt = doubtTemplate
	case atom.Frameset:
		c.doubt = doubtFrame
	case atom.Body, atom.Head, atom.Frame, atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th,
		atom.Thead, atom.Tr:
		// ignored
	case atom.A:
		c.startLink()
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		c.reconstruct()
		c.startFormatting()
	case atom.Nobr:
		c.reconstruct()
		if c.open.inScope(defaultScope, atom.Nobr) >= 0 {
			c.endFormatting(atom.Nobr)
			c.reconstruct()
		}
		c.startFormatting()
	case atom.Area, atom.Br, atom.Embed, atom.Img, atom.Image, atom.Keygen, atom.Wbr:
		c.reconstruct()
		if tag == atom.Area {
			c.tells.add(tag, "", s.attrs, inBody)
		}
		c.void()
	case atom.Param, atom.Source, atom.Track:
		c.void()
	case atom.Iframe:
		c.tells.add(tag, "", s.attrs, inBody)
		c.void()
		c.raw()
	case atom.Textarea, atom.Noembed:
		c.void()
		c.raw()
	case atom.Xmp:
		c.open.popUntil(buttonScope, atom.P)
		c.reconstruct()
		c.void()
		c.raw()
	case atom.Math, atom.Svg:
		c.startForeignRoot()
	case atom.Table:
		if c.open.inScope(buttonScope, atom.P) >= 0 && !c.isQuirky() {
			c.open.popUntil(buttonScope, atom.P)
		}
		c.push(openElement{tag: tag})
		c.mode = inTable
	default:
		c.startBlock(tag)
	}
}

// startBlock takes the start tag of what startInBody does not know: blocks, items and parts of forms.
func (c *construction) startBlock(tag atom.Atom) {
	o := &c.open
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir,
		atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main, atom.Menu,
		atom.Nav, atom.Ol, atom.P, atom.Search, atom.Section, atom.Summary, atom.Ul, atom.Pre, atom.Listing, atom.Plaintext:
		o.popUntil(buttonScope, atom.P)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		o.popUntil(buttonScope, atom.P)
		if isHeading(o.top().tag) {
			o.pop()
		}
	case atom.Form:
		if c.form != 0 {
			return
		}
		o.popUntil(buttonScope, atom.P)
		c.form = c.push(openElement{tag: tag})
		return
	case atom.Li:
		o.closeItem(atom.Li)
		o.popUntil(buttonScope, atom.P)
	case atom.Dd, atom.Dt:
		o.closeItem(atom.Dd, atom.Dt)
		o.popUntil(buttonScope, atom.P)
	case atom.Rb, atom.Rtc:
		if o.inScope(defaultScope, atom.Ruby) >= 0 {
			o.generateImpliedEndTags(0)
		}
	case atom.Rp, atom.Rt:
		if o.inScope(defaultScope, atom.Ruby) >= 0 {
			o.generateImpliedEndTags(atom.Rtc)
		}
	default:
		c.startPhrase(tag)
		return
	}
	c.push(openElement{tag: tag})
}

// startPhrase takes the start tag of what stands among text.
func (c *construction) startPhrase(tag atom.Atom) {
	o := &c.open
	switch tag {
	case atom.Hr:
		if o.inScope(buttonScope, atom.P) >= 0 {
			o.generateImpliedEndTags(atom.P)
			o.popUntil(defaultScope, atom.P)
		}
		if o.inScope(defaultScope, atom.Select) >= 0 {
			o.generateImpliedEndTags(0)
		}
		c.void()
		return
	case atom.Input:
		o.popUntil(defaultScope, atom.Select)
		c.reconstruct()
		c.void()
		return
	case atom.Button:
		if o.inScope(defaultScope, atom.Button) >= 0 {
			o.generateImpliedEndTags(0)
			o.popUntil(defaultScope, atom.Button)
		}
	case atom.Select:
		if o.popUntil(defaultScope, atom.Select) {
			return
		}
	case atom.Option, atom.Optgroup:
		except := atom.Optgroup
		if tag == atom.Optgroup {
			except = 0
		}
		if o.inScope(defaultScope, atom.Select) >= 0 {
			o.generateImpliedEndTags(except)
		} else if o.topIs(atom.Option) {
			o.pop()
		}
	}
	c.reconstruct()
	c.push(openElement{tag: tag, name: c.scan.name})
	switch tag {
	case atom.Applet, atom.Marquee, atom.Object:
		c.mark()
	}
}

func isHeading(tag atom.Atom) bool {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// endInBody takes an end tag in the body. What stands behind the end of the body is still in it.
func (c *construction) endInBody() {
	o, tag := &c.open, c.scan.tag
	switch tag {
	case atom.Body, atom.Html, atom.Template: // ignored
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Button, atom.Center, atom.Details, atom.Dialog,
		atom.Dir, atom.Div, atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup,
		atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Pre, atom.Search, atom.Section, atom.Select,
		atom.Summary, atom.Ul:
		o.popUntil(defaultScope, tag)
	case atom.Form:
		c.endForm()
	case atom.P:
		if !o.popUntil(buttonScope, atom.P) {
			c.void() // an empty one
		}
	case atom.Li:
		o.popUntil(listItemScope, atom.Li)
	case atom.Dd, atom.Dt:
		o.popUntil(defaultScope, tag)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		o.popUntil(defaultScope, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong,
		atom.Tt, atom.U:
		c.endFormatting(tag)
	case atom.Applet, atom.Marquee, atom.Object:
		if o.popUntil(defaultScope, tag) {
			c.unmark()
		}
	case atom.Br: // makes one
		c.reconstruct()
		c.void()
	default:
		o.closeOrdinary(tag, c.scan.name)
	}
}

// endForm ends the form that is being filled in, which need not be the innermost element.
func (c *construction) endForm() {
	form := c.form
	c.form = 0
	i := c.open.inScope(defaultScope, atom.Form)
	if form == 0 || i < 0 || c.open.stack[i].id != form {
		return
	}
	c.open.generateImpliedEndTags(0)
	c.open.remove(form)
}
