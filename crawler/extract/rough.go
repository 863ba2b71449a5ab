package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rough reads a page tag by tag and is never at a loss, but may take for a link what is none in the tree, or the other way round.
func (g *gatherer) rough(text []byte, xml bool) {
	s := scanner{buf: text, xml: xml}
	p := newPruned()
	p.gather = g.document
	p.plant()
	where := inHead
	for t := s.next(); t != eof; {
		if s.inert == 0 && startsBody(&s, t) {
			where = inBody
		}
		switch {
		case t != startTag || s.inert > 0 || s.alien && s.tag != atom.A:
		case s.tag == atom.Title:
			t = s.next()
			p.title(rawTitle(s.text[:min(len(s.text), maxRawTitle)]), where)
			continue
		case s.tag == atom.Html:
			p.html(s.attrs)
		case s.alien:
			p.add(s.tag, "svg", s.attrs, where)
		default:
			p.add(s.tag, "", s.attrs, where)
		}
		t = s.next()
	}
	p.flush()
}

// maxRawTitle is how much of a title is looked at, white space and entities included.
const maxRawTitle = 64 << 10

// rawTitle returns the text of a title.
func rawTitle(raw []byte) string {
	return html.UnescapeString(strings.ReplaceAll(string(raw), "\x00", "\ufffd"))
}

// startsBody reports whether a token, or the text before it, ends the head of a document.
func startsBody(s *scanner, t token) bool {
	if raw := t == endTag && isRaw(s.tag); !raw && len(bytes.TrimLeft(s.text, space)) > 0 {
		return true
	}
	switch s.tag {
	case atom.Title, atom.Meta, atom.Link, atom.Base, atom.Script, atom.Style, atom.Noscript,
		atom.Template, atom.Noframes, atom.Basefont, atom.Bgsound, atom.Head:
		return false
	case atom.Html:
		return t == endTag
	case atom.Body, atom.Br:
		return t != other
	}
	return t == startTag
}
