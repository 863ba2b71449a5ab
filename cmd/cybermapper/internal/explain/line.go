package explain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A line is a record of the ledger as it stands in its file. Looking up a few fields in it costs a fraction of decoding it, which
// counts where all records of a ledger are looked at. Keys are found by their quotes, which no text has: there they are escaped.
type line []byte

// raw returns the value of a key as written; nil when there is none. The key must not be the first of the record.
func (l line) raw(key string) []byte {
	var buf [32]byte
	needle := append(append(append(buf[:0], `,"`...), key...), `":`...)
	i := bytes.Index(l, needle)
	if i < 0 {
		return nil
	}
	return l[i+len(needle):]
}

// from returns the record from a key on, so that what stands behind it is found sooner; all of it when there is no such key.
func (l line) from(key string) line {
	if v := l.raw(key); v != nil {
		return l[len(l)-len(v)-len(key)-len(`,"":`):]
	}
	return l
}

// text returns a string.
func (l line) text(key string) string {
	v := l.raw(key)
	if len(v) == 0 || v[0] != '"' {
		return ""
	}
	for i := 1; i < len(v); i++ {
		switch v[i] {
		case '\\':
			var s string
			if json.NewDecoder(bytes.NewReader(v)).Decode(&s) != nil {
				return ""
			}
			return s
		case '"':
			return string(v[1:i])
		}
	}
	return ""
}

// is reports whether a string has that value. One that is written with escapes, as a URL with a backslash in its query, is decoded.
func (l line) is(key, value string) bool {
	if strings.ContainsAny(value, `\"`) {
		return l.text(key) == value
	}
	v := l.raw(key)
	return len(v) > len(value)+1 && v[0] == '"' && string(v[1:1+len(value)]) == value && v[1+len(value)] == '"'
}

// number returns a number; 0 when there is none.
func (l line) number(key string) float64 {
	v := l.raw(key)
	for i, c := range v {
		if c == ',' || c == '}' {
			v = v[:i]
			break
		}
	}
	n, _ := strconv.ParseFloat(string(v), 64)
	return n
}

// millis returns a span that is written as milliseconds.
func (l line) millis(key string) time.Duration {
	return time.Duration(l.number(key) * float64(time.Millisecond))
}

// time returns a moment; zero when there is none.
func (l line) time(key string) time.Time {
	t, _ := time.Parse(time.RFC3339Nano, l.text(key))
	return t
}

// eachLine calls f for every record in the ledger of a job; if there are keys it may leave out those that have none of them.
func eachLine(v *job.View, f func(line), keys ...ledger.Key) error {
	o := ledger.ReadOptions{Match: func(b []byte) bool {
		f(b)
		return false
	}}
	if len(keys) > 0 {
		o.In = v.Contents().Select(keys...)
	}
	for _, err := range ledger.Read(v.Path(job.LedgerDir), o) {
		if err := ledgerError(err); err != nil {
			return err
		}
	}
	return nil
}

// ledgerError wraps an error of reading; a bad record is none, for check tells of it.
func ledgerError(err error) error {
	if err == nil || errors.As(err, new(*ledger.CorruptError)) {
		return nil
	}
	return fmt.Errorf("read ledger: %w", err)
}
