package extract

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// An openElement is an element on the stack of open elements: HTML standard, section 13.2.4.2.
type openElement struct {
	id        int // of this element alone
	tag       atom.Atom
	namespace string // "" for HTML
	name      []byte // as written
}

func (e *openElement) is(tag atom.Atom) bool { return e.tag == tag && e.namespace == "" }

// openElements is the stack of open elements, innermost last.
type openElements struct {
	stack []openElement
	next  int // id
	steps int // taken in looking through the stack
}

func (o *openElements) top() *openElement { return &o.stack[len(o.stack)-1] }

func (o *openElements) topIs(tag atom.Atom) bool { return o.top().is(tag) }

func (o *openElements) pop() { o.stack = o.stack[:len(o.stack)-1] }

func (o *openElements) push(e openElement) int {
	o.next++
	e.id = o.next
	o.stack = append(o.stack, e)
	return e.id
}

// index returns where the element with that id is, -1 when it is not open.
func (o *openElements) index(id int) int {
	for i := len(o.stack) - 1; i >= 0; i-- {
		o.steps++
		if o.stack[i].id == id {
			return i
		}
	}
	return -1
}

func (o *openElements) remove(id int) {
	if i := o.index(id); i >= 0 {
		o.stack = append(o.stack[:i], o.stack[i+1:]...)
	}
}

func (o *openElements) insert(i int, e openElement) int {
	id := o.push(e)
	copy(o.stack[i+1:], o.stack[i:])
	e.id = id
	o.stack[i] = e
	return id
}

// A scope says beyond which elements an end tag does not reach.
type scope uint8

const (
	defaultScope scope = iota
	listItemScope
	buttonScope
	tableScope
)

// inScope returns the index of the innermost element with one of the names, -1 when none is in scope.
func (o *openElements) inScope(s scope, tags ...atom.Atom) int {
	for i := len(o.stack) - 1; i >= 0; i-- {
		o.steps++
		e := &o.stack[i]
		if e.namespace != "" {
			continue // never below HTML, or the tree decides
		}
		if slices.Contains(tags, e.tag) {
			return i
		}
		if s.endsAt(e.tag) {
			return -1
		}
	}
	return -1
}

func (s scope) endsAt(tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Table:
		return true
	case atom.Applet, atom.Caption, atom.Td, atom.Th, atom.Marquee, atom.Object, atom.Select:
		return s != tableScope
	case atom.Ol, atom.Ul:
		return s == listItemScope
	case atom.Button:
		return s == buttonScope
	}
	return false
}

// popUntil closes the innermost element with one of the names, and all inside it, if one is in scope.
func (o *openElements) popUntil(s scope, tags ...atom.Atom) bool {
	i := o.inScope(s, tags...)
	if i >= 0 {
		o.stack = o.stack[:i]
	}
	return i >= 0
}

// clearTo closes everything inside the innermost element with one of the names, or html.
func (o *openElements) clearTo(tags ...atom.Atom) {
	for i := len(o.stack) - 1; i > 0; i-- {
		if e := &o.stack[i]; e.namespace == "" && slices.Contains(tags, e.tag) {
			return
		}
		o.pop()
	}
}

// generateImpliedEndTags closes elements whose end tags may be left out, but for those of one name.
func (o *openElements) generateImpliedEndTags(except atom.Atom) {
	for o.top().namespace == "" && o.top().tag != except {
		switch o.top().tag {
		case atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P, atom.Rb, atom.Rp, atom.Rt, atom.Rtc:
			o.pop()
		default:
			return
		}
	}
}

// closeItem closes the list item that the start tag of another ends: an element of one of the names, if nothing special is
// around the tag but div, address and p.
func (o *openElements) closeItem(tags ...atom.Atom) {
	for i := len(o.stack) - 1; i >= 0; i-- {
		o.steps++
		e := &o.stack[i]
		if slices.Contains(tags, e.tag) {
			o.stack = o.stack[:i]
			return
		}
		switch e.tag {
		case atom.Address, atom.Div, atom.P:
			continue
		}
		if isSpecial(e.tag) {
			return
		}
	}
}

// closeOrdinary closes the innermost element of the name of the end tag, unless something special is inside it.
func (o *openElements) closeOrdinary(tag atom.Atom, name []byte) {
	for i := len(o.stack) - 1; i >= 0; i-- {
		o.steps++
		e := &o.stack[i]
		if e.is(tag) && (tag != 0 || equalNames(e.name, name)) {
			o.stack = o.stack[:i]
			return
		}
		if isSpecial(e.tag) {
			return
		}
	}
}

// equalNames reports whether two names, as written, are the same.
func equalNames(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if lowerASCII(a[i]) != lowerASCII(b[i]) {
			return false
		}
	}
	return true
}

// isSpecial reports whether elements with that name, as far as they stay open, are special.
func isSpecial(tag atom.Atom) bool {
	switch tag {
	case atom.Html, atom.Head, atom.Body:
		return true
	case atom.Math, atom.Svg:
		return false
	}
	r := roleOf(tag)
	return r == block || r == barrier
}
