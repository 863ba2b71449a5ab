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
	o.Int("format", int64(r.Format))
	o.Text("boot", r.Boot)
	o.millis("boot_ms", r.BootAt)

	o.Text("event", r.Event)
	o.Text("why", r.Why)
	o.Text("version", r.Version)
	o.Text("product", r.Product)
	o.Text("user_agent", r.UserAgent)
	o.Text("key", r.Key)
	o.policy(r.Policy)
	o.Int("torn_bytes", r.Torn)
	o.Int("repaired", int64(r.Repaired))
	o.Int("connections", int64(r.Connections))
	o.millis("set_ms", r.Set)

	o.Text("url", r.URL)
	o.Text("site", r.Site)
	o.Text("via", r.Via)
	o.Int("depth", int64(r.Depth))

	o.Text("purpose", r.Purpose)
	o.Int("attempt", int64(r.Attempt))
	o.Text("method", r.Method)
	o.Text("proto", r.Proto)
	o.Text("address", r.Address)
	o.Text("from", r.From)
	o.Text("proxy", r.Proxy)
	o.Time("start", r.Start)
	o.Time("first_byte", r.FirstByte)
	o.Time("end", r.End)
	o.millis("clock_ms", r.Clock)
	o.millis("took_ms", r.Took)
	o.Int("status", int64(r.Status))
	o.Int("bytes", r.Bytes)
	o.Int("wire_bytes", r.WireBytes)
	o.Text("media_type", r.MediaType)
	o.Text("location", r.Location)
	o.Text("etag", r.ETag)
	o.Text("retry_after", r.RetryAfter)
	o.Text("truncated", r.Truncated)
	o.Text("error", r.Error)
	o.Text("error_text", r.ErrorText)

	o.millis("owed_ms", r.Owed)
	o.millis("kept_ms", r.Kept)
	o.millis("gap_ms", r.Gap)
	o.Text("gap_why", r.GapWhy)
	o.Text("tenure", r.Tenure)

	o.Text("robots_digest", r.RobotsDigest)
	o.Int("robots_line", int64(r.RobotsLine))
	o.Text("robots_rule", r.RobotsRule)
	o.Text("robots_reason", r.RobotsReason)

	o.Text("origin", r.Origin)
	o.Time("expires", r.Expires)

	o.Text("gate", r.Gate)
	o.Text("reason", r.Reason)
	o.Text("rule", r.Rule)
	o.Int("line", int64(r.Line))
	o.Text("digest", r.Digest)

	o.Text("outcome", r.Outcome)
	o.Time("not_before", r.NotBefore)
	o.Text("file", r.File)
	o.Text("same_as", r.SameAs)
	o.Text("listing_digest", r.Listing)
	o.Int("links_found", int64(r.LinksFound))
	o.Int("links_new", int64(r.LinksNew))
	o.Int("links_onward", int64(r.LinksOnward))
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

func (o *object) policy(p *Policy) {
	if p == nil {
		return
	}
	data, err := json.Marshal(p)
	if err != nil {
		o.Err = err
		return
	}
	o.Key("policy")
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
