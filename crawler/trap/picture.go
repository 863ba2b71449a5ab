package trap

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// A page of a gallery, a comic or a scanned book says what it says by a picture; its words are those of all others. So one that
// shows a picture of its own is not the text of another. Programs draw pictures for each of their pages, too, which say nothing:
// pixels that count visits, the page's own address as a QR code, captchas, charts. Addresses tell most of these:
//
//   - what ends as the name of a file does is that file, whatever the query says: pixel.gif?0.17 is known after the first pages;
//   - a query names a picture when it has such a name in it, as page.php?file=book_0017.jp2, or when the page leads to the same
//     picture in another size: it shows image.php?id=17&size=small, and leads to image.php?id=17;
//   - what ends with the page's own address is about that;
//   - on a page that a program made, what is drawn and no photograph must not be named as the page is, nor by a hash.

// A picture is counted apart on pages that show a few, and on those that show more, as lists do.
const fewPictures = 8

// mostShowing is how many pages may show a picture as their own: the page that is about it, and some variations of that, which say
// how one came there. What stands on more pages adorns them, or says nothing new there.
const mostShowing = 4

// mostPictures is how many pictures of a page are looked at.
const mostPictures = 100

// onList tells a picture on a list from the same one on a page of its own.
const onList = 0x9e3779b97f4a7c15

// picturesLocked reports whether a page shows a picture of its own, and remembers those that it shows.
func (d *Detector) picturesLocked(p Page) (own bool) {
	var keys []uint64
	for _, u := range p.Pictures[:min(len(p.Pictures), mostPictures)] {
		if name := p.pictureName(u); name != "" {
			keys = append(keys, hashOf(u.Origin, name))
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, key := range keys {
		if len(keys) > fewPictures {
			key ^= onList
		}
		at, young := d.pictures.Of(siteOf(p.URL)).At(key)
		shown := uint8(0)
		if at != nil {
			shown = *at
		}
		own = own || shown < mostShowing
		shown = min(shown+1, mostShowing)
		if young {
			*at = shown
		} else {
			d.pictures.Put(siteOf(p.URL), key, shown)
		}
	}
	return own
}

// pictureName returns what names a picture that may be the page's own; empty when it is none, or nothing tells.
func (p *Page) pictureName(u URL) string {
	name, query, _ := strings.Cut(u.PathQuery, "?")
	format := formatOf(name)
	for part := range strings.FieldsFuncSeq(query, endsParameter) {
		_, value, has := strings.Cut(part, "=")
		if !has {
			value = part
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		if len(p.URL.PathQuery) > 1 && strings.HasSuffix(value, p.URL.PathQuery) {
			return ""
		}
		if of := formatOf(value); format == unknown && of != unknown {
			format, name = of, name+"?"+value
		}
	}
	switch {
	case format == photograph, format == drawing && !p.Made:
		return name
	case format == drawing && !isHash(stem(name)) && !isNamedAfter(stem(name), p.URL.PathQuery):
		return name
	case format == unknown && p.leadsToLarger(u):
		return u.PathQuery
	}
	return ""
}

// A format is what a picture is of, as the name of its file tells.
type format uint8

const (
	unknown    format = iota
	drawing           // or a photograph in a format for these
	photograph        // programs hardly draw in such formats
)

func formatOf(name string) format {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".avif", ".heic", ".jxl", ".jp2", ".tif", ".tiff":
		return photograph
	case ".png", ".gif", ".svg", ".apng", ".bmp":
		return drawing
	}
	return unknown
}

// stem returns the last segment of a path without its extension.
func stem(name string) string {
	name = path.Base(name)
	return strings.TrimSuffix(name, path.Ext(name))
}

// isHash reports whether a name is none that a person gave.
func isHash(name string) bool {
	const longest, longestNumber, changes = 12, 9, 3
	for run := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		digits, changed := 0, 0
		for i := range len(run) {
			digits += one(isDigit(run[i]))
			changed += one(i > 0 && isDigit(run[i]) != isDigit(run[i-1]))
		}
		if digits == len(run) && digits >= longestNumber || len(run) >= longest && changed >= changes {
			return true
		}
	}
	return false
}

// isNamedAfter reports whether a picture has its name, or a number in it, from the address of the page.
func isNamedAfter(name, address string) bool {
	at, query, _ := strings.Cut(address, "?")
	last := stem(strings.TrimSuffix(at, "/"))
	if strings.Contains(address, name) || query == "" && len(last) > 2 && strings.Contains(name, last) {
		return true
	}
	numbers := numbersIn(address)
	return slices.ContainsFunc(numbersIn(name), func(n string) bool { return slices.Contains(numbers, n) })
}

// numbersIn returns the numbers of a text without zeros before them.
func numbersIn(s string) (numbers []string) {
	for n := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
		numbers = append(numbers, strings.TrimLeft(n, "0"))
	}
	return numbers
}

// leadsToLarger reports whether a page leads to another address of a picture that a program serves: on the same path, and with a
// number that the page's own address does not have.
func (p *Page) leadsToLarger(u URL) bool {
	at, query, _ := strings.Cut(u.PathQuery, "?")
	_, own, _ := strings.Cut(p.URL.PathQuery, "?")
	isNumbered := func(part string) bool { return strings.ContainsAny(part, "0123456789") }
	parts := slices.DeleteFunc(strings.FieldsFunc(query, endsParameter), func(part string) bool { return !isNumbered(part) })
	for _, part := range strings.FieldsFunc(own, endsParameter) {
		parts = slices.DeleteFunc(parts, func(o string) bool { return o == part })
	}
	return len(parts) > 0 && slices.ContainsFunc(p.Links, func(l URL) bool {
		path, query, _ := strings.Cut(l.PathQuery, "?")
		return path == at && l.Origin == u.Origin && slices.ContainsFunc(strings.FieldsFunc(query, endsParameter),
			func(part string) bool { return slices.Contains(parts, part) })
	})
}
