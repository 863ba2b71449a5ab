package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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
	o := object{buf: append(b, `{"seq":`...)}
	o.buf = strconv.AppendUint(o.buf, r.Seq, 10)
	o.buf = appendString(append(o.buf, `,"prev":`...), r.Prev)
	o.buf = appendString(append(o.buf, `,"type":`...), string(r.Type))
	o.buf = append(o.buf, `,"time":`...)
	o.appendTime(r.Time)
	o.int("format", int64(r.Format))

	o.text("event", r.Event)
	o.text("why", r.Why)
	o.text("version", r.Version)
	o.text("product", r.Product)
	o.text("user_agent", r.UserAgent)
	o.text("key", r.Key)
	o.policy(r.Policy)
	o.int("torn_bytes", r.Torn)
	o.int("repaired", int64(r.Repaired))
	o.int("connections", int64(r.Connections))
	o.millis("set_ms", r.Set)

	o.text("url", r.URL)
	o.text("site", r.Site)
	o.text("via", r.Via)
	o.int("depth", int64(r.Depth))

	o.text("purpose", r.Purpose)
	o.int("attempt", int64(r.Attempt))
	o.text("method", r.Method)
	o.text("proto", r.Proto)
	o.text("address", r.Address)
	o.text("from", r.From)
	o.text("proxy", r.Proxy)
	o.time("start", r.Start)
	o.time("first_byte", r.FirstByte)
	o.time("end", r.End)
	o.millis("clock_ms", r.Clock)
	o.millis("took_ms", r.Took)
	o.int("status", int64(r.Status))
	o.int("bytes", r.Bytes)
	o.int("wire_bytes", r.WireBytes)
	o.text("media_type", r.MediaType)
	o.text("location", r.Location)
	o.text("etag", r.ETag)
	o.text("retry_after", r.RetryAfter)
	o.text("truncated", r.Truncated)
	o.text("error", r.Error)
	o.text("error_text", r.ErrorText)

	o.millis("owed_ms", r.Owed)
	o.millis("kept_ms", r.Kept)
	o.millis("gap_ms", r.Gap)
	o.text("gap_why", r.GapWhy)

	o.text("robots_digest", r.RobotsDigest)
	o.int("robots_line", int64(r.RobotsLine))
	o.text("robots_rule", r.RobotsRule)
	o.text("robots_reason", r.RobotsReason)

	o.text("origin", r.Origin)
	o.time("expires", r.Expires)

	o.text("gate", r.Gate)
	o.text("reason", r.Reason)
	o.text("rule", r.Rule)
	o.int("line", int64(r.Line))
	o.text("digest", r.Digest)

	o.text("outcome", r.Outcome)
	o.time("not_before", r.NotBefore)
	o.text("file", r.File)
	o.text("same_as", r.SameAs)
	o.text("listing_digest", r.Listing)
	o.int("links_found", int64(r.LinksFound))
	o.int("links_new", int64(r.LinksNew))
	o.int("links_onward", int64(r.LinksOnward))
	return append(o.buf, '}'), o.err
}

// An object appends the members of a JSON object behind the first; members that are empty, zero or false are left out.
type object struct {
	buf []byte
	err error
}

func (o *object) key(name string) {
	o.buf = append(o.buf, `,"`...)
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, `":`...)
}

func (o *object) text(name, s string) {
	if s != "" {
		o.key(name)
		o.buf = appendString(o.buf, s)
	}
}

func (o *object) int(name string, n int64) {
	if n != 0 {
		o.key(name)
		o.buf = strconv.AppendInt(o.buf, n, 10)
	}
}

func (o *object) millis(name string, m Millis) {
	if m != 0 {
		o.key(name)
		o.buf = m.append(o.buf)
	}
}

func (o *object) time(name string, t time.Time) {
	if !t.IsZero() {
		o.key(name)
		o.appendTime(t)
	}
}

func (o *object) policy(p *Policy) {
	if p == nil {
		return
	}
	data, err := json.Marshal(p)
	if err != nil {
		o.err = err
		return
	}
	o.key("policy")
	o.buf = append(o.buf, data...)
}

func (o *object) appendTime(t time.Time) {
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		o.err = errors.New("a year outside 0 to 9999")
	}
	o.buf = append(o.buf, '"')
	o.buf = t.AppendFormat(o.buf, time.RFC3339Nano)
	o.buf = append(o.buf, '"')
}

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
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
