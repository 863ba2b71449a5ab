package index

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

// maxFacets bounds the values of a kind that are listed.
const maxFacets = 20

// facets counts the matches.
func (s *search) facets() error {
	if !s.q.Facets {
		return nil
	}
	hosts, langs, types, months := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	f := &Facets{}
	type counted struct {
		host, lang, mediaType, address string
		fetched, modified              int64
	}
	dest := func(c *counted) []any {
		return []any{&c.address, &c.host, &c.lang, &c.mediaType, &c.fetched, &c.modified}
	}
	for c, err := range sqlfile.Rows(s.ctx, s.x.read, dest, `SELECT url, host, lang, type, fetched, modified FROM pages
		WHERE id IN (`+idList(s.ranked[:s.full])+`)`) {
		if err != nil {
			return err
		}
		f.Counted++
		hosts[c.host]++
		if c.lang != "" {
			langs[c.lang]++
		}
		if t := typesOf(c.address, c.mediaType); len(t) > 0 {
			types[t[0]]++
		}
		months[time.Unix(cmp.Or(c.modified, c.fetched), 0).UTC().Format("2006-01")]++
	}
	f.Hosts, f.Langs, f.Types, f.Months = facetsOf(hosts), facetsOf(langs), facetsOf(types), facetsOf(months)
	slices.SortFunc(f.Months, func(a, b Facet) int { return strings.Compare(b.Value, a.Value) })
	s.r.Facets = f
	return nil
}

// facetsOf lists the most frequent values.
func facetsOf(counts map[string]int) []Facet {
	list := make([]Facet, 0, len(counts))
	for value, n := range counts {
		list = append(list, Facet{value, n})
	}
	slices.SortFunc(list, func(a, b Facet) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value)) })
	return list[:min(len(list), maxFacets)]
}

// withFragment returns the address of a place in a page.
func withFragment(page, id string) string {
	page, _, _ = strings.Cut(page, "#")
	return page + "#" + (&url.URL{Fragment: id}).EscapedFragment()
}
