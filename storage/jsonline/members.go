package jsonline

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"
)

// Members appends the members of a JSON object behind the first, as encoding/json writes them but for escapes for HTML. Those that
// are empty or zero are left out. Err is that of a time which RFC 3339 cannot express.
type Members struct {
	Buf []byte
	Err error
}

// Key appends the name of a member, which needs no escapes.
func (m *Members) Key(name string) {
	m.Buf = append(m.Buf, `,"`...)
	m.Buf = append(m.Buf, name...)
	m.Buf = append(m.Buf, `":`...)
}

// Text appends a string, unless it is empty.
func (m *Members) Text(name, s string) {
	if s != "" {
		m.Key(name)
		m.Buf = AppendString(m.Buf, s)
	}
}

// Int appends a number, unless it is zero.
func (m *Members) Int(name string, n int64) {
	if n != 0 {
		m.Key(name)
		m.Buf = strconv.AppendInt(m.Buf, n, 10)
	}
}

// Time appends a time in UTC, unless it is zero.
func (m *Members) Time(name string, t time.Time) {
	if !t.IsZero() {
		m.Key(name)
		m.AppendTime(t)
	}
}

// AppendTime appends a time in UTC.
func (m *Members) AppendTime(t time.Time) {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		m.Err = errors.New("a year outside 0 to 9999")
	}
	m.Buf = append(m.Buf, '"')
	m.Buf = t.AppendFormat(m.Buf, time.RFC3339Nano)
	m.Buf = append(m.Buf, '"')
}

// AppendString appends s as a JSON string.
func AppendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendEscaped(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendEscaped appends s as a JSON string, whatever bytes it has.
func appendEscaped(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return append(b, `""`...) // cannot happen: every string can be encoded
	}
	return append(b, buf.Bytes()[:buf.Len()-1]...)
}
