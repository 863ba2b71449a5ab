package trap

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A copy is a page that shows what another path shows, to the last number, with the same links: a program that answers at any path
// gives its front page at each that it does not know. Its links to its own path with a query, as ?page=2, lead to copies of the
// second pages of that other path, so that they are no links that lead on. Where old addresses stand all over a site, there are
// very many such paths. Whoever asks at each path for something first, as for an age or a language, and then shows what is there,
// has second pages that are no copies of each other.

// An original is the first page that showed what it does and has links to its own path with a query.
type original struct {
	path    string
	copies  int // paths that show it, too
	seconds int // second pages of these, one after the other, each of which showed what that of another did
}

// longestOriginal is how long the path of a page may be whose copies are looked for.
const longestOriginal = 256

// withoutCopiesLocked returns a page without the links that lead to copies of known pages, and remembers whether it is a copy.
func (d *Detector) withoutCopiesLocked(p Page) Page {
	path, query, _ := strings.Cut(p.URL.PathQuery, "?")
	if d.o.Guises < 0 {
		return p
	}
	if query != "" && p.Text.Words > 0 {
		d.secondLocked(p, path, query)
	}
	if !p.leadsToItself(path) {
		return p
	}
	if query == "" && p.Text.Words > 0 && len(path) <= longestOriginal {
		d.originalLocked(p, path)
	}
	return p.without(func(u URL) bool {
		to, _, _ := strings.Cut(u.PathQuery, "?")
		return to == path && u.Origin == p.URL.Origin && d.copiedLocked(u).copies > 0
	})
}

// originalLocked compares a page with the first one that has its text, with the same numbers, its links and its pictures.
func (d *Detector) originalLocked(p Page, path string) {
	site, key := siteOf(p.URL), p.shown(path)
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

// secondLocked compares the second page of a copy with that of the copy before.
func (d *Detector) secondLocked(p Page, path, query string) {
	site := siteOf(p.URL)
	key, _ := d.copies.Get(site, hashOf(p.URL.Origin, path))
	o, ok := d.originals.Get(site, key)
	if !ok {
		return
	}
	as, now := key+xxhash.Sum64String(query), p.shown(path)
	switch before, known := d.seconds.Get(site, as); {
	case known && before == now:
		o.seconds++
	case known:
		o.seconds = 0
	}
	d.seconds.Put(site, as, now)
	d.originals.Put(site, key, o)
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

// shown returns a hash of what a page shows, whatever its own path is.
func (p Page) shown(path string) uint64 { return p.Text.Hash + 3*p.Exact + p.linksAside(path) }

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

// copiedLocked returns the original of the path of a URL, if that is a copy and the original is known with the query of the URL; or
// else none.
func (d *Detector) copiedLocked(u URL) (none original) {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	if query == "" {
		return none
	}
	site := siteOf(u)
	key, ok := d.copies.Get(site, hashOf(u.Origin, path))
	if !ok {
		return none
	}
	o, ok := d.originals.Get(site, key)
	if !ok || !d.isKnownLocked(site, hashOf(u.Origin, o.path+"?"+query)) {
		return none
	}
	return o
}

// suspectCopyLocked suspects the second pages of a copy when as many paths show the same, and as many of their second pages.
func (d *Detector) suspectCopyLocked(u URL) (Finding, bool) {
	o := d.copiedLocked(u)
	if d.o.Guises < 0 || min(o.copies, o.seconds) < d.o.Guises {
		return Finding{}, false
	}
	_, query, _ := strings.Cut(u.PathQuery, "?")
	parts := slices.Sorted(strings.FieldsFuncSeq(query, endsParameter))
	return Finding{Guises, u.Origin + anyPath + "?" + withAnyValues(parts), copyEvidence}, true
}

const copyEvidence = "the paths of these show what another does, as many do, so these are second pages of that once more"
