package ledger

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// decode returns the record of a line.
func decode(t *testing.T, line []byte) Record {
	t.Helper()
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return r
}

// full returns a record none of whose fields is empty.
func full(t *testing.T, text string, n int64, at time.Time) Record {
	t.Helper()
	var r Record
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case string, Type:
			f.SetString(text)
		case int, int64, Millis:
			f.SetInt(n)
		case uint64:
			f.SetUint(uint64(n))
		case *Policy:
			f.Set(reflect.ValueOf(&Policy{Dialect: text, Delay: Millis(n), Factor: 2.5, UseLastGood: true}))
		case time.Time:
			f.Set(reflect.ValueOf(at))
		default:
			t.Fatalf("field of type %T", f.Interface())
		}
	}
	return r
}

// TestEncode_IsWhatEncodingJSONWrites holds keys and order of the encoder to the struct.
func TestEncode_IsWhatEncodingJSONWrites(t *testing.T) {
	at := time.Date(2026, 7, 1, 12, 0, 0, 120_000_000, time.UTC)
	for name, r := range map[string]Record{"full": full(t, "text", 1234567, at), "empty": {}} {
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := appendRecord(nil, &r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestMillis(t *testing.T) {
	for in, want := range map[time.Duration]string{
		0:                       "0",
		time.Nanosecond:         "0.000001",
		1500 * time.Microsecond: "1.5",
		3 * time.Second:         "3000",
		24*time.Hour + 1:        "86400000.000001",
		-time.Millisecond:       "-1",
		90 * 24 * time.Hour:     "7776000000",
	} {
		data, err := json.Marshal(Millis(in))
		if err != nil || string(data) != want {
			t.Errorf("Marshal(%v) = %s, %v, want %s", in, data, err, want)
		}
		var back Millis
		if err := json.Unmarshal(data, &back); err != nil || time.Duration(back) != in {
			t.Errorf("Unmarshal(%s) = %v, %v, want %v", data, time.Duration(back), err, in)
		}
	}
	least, _ := json.Marshal(Millis(math.MinInt64)) // as of a request without a time
	if err := json.Unmarshal(least, new(Millis)); err != nil {
		t.Errorf("what was written is not read: %v", err)
	}
	if err := json.Unmarshal([]byte(`"1"`), new(Millis)); err == nil {
		t.Error("a string was taken for a number of milliseconds")
	}
}

// FuzzRecord checks that any record becomes one line, of bounded length, that encoding/json reads as the record it would have
// written.
func FuzzRecord(f *testing.F) {
	f.Add("https://example.org/?a=<b>&c", "dial tcp: \"x\"\n\u2028", int64(3000), int64(1), int64(1_790_000_000_000_000_000))
	f.Add("\xff\xfe\x00\x7f", "\\ud800 \U0001f600", int64(-1), int64(0), int64(0))
	f.Fuzz(func(t *testing.T, a, b string, n, m, nanos int64) {
		r := full(t, a, n, time.Unix(0, nanos).UTC())
		r.ErrorText, r.RobotsRule, r.Owed, r.Status, r.End = b, b+a, Millis(m%(1<<52)), int(m), time.Time{}
		r.Kept, r.Gap = 0, Millis(n%(1<<52))
		line, err := appendLine([]byte("kept"), &r) // clips r where it must
		if err != nil {
			t.Fatal(err)
		}
		if line = line[len("kept"):]; len(line) > MaxRecord || line[len(line)-1] != '\n' {
			t.Fatalf("a line of %d bytes that ends in %q", len(line), line[len(line)-1])
		}
		reference, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, reference), decode(t, line)); diff != "" {
			t.Error(diff)
		}
	})
}
