package strain_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

func TestParseLoad(t *testing.T) {
	got, err := strain.ParseLoad([]byte("time,load,connections\n2026-03-01 12:00:00,0.61,17\r\n2026-03-01T13:01:00+01:00,7.52,140\n1772366520,6.9,133\n"))
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	want := []strain.Sample{{noon, 0.61, 17}, {noon.Add(time.Minute), 7.52, 140}, {noon.Add(2 * time.Minute), 6.9, 133}}
	for i, s := range got {
		if len(got) != len(want) || s != want[i] {
			t.Errorf("sample %d of %d: %v, want %v", i, len(got), s, want[i])
		}
	}
	one, err := strain.ParseLoad([]byte("\ufefftime,connections\n2026-03-01T12:00:00Z,0\n"))
	if err != nil || len(one) != 1 || one[0].Connections != 0 || !math.IsNaN(one[0].Load) {
		t.Errorf("%v, %v", one, err)
	}
}

func TestParseLoad_Errors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "line 1: no header",
		"12:00:01 AM runq-sz\n":              "line 1: the columns",
		"\ntime,cpu\n":                       "line 2: the columns",
		"time\n":                             "line 1: the columns",
		"time,load\nnow,1\n":                 `line 2: the time "now"`,
		"time,load\n1772366520000,1\n":       "line 2: the time",
		"time,load\n\n1,1\n2,-1\n":           `line 4: the load "-1"`,
		"time,connections\n1,NaN\n":          `line 2: the connections "NaN"`,
		"time,load\n1,1e999\n":               "line 2: the load",
		"time,load\n1,\n":                    "line 2: the load",
		"time,load\n2,1\n2,1\n":              "line 3: the time 2 is not after",
		"time,load\n1,1,1\n":                 "line 2: wrong number of fields",
		"time,load,connections\n1,1\n":       "line 2: wrong number of fields",
		"time,load\n1,1\n2026-03-01 12:":     "line 3: wrong number of fields",
		"time,load\n1,\"1\n":                 "line 2",
		"time,load\n0000-01-01 00:00:00,1\n": "line 2: the time",
	} {
		if _, err := strain.ParseLoad([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseLoad(%q): %v, want %q", text, err, want)
		}
	}
}

// FuzzParseLoad: what is read is in order and sound, and reads the same when it is written again; an error names a line.
func FuzzParseLoad(f *testing.F) {
	for _, seed := range []string{"time,load,connections\n2026-03-01 12:00:00,0.61,17\n1772366520,6.9,133\n", "time,connections\n2026-03-01T13:01:00.5+01:00,5\n", "\"time\",load\n1,\"1\n", "time,load\n1,0x1p-2"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := strain.ParseLoad(data)
		if err != nil {
			if !strings.Contains(err.Error(), "line ") {
				t.Fatalf("the error %q names no line", err)
			}
			return
		}
		text := "time,load,connections\n"
		for i, s := range list {
			if i > 0 && !list[i-1].Time.Before(s.Time) || s.Load < 0 || s.Connections < 0 || math.IsNaN(s.Load) && math.IsNaN(s.Connections) {
				t.Fatalf("sample %d: %v", i, s)
			}
			text += fmt.Sprintf("%s,%v,%v\n", s.Time.Format(time.RFC3339Nano), orZero(s.Load), orZero(s.Connections))
		}
		again, err := strain.ParseLoad([]byte(text))
		if err != nil || len(again) != len(list) {
			t.Fatalf("written again: %v\n%s", err, text)
		}
		for i, s := range again {
			if !s.Time.Equal(list[i].Time) || s.Load != orZero(list[i].Load) || s.Connections != orZero(list[i].Connections) {
				t.Fatalf("sample %d: %v, was %v", i, s, list[i])
			}
		}
	})
}

func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
