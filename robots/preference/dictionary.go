package preference

import (
	"slices"
	"strings"
)

// A member of a dictionary.
type member struct {
	key   string
	token string // its value, if that is a token
}

// parseDictionary reads a dictionary (RFC 9651 section 4.2.2). Of values it keeps tokens, of other types only that they are
// well-formed; of several members with one key the last counts, in the place of the first.
func parseDictionary(text string) (members []member, ok bool) {
	p := sfParser{rest: strings.Trim(text, " ")}
	for p.rest != "" {
		m := member{key: p.key()}
		if p.take("=") {
			m.token = p.itemOrList()
		} else {
			p.parameters()
		}
		if i := slices.IndexFunc(members, func(o member) bool { return o.key == m.key }); i >= 0 {
			members[i] = m
		} else {
			members = append(members, m)
		}
		p.skip(" \t")
		if p.rest == "" || p.bad {
			break
		}
		if !p.take(",") {
			return nil, false
		}
		p.skip(" \t")
		p.bad = p.bad || p.rest == "" // a comma at the end
	}
	return members, !p.bad
}

// An sfParser reads structured fields from the front of rest; bad is set for good when that is not possible.
type sfParser struct {
	rest string
	bad  bool
}

func (p *sfParser) skip(set string) { p.rest = strings.TrimLeft(p.rest, set) }

func (p *sfParser) take(s string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, s)
	return ok
}

// while takes the bytes for which ok is true.
func (p *sfParser) while(ok func(byte) bool) (s string) {
	n := 0
	for n < len(p.rest) && ok(p.rest[n]) {
		n++
	}
	s, p.rest = p.rest[:n], p.rest[n:]
	return s
}

// fail marks the text as bad and ends it.
func (p *sfParser) fail() { p.bad, p.rest = true, "" }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }

// key reads a key (section 4.2.3.3).
func (p *sfParser) key() string {
	if p.rest == "" || !isLower(p.rest[0]) && p.rest[0] != '*' {
		p.fail()
		return ""
	}
	return p.while(func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 })
}

// itemOrList reads a member's value with its parameters and returns it if it is a token (section 4.2.1.1).
func (p *sfParser) itemOrList() (token string) {
	if !p.take("(") {
		token = p.bare()
		p.parameters()
		return token
	}
	for {
		p.skip(" ")
		if p.take(")") {
			p.parameters()
			return ""
		}
		p.bare()
		p.parameters()
		if p.rest == "" || p.rest[0] != ' ' && p.rest[0] != ')' {
			p.fail()
			return ""
		}
	}
}

// parameters reads parameters and drops them (section 4.2.3.2).
func (p *sfParser) parameters() {
	for p.take(";") {
		p.skip(" ")
		p.key()
		if p.take("=") {
			p.bare()
		}
	}
}

// bare reads a bare item and returns it if it is a token (section 4.2.3.1).
func (p *sfParser) bare() (token string) {
	if p.rest == "" {
		p.fail()
		return ""
	}
	switch c := p.rest[0]; {
	case isAlpha(c) || c == '*':
		return p.while(isTokenByte)
	case isDigit(c) || c == '-':
		p.number()
	case c == '"':
		p.quoted()
	case c == ':':
		p.rest = p.rest[1:]
		p.while(func(c byte) bool { return isAlpha(c) || isDigit(c) || strings.IndexByte("+/=", c) >= 0 })
		p.must(":")
	case c == '?':
		p.rest = p.rest[1:]
		if !p.take("0") {
			p.must("1")
		}
	case c == '@':
		p.rest = p.rest[1:]
		p.number()
	case c == '%':
		p.rest = p.rest[1:]
		p.quoted()
	default:
		p.fail()
	}
	return ""
}

func (p *sfParser) must(s string) {
	if !p.take(s) {
		p.fail()
	}
}

// number reads an integer or decimal (section 4.2.4).
func (p *sfParser) number() {
	p.take("-")
	whole := p.while(isDigit)
	switch {
	case whole == "" || len(whole) > 15:
		p.fail()
	case p.take("."):
		if fraction := p.while(isDigit); len(whole) > 12 || fraction == "" || len(fraction) > 3 {
			p.fail()
		}
	}
}

// quoted reads a string (section 4.2.5), or a display string, whose escapes are not looked at.
func (p *sfParser) quoted() {
	p.must(`"`)
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == '"':
			return
		case c == '\\':
			if !p.take(`"`) {
				p.must(`\`)
			}
		case c < ' ' || c > '~':
			p.fail()
		}
	}
	p.bad = true // no end
}

// isTokenByte reports whether c may stand in a token (section 4.2.6).
func isTokenByte(c byte) bool {
	return isAlpha(c) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}
