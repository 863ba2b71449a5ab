package jsonline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Reader reads a line from the left.
type Reader struct{ Rest []byte } // what is left of it

// Object reads an object whose members member reads, by their keys; each key once or more.
func (d *Reader) Object(member func(key []byte) bool) bool {
	if !d.Skip('{') {
		return false
	}
	if d.Skip('}') {
		return true
	}
	for {
		key, ok := d.Plain()
		if !ok || !d.Skip(':') || !member(key) {
			return false
		}
		if d.Skip('}') {
			return true
		}
		if !d.Skip(',') {
			return false
		}
	}
}

// Skip reads one character.
func (d *Reader) Skip(c byte) bool {
	if len(d.Rest) == 0 || d.Rest[0] != c {
		return false
	}
	d.Rest = d.Rest[1:]
	return true
}

// Plain reads a string of printable ASCII without escapes.
func (d *Reader) Plain() ([]byte, bool) {
	if !d.Skip('"') {
		return nil, false
	}
	end := bytes.IndexByte(d.Rest, '"')
	if end < 0 || !isPlain(d.Rest[:end]) {
		return nil, false
	}
	s := d.Rest[:end]
	d.Rest = d.Rest[end+1:]
	return s, true
}

// isPlain reports whether s has neither control characters nor backslashes nor bytes beyond ASCII. It looks at eight bytes at once.
func isPlain(s []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := binary.LittleEndian.Uint64(s)
		slashes := x ^ '\\'*ones
		if (x|(x-' '*ones)|(slashes-ones)&^slashes)&tops != 0 {
			return false
		}
	}
	for _, c := range s {
		if c < ' ' || c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// Text reads any string.
func (d *Reader) Text(s *string) bool {
	start := d.Rest
	if !d.Skip('"') {
		return false
	}
	escapes, others := 0, false // others than of quotes and backslashes
	for i := 0; i < len(d.Rest); i++ {
		switch c := d.Rest[i]; {
		case c == '\\':
			i++
			escapes++
			others = others || i == len(d.Rest) || d.Rest[i] != '"' && d.Rest[i] != '\\'
		case c < ' ':
			return false
		case c == '"':
			raw := start[:i+2]
			d.Rest = d.Rest[i+1:]
			if inner := raw[1 : i+1]; !others && utf8.Valid(inner) {
				*s = unescaped(inner, escapes)
				return true
			}
			return utf8.Valid(raw) && json.Unmarshal(raw, s) == nil
		}
	}
	return false
}

// unescaped returns a text without the backslashes before quotes and backslashes.
func unescaped(text []byte, escapes int) string {
	if escapes == 0 {
		return string(text)
	}
	b := make([]byte, 0, len(text)-escapes)
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		}
		b = append(b, text[i])
	}
	return string(b)
}

// Texts reads an array of strings, which is nil unless it was read before: then it reports false.
func (d *Reader) Texts(list *[]string) bool {
	if *list != nil || !d.Skip('[') {
		return false
	}
	*list = []string{}
	if d.Skip(']') {
		return true
	}
	for {
		var s string
		if !d.Text(&s) {
			return false
		}
		*list = append(*list, s)
		if d.Skip(']') {
			return true
		}
		if !d.Skip(',') {
			return false
		}
	}
}

// Number returns the characters of a number in plain decimal.
func (d *Reader) Number() []byte {
	end, dots := 0, 0
	for ; end < len(d.Rest); end++ {
		c := d.Rest[end]
		if c == '.' {
			dots++
		} else if (c < '0' || c > '9') && (c != '-' || end > 0) {
			break
		}
	}
	if end == len(d.Rest) || d.Rest[end] != ',' && d.Rest[end] != '}' {
		return nil
	}
	n := d.Rest[:end]
	digits := bytes.TrimPrefix(n, []byte("-"))
	if dots > 1 || len(digits) == 0 || digits[0] == '.' || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' ||
		digits[len(digits)-1] == '.' || string(n) == "-0" { // which is no number without a sign
		return nil
	}
	d.Rest = d.Rest[end:]
	return n
}

// Int reads a whole number.
func (d *Reader) Int() (int64, bool) {
	n := d.Number()
	if len(n) > 18 { // near the bounds; nothing we write
		return 0, false
	}
	v, err := strconv.ParseInt(string(n), 10, 64)
	return v, err == nil
}

// Time reads a time in UTC with as many as nine decimals, as Members.AppendTime writes it.
func (d *Reader) Time(t *time.Time) bool {
	s, ok := d.Plain()
	const whole = len("2006-01-02T15:04:05")
	if !ok || len(s) < whole+1 || len(s) > whole+len(".123456789Z") || s[len(s)-1] != 'Z' ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return false
	}
	var part [6]int
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		if part[i], ok = digits(s[at[0]:at[1]]); !ok {
			return false
		}
	}
	nanos := 0
	if frac := s[whole : len(s)-1]; len(frac) > 0 {
		if frac[0] != '.' || len(frac) == 1 {
			return false
		}
		if nanos, ok = digits(frac[1:]); !ok {
			return false
		}
		for range 10 - len(frac) {
			nanos *= 10
		}
	}
	*t = time.Date(part[0], time.Month(part[1]), part[2], part[3], part[4], part[5], nanos, time.UTC)
	// a date that does not exist is a mistake, which Date would only move
	return t.Day() == part[2] && part[1] <= 12 && part[1] > 0 && part[3] < 24 && part[4] < 60 && part[5] < 60
}

func digits(s []byte) (n int, ok bool) {
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, len(s) > 0
}
