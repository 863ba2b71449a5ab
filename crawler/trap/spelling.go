package trap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// suspectSpellingLocked suspects a URL that others were asked for of which it differs only in the case of letters, in slashes
// that are doubled, or in parameters of path segments; else it counts it.
func (d *Detector) suspectSpellingLocked(u URL) (Finding, bool) {
	if d.o.Variants < 0 {
		return Finding{}, false
	}
	folded := fold(u.PathQuery)
	site, h := siteOf(u), hashOf(u.Origin, folded)
	ways, _ := d.spellings.Get(site, h)
	own := xxhash.Sum64String(u.PathQuery)
	switch {
	case slices.Contains(ways, own):
	case len(ways) >= d.o.Variants:
		return Finding{Spellings, u.Origin + folded, fmt.Sprintf("%d spellings of this path were asked for", len(ways))}, true
	default:
		d.spellings.Put(site, h, append(ways, own))
	}
	return Finding{}, false
}

// isFolded reports whether fold leaves a path as it is, as most are.
func isFolded(path string) bool {
	for i := range len(path) {
		switch c := path[i]; {
		case c == ';', 'A' <= c && c <= 'Z', c == '/' && i > 0 && path[i-1] == '/':
			return false
		}
	}
	return true
}

// fold writes the spellings of a path and query in one way.
func fold(pathQuery string) string {
	path, query, hasQuery := strings.Cut(pathQuery, "?")
	if isFolded(path) {
		return pathQuery
	}
	var b strings.Builder
	b.Grow(len(pathQuery))
	skip := false
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '/':
			skip = false
			if i > 0 && strings.HasSuffix(b.String(), "/") {
				continue
			}
		case skip:
			continue
		case c == ';':
			skip = true
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	if hasQuery {
		b.WriteByte('?')
		b.WriteString(query)
	}
	return b.String()
}
