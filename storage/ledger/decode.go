package ledger

import (
	"bytes"
	"encoding/json"

	"github.com/cybermapper/cybermapper/storage/internal/jsonline"
)

// decodeLine reads a record from its line. It understands what appendRecord writes in a fraction of the time that
// encoding/json takes, and leaves everything else to that. Most texts of a record have been in one before: unless known is nil, it
// has the last one of each field, and is used instead of the same text anew.
func decodeLine(line []byte, r, known *Record) error {
	*r = Record{}
	if d := (decoder{jsonline.Reader{Rest: line}, known}); d.record(r) {
		return nil
	}
	*r = Record{}
	return json.Unmarshal(line, r)
}

// A decoder reads one line from the left. Its methods report false at the first thing that appendRecord does not write.
type decoder struct {
	jsonline.Reader
	known *Record
}

// record reads a whole object of simple members.
func (d *decoder) record(r *Record) bool {
	return d.Object(func(key []byte) bool { return d.member(r, string(key)) }) && len(d.Rest) == 0
}

// member reads the value of a member.
func (d *decoder) member(r *Record, key string) bool {
	if len(d.Rest) > 0 && d.Rest[0] == '"' {
		return d.quoted(r, key)
	}
	if key == "policy" {
		return d.policy(r)
	}
	if span := r.millisField(key); span != nil {
		return d.millis(span)
	}
	n, ok := d.Int()
	return ok && r.setInt(key, n)
}

// quoted reads a text or a time.
func (d *decoder) quoted(r *Record, key string) bool {
	if text := r.textField(key); text != nil {
		return d.known != nil && d.same(text, d.known.textField(key)) || d.Text(text)
	}
	when := r.timeField(key)
	return when != nil && d.Time(when)
}

// same reads a string without escapes, and makes it known unless it is. It reads nothing of any other.
func (d *decoder) same(s, known *string) bool {
	start := d.Rest
	raw, ok := d.Plain()
	switch {
	case !ok:
		d.Rest = start
		return false
	case string(raw) != *known:
		*known = string(raw)
	}
	*s = *known
	return true
}

func (d *decoder) millis(m *Millis) bool {
	n := d.Number()
	return n != nil && m.UnmarshalJSON(n) == nil
}

func (d *decoder) policy(r *Record) bool {
	end := bytes.IndexByte(d.Rest, '}') // an object of simple members has no other
	if r.Policy != nil || end < 0 || bytes.IndexByte(d.Rest[:end], '\\') >= 0 {
		return false
	}
	p := new(Policy)
	if json.Unmarshal(d.Rest[:end+1], p) != nil {
		return false
	}
	r.Policy, d.Rest = p, d.Rest[end+1:]
	return true
}
