package trap

import (
	"slices"
	"strings"
)

// A copy is a page that shows what another path shows, with the same links: a program that answers at any path gives its front page
// at each that it does not know. Its links to its own path with a query, as ?page=2, lead to copies of the second pages of that
// other path, so that they are no links that lead on. Where old addresses stand all over a site, there are very many such paths.

// An original is the first page that showed what it does and has links to its own path with a query.
type original struct {
	path   string
	copies int // paths that show it, too
}

// longestOriginal is how long the path of a page may be whose copies are looked for.
const longestOriginal = 256

// withoutCopiesLocked returns a page without the links that lead to copies of known pages, and remembers whether it is a copy.
func (d *Detector) withoutCopiesLocked(p Page) Page {
	path, query, _ := strings.Cut(p.URL.PathQuery, "?")
	if d.o.Guises < 0 || !p.leadsToItself(path) {
		return p
	}
	if query == "" && p.Text.Words > 0 && len(path) <= longestOriginal {
		d.originalLocked(p, path)
	}
	return p.without(func(u URL) bool {
		to, _, _ := strings.Cut(u.PathQuery, "?")
		return to == path && u.Origin == p.URL.Origin && d.copiedLocked(u) > 0
	})
}

// originalLocked compares a page with the first one that has its text, its links and its pictures.
func (d *Detector) originalLocked(p Page, path string) {
	site, key := siteOf(p.URL), p.Text.Hash+p.linksAside(path)
	o, ok := d.originals.Get(site, key)
	switch as := hashOf(p.URL.Origin, path); {
	case !ok:
		d.originals.Put(site, key, original{path: strings.Clone(path)})
	case o.path != path:
		if _, known := d.copies.Get(site, as); !known {
			o.copies++
			d.copies.Put(site, as, key)
			d.originals.Put(site, key, o)
		}
	}
}

// leadsToItself reports whether a page has a link to its path with a query.
func (p Page) leadsToItself(path string) bool {
	for _, u := range p.Links {
		if to, _, has := strings.Cut(u.PathQuery, "?"); has && to == path && u.Origin == p.URL.Origin {
			return true
		}
	}
	return false
}

// linksAside returns the sum of the hashes of the links and pictures of a page, whatever its own path is.
func (p Page) linksAside(path string) (sum uint64) {
	for _, u := range p.Pictures {
		sum += 3 * u.hash()
	}
	for _, u := range p.Links {
		if to, query, has := strings.Cut(u.PathQuery, "?"); to == path && u.Origin == p.URL.Origin {
			if !has {
				continue
			}
			u.PathQuery = anyPath + "?" + query
		}
		sum += u.hash()
	}
	return sum
}

// copiedLocked returns how many paths show what the path of a URL does, if it is a copy and the original is known with the query of
// the URL; or else zero.
func (d *Detector) copiedLocked(u URL) int {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	if query == "" {
		return 0
	}
	site := siteOf(u)
	key, ok := d.copies.Get(site, hashOf(u.Origin, path))
	if !ok {
		return 0
	}
	o, ok := d.originals.Get(site, key)
	if !ok || !d.isKnownLocked(site, hashOf(u.Origin, o.path+"?"+query)) {
		return 0
	}
	return o.copies
}

// suspectCopyLocked suspects the second pages of a copy when as many paths show the same.
func (d *Detector) suspectCopyLocked(u URL) (Finding, bool) {
	n := d.copiedLocked(u)
	if d.o.Guises < 0 || n < d.o.Guises {
		return Finding{}, false
	}
	_, query, _ := strings.Cut(u.PathQuery, "?")
	parts := slices.Sorted(strings.FieldsFuncSeq(query, endsParameter))
	return Finding{Guises, u.Origin + anyPath + "?" + withAnyValues(parts), copyEvidence}, true
}

const copyEvidence = "the paths of these show what another does, as many do, so these are second pages of that once more"
