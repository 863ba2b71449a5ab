package extract_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// TestPage_Cases reads the pages of testdata/pages.jsonl and compares the links that the cases list: the http(s) targets
// of a, area, frame and iframe, without fragments, without those marked nofollow and those that lead to the page itself.
func TestPage_Cases(t *testing.T) {
	f, err := os.Open("testdata/pages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x := extract.New(extract.Options{})
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c struct {
			ID, URL, HTML, Why, Canonical string
			Headers                       http.Header
			Links                         []string
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			page, err := x.Page(t.Context(), extract.Input{URL: c.URL, Header: c.Headers, Body: []byte(c.HTML)})
			if err != nil {
				t.Fatal(err)
			}
			links, canonical := resolved(t, c.URL, page)
			if !slices.Equal(links, c.Links) {
				t.Errorf("links = %q, want %q: %s", links, c.Links, c.Why)
			}
			if canonical != c.Canonical {
				t.Errorf("canonical = %q, want %q: %s", canonical, c.Canonical, c.Why)
			}
		})
	}
}

// resolved returns a page's hyperlinks and canonical address as the cases list them.
func resolved(t *testing.T, url string, page *extract.Page) (links []string, canonical string) {
	t.Helper()
	self := frontiertest.URL(t, url)
	base, err := self.Resolve(page.Base)
	if err != nil {
		base = self
	}
	links = []string{}
	for _, l := range page.Links {
		u, err := base.Resolve(l.Href)
		nofollow := strings.Contains(strings.ToLower(l.Rel), "nofollow")
		if err == nil && l.Kind <= extract.KindIframe && !nofollow && u != self {
			links = append(links, u.String())
		}
	}
	if page.Canonical != "" {
		u, err := base.Resolve(page.Canonical)
		if err != nil {
			t.Fatal(err)
		}
		canonical = u.String()
	}
	return links, canonical
}

// A negative bound is no way to lose a restriction, or a page.
func TestOptions_NegativeMeansTheDefault(t *testing.T) {
	x := extract.New(extract.Options{
		MaxBytes: -1, MaxTree: -1, Budget: -1, MaxLinks: -1, MaxLinkBytes: -1, MaxHref: -1, MaxMetas: -1, MaxMetaBytes: -1,
		MaxTitle: -1, MaxDescription: -1, MaxKeywords: -1, MaxKeyword: -1, MaxText: -1,
	})
	body := `<title>T</title><meta name=robots content=noindex><table><p><a href=/b>b</a></table>`
	in := extract.Input{URL: "https://a.example/", Body: []byte(body)}
	page, err := x.Page(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if page.Title != "T" || len(page.Metas) != 1 || len(page.Links) != 1 || len(page.Notes) != 0 {
		t.Errorf("read with negative bounds: %+v", page)
	}
}
