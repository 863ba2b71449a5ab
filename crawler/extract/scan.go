package extract

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// space is HTML white space.
const space = " \t\n\f\r"

// A token is what a scanner finds next.
type token uint8

const (
	eof token = iota
	startTag
	endTag
	other // a comment, doctype, processing instruction or CDATA section
)

// A scanner splits a page into tags by the tokenizer of the HTML standard (section 13.2.5), in constant memory: whatever it
// returns points into buf. In xml mode there is no raw text and CDATA is known everywhere.
type scanner struct {
	buf     []byte // UTF-8
	xml     bool
	pos     int
	raw     atom.Atom // the element whose raw text comes next; 0 if none
	foreign foreign   // where in SVG or MathML we are
	inert   int       // templates that we are in: their content is no part of the document

	text []byte // what stands between the last token and this one
	// Of a tag:
	tag     atom.Atom // its name; 0 when it is not a name of HTML
	name    []byte    // its name as written
	attrs   []byte    // what follows the name, to and with the '>'
	nattr   int       // number of attributes
	empty   bool      // ends with "/>"
	alien   bool      // is one of SVG or MathML
	unclear bool      // ends with "/>", or with an unquoted value that ends with a slash
}

// next moves to the next token. At eof, text is what remains. A tag that is cut off by the end of the page is dropped.
func (s *scanner) next() token {
	if s.raw != 0 {
		return s.rawText()
	}
	for start, from := s.pos, s.pos; ; {
		i := bytes.IndexByte(s.buf[from:], '<')
		if i < 0 {
			return s.end(start, len(s.buf))
		}
		i += from
		rest := s.buf[i+1:]
		switch {
		case len(rest) > 0 && isLetter(rest[0]):
			s.text = s.buf[start:i]
			return s.readTag(i, i+1, startTag)
		case len(rest) > 1 && rest[0] == '/' && isLetter(rest[1]):
			s.text = s.buf[start:i]
			return s.readTag(i, i+2, endTag)
		case len(rest) > 1 && (rest[0] == '/' || rest[0] == '!' || rest[0] == '?'):
			s.text = s.buf[start:i]
			s.pos = s.endOfOther(i)
			return other
		}
		from = i + 1
	}
}

// end finishes with the text from start to end.
func (s *scanner) end(start, end int) token {
	s.text = s.buf[start:end]
	s.pos = len(s.buf)
	return eof
}

// endOfOther returns where the comment, declaration or the like that starts at i ends.
func (s *scanner) endOfOther(i int) int {
	rest := s.buf[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		return i + 4 + commentLen(rest[4:])
	case bytes.HasPrefix(rest, []byte("<![CDATA[")) && (s.xml || s.foreign.inside()):
		return i + through(rest, "]]>")
	case s.xml && rest[1] == '?':
		return i + through(rest, "?>")
	}
	return i + through(rest, ">")
}

// through returns the length of b up to and with the first mark.
func through(b []byte, mark string) int {
	if i := bytes.Index(b, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(b)
}

// commentLen returns the length of the comment whose "<!--" stands before b: to "-->" or "--!>"; "<!-->" and "<!--->" are
// whole.
func commentLen(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte(">")):
		return 1
	case bytes.HasPrefix(b, []byte("->")):
		return 2
	}
	for i := 0; ; {
		j := bytes.Index(b[i:], []byte("--"))
		if j < 0 {
			return len(b)
		}
		i += j + 2
		for i < len(b) && b[i] == '-' {
			i++
		}
		switch {
		case bytes.HasPrefix(b[i:], []byte(">")):
			return i + 1
		case bytes.HasPrefix(b[i:], []byte("!>")):
			return i + 2
		}
	}
}

// readTag reads the tag whose '<' is at start and whose name is at i.
func (s *scanner) readTag(start, i int, t token) token {
	s.name = tagName(s.buf, i)
	j := i + len(s.name)
	s.nattr, s.empty, s.unclear = 0, false, false
	if j < len(s.buf) && s.buf[j] == '>' {
		s.attrs, s.pos = s.buf[j:j+1], j+1
	} else if !s.readAttrs(j) {
		return s.end(start, start)
	}
	s.tag = lookupTag(s.name)
	s.place(t)
	return t
}

// place finds out what a tag means for what follows.
func (s *scanner) place(t token) {
	switch {
	case s.xml:
	case t == endTag:
		s.alien = s.foreign.inside()
		s.foreign.end(s.name)
	default:
		s.alien = s.foreign.start(s)
		if !s.alien && isRaw(s.tag) {
			s.raw = s.tag
		}
	}
	switch {
	case s.tag != atom.Template || s.alien:
	case t == startTag:
		if mode, _ := s.attr("shadowrootmode"); s.inert > 0 || !isShadow(mode) {
			s.inert++
		}
	case s.inert > 0:
		s.inert--
	}
}

// readAttrs skips the attributes from i on and reports whether the tag ends.
func (s *scanner) readAttrs(i int) bool {
	b := s.buf
	start := i
	for i = skipSpace(b, i); i < len(b) && b[i] != '>'; i = skipSpace(b, i) {
		key, val, next := nextAttr(b, i)
		if next > len(b) {
			return false
		}
		if len(key) > 0 {
			s.nattr++
		}
		s.unclear = len(val) > 0 && val[len(val)-1] == '/' && b[next-1] == '/'
		i = next
	}
	if i >= len(b) {
		return false
	}
	s.empty = b[i-1] == '/' && !s.unclear
	s.attrs, s.pos = b[start:i+1], i+1
	return true
}

// nextAttr reads the attribute at b[i], which is neither white space nor '>', and returns where it ends; that is after
// len(b) when it does not. A stray slash is an attribute without a key.
func nextAttr(b []byte, i int) (key, val []byte, next int) {
	start := i
	if b[i] == '=' {
		i++
	}
	for i < len(b) && b[i] != '=' && !endsName(b[i]) {
		i++
	}
	key = b[start:i]
	i = skipSpace(b, i)
	switch {
	case i < len(b) && b[i] == '/':
		return key, nil, i + 1
	case i >= len(b) || b[i] != '=':
		return key, nil, i
	}
	i = skipSpace(b, i+1)
	if i >= len(b) || b[i] == '>' {
		return key, nil, i
	}
	if quote := b[i]; quote == '"' || quote == '\'' {
		end := bytes.IndexByte(b[i+1:], quote)
		if end < 0 {
			return key, nil, len(b) + 1
		}
		return key, b[i+1 : i+1+end], i + end + 2
	}
	for start = i; i < len(b) && b[i] != '>' && !isSpace(b[i]); {
		i++
	}
	return key, b[start:i], i
}

// attr returns the value of the first attribute of that name, which is lower case, with its entities decoded.
func (s *scanner) attr(name string) (string, bool) {
	if val, ok := s.rawAttr(name); ok {
		return unescapeAttr(val), true
	}
	if s.alien && name == "href" {
		return s.attr("xlink:href")
	}
	return "", false
}

func (s *scanner) rawAttr(name string) ([]byte, bool) {
	b := s.attrs
	for i := skipSpace(b, 0); i < len(b) && b[i] != '>'; i = skipSpace(b, i) {
		key, val, next := nextAttr(b, i)
		if len(key) == len(name) && equalFold(key, name) {
			return val, true
		}
		i = next
	}
	return nil, false
}

// tagName returns the name of the tag at i.
func tagName(b []byte, i int) []byte {
	j := i
	for j < len(b) && !endsName(b[j]) {
		j++
	}
	return b[i:j]
}

// lookupTag returns the atom of a tag's name, 0 if HTML has none of that name.
func lookupTag(name []byte) atom.Atom {
	var lower [16]byte
	if len(name) > len(lower) {
		return 0
	}
	for i, c := range name {
		lower[i] = lowerASCII(c)
	}
	return atom.Lookup(lower[:len(name)])
}

// equalFold reports whether b is s, which is lower case, but for the case of ASCII letters.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if lowerASCII(c) != s[i] {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return marks[c]&1 != 0 }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// endsName reports whether c ends the name of a tag or of an attribute.
func endsName(c byte) bool { return marks[c] != 0 }

// marks has 1 for white space, 2 for what else ends a name.
var marks = [256]byte{' ': 1, '\t': 1, '\n': 1, '\f': 1, '\r': 1, '>': 2, '/': 2}
