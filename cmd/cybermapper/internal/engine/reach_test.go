package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Ensure that a line of the ledger that is no record keeps nobody from finding the others.
func TestRefusedLinks_GarbageBetween(t *testing.T) {
	dir := t.TempDir()
	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []ledger.Record{
		{URL: "http://a.example/1", Gate: "limit"}, {URL: "http://a.example/2", Gate: "limit"}, {URL: "http://a.example/3", Gate: "meta"},
		{URL: "http://a.example/4", Gate: "scope", Via: "http://a.example/", Depth: 2},
	} {
		r.Type = ledger.Refusal
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Close(t, l)
	name := filepath.Join(dir, "ledger-000001.jsonl")
	text := filetest.Read(t, name)
	broken := strings.Replace(string(text), "http://a.example/2\"", "http://a.example/2", 1)
	filetest.Write(t, name, broken)
	var got []string
	for links, err := range refusedLinks(dir, func(ledger.Record) bool { return true }, crawler.GateScope, crawler.GateLimit) {
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			got = append(got, link.URL.String())
		}
	}
	if want := "http://a.example/1 http://a.example/4"; strings.Join(got, " ") != want {
		t.Errorf("links %q, want %q", got, want)
	}
}
