package engine

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// Ensure that a line of the ledger that is no record keeps nobody from finding the others.
func TestRefusedLinks_GarbageBetween(t *testing.T) {
	dir := t.TempDir()
	ledgertest.Write(t, dir, ledger.Options{},
		ledger.Record{Type: ledger.Refusal, URL: "http://a.example/1", Gate: "limit"},
		ledger.Record{Type: ledger.Refusal, URL: "http://a.example/2", Gate: "limit"},
		ledger.Record{Type: ledger.Refusal, URL: "http://a.example/3", Gate: "meta"},
		ledger.Record{Type: ledger.Refusal, URL: "http://a.example/4", Gate: "scope", Via: "http://a.example/", Depth: 2},
	)
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
