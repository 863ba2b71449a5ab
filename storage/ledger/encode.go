package ledger

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// Millis is a duration that is written as a number of milliseconds.
type Millis time.Duration

// MarshalJSON implements [json.Marshaler].
func (m Millis) MarshalJSON() ([]byte, error) { return m.append(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Millis) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(string(data), 64)
	if f *= float64(time.Millisecond); err != nil || f >= 1<<63 || f < -1<<63 {
		return fmt.Errorf("not a number of milliseconds: %s", data)
	}
	*m = Millis(math.Round(f))
	return nil
}

// append appends m in decimal, without an exponent and without zeros at the end.
func (m Millis) append(b []byte) []byte {
	return strconv.AppendFloat(b, float64(m)/float64(time.Millisecond), 'f', -1, 64)
}

// appendLine appends r as a line of at most MaxRecord bytes, with its newline. Texts give way when it would be longer. The error is
// a time that RFC 3339 cannot express; b is returned as it was.
func appendLine(b []byte, r *Record) ([]byte, error) {
	for limit := MaxRecord / 4; ; limit /= 4 {
		line, err := appendRecord(b, r)
		if err != nil {
			return b, err
		}
		if len(line)-len(b) < MaxRecord {
			return append(line, '\n'), nil
		}
		r.clip(limit)
	}
}

// appendRecord appends what json.Marshal makes of r, but with all times in UTC and without escapes for HTML, in a fraction of
// its time.
func appendRecord(b []byte, r *Record) ([]byte, error) {
	o := object{jsonline.Members{Buf: append(b, `{"seq":`...)}}
	o.Buf = strconv.AppendUint(o.Buf, r.Seq, 10)
	o.Buf = jsonline.AppendString(append(o.Buf, `,"prev":`...), r.Prev)
	o.Buf = jsonline.AppendString(append(o.Buf, `,"type":`...), string(r.Type))
	o.Buf = append(o.Buf, `,"time":`...)
	o.AppendTime(r.Time)
	for _, m := range members[alwaysThere:] {
		switch f := m.field(r).(type) {
		case *string:
			o.Text(m.key, *f)
		case *int:
			o.Int(m.key, int64(*f))
		case *int64:
			o.Int(m.key, *f)
		case *time.Time:
			o.Time(m.key, *f)
		case *Millis:
			o.millis(m.key, *f)
		case **Policy:
			o.policy(m.key, *f)
		}
	}
	return append(o.Buf, '}'), o.Err
}

// An object appends the members of a record.
type object struct{ jsonline.Members }

func (o *object) millis(name string, m Millis) {
	if m != 0 {
		o.Key(name)
		o.Buf = m.append(o.Buf)
	}
}

func (o *object) policy(name string, p *Policy) {
	if p == nil {
		return
	}
	data, err := json.Marshal(p)
	if err != nil {
		o.Err = err
		return
	}
	o.Key(name)
	o.Buf = append(o.Buf, data...)
}

// clip shortens the texts of r that have more than limit bytes.
func (r *Record) clip(limit int) {
	v := reflect.ValueOf(r).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.String && f.Len() > limit {
			f.SetString(clip(f.String(), limit))
		}
	}
}

// clip returns the first bytes of s, at most limit and no part of a character, and an ellipsis.
func clip(s string, limit int) string {
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit]) + "…"
}
