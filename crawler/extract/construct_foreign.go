package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// foreign reports whether we are in SVG or MathML.
func (o *openElements) foreign() bool {
	n := len(o.stack)
	return n > 0 && o.stack[n-1].namespace != ""
}

// startForeign takes a start tag in SVG or MathML.
func (c *construction) startForeign() {
	s, around := &c.scan, c.open.top()
	if isIntegrationPoint(around.name) || breaksOut(s.tag) || !s.alien {
		c.doubt = doubtForeign
		return
	}
	if s.tag == atom.A {
		c.tells.add(s.tag, around.namespace, s.attrs, inBody)
	}
	if s.empty {
		c.void()
		return
	}
	c.push(openElement{tag: s.tag, namespace: around.namespace, name: s.name})
}

// endForeign takes an end tag in SVG or MathML.
func (c *construction) endForeign() {
	stack := c.open.stack
	for i := len(stack) - 1; stack[i].namespace != ""; i-- {
		if bytes.EqualFold(stack[i].name, c.scan.name) {
			c.open.stack = stack[:i]
			return
		}
	}
	c.doubt = doubtForeign
}

// startForeignRoot opens an svg or math element in HTML.
func (c *construction) startForeignRoot() {
	s := &c.scan
	c.reconstruct()
	if s.empty {
		c.void()
		return
	}
	namespace := "svg"
	if s.tag == atom.Math {
		namespace = "math"
	}
	c.push(openElement{tag: s.tag, namespace: namespace, name: s.name})
}
