package crawler

import (
	"encoding/json"
	"strconv"
)

// The text of a Past is read and written for every visit but the first: as encoding/json does, in a tenth of its time.

// appendTo appends the text of p: what encoding/json makes of it.
func (p *Past) appendTo(b []byte) []byte {
	b = append(b, '{')
	b = appendText(b, `"etag":`, p.ETag)
	b = appendText(b, `"modified":`, p.Modified)
	b = appendText(b, `"digest":`, p.Digest)
	b = appendNumber(b, `"code":`, int64(p.Code))
	if p.Page {
		b = append(b, `"page":true,`...)
	}
	b = appendNumber(b, `"made":`, int64(p.Made))
	b = appendNumber(b, `"cut":`, p.Cut)
	b = strconv.AppendInt(append(b, `"last":`...), p.Last, 10)
	b = append(b, ',')
	b = appendNumber(b, `"changed":`, p.Changed)
	b = strconv.AppendInt(append(b, `"every":`...), p.Every, 10)
	b = strconv.AppendInt(append(b, `,"visits":`...), int64(p.Visits), 10)
	b = append(b, ',')
	b = appendNumber(b, `"changes":`, int64(p.Changes))
	b = appendNumber(b, `"gone":`, int64(p.Gone))
	b = appendNumber(b, `"since":`, p.Since)
	b = appendNumber(b, `"untrue":`, int64(p.Untrue))
	b[len(b)-1] = '}'
	return b
}

// appendNumber appends a member that is left out when it is 0.
func appendNumber(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return append(strconv.AppendInt(append(b, name...), n, 10), ',')
}

// appendText appends a member that is left out when it is empty.
func appendText(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	b = append(append(b, name...), '"')
	begin := len(b)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~' || c == '<' || c == '>' || c == '&': // rare in a validator
			quoted, err := json.Marshal(s)
			if err != nil {
				panic("crawler: a text is always JSON: " + err.Error())
			}
			return append(append(b[:begin-1], quoted...), ',')
		default:
			b = append(b, c)
		}
	}
	return append(b, '"', ',')
}

// scan reads a text that appendTo has written. It reports whether it is one: other JSON is left to encoding/json.
func (p *Past) scan(text []byte) bool {
	s := pastScanner{rest: text}
	if !s.take('{') {
		return false
	}
	for {
		name := s.name()
		if name == nil || !s.take(':') || !s.member(p, name) {
			return false
		}
		if s.take('}') {
			return len(s.rest) == 0
		}
		if !s.take(',') {
			return false
		}
	}
}

// A pastScanner is what is left of a text.
type pastScanner struct{ rest []byte }

// member reads the value of a member. What is not written, as a member that is 0, is not read either.
func (s *pastScanner) member(p *Past, name []byte) (ok bool) {
	switch string(name) {
	case "etag":
		p.ETag, ok = s.text()
	case "modified":
		p.Modified, ok = s.text()
	case "digest":
		p.Digest, ok = s.text()
	case "code":
		p.Code, ok = s.int()
	case "page":
		p.Page, ok = true, s.word("true")
	case "made":
		var n int
		n, ok = s.int()
		p.Made = Made(n)
	case "cut":
		p.Cut, ok = s.number()
	case "last":
		p.Last, ok = s.number()
	case "changed":
		p.Changed, ok = s.number()
	case "every":
		p.Every, ok = s.number()
	case "visits":
		p.Visits, ok = s.int()
	case "changes":
		p.Changes, ok = s.int()
	case "gone":
		p.Gone, ok = s.int()
	case "since":
		p.Since, ok = s.number()
	case "untrue":
		p.Untrue, ok = s.int()
	}
	return ok
}

func (s *pastScanner) take(c byte) bool {
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *pastScanner) word(w string) bool {
	if len(s.rest) < len(w) || string(s.rest[:len(w)]) != w {
		return false
	}
	s.rest = s.rest[len(w):]
	return true
}

// name reads a string of letters, nil when there is none.
func (s *pastScanner) name() []byte {
	if !s.take('"') {
		return nil
	}
	for i, c := range s.rest {
		if c == '"' {
			name := s.rest[:i:i]
			s.rest = s.rest[i+1:]
			return name
		}
		if c < 'a' || c > 'z' {
			break
		}
	}
	return nil
}

// text reads a string of printable ASCII, in which only quotes and backslashes are escaped.
func (s *pastScanner) text() (string, bool) {
	if !s.take('"') {
		return "", false
	}
	var unescaped []byte
	from := 0
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			value := s.rest[from:i]
			s.rest = s.rest[i+1:]
			if unescaped == nil {
				return string(value), true
			}
			return string(append(unescaped, value...)), true
		case c == '\\':
			if i++; i == len(s.rest) || s.rest[i] != '"' && s.rest[i] != '\\' {
				return "", false
			}
			unescaped = append(unescaped, s.rest[from:i-1]...)
			from = i
		case c < ' ' || c > '~':
			return "", false
		}
	}
	return "", false
}

// number reads an integer of at most 18 digits.
func (s *pastScanner) number() (n int64, ok bool) {
	negative := s.take('-')
	i := 0
	for ; i < len(s.rest) && i < 18 && '0' <= s.rest[i] && s.rest[i] <= '9'; i++ {
		n = 10*n + int64(s.rest[i]-'0')
	}
	if i == 0 || i > 1 && s.rest[0] == '0' {
		return 0, false
	}
	s.rest = s.rest[i:]
	if negative {
		n = -n
	}
	return n, true
}

// int reads a number that fits into 32 bits.
func (s *pastScanner) int() (int, bool) {
	n, ok := s.number()
	return int(n), ok && int64(int32(n)) == n
}
