package ledger

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/internal/jsonline"
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
		werr, gerr := json.Unmarshal(line, &want), decodeLine(line, &got, nil)
		if (werr == nil) != (gerr == nil) {
			t.Fatalf("error %v, want %v", gerr, werr)
		}
		if werr == nil && !reflect.DeepEqual(want, got) {
			t.Error(cmp.Diff(want, got))
		}
		known := Record{URL: "https://example.org/", Type: Run}
		for range 2 {
			if err := decodeLine(line, &got, &known); werr == nil && (err != nil || !reflect.DeepEqual(want, got)) {
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
		"ours": func() error { return decodeLine(line, &r, &known) },
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
