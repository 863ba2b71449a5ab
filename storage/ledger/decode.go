package ledger

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// decodeLine reads a record from its line. It understands what appendRecord writes in a fraction of the time that
// encoding/json takes, and leaves everything else to that.
func decodeLine(line []byte, r *Record) error {
	*r = Record{}
	if d := (decoder{rest: line}); d.record(r) {
		return nil
	}
	*r = Record{}
	return json.Unmarshal(line, r)
}

// A decoder reads one line from the left. Its methods report false at the first thing that appendRecord does not write.
type decoder struct{ rest []byte }

// record reads a whole object of simple members.
func (d *decoder) record(r *Record) bool {
	if !d.skip('{') {
		return false
	}
	for first := true; ; first = false {
		if !first && d.skip('}') {
			return len(d.rest) == 0
		}
		if !first && !d.skip(',') {
			return false
		}
		key, ok := d.plain()
		if !ok || !d.skip(':') || !d.member(r, string(key)) {
			return false
		}
	}
}

// member reads the value of a member.
func (d *decoder) member(r *Record, key string) bool {
	if text := r.textField(key); text != nil {
		return d.text(text)
	}
	if when := r.timeField(key); when != nil {
		return d.time(when)
	}
	if span := r.millisField(key); span != nil {
		return d.millis(span)
	}
	if key == "policy" {
		return d.policy(r)
	}
	n, ok := d.int()
	return ok && r.setInt(key, n)
}

func (d *decoder) skip(c byte) bool {
	if len(d.rest) == 0 || d.rest[0] != c {
		return false
	}
	d.rest = d.rest[1:]
	return true
}

// plain reads a string of printable ASCII without escapes.
func (d *decoder) plain() ([]byte, bool) {
	if !d.skip('"') {
		return nil, false
	}
	for i, c := range d.rest {
		if c == '"' {
			s := d.rest[:i]
			d.rest = d.rest[i+1:]
			return s, true
		}
		if c < ' ' || c == '\\' || c >= 0x80 {
			return nil, false
		}
	}
	return nil, false
}

// text reads any string.
func (d *decoder) text(s *string) bool {
	start := d.rest
	if raw, ok := d.plain(); ok {
		*s = string(raw)
		return true
	}
	if d.rest = start; !d.skip('"') {
		return false
	}
	for i := 0; i < len(d.rest); i++ {
		switch d.rest[i] {
		case '\\':
			i++
		case '"':
			raw := start[:i+2]
			d.rest = d.rest[i+1:]
			return json.Unmarshal(raw, s) == nil
		}
	}
	return false
}

// number returns the characters of a number in plain decimal.
func (d *decoder) number() []byte {
	end := bytes.IndexAny(d.rest, ",}")
	if end < 1 {
		return nil
	}
	digits := bytes.TrimPrefix(d.rest[:end], []byte("-"))
	if len(digits) == 0 || digits[0] == '.' || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' || digits[len(digits)-1] == '.' {
		return nil
	}
	dots := 0
	for _, c := range digits {
		if c == '.' {
			dots++
		} else if c < '0' || c > '9' {
			return nil
		}
	}
	if dots > 1 {
		return nil
	}
	n := d.rest[:end]
	d.rest = d.rest[end:]
	return n
}

func (d *decoder) int() (int64, bool) {
	n := d.number()
	if len(n) > 18 { // near the bounds; nothing we write
		return 0, false
	}
	v, err := strconv.ParseInt(string(n), 10, 64)
	return v, err == nil
}

func (d *decoder) millis(m *Millis) bool {
	n := d.number()
	return n != nil && m.UnmarshalJSON(n) == nil
}

func (d *decoder) policy(r *Record) bool {
	end := bytes.IndexByte(d.rest, '}') // an object of simple members has no other
	if r.Policy != nil || end < 0 || bytes.IndexByte(d.rest[:end], '\\') >= 0 {
		return false
	}
	p := new(Policy)
	if json.Unmarshal(d.rest[:end+1], p) != nil {
		return false
	}
	r.Policy, d.rest = p, d.rest[end+1:]
	return true
}

// time reads a time in UTC with as many as nine decimals, as appendTime writes it.
func (d *decoder) time(t *time.Time) bool {
	s, ok := d.plain()
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
