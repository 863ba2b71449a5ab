package ledger

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// TestDecode_KnowsEveryField keeps new fields from being read the slow way without anybody noticing.
func TestDecode_KnowsEveryField(t *testing.T) {
	want := full(t, "text", 1234567, time.Date(2026, 7, 1, 12, 0, 0, 120_000_000, time.UTC))
	line, err := appendRecord(nil, &want)
	if err != nil {
		t.Fatal(err)
	}
	var got Record
	if d := (decoder{Reader: jsonline.Reader{Rest: line}}); !d.record(&got) {
		t.Fatalf("stopped at %.60q", d.Rest)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func decodeErr(line []byte, r, known *Record) error {
	_, err := decodeLine(line, r, known)
	return err
}

// A line is foreign when others may read it as another record.
func TestDecode_Foreign(t *testing.T) {
	for line, want := range map[string]bool{
		`{"seq":1,"type":"run","policy":{"dialect":"cautious","delay_ms":1}}`: false,
		`{"type":"run","seq":1}`:                                             false,
		`{"seq":1,"why":"\u0061 \"b\"","url":""}`:                            false,
		`{"seq":1,"url":"http://a.example/é"}`:                               false,
		`{"seq":1,"url":"http://a.example/","url":"http://b.example/"}`:      true,
		`{"seq":1,"url":"","url":"http://b.example/"}`:                       true,
		`{"seq":1,"URL":"http://b.example/"}`:                                true,
		`{"seq":1,"url":"http://a.example/","\u0075rl":"http://b.example/"}`: true,
		`{"seq":1,"seq":2}`:                                                  true,
		`{"seq":1,"bytes":1,"bytes":2}`:                                      true,
		`{"seq":1,"gap_ms":0,"gap_ms":2}`:                                    true,
		`{"seq":1,"cookies":"sent"}`:                                         true,
		`{"seq":1,"type":"run","policy":{"delay_ms":1,"delay_ms":0}}`:        true,
		`{"seq":1,"type":"run","policy":{"delay_ms":1},"policy":{}}`:         true,
		`{"seq":1,"type":"run","policy":{"rude":true}}`:                      true,
		"{\"seq\":1,\"url\":\"http://a.example/\xff\"}":                      true,
		"{\"seq\":1,\"url\":\"http://a.example/\\u0061\xff\"}":               true,
	} {
		var r Record
		got, err := decodeLine([]byte(line), &r, new(Record))
		if err != nil || got != want {
			t.Errorf("%s: foreign %v, %v; want %v", line, got, err, want)
		}
	}
}

// A number that no field can hold makes a line no record, whatever the machine makes of it.
func TestDecode_NumbersTooLarge(t *testing.T) {
	for _, member := range []string{`"gap_ms":1e300`, `"gap_ms":-9223372036854.777`, `"took_ms":9223372036854.775807`, `"status":9223372036854775808`} {
		if err := decodeErr([]byte(`{"seq":1,`+member+`}`), new(Record), nil); err == nil {
			t.Errorf("%s is taken for a number", member)
		}
	}
}

// FuzzDecode checks that a line is read as encoding/json reads it, whoever wrote it.
func FuzzDecode(f *testing.F) {
	at := time.Date(2026, 7, 1, 12, 0, 0, 120_000_000, time.UTC)
	r := Record{Seq: 1, Prev: genesis, Type: Run, Time: at, Policy: &Policy{Dialect: "cautious", Factor: 5}}
	for _, url := range []string{"https://example.org/", "https://example.org/?a=\"<b>&c\\", "\u2028"} {
		r.URL, r.Owed = url, Millis(1500*time.Microsecond)
		line, err := appendRecord(nil, &r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	for _, line := range []string{
		`{}`, `{"seq":-1}`, `{"seq":-0}`, `{"SEQ":2}`, `{"seq":1,"seq":2}`, `{"url":null}`, `{"url":"\ud800"}`, `{ "seq":1}`, `{"seq":1.0}`, `{"seq":01}`,
		`{"time":"2026-02-30T00:00:00Z"}`, `{"time":"2026-02-03T00:00:00.1234567890Z"}`, `{"time":"2026-02-03T00:00:00+01:00"}`,
		`{"gap_ms":1e3}`, `{"gap_ms":-0.5}`, `{"gap_ms":.5}`, `{"policy":{"dialect":"}"}}`, `{"policy":{},"policy":{"workers":1}}`, `{"seq":1}x`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var want, got Record
		werr, gerr := json.Unmarshal(line, &want), decodeErr(line, &got, nil)
		if (werr == nil) != (gerr == nil) {
			t.Fatalf("error %v, want %v", gerr, werr)
		}
		if werr == nil && !reflect.DeepEqual(want, got) {
			t.Error(cmp.Diff(want, got))
		}
		known := Record{URL: "https://example.org/", Type: Run}
		for range 2 {
			if err := decodeErr(line, &got, &known); werr == nil && (err != nil || !reflect.DeepEqual(want, got)) {
				t.Error("with texts that are known:", err, cmp.Diff(want, got))
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	at := time.Date(2026, 7, 1, 12, 0, 0, 123_456_789, time.UTC)
	r := Record{
		Seq: 123456, Prev: genesis, Type: Request, Time: at, URL: "https://example.org/elsewhere/page/17.html", Site: "example.org",
		Via: "https://example.org/page/16", Depth: 2, Purpose: "page", Attempt: 1, Method: "GET", Proto: "HTTP/1.1",
		Address: "192.0.2.1:443", Start: at, FirstByte: at, End: at, Status: 200, Bytes: 20_000, Owed: 3_123_456_789, Kept: 3_223_456_789,
		Gap: 3_123_456_789, GapWhy: "floor", RobotsDigest: "sha256:" + genesis, RobotsReason: "no-rule",
	}
	line, err := appendRecord(nil, &r)
	if err != nil {
		b.Fatal(err)
	}
	var known Record
	for name, decode := range map[string]func() error{
		"ours": func() error { return decodeErr(line, &r, &known) },
		"json": func() error { r = Record{}; return json.Unmarshal(line, &r) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if err := decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
