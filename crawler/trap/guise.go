package trap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A shape is a path and the parameters of its query, of which those that have many values stand without theirs: all of
// /viewtopic.php?p=17 and /viewtopic.php?p=18, once many posts were seen. Where none has, but many paths were seen with a query, it
// is that of all of them: /items/17?output=json and /items/18?output=json; or where many were seen with the same parameters,
// whatever these say: /17/title?show=18 and /19/title?show=21, an article at one of its answers. Without a query it is a path that
// ends in a number, once many were seen: /comment/17 and /comment/18, which show the article that they are on.

// A parameter has many values when so many were seen, numbers and the like. Of words it takes more: they may say what of a program
// is shown, as in ?view=print&id=17.
const (
	manyValues = 16
	manyWords  = 128
)

// suspectGuiseLocked suspects a page of a shape of which the last ones were known pages in other guises: at one of its posts, to
// print, to compare.
func (d *Detector) suspectGuiseLocked(u URL) (Finding, bool) {
	shape, _, ok := d.shapeLocked(u)
	if !ok {
		return Finding{}, false
	}
	least := d.leastGuises(shape)
	if n, _ := d.guises.Get(siteOf(u), hashOf(u.Origin, shape)); n < least {
		return Finding{}, false
	}
	const evidence = "%d pages like this in a row were others once more, or not to be kept, and led to nothing new"
	return Finding{Guises, u.Origin + shape, fmt.Sprintf(evidence, least)}, true
}

// leastGuises is how many pages of a shape must have brought nothing, one after the other: more where it says least of them.
func (d *Detector) leastGuises(shape string) int {
	if strings.HasPrefix(shape, anyPath+"?") && (strings.Contains(shape, anyValue) || isOfConditions(shape)) {
		return anyValueGuises * d.o.Guises
	}
	return d.o.Guises
}

// anyValue stands for the value of a parameter in a shape of all paths, of which it takes anyValueGuises as many.
const (
	anyValue       = "=*"
	anyValueGuises = 4
)

// guiseLocked takes in a page after all else was: whether it brought neither a text nor a link, not even to more of its shape, as
// the pages of a list do.
func (d *Detector) guiseLocked(p Page) {
	if d.o.Guises < 0 {
		return
	}
	d.valuesLocked(p.URL)
	same := d.sameOfNumberLocked(p)
	shape, fixed, ok := d.shapeLocked(p.URL)
	if !ok {
		return
	}
	site, h := siteOf(p.URL), hashOf(p.URL.Origin, shape)
	n, _ := d.guises.Get(site, h)
	n++
	fixed = slices.DeleteFunc(fixed, func(part string) bool { return !slices.Contains(p.Extras, part) || saysPage(part) })
	leadsOn := false
	for i, k := range d.known {
		leadsOn = leadsOn || k.link == nil && !d.isGuiseOfKnownLocked(p.Links[i], shape) &&
			!d.isGuiseByLocked(p.Links[i], p.URL, fixed) && !isOtherOrder(p.Links[i], p.URL)
	}
	isCopy := p.Mirrors || len(fixed) > 0 || p.isWayBack()
	if isOfNumberedList(shape) {
		if same == 1 && !leadsOn {
			return // the first page of a list mostly is what its address without a page shows, too
		}
		isCopy = isCopy || same > 1
	}
	if !p.Unkept && !(isCopy && d.now.said) || leadsOn {
		n = 0
	}
	d.guises.Put(site, h, n)
}

// isGuiseOfKnownLocked reports whether a URL is of a shape that shows all paths once more, whatever its parameters say, and has a
// known path: /18/title?from=17, which says where it was found, leads to the like of itself only.
func (d *Detector) isGuiseOfKnownLocked(u URL, shape string) bool {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	if query == "" || !strings.Contains(shape, anyValue) {
		return false
	}
	parts := slices.Sorted(strings.FieldsFuncSeq(query, endsParameter))
	if d.numberedListLocked(u, parts) == shape {
		return true
	}
	return shape == anyPath+"?"+withAnyValues(parts) && d.isKnownLocked(siteOf(u), hashOf(u.Origin, path))
}

// isGuiseByLocked reports whether a URL is on the path of a page, and known without a parameter that has the name of one of these,
// by which the page is another one once more: ?mode=threaded&post=17 leads to ?mode=threaded&post=18 and ?mode=linear&post=17.
func (d *Detector) isGuiseByLocked(u, of URL, extras []string) bool {
	path, query := cutQuery(u.PathQuery)
	if from, _ := cutQuery(of.PathQuery); len(extras) == 0 || query == "" || path != from || u.Origin != of.Origin {
		return false
	}
	parts := strings.FieldsFunc(query, endsParameter)
	return len(parts) <= mostConditions && slices.ContainsFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, "=")
		if !slices.ContainsFunc(extras, func(extra string) bool { return strings.HasPrefix(extra, name+"=") }) {
			return false
		}
		less := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == part })
		return d.isKnownLocked(siteOf(u), hashOf(u.Origin, path+"?"+strings.Join(less, "&")))
	})
}

// isOtherOrder reports whether a URL is another one with its parameters in another order, as a page that is shown as ?id=17&tag=a
// has itself as ?tag=a&id=17.
func isOtherOrder(u, of URL) bool {
	path, query := cutQuery(u.PathQuery)
	from, by := cutQuery(of.PathQuery)
	if path != from || u.Origin != of.Origin || query == "" || len(query) != len(by) {
		return false
	}
	sorted := func(query string) []string { return slices.Sorted(strings.FieldsFuncSeq(query, endsParameter)) }
	return slices.Equal(sorted(query), sorted(by))
}

// shapeLocked returns the shape of a URL, and its parameters that stand there with their values; ok is false when neither a
// parameter has many values nor the query, or its parameters, many paths, nor what has no query many numbers.
func (d *Detector) shapeLocked(u URL) (shape string, fixed []string, ok bool) {
	path, query := cutQuery(u.PathQuery)
	switch {
	case d.o.Guises < 0:
		return "", nil, false
	case query == "":
		if shape, _, ok = shapeOfPath(path); ok {
			values, _ := d.values.Get(siteOf(u), valuesKey(u.Origin, shape, ""))
			ok = len(values) >= manyValues
		}
		return shape, nil, ok
	}
	var parts []string
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		name, value, _ := strings.Cut(p, "=")
		name, most := kindOfValue(name, value)
		if values, _ := d.values.Get(siteOf(u), valuesKey(u.Origin, path, name)); len(values) >= most {
			p, ok = name, true
		} else {
			fixed = append(fixed, p)
		}
		parts = append(parts, p)
	}
	slices.Sort(parts)
	if shape := d.numberedListLocked(u, parts); shape != "" {
		return shape, nil, true
	}
	query = strings.Join(parts, "&")
	if ok {
		return path + "?" + query, fixed, true
	}
	if slices.ContainsFunc(parts, saysPage) {
		return "", nil, false // the second pages of all lists are no place
	}
	for _, query := range []string{query, withAnyValues(parts)} {
		if paths, _ := d.values.Get(siteOf(u), valuesKey(u.Origin, anyPath, query)); len(paths) >= manyValues {
			return anyPath + "?" + query, fixed, true
		}
	}
	return "", nil, false
}

// numberedListLocked returns the shape of a page of a list at an address that ends in a number and is known without it, as
// /topic/5/title/17?page=3 is: the third page of a topic, or that on which its post 17 stands. It is empty for any other.
func (d *Detector) numberedListLocked(u URL, parts []string) string {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	shape, number, ok := shapeOfPath(path)
	if !ok || !slices.ContainsFunc(parts, saysPage) {
		return ""
	}
	list := strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/"+number)
	if !d.isKnownLocked(siteOf(u), hashOf(u.Origin, list+"?"+query)) {
		return ""
	}
	return shape + "?" + withAnyValues(parts)
}

// A shown is what was shown at an address that ends in a number, whatever page of it was asked for.
type shown struct {
	text, links uint64
	pages       int // that showed this, one after the other
}

// sameOfNumberLocked returns how many pages in a row that were visited before at the path of this one, which ends in a number,
// have its text and its links, but for those that lead to that path; none if it shows a picture of its own. At a post of a topic
// the post tells what is shown, and the page that was asked for does not matter. Lists of little, or of nothing, are alike in their
// texts, too; but each is at a path of its own, and the second page of one leads elsewhere than the first.
func (d *Detector) sameOfNumberLocked(p Page) (pages int) {
	path, _ := cutQuery(p.URL.PathQuery)
	if _, _, ok := shapeOfPath(path); !ok || p.Text.Words == 0 {
		return 0
	}
	now := shown{text: p.Text.Hash, pages: 1}
	for i, l := range p.Links {
		if to, _ := cutQuery(l.PathQuery); to != path || l.Origin != p.URL.Origin {
			now.links += d.hashes[i]
		}
	}
	site, key := siteOf(p.URL), hashOf(p.URL.Origin, path)
	if was, _ := d.shown.Get(site, key); !d.now.own && was.text == now.text && was.links == now.links {
		pages = was.pages
	}
	now.pages += pages
	d.shown.Put(site, key, now)
	return pages
}

// isOfNumberedList reports whether a shape is one of numberedListLocked.
func isOfNumberedList(shape string) bool {
	return strings.Contains(shape, "/N?") && strings.Contains(shape, anyValue)
}

// withAnyValues returns a query of parameters without what they say.
func withAnyValues(parts []string) string {
	names := make([]string, len(parts))
	for i, p := range parts {
		name, _, has := strings.Cut(p, "=")
		if has {
			name += anyValue
		}
		names[i] = name
	}
	return strings.Join(names, "&")
}

// saysPage reports whether a parameter says which page of a list is shown: that the last sixteen second pages showed what is known
// does not speak against another list's.
func saysPage(parameter string) bool {
	name, value, _ := strings.Cut(parameter, "=")
	switch plainName(name) {
	case "page", "pages", "paged", "pageno", "pagenum", "pagenumber", "pageindex", "pg", "p", "start", "startat", "startindex",
		"limitstart", "offset", "skip", "from", "first":
		return isNumber(value)
	}
	return false
}

// kindOfValue returns the name by which the values of a parameter are counted that are like this one, and how many are many.
func kindOfValue(name, value string) (kind string, most int) {
	if strings.ContainsAny(value, "0123456789") {
		return name, manyValues
	}
	return name + ":", manyWords
}

// mayBeGuise reports whether a path and query may be of a shape.
func mayBeGuise(pathQuery string) bool {
	path, query := cutQuery(pathQuery)
	_, _, isNumbered := shapeOfPath(path)
	return query != "" || isNumbered
}

// cutQuery cuts off the query. One that is all a path, as in index.php?feed/comments/17, is a part of that.
func cutQuery(pathQuery string) (path, query string) {
	path, query, _ = strings.Cut(pathQuery, "?")
	if strings.Contains(query, "/") && !strings.ContainsAny(query, "=&;") {
		return path + "/" + query, ""
	}
	return path, query
}

// shapeOfPath returns a path that ends in a number with N in its place, and * for what else names one of many: /d/17-title/3 is
// /d/*/N. One of /page/3 is of a list.
func shapeOfPath(path string) (shape, number string, ok bool) {
	above, number := strings.TrimSuffix(path, "/"), ""
	if i := strings.LastIndexByte(above, '/'); i >= 0 {
		above, number = above[:i], above[i+1:]
	}
	if !isNumber(number) || strings.HasSuffix(above, "/page") {
		return "", "", false
	}
	var b strings.Builder
	for segment := range strings.SplitSeq(strings.TrimPrefix(above, "/"), "/") {
		b.WriteByte('/')
		if strings.ContainsAny(segment, "0123456789-_.%") {
			segment = "*"
		}
		b.WriteString(segment)
	}
	return b.String() + "/N", number, true
}

// isNumber reports whether a segment is one of at most 19 digits.
func isNumber(s string) bool { return 0 < len(s) && len(s) < 20 && strings.Trim(s, "0123456789") == "" }

// valuesLocked counts the values of the parameters of a page, and the paths of its query, or its numbers, until they are many.
func (d *Detector) valuesLocked(u URL) {
	path, query := cutQuery(u.PathQuery)
	if query == "" {
		if shape, number, ok := shapeOfPath(path); ok {
			d.valueLocked(siteOf(u), valuesKey(u.Origin, shape, ""), number, manyValues)
		}
		return
	}
	parts := strings.FieldsFunc(query, endsParameter)
	for _, p := range parts {
		if name, value, has := strings.Cut(p, "="); has {
			kind, most := kindOfValue(name, value)
			d.valueLocked(siteOf(u), valuesKey(u.Origin, path, kind), value, most)
		}
	}
	if len(parts) > 0 {
		slices.Sort(parts)
		d.valueLocked(siteOf(u), valuesKey(u.Origin, anyPath, strings.Join(parts, "&")), path, manyValues)
		d.valueLocked(siteOf(u), valuesKey(u.Origin, anyPath, withAnyValues(parts)), path, manyValues)
	}
}

func (d *Detector) valueLocked(site, key uint64, value string, most int) {
	v := xxhash.Sum64String(value)
	if values, _ := d.values.Get(site, key); len(values) < most && !slices.Contains(values, v) {
		d.values.Put(site, key, append(values, v))
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
	d.guises.Put(site, hashOf(origin, shape), d.leastGuises(shape))
	if isOfConditions(shape) {
		if !d.isKnownLocked(site, u.hash()) {
			d.links.Put(site, u.hash(), link{}) // as larger combinations are known by it
		}
		return
	}
	path, query, _ := strings.Cut(shape, "?")
	if path == anyPath || query == "" {
		d.values.Put(site, valuesKey(origin, path, query), make([]uint64, manyValues))
	}
	for name := range strings.SplitSeq(query, "&") {
		if !strings.Contains(name, "=") {
			d.values.Put(site, valuesKey(origin, path, name), make([]uint64, manyWords))
		}
	}
}
