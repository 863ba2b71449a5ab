package ledger

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// decodeLine reads a record from its line. It understands what appendRecord writes in a fraction of the time that
// encoding/json takes, and leaves everything else to that. Most texts of a record have been in one before: unless known is nil, it
// has the last one of each field, and is used instead of the same text anew. A line is foreign when others may read it as another
// record: it has members that no record has, one of them twice, or bytes that are no text or beside it.
func decodeLine(line []byte, r, known *Record) (foreign bool, err error) {
	*r = Record{}
	if d := (decoder{Reader: jsonline.Reader{Rest: line}, known: known}); d.record(r) {
		return false, nil
	}
	*r = Record{}
	if err := json.Unmarshal(line, r); err != nil {
		return false, err
	}
	return line[0] != '{' || line[len(line)-1] != '}' || !isOurs[Record](line), nil
}

// isOurs reports whether an object of JSON has only members of T, each of them once.
func isOurs[T any](object []byte) bool {
	ours := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		ours[name] = true
	}
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil || !utf8.Valid(object) {
		return false
	}
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		var value json.RawMessage
		if err != nil || !isText || !ours[name] || d.Decode(&value) != nil {
			return false
		}
		if ours[name] = false; name == "policy" && !isOurs[Policy](value) {
			return false
		}
	}
	return true
}

// A decoder reads one line from the left. Its methods report false at the first thing that appendRecord does not write.
type decoder struct {
	jsonline.Reader
	known *Record
	next  int // place of the first member that may follow
}

// record reads a whole object of simple members, none of them empty, in their order.
func (d *decoder) record(r *Record) bool {
	return d.Object(func(key []byte) bool { return d.member(r, string(key)) }) && len(d.Rest) == 0
}

// member reads the value of a member that stands behind those read before.
func (d *decoder) member(r *Record, key string) bool {
	for d.next < len(members) && members[d.next].key != key {
		d.next++
	}
	if d.next == len(members) {
		return false
	}
	fieldOf := members[d.next].field
	d.next++
	field := fieldOf(r)
	if text := textOf(field); text != nil {
		return (d.known != nil && d.same(text, textOf(fieldOf(d.known))) || d.Text(text)) && *text != ""
	}
	switch f := field.(type) {
	case *time.Time:
		return d.Time(f)
	case *Millis:
		return d.millis(f) && *f != 0
	case **Policy:
		return d.policy(r)
	case *uint64:
		return number(d, f)
	case *int64:
		return number(d, f)
	case *int:
		return number(d, f)
	}
	return false
}

// number reads a whole number that fits.
func number[T int | int64 | uint64](d *decoder, to *T) bool {
	n, ok := d.Int()
	if n < 0 && T(n) > 0 {
		return false
	}
	*to = T(n)
	return ok && n != 0 && int64(*to) == n
}

// same reads a string without escapes, and makes it known unless it is. It reads nothing of any other.
func (d *decoder) same(s, known *string) bool {
	start := d.Rest
	if n := len(*known) + 1; n > 1 && len(start) > n && start[n] == '"' && string(start[1:n]) == *known {
		*s, d.Rest = *known, start[n+1:]
		return true
	}
	raw, ok := d.Plain()
	if !ok {
		d.Rest = start
		return false
	}
	*known = string(raw)
	*s = *known
	return true
}

func (d *decoder) millis(m *Millis) bool {
	n := d.Number()
	return n != nil && m.UnmarshalJSON(n) == nil
}

func (d *decoder) policy(r *Record) bool {
	end := bytes.IndexByte(d.Rest, '}') // an object of simple members has no other
	if end < 0 || bytes.IndexByte(d.Rest[:end], '\\') >= 0 || !isOurs[Policy](d.Rest[:end+1]) {
		return false
	}
	p := new(Policy)
	if json.Unmarshal(d.Rest[:end+1], p) != nil {
		return false
	}
	r.Policy, d.Rest = p, d.Rest[end+1:]
	return true
}
