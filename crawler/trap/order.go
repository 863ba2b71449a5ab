package trap

import (
	"fmt"
	"strings"
)

// suspectOrderLocked suspects a list in another order, if other orders of the lists on its path led to nothing new. A list that was
// not asked for in any order is never suspected; else it is counted as asked for.
func (d *Detector) suspectOrderLocked(u URL) (Finding, bool) {
	path, list, ordered := orderOf(u.PathQuery)
	if !ordered || d.o.Orders < 0 {
		return Finding{}, false
	}
	site, h := siteOf(u), hashOf(u.Origin, list)
	if d.isFirstOrderLocked(site, h, u) {
		d.orders.Put(site, h, u.hash())
		return Finding{}, false
	}
	if vain, _ := d.vain.Get(site, hashOf(u.Origin, path)); vain < d.o.Orders {
		return Finding{}, false
	}
	return Finding{Orders, u.Origin + path, fmt.Sprintf("%d more orders of this list led to nothing new", d.o.Orders)}, true
}

// isFirstOrderLocked reports whether a list was found in no other order than that of u, nor without one.
func (d *Detector) isFirstOrderLocked(site, list uint64, u URL) bool {
	first, asked := d.orders.Get(site, list)
	return asked && first == u.hash() || !asked && !d.isKnownLocked(site, list)
}

// orderLocked takes in a list in another order: whether it led to what is new, other orders aside.
func (d *Detector) orderLocked(p Page) {
	path, list, ordered := orderOf(p.URL.PathQuery)
	site := siteOf(p.URL)
	if !ordered || d.isFirstOrderLocked(site, hashOf(p.URL.Origin, list), p.URL) {
		return
	}
	h := hashOf(p.URL.Origin, path)
	vain, _ := d.vain.Get(site, h)
	for i, u := range p.Links {
		if d.known[i].link != nil {
			continue
		}
		if at, _, ordered := orderOf(u.PathQuery); !ordered || at != path || u.Origin != p.URL.Origin {
			d.vain.Put(site, h, 0)
			return
		}
	}
	d.vain.Put(site, h, vain+1)
}

// orderOf cuts the parameters off a path and query that say in which order a list is shown: path is what stands before the query,
// and list all without them.
func orderOf(pathQuery string) (path, list string, ordered bool) {
	path, query, has := strings.Cut(pathQuery, "?")
	if !has {
		return path, path, false
	}
	sorts := false // then order=name is one, too
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		name, _, _ := strings.Cut(p, "=")
		sorts = sorts || isSort(name)
	}
	var rest strings.Builder // as it was written, so that it is the address of the list
	for query != "" {
		p, end := query, strings.IndexFunc(query, endsParameter)
		if end >= 0 {
			p = query[:end]
		}
		name, value, _ := strings.Cut(p, "=")
		if isSort(name) || isDirection(name) && (sorts || isUpOrDown(value)) {
			ordered = true
		} else {
			rest.WriteString(query[:min(len(p)+1, len(query))])
		}
		query = query[min(len(p)+1, len(query)):]
	}
	if rest.Len() == 0 {
		return path, path, ordered
	}
	return path, path + "?" + strings.TrimRightFunc(rest.String(), endsParameter), ordered
}

// endsParameter reports whether a character stands between two parameters: some programs write ;.
func endsParameter(r rune) bool { return r == '&' || r == ';' }

// isSort reports whether a parameter says by what a list is sorted.
func isSort(name string) bool {
	switch plainName(name) {
	case "sort", "sortby", "sortorder", "sortdir", "sortdirection", "sortfield", "sortcolumn", "sortcol", "sortkey", "sorting",
		"orderby", "orderdir", "orderdirection", "ordering", "listorder", "productlistorder", "productlistdir":
		return true
	}
	return false
}

// isDirection reports whether a parameter may say in which direction a list is sorted.
func isDirection(name string) bool {
	switch plainName(name) {
	case "order", "dir", "direction", "asc", "desc":
		return true
	}
	return false
}

func isUpOrDown(value string) bool {
	switch strings.ToLower(value) {
	case "asc", "desc", "ascending", "descending", "up", "down":
		return true
	}
	return false
}

// plainName folds the spellings of a parameter's name: sort_by, sortBy and sort[by] are one, and so are sort and sort1.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, s)
}
