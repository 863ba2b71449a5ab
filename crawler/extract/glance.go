package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// Bounds within which a glance will do.
const (
	glanceTags = 4096    // more, and the time spent on deep nesting counts
	glanceCost = 2 << 20 // more, and weighing pays, for others wait for the memory
	glanceLen  = 4 << 10 // looked at behind a '<': however they overlap, it does not take long
)

// glance bounds the memory of a page's tree as weigh does, in a fraction of the time and less closely. It does not follow
// the page from tag to tag: it looks at each '<' as if it were a tag, so that none escapes it, and asks of each formatting
// element whether it certainly ends before anything can part it from its end tag. Only those which do not may be rebuilt.
// ok is false if that is not good enough.
func glance(text []byte) (cost int64, ok bool) {
	tags := bytes.Count(text, []byte("<"))
	if tags > glanceTags {
		return 0, false
	}
	attrs := tags
	for _, c := range []byte("= \n\t\r\f/") { // each attribute has one of them of its own, but for the last of a tag
		attrs += bytes.Count(text, []byte{c})
	}
	cost = int64(len(text))*(textCost+tokenCost) + parserCost + int64(tags)*tagCost + int64(attrs)*attrCost
	if cost > glanceCost {
		return 0, false
	}
	l, ok := looseFormatting(text)
	// Each tag may rebuild all of them. And at its end tag each is copied into the blocks inside it, one after the other, with
	// three of those between.
	cost += int64(tags) * int64(5*l.count) * (cloneCost + cloneAttr*int64(l.attrs))
	return cost, ok && cost <= glanceCost
}

// loose tells of the formatting elements that may outlive the element around them.
type loose struct {
	count int
	attrs int // at most of one
}

// looseFormatting counts them. It gives up on pages with what only weigh can judge.
func looseFormatting(text []byte) (l loose, ok bool) {
	var foreign, template, cut bool
	var roots int
	for i := 0; !cut; i++ {
		j := bytes.IndexByte(text[i:], '<')
		if j < 0 || i+j+2 >= len(text) {
			return l, roots <= 2 && !(foreign && template)
		}
		i += j
		if !mayMatter(text[i+1], text[i+2]) {
			continue
		}
		name := tagName(text[:min(i+glanceLen, len(text))], i+1)
		switch tag := lookupTag(name); tag {
		case atom.Svg, atom.Math:
			foreign = true
		case atom.Template:
			template = true
		case atom.Html, atom.Body:
			roots++
		default:
			if roleOf(tag) != formatting {
				continue
			}
			rest := text[i:min(i+glanceLen, len(text))]
			if !isLeaf(rest, name) && !l.add(rest) {
				cut = len(rest) == glanceLen
			}
		}
	}
	return l, false
}

// add counts the formatting element with which text starts, unless it is settled. It reports whether the tag is whole.
func (l *loose) add(text []byte) bool {
	s := scanner{buf: text}
	if s.next() != startTag {
		return false
	}
	if !settled(s) {
		l.count++
		l.attrs = max(l.attrs, s.nattr)
	}
	return true
}

// mayMatter reports whether a tag's name may be one that looseFormatting looks at, by its first letters.
func mayMatter(c, d byte) bool {
	c |= 0x20
	if endsName(d) {
		return c == 'a' || c == 'b' || c == 'i' || c == 's' || c == 'u'
	}
	switch uint16(c)<<8 | uint16(d|0x20) {
	case 'b'<<8 | 'i', 'b'<<8 | 'o', 'c'<<8 | 'o', 'e'<<8 | 'm', 'f'<<8 | 'o', 'h'<<8 | 't', 'm'<<8 | 'a', 'n'<<8 | 'o',
		's'<<8 | 'm', 's'<<8 | 't', 's'<<8 | 'v', 't'<<8 | 'e', 't'<<8 | 't':
		return true
	}
	return false
}

// isLeaf is settled for an element that holds nothing but text, as most do. b starts with its tag, which has that name.
func isLeaf(b, name []byte) bool {
	j := skipSpace(b, 1+len(name))
	for ; j < len(b) && b[j] != '>'; j = skipSpace(b, j) {
		_, _, j = nextAttr(b, j)
	}
	if j >= len(b) {
		return false
	}
	end := bytes.IndexByte(b[j:], '<')
	if end < 0 {
		return false
	}
	after, ok := bytes.CutPrefix(b[j+end:], []byte("</"))
	return ok && len(after) > len(name) && bytes.EqualFold(after[:len(name)], name) && endsName(after[len(name)])
}

// maxSettled is how far settled looks, in tokens and in depth.
const maxSettled = 8

// settled reports whether the formatting element whose start tag s has just read, if it is one, is closed by its own end tag
// before anything can take it from the stack of open elements otherwise: there is only text between, and elements of text
// that are closed in order.
func settled(s scanner) bool {
	var open [maxSettled][]byte
	open[0] = s.name
	for depth, tokens := 1, 0; tokens < maxSettled; tokens++ {
		switch s.next() {
		case startTag:
			switch {
			case s.tag == atom.Br || s.tag == atom.Img || s.tag == atom.Wbr:
				continue
			case !isPhrase(s.tag) || depth == maxSettled:
				return false
			}
			open[depth] = s.name
			depth++
		case endTag:
			if depth--; !bytes.EqualFold(s.name, open[depth]) {
				return false
			}
			if depth == 0 {
				return true
			}
		case eof:
			return false
		}
	}
	return false
}

// isPhrase reports whether an element of that name, inside a formatting element, leaves alone what is around it. Of the
// formatting elements a and nobr do not: they end the one before.
func isPhrase(tag atom.Atom) bool {
	switch tag {
	case atom.Span, atom.Abbr, atom.Bdi, atom.Cite, atom.Label, atom.Mark, atom.Sub, atom.Sup, atom.Time:
		return true
	}
	return roleOf(tag) == formatting && tag != atom.A && tag != atom.Nobr
}
