package trap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A shape is a path and the parameters of its query, of which those that have many values stand without theirs: all of
// /viewtopic.php?p=17 and /viewtopic.php?p=18, once many posts were seen.

// manyValues is how many values of a parameter make it one that has many.
const manyValues = 16

// suspectGuiseLocked suspects a page of a shape of which the last ones were known pages in other guises: at one of its posts, to
// print, to compare.
func (d *Detector) suspectGuiseLocked(u URL) (Finding, bool) {
	shape, ok := d.shapeLocked(u)
	if !ok {
		return Finding{}, false
	}
	if n, _ := d.guises.Get(siteOf(u), hashOf(u.Origin, shape)); n < d.o.Guises {
		return Finding{}, false
	}
	const evidence = "%d pages like this in a row were others once more, or not to be kept, and led to nothing new"
	return Finding{Guises, u.Origin + shape, fmt.Sprintf(evidence, d.o.Guises)}, true
}

// guiseLocked takes in a page after all else was: whether it brought neither a text nor a link, not even to more of its shape, as
// the pages of a list do.
func (d *Detector) guiseLocked(p Page) {
	if d.o.Guises < 0 {
		return
	}
	d.valuesLocked(p.URL)
	shape, ok := d.shapeLocked(p.URL)
	if !ok {
		return
	}
	site, h := siteOf(p.URL), hashOf(p.URL.Origin, shape)
	n, _ := d.guises.Get(site, h)
	n++
	isNew := func(k known) bool { return k.link == nil }
	if !p.Unkept && !(p.Mirrors && d.now.said) || slices.ContainsFunc(d.known, isNew) {
		n = 0
	}
	d.guises.Put(site, h, n)
}

// shapeLocked returns the shape of a URL; ok is false when it has no parameter with many values.
func (d *Detector) shapeLocked(u URL) (shape string, ok bool) {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	if query == "" || d.o.Guises < 0 {
		return "", false
	}
	var parts []string
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		name, _, _ := strings.Cut(p, "=")
		if values, _ := d.values.Get(siteOf(u), valuesKey(u.Origin, path, name)); len(values) >= manyValues {
			p, ok = name, true
		}
		parts = append(parts, p)
	}
	slices.Sort(parts)
	return path + "?" + strings.Join(parts, "&"), ok
}

// valuesLocked counts the values of the parameters of a page, until they are many.
func (d *Detector) valuesLocked(u URL) {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		name, value, has := strings.Cut(p, "=")
		site, key, v := siteOf(u), valuesKey(u.Origin, path, name), xxhash.Sum64String(value)
		if values, _ := d.values.Get(site, key); has && len(values) < manyValues && !slices.Contains(values, v) {
			d.values.Put(site, key, append(values, v))
		}
	}
}

// valuesKey is that of a parameter of a path.
func valuesKey(origin, path, name string) uint64 { return hashOf(origin, path+"?"+name) }

// restoreGuiseLocked takes up that pages of a shape are put aside.
func (d *Detector) restoreGuiseLocked(u URL, place string) {
	origin, shape, ok := cutOrigin(place)
	if !ok || d.o.Guises < 0 {
		return
	}
	site := siteOf(u)
	path, query, _ := strings.Cut(shape, "?")
	for name := range strings.SplitSeq(query, "&") {
		if !strings.Contains(name, "=") {
			d.values.Put(site, valuesKey(origin, path, name), make([]uint64, manyValues))
		}
	}
	d.guises.Put(site, hashOf(origin, shape), d.o.Guises)
}
