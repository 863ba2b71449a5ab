package robotscmd

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// TestReadRefused: what robots.txt kept a crawl from is among the URLs of a site, for no page of it was ever stored.
func TestReadRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ledgertest.Write(t, dir, ledger.Options{}, []ledger.Record{
		{Type: ledger.Refusal, Time: now, URL: "http://site.example/closed/a", Gate: "robots", Rule: "Disallow: /closed/", Line: 2},
		{Type: ledger.Refusal, Time: now, URL: "http://site.example/far", Gate: "scope"},
		{Type: ledger.Refusal, Time: now, URL: "http://other.example/b", Gate: "robots", Line: 2},
	}...)
	base := frontiertest.URL(t, "http://site.invalid/")
	list := siteURLs{base: base, host: "site.example"}
	if err := list.readRefused(dir); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, u := range list.urls {
		paths = append(paths, u.Path)
	}
	if !slices.Equal(paths, []string{"/closed/a"}) {
		t.Errorf("refused paths %q, want /closed/a alone", paths)
	}
}

// TestSiteURLs_read: a host without its scheme is no path, a byte order mark is no part of the first URL, and what Windows writes
// is read.
func TestSiteURLs_read(t *testing.T) {
	lines := "\ufeffhttp://site.example/a\r\n# /c\nsite.example/b?u=http://x/\n\n/d\n"
	entries := "\ufeff<urlset><url><loc>http://site.example/a</loc></url><url><loc>http://site.example/d</loc></url></urlset>"
	var wide [2][]byte
	for i, text := range []string{strings.ReplaceAll(lines, "/d", "http://site.example/d"), entries} {
		for _, unit := range utf16.Encode([]rune(text)) {
			wide[i] = append(wide[i], byte(unit), byte(unit>>8))
		}
	}
	for _, data := range [][]byte{[]byte(lines), []byte(entries), wide[0], wide[1]} {
		list := siteURLs{base: frontiertest.URL(t, "http://site.invalid/"), host: "site.example"}
		if err := list.read(data); err != nil {
			t.Errorf("%.20q: %v", data, err)
		}
		var paths []string
		for _, u := range list.urls {
			paths = append(paths, u.Path)
		}
		if !slices.Equal(paths, []string{"/a", "/d"}) {
			t.Errorf("%.20q: paths %q, want /a and /d", data, paths)
		}
	}
}
