package extract

import (
	"strings"
	"unicode/utf8"
)

// A StyleReference is a reference in a style sheet.
type StyleReference struct {
	URL        string // as written, without quotes and escapes
	Kind       RequisiteKind
	Start, End int  // of url(...), or of the quoted text that stands for it, in bytes
	Text       bool // it is a quoted text, and no url(...)
}

// StyleReferences yields the references of a style sheet, or of a style attribute, in their order: those of url(...), @import and
// image-set(). What an @namespace names is none. It takes anything, and time in proportion to its length.
func StyleReferences(css string, yield func(StyleReference) bool) {
	s := styleScanner{css: css}
	for s.pos < len(css) {
		r, ok := s.next()
		if ok && !yield(r) {
			return
		}
	}
}

// A styleScanner goes through the tokens of CSS Syntax Level 3 section 4, as far as references need them.
type styleScanner struct {
	css  string
	pos  int
	rule string   // the at-rule whose prelude we are in; "" in none
	open []string // what is open: "{" and, with their names in lower case, functions
	font int      // how much was open when the block of a @font-face began; 0 outside of one
}

// next takes one token, and says whether it is a reference.
func (s *styleScanner) next() (r StyleReference, ok bool) {
	start, rest := s.pos, s.css[s.pos:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "/*"):
		s.pos += 2
		s.skipPast("*/")
	case c == '"' || c == '\'':
		text, ok := s.text(c)
		return StyleReference{URL: text, Kind: s.kind(), Start: start, End: s.pos, Text: true}, ok && s.takesText()
	case c == '@':
		s.pos++
		s.rule = strings.ToLower(s.name())
	case c == '{':
		s.pos++
		s.push("{")
		if s.rule == "font-face" {
			s.font = len(s.open)
		}
		s.rule = ""
	case c == ';':
		s.pos++
		s.rule = ""
	case c == '}' || c == ')':
		s.pos++
		s.close(c)
	case c == '(':
		s.pos++
		s.push("(")
	case isNameByte(c) || isStyleEscape(rest):
		return s.function(start)
	default:
		s.pos++
	}
	return r, false
}

// maxStyleDepth bounds the brackets within brackets that are told apart.
const maxStyleDepth = 100

func (s *styleScanner) push(name string) {
	if len(s.open) < maxStyleDepth {
		s.open = append(s.open, name)
	}
}

// skipPast goes behind the next mark, or to the end.
func (s *styleScanner) skipPast(mark string) {
	if i := strings.Index(s.css[s.pos:], mark); i >= 0 {
		s.pos += i + len(mark)
	} else {
		s.pos = len(s.css)
	}
}

// function takes a name, and what it calls if that is a reference.
func (s *styleScanner) function(start int) (r StyleReference, ok bool) {
	name := strings.ToLower(s.name())
	if s.pos >= len(s.css) || s.css[s.pos] != '(' {
		return r, false
	}
	s.pos++
	if name != "url" && name != "src" {
		s.push(name)
		return r, false
	}
	url := s.url()
	return StyleReference{URL: url, Kind: s.kind(), Start: start, End: s.pos}, s.rule != "namespace" && url != ""
}

// url takes what stands in url(...), and the bracket that closes it. It is "" if browsers take it for none.
func (s *styleScanner) url() string {
	s.pos = len(s.css) - len(strings.TrimLeft(s.css[s.pos:], space))
	if s.pos < len(s.css) && (s.css[s.pos] == '"' || s.css[s.pos] == '\'') {
		text, _ := s.text(s.css[s.pos])
		s.skipPast(")") // modifiers may stand between
		return text
	}
	start := s.pos
	for s.pos < len(s.css) && s.css[s.pos] != ')' {
		if s.css[s.pos] == '\\' {
			s.pos++
		}
		s.pos++
	}
	s.pos = min(s.pos, len(s.css))
	url := strings.Trim(s.css[start:s.pos], space)
	s.pos = min(s.pos+1, len(s.css))
	if isBadURL(url) {
		return ""
	}
	return unescapeStyle(url)
}

// text takes a quoted text, which the end of the sheet ends as well. One that a line end ends is none: the bad-string-token of
// section 4.3.5.
func (s *styleScanner) text(quote byte) (text string, ok bool) {
	start := s.pos + 1
	for s.pos++; s.pos < len(s.css); s.pos++ {
		switch c := s.css[s.pos]; {
		case isStyleEscape(s.css[s.pos:]):
			n, _ := styleEscape(s.css[s.pos:])
			s.pos += n - 1
		case c == '\\':
			s.pos += lineEnd(s.css[s.pos+1:])
		case c == quote:
			text = s.css[start:s.pos]
			s.pos++
			return unescapeStyle(text), true
		case lineEnd(s.css[s.pos:]) > 0:
			return "", false
		}
	}
	s.pos = len(s.css)
	return unescapeStyle(s.css[min(start, s.pos):]), true
}

// name takes a name, of which any letter may be escaped.
func (s *styleScanner) name() string {
	start := s.pos
	for s.pos < len(s.css) {
		rest := s.css[s.pos:]
		n := 1
		if isStyleEscape(rest) {
			n, _ = styleEscape(rest)
		} else if !isNameByte(rest[0]) {
			break
		}
		s.pos += n
	}
	return unescapeStyle(s.css[start:s.pos])
}

// close takes what is open up to the bracket that c closes, if one is.
func (s *styleScanner) close(c byte) {
	for n := len(s.open) - 1; n >= 0; n-- {
		if isBlock := s.open[n] == "{"; isBlock != (c == '}') {
			if isBlock {
				return // a stray bracket in a block
			}
			continue // a function that the end of its block ends
		}
		s.open = s.open[:n]
		break
	}
	if len(s.open) < s.font {
		s.font = 0
	}
	if c == '}' {
		s.rule = ""
	}
}

// takesText reports whether a quoted text is a reference where we are.
func (s *styleScanner) takesText() bool {
	if n := len(s.open); n > 0 {
		return strings.HasSuffix(s.open[n-1], "image-set")
	}
	return s.rule == "import"
}

func (s *styleScanner) kind() RequisiteKind {
	switch {
	case s.font > 0:
		return RequisiteFont
	case s.rule == "import" && len(s.open) == 0:
		return RequisiteStyle
	}
	return RequisiteImage
}

func isNameByte(c byte) bool {
	return isAlphanumeric(c) || c == '-' || c == '_' || c >= 0x80
}

// lineEnd returns the length of the line end that s begins with, 0 if it begins with none (section 3.3).
func lineEnd(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s != "" && (s[0] == '\n' || s[0] == '\r' || s[0] == '\f'):
		return 1
	}
	return 0
}

// isStyleEscape reports whether s begins with an escape (section 4.3.8).
func isStyleEscape(s string) bool { return len(s) > 1 && s[0] == '\\' && lineEnd(s[1:]) == 0 }

// unescapeStyle replaces the escapes of CSS (section 4.3.7), and takes out those of line ends.
func unescapeStyle(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var b strings.Builder
	for ; i >= 0 && i+1 < len(s); i = strings.IndexByte(s, '\\') {
		b.WriteString(s[:i])
		if n := lineEnd(s[i+1:]); n > 0 { // a line that goes on
			s = s[i+1+n:]
			continue
		}
		n, code := styleEscape(s[i:])
		if isHexadecimal(s[i+1]) {
			b.WriteRune(code) // U+FFFD for what is none
		} else {
			b.WriteByte(s[i+1])
		}
		s = s[i+n:]
	}
	b.WriteString(strings.TrimSuffix(s, "\\"))
	return b.String()
}

// styleEscape returns the length of the escape, of two bytes at least, that s begins with, and the code point that it names in
// hexadecimal if it does.
func styleEscape(s string) (n int, code rune) {
	n = 1
	for ; n < len(s) && n <= 6 && isHexadecimal(s[n]); n++ {
		code = code<<4 | hexValue(s[n])
	}
	switch {
	case n == 1:
		n++
	case n < len(s) && isSpace(s[n]):
		n += max(lineEnd(s[n:]), 1)
	}
	if code == 0 {
		code = utf8.RuneError
	}
	return n, code
}

// isBadURL reports whether what stands in url(...) without quotes is no URL: CSS Syntax Level 3 section 4.3.6, the bad-url-token.
func isBadURL(url string) bool {
	for i := 0; i < len(url); i++ {
		switch c := url[i]; {
		case isStyleEscape(url[i:]):
			n, _ := styleEscape(url[i:])
			i += n - 1
		case c == '\\' && i+1 < len(url): // a line end follows
			return true
		case isSpace(c) || c == '"' || c == '\'' || c == '(' || c < ' ' || c == 0x7f:
			return true
		}
	}
	return false
}

func hexValue(c byte) rune {
	if c <= '9' {
		return rune(c - '0')
	}
	return rune(c|0x20-'a') + 10
}
