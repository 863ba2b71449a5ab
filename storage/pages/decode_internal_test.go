package pages

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage"
)

func fullLine() Line {
	at := time.Date(2026, 7, 1, 12, 0, 0, 120_000_000, time.UTC)
	return Line{
		URL: "https://example.org/a", FinalURL: "https://example.org/b", File: "example.org/b", Fetched: at, Status: 200, Type: "text/html",
		Charset: "utf-8", Bytes: 20_000, Digest: "sha256:ab", Title: "страница \"1\" \u2028 <b>", Depth: 2, Via: "https://example.org/",
		LastMod: at, Truncated: "length", SameAs: "x/y", Near: "https://example.org/c", Robots: Robots{Digest: "sha256:cd", Line: 3, Rule: "Allow: /"},
		Canonical: "c", Lang: "ru", Directives: []string{"noarchive"}, Header: map[string][]string{"Link": {"<x>; rel=next", "é"}},
		Description: "d", Keywords: []string{"k", "l"}, DocumentState: "static", MetaURL: "m", MirrorOf: "o", MirrorBy: "meta-url",
	}
}

// No line that we write is left to encoding/json, but for uses and preferences.
func TestDecodeLine_Fast(t *testing.T) {
	want := fullLine()
	raw, err := want.appendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := Line{}
	d := lineDecoder{line: &got, known: &Line{}}
	d.Rest = raw[:len(raw)-1]
	if !d.Object(d.member) {
		t.Fatalf("stopped at %.60q", d.Rest)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzDecodeLine checks that a line is read as encoding/json reads it, whoever wrote it.
func FuzzDecodeLine(f *testing.F) {
	l := fullLine()
	l.Uses, l.Preferences = map[string]string{"search": "allow"}, []storage.Preference{{Use: "search", Value: "allow"}}
	for _, l := range []Line{{}, fullLine(), l} {
		raw, err := l.appendTo(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw[:len(raw)-1])
	}
	for _, raw := range []string{
		`{"URL":"x"}`, `{"url":null}`, `{"directives":[]}`, `{"directives":null}`, `{"directives":["a"],"directives":["b","c"]}`, `{"header":{}}`,
		`{"header":{"a":["x"]},"header":{"b":[]}}`, `{"header":{"a":["x"],"a":["y"]}}`, `{"robots":{"line":1},"robots":{"rule":"x"}}`, `{"title":"\ud800"}`,
		`{"status":1e2}`, `{"bytes":9999999999999999999}`, `{"fetched":"2026-02-30T00:00:00Z"}`, "{\"title\":\"\x01\"}", "{\"title\":\"\xff\"}", `{"uses":{}}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want, got Line
		werr, gerr := json.Unmarshal(raw, &want), decodeLine(raw, &got)
		if (werr == nil) != (gerr == nil) {
			t.Fatalf("error %v, want %v", gerr, werr)
		}
		if werr == nil && !reflect.DeepEqual(want, got) {
			t.Error(cmp.Diff(want, got))
		}
	})
}

func BenchmarkDecodeLine(b *testing.B) {
	l := fullLine()
	raw, err := l.appendTo(nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := decodeLine(raw[:len(raw)-1], &l); err != nil {
			b.Fatal(err)
		}
	}
}
