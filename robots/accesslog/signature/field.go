package signature

import (
	"encoding/base64"
	"errors"
	"strings"
)

// MaxField is how long a header field may be that is read, in bytes.
const MaxField = 16 << 10

// errField says that a header field is not a structured field that we know to read.
var errField = errors.New("signature: malformed field")

// A kind is the type of a bare item (RFC 9651 section 3.3).
type kind byte

const (
	text    kind = '"'
	token   kind = 't'
	number  kind = 'n' // integer, decimal or date, as written
	bytes   kind = ':'
	boolean kind = '?'
)

// An item is a bare item and its parameters (RFC 9651 section 3.3), or an inner list and its parameters (section 3.1.1).
type item struct {
	kind   kind
	value  string // without quotes and escapes; decoded if it is bytes; 1 or 0 if it is boolean
	isList bool
	list   []item
	params []param
	raw    string // as it was written
}

type param struct {
	name string
	item // has no parameters
}

// A member is an entry of a dictionary (RFC 9651 section 3.2).
type member struct {
	key string
	item
}

// param returns a parameter.
func (i item) param(name string) (item, bool) {
	for _, p := range i.params {
		if p.name == name {
			return p.item, true
		}
	}
	return item{}, false
}

// find returns the last member of that name, which is the one that counts.
func find(members []member, key string) (item, bool) {
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].key == key {
			return members[i].item, true
		}
	}
	return item{}, false
}

// A scanner reads a structured field.
type scanner struct {
	in  string
	pos int
}

// parseDictionary reads a dictionary (RFC 9651 section 4.2.2).
func parseDictionary(in string) (members []member, err error) {
	if len(in) > MaxField {
		return nil, errField
	}
	s := &scanner{in: strings.Trim(in, " ")}
	for s.pos < len(s.in) {
		m := member{}
		if m.key, err = s.key(); err != nil {
			return nil, err
		}
		if m.item, err = s.member(); err != nil {
			return nil, err
		}
		members = append(members, m)
		s.skip(" \t")
		if s.pos == len(s.in) {
			break
		}
		if !s.take(',') {
			return nil, errField
		}
		if s.skip(" \t"); s.pos == len(s.in) {
			return nil, errField
		}
	}
	return members, nil
}

// member reads what follows the key of a member: a value, or parameters of true.
func (s *scanner) member() (i item, err error) {
	begin := s.pos + 1
	if s.take('=') {
		i, err = s.itemOrList()
	} else {
		begin, i = s.pos, item{kind: boolean, value: "1"}
		i.params, err = s.params()
	}
	i.raw = s.in[min(begin, s.pos):s.pos]
	return i, err
}

func (s *scanner) itemOrList() (i item, err error) {
	if s.peek() != '(' {
		if i, err = s.bare(); err == nil {
			i.params, err = s.params()
		}
		return i, err
	}
	s.pos++
	i.isList = true
	for {
		s.skip(" ")
		if s.take(')') {
			i.params, err = s.params()
			return i, err
		}
		if n := len(i.list); n > 0 && s.in[s.pos-1] != ' ' {
			return i, errField
		}
		inner, err := s.bare()
		if err == nil {
			inner.params, err = s.params()
		}
		if err != nil {
			return i, err
		}
		i.list = append(i.list, inner)
	}
}

// params reads parameters (RFC 9651 section 4.2.3.2). Of a name that occurs twice the last counts.
func (s *scanner) params() (list []param, err error) {
	for s.take(';') {
		s.skip(" ")
		p := param{item: item{kind: boolean, value: "1"}}
		if p.name, err = s.key(); err != nil {
			return nil, err
		}
		if s.take('=') {
			if p.item, err = s.bare(); err != nil {
				return nil, err
			}
		}
		at := 0
		for at < len(list) && list[at].name != p.name {
			at++
		}
		if at == maxParams {
			return nil, errField
		}
		list = append(list[:at], append([]param{p}, list[min(at+1, len(list)):]...)...)
	}
	return list, nil
}

// maxParams bounds the parameters of an item, so that looking for doubles takes no time to speak of.
const maxParams = 64

// key reads the name of a member or of a parameter.
func (s *scanner) key() (string, error) {
	begin := s.pos
	for s.pos < len(s.in) {
		c := s.in[s.pos]
		lower := c >= 'a' && c <= 'z' || c == '*'
		if !lower && (s.pos == begin || (c < '0' || c > '9') && c != '_' && c != '-' && c != '.') {
			break
		}
		s.pos++
	}
	if s.pos == begin {
		return "", errField
	}
	return s.in[begin:s.pos], nil
}

// bare reads a bare item (RFC 9651 section 4.2.3.1).
func (s *scanner) bare() (item, error) {
	switch c := s.peek(); {
	case c == '"':
		return s.text()
	case c == ':':
		return s.bytes()
	case c == '?':
		if rest := s.in[s.pos:]; strings.HasPrefix(rest, "?1") || strings.HasPrefix(rest, "?0") {
			s.pos += 2
			return item{kind: boolean, value: rest[1:2]}, nil
		}
	case c == '-' || c == '@' || c >= '0' && c <= '9':
		begin := s.pos
		s.pos++
		s.skip("0123456789.-")
		return item{kind: number, value: s.in[begin:s.pos]}, nil
	case c == '*' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		begin := s.pos
		for s.pos < len(s.in) && isTokenChar(s.in[s.pos]) {
			s.pos++
		}
		return item{kind: token, value: s.in[begin:s.pos]}, nil
	}
	return item{}, errField
}

func isTokenChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}

func (s *scanner) text() (item, error) {
	var b strings.Builder
	for s.pos++; s.pos < len(s.in); s.pos++ {
		c := s.in[s.pos]
		switch {
		case c == '"':
			s.pos++
			return item{kind: text, value: b.String()}, nil
		case c == '\\':
			if s.pos++; s.pos == len(s.in) || s.in[s.pos] != '"' && s.in[s.pos] != '\\' {
				return item{}, errField
			}
			c = s.in[s.pos]
		case c < ' ' || c > '~':
			return item{}, errField
		}
		b.WriteByte(c)
	}
	return item{}, errField
}

func (s *scanner) bytes() (item, error) {
	coded, _, ok := strings.Cut(s.in[s.pos+1:], ":")
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(coded, "="))
	if !ok || err != nil {
		return item{}, errField
	}
	s.pos += len(coded) + 2
	return item{kind: bytes, value: string(decoded)}, nil
}

// peek returns the next byte; 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.in) {
		return s.in[s.pos]
	}
	return 0
}

func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) skip(chars string) {
	for s.pos < len(s.in) && strings.IndexByte(chars, s.in[s.pos]) >= 0 {
		s.pos++
	}
}

// String writes an item or an inner list with its parameters (RFC 9651 section 4.1).
func (i item) String() string {
	var b strings.Builder
	i.write(&b)
	return b.String()
}

func (i item) write(b *strings.Builder) {
	switch {
	case i.isList:
		b.WriteByte('(')
		for n, inner := range i.list {
			if n > 0 {
				b.WriteByte(' ')
			}
			inner.write(b)
		}
		b.WriteByte(')')
	case i.kind == text:
		writeText(b, i.value)
	case i.kind == bytes:
		b.WriteString(":" + base64.StdEncoding.EncodeToString([]byte(i.value)) + ":")
	case i.kind == boolean:
		b.WriteString("?" + i.value)
	default:
		b.WriteString(i.value)
	}
	for _, p := range i.params {
		b.WriteString(";" + p.name)
		if p.kind != boolean || p.value != "1" {
			b.WriteByte('=')
			p.item.write(b)
		}
	}
}

// writeText writes a string with its quotes and escapes.
func writeText(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
}
