package structured

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
)

// MaxField is how long a field may be that is read, in bytes.
const MaxField = 16 << 10

// ErrMalformed says that a text is no structured field, or one beyond the limits.
var ErrMalformed = errors.New("structured: malformed field")

// A Kind is the type of a bare item (section 3.3).
type Kind byte

// The kinds.
const (
	String  Kind = '"'
	Token   Kind = 't'
	Number  Kind = 'n' // integer, decimal or date, as written
	Bytes   Kind = ':'
	Boolean Kind = '?'
	Display Kind = '%' // display string, as written
)

// An Item is a bare item and its parameters (section 3.3), or an inner list and its parameters (section 3.1.1).
type Item struct {
	Kind   Kind
	Value  string // of a String without quotes and escapes; decoded if it is Bytes; 1 or 0 if it is Boolean
	IsList bool
	List   []Item
	Params []Param
	Raw    string // of a member: as it was written
}

// A Param is a parameter.
type Param struct {
	Name string
	Item // has no parameters
}

// A Member is an entry of a dictionary (section 3.2).
type Member struct {
	Key string
	Item
}

// Param returns the parameter of that name.
func (i Item) Param(name string) (Item, bool) {
	at := slices.IndexFunc(i.Params, func(p Param) bool { return p.Name == name })
	if at < 0 {
		return Item{}, false
	}
	return i.Params[at].Item, true
}

// Find returns the member with that key.
func Find(members []Member, key string) (Item, bool) {
	at := slices.IndexFunc(members, func(m Member) bool { return m.Key == key })
	if at < 0 {
		return Item{}, false
	}
	return members[at].Item, true
}

// A scanner reads a structured field.
type scanner struct {
	in  string
	pos int
}

// ParseDictionary reads a dictionary (section 4.2.2). Of several members with one key the last counts, in the place of the first.
func ParseDictionary(in string) (members []Member, err error) {
	if len(in) > MaxField {
		return nil, ErrMalformed
	}
	s, at := &scanner{in: strings.Trim(in, " ")}, map[string]int{}
	for s.pos < len(s.in) {
		m := Member{}
		if m.Key, err = s.key(); err != nil {
			return nil, err
		}
		if m.Item, err = s.member(); err != nil {
			return nil, err
		}
		if i, again := at[m.Key]; again {
			members[i] = m
		} else {
			at[m.Key] = len(members)
			members = append(members, m)
		}
		s.skip(" \t")
		if s.pos == len(s.in) {
			break
		}
		if !s.take(',') {
			return nil, ErrMalformed
		}
		if s.skip(" \t"); s.pos == len(s.in) {
			return nil, ErrMalformed
		}
	}
	return members, nil
}

// ParseString returns the string that in begins with.
func ParseString(in string) (string, error) {
	i, err := (&scanner{in: in[:min(len(in), MaxField)]}).bare()
	if err != nil || i.Kind != String {
		return "", ErrMalformed
	}
	return i.Value, nil
}

// member reads what follows the key of a member: a value, or parameters of true.
func (s *scanner) member() (i Item, err error) {
	begin := s.pos + 1
	if s.take('=') {
		i, err = s.itemOrList()
	} else {
		begin, i = s.pos, Item{Kind: Boolean, Value: "1"}
		i.Params, err = s.params()
	}
	i.Raw = s.in[min(begin, s.pos):s.pos]
	return i, err
}

func (s *scanner) itemOrList() (i Item, err error) {
	if s.peek() != '(' {
		if i, err = s.bare(); err == nil {
			i.Params, err = s.params()
		}
		return i, err
	}
	s.pos++
	i.IsList = true
	for {
		s.skip(" ")
		if s.take(')') {
			i.Params, err = s.params()
			return i, err
		}
		if n := len(i.List); n > 0 && s.in[s.pos-1] != ' ' {
			return i, ErrMalformed
		}
		inner, err := s.bare()
		if err == nil {
			inner.Params, err = s.params()
		}
		if err != nil {
			return i, err
		}
		i.List = append(i.List, inner)
	}
}

// params reads parameters (section 4.2.3.2). Of a name that occurs twice the last counts.
func (s *scanner) params() (list []Param, err error) {
	for s.take(';') {
		s.skip(" ")
		p := Param{Item: Item{Kind: Boolean, Value: "1"}}
		if p.Name, err = s.key(); err != nil {
			return nil, err
		}
		if s.take('=') {
			if p.Item, err = s.bare(); err != nil {
				return nil, err
			}
		}
		at := slices.IndexFunc(list, func(o Param) bool { return o.Name == p.Name })
		switch {
		case at >= 0:
			list[at] = p
		case len(list) == maxParams:
			return nil, ErrMalformed
		default:
			list = append(list, p)
		}
	}
	return list, nil
}

// maxParams bounds the parameters of an item, so that looking for doubles takes no time to speak of.
const maxParams = 256

// key reads the name of a member or of a parameter.
func (s *scanner) key() (string, error) {
	begin := s.pos
	for s.pos < len(s.in) {
		c := s.in[s.pos]
		lower := c >= 'a' && c <= 'z' || c == '*'
		if !lower && (s.pos == begin || !isDigit(c) && c != '_' && c != '-' && c != '.') {
			break
		}
		s.pos++
	}
	if s.pos == begin {
		return "", ErrMalformed
	}
	return s.in[begin:s.pos], nil
}

// bare reads a bare item (section 4.2.3.1).
func (s *scanner) bare() (Item, error) {
	switch c := s.peek(); {
	case c == '"':
		return s.text()
	case c == ':':
		return s.bytes()
	case c == '?':
		if rest := s.in[s.pos:]; strings.HasPrefix(rest, "?1") || strings.HasPrefix(rest, "?0") {
			s.pos += 2
			return Item{Kind: Boolean, Value: rest[1:2]}, nil
		}
	case c == '-' || c == '@' || isDigit(c):
		return s.number()
	case c == '%':
		begin := s.pos
		s.pos++
		if s.peek() != '"' {
			break
		}
		_, err := s.text()
		return Item{Kind: Display, Value: s.in[begin:s.pos]}, err
	case c == '*' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		begin := s.pos
		for s.pos < len(s.in) && isTokenChar(s.in[s.pos]) {
			s.pos++
		}
		return Item{Kind: Token, Value: s.in[begin:s.pos]}, nil
	}
	return Item{}, ErrMalformed
}

func isTokenChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number reads an integer, a decimal, or a date (section 4.2.4).
func (s *scanner) number() (Item, error) {
	begin := s.pos
	s.take('@')
	s.take('-')
	whole, fraction := s.digits(), 0
	isDecimal := s.take('.')
	if isDecimal {
		fraction = s.digits()
	}
	if whole == 0 || whole > 15 || isDecimal && (whole > 12 || fraction == 0 || fraction > 3) {
		return Item{}, ErrMalformed
	}
	return Item{Kind: Number, Value: s.in[begin:s.pos]}, nil
}

// digits counts the digits that it passes over.
func (s *scanner) digits() int {
	begin := s.pos
	s.skip("0123456789")
	return s.pos - begin
}

func (s *scanner) text() (Item, error) {
	var b strings.Builder
	for s.pos++; s.pos < len(s.in); s.pos++ {
		c := s.in[s.pos]
		switch {
		case c == '"':
			s.pos++
			return Item{Kind: String, Value: b.String()}, nil
		case c == '\\':
			if s.pos++; s.pos == len(s.in) || s.in[s.pos] != '"' && s.in[s.pos] != '\\' {
				return Item{}, ErrMalformed
			}
			c = s.in[s.pos]
		case c < ' ' || c > '~':
			return Item{}, ErrMalformed
		}
		b.WriteByte(c)
	}
	return Item{}, ErrMalformed
}

func (s *scanner) bytes() (Item, error) {
	coded, _, ok := strings.Cut(s.in[s.pos+1:], ":")
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(coded, "="))
	if !ok || err != nil {
		return Item{}, ErrMalformed
	}
	s.pos += len(coded) + 2
	return Item{Kind: Bytes, Value: string(decoded)}, nil
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

// String writes an item or an inner list with its parameters (section 4.1).
func (i Item) String() string {
	var b strings.Builder
	i.write(&b)
	return b.String()
}

func (i Item) write(b *strings.Builder) {
	switch {
	case i.IsList:
		b.WriteByte('(')
		for n, inner := range i.List {
			if n > 0 {
				b.WriteByte(' ')
			}
			inner.write(b)
		}
		b.WriteByte(')')
	case i.Kind == String:
		writeText(b, i.Value)
	case i.Kind == Bytes:
		b.WriteString(":" + base64.StdEncoding.EncodeToString([]byte(i.Value)) + ":")
	case i.Kind == Boolean:
		b.WriteString("?" + i.Value)
	default:
		b.WriteString(i.Value)
	}
	for _, p := range i.Params {
		b.WriteString(";" + p.Name)
		if p.Kind != Boolean || p.Value != "1" {
			b.WriteByte('=')
			p.Item.write(b)
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
