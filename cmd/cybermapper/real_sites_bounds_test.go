//go:build unix

package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// A boundUse is how far real pages go towards a bound of the section traps, and how many go beyond.
type boundUse struct {
	name           string
	bound          int
	most           int
	beyond, judged int
	sample         string // the one with most
}

func (b *boundUse) take(n int, sample string) {
	b.judged++
	if n > b.most {
		b.most, b.sample = n, sample
	}
	if b.bound > 0 && n > b.bound {
		b.beyond++
	}
}

// logBounds tells of each bound what its default costs on real pages: how many are beyond it, and how far the others are from it.
func logBounds(t *testing.T, sites []*realSite) {
	t.Helper()
	d := config.Default().Traps
	length, segments := boundUse{name: "url_length", bound: d.URLLength}, boundUse{name: "path_segments", bound: d.PathSegments}
	repeated := boundUse{name: "repeated_segments", bound: d.RepeatedSegments}
	links := boundUse{name: "links_per_page", bound: d.LinksPerPage}
	redirects := boundUse{name: "redirects", bound: d.Redirects}
	requisites := boundUse{name: "requisites_per_page", bound: d.RequisitesPerPage}
	directory := boundUse{name: "pages_per_directory", bound: d.PagesPerDirectory}
	queries := boundUse{name: "queries_per_path", bound: d.QueriesPerPath}
	spellings := boundUse{name: "spellings", bound: d.Spellings}
	for _, s := range sites {
		inDirectory, ofPath, spelt := map[string]int{}, map[string]int{}, map[string]int{}
		for _, p := range s.truth.pages {
			u, err := url.Parse(p.url)
			if err != nil {
				t.Fatal(err)
			}
			length.take(len(p.url), p.url)
			parts := strings.FieldsFunc(u.EscapedPath(), func(r rune) bool { return r == '/' })
			segments.take(len(parts), p.url)
			repeated.take(longestRun(parts), p.url)
			links.take(p.out, p.url)
			redirects.take(p.hops, p.url)
			requisites.take(p.needs, p.url)
			inDirectory[u.EscapedPath()[:strings.LastIndexByte(u.EscapedPath(), '/')+1]]++
			if u.RawQuery != "" {
				ofPath[u.EscapedPath()]++
			}
			spelt[strings.ToLower(u.EscapedPath())+"?"+u.RawQuery]++
		}
		for _, of := range []struct {
			use    *boundUse
			counts map[string]int
		}{{&directory, inDirectory}, {&queries, ofPath}, {&spellings, spelt}} {
			for name, n := range of.counts {
				of.use.take(n, s.site.URL+name)
			}
		}
	}
	t.Logf("%-20s %8s %8s %8s %8s  %s", "bound", "default", "most", "judged", "beyond", "the one with most")
	for _, b := range []boundUse{length, segments, repeated, redirects, links, requisites, directory, queries, spellings} {
		sample := b.sample[:min(len(b.sample), 100)]
		t.Logf("%-20s %8d %8d %8d %8d  %s", b.name, b.bound, b.most, b.judged, b.beyond, sample)
		if b.beyond > 0 {
			t.Errorf("%d real pages are beyond %s", b.beyond, b.name)
		}
	}
}

// longestRun returns how often a segment, or a pair of segments, stands there in a row at most.
func longestRun(segments []string) (most int) {
	for period := 1; period <= 2; period++ {
		for i := range segments {
			n := 1
			for j := i + period; j+period <= len(segments) && slices.Equal(segments[j:j+period], segments[i:i+period]); j += period {
				n++
			}
			most = max(most, n)
		}
	}
	return most
}
