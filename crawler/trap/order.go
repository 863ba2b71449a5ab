package trap

import (
	"fmt"
	"net/url"
	"strings"
)

// suspectOrderLocked suspects a list in another order, if other orders of the lists on its path led to nothing new, or many of such
// lists elsewhere. A list that was not asked for in any order is never suspected; else it is counted as asked for.
func (d *Detector) suspectOrderLocked(u URL) (Finding, bool) {
	path, list, by := orderOf(u.PathQuery)
	if by == "" || d.o.Orders < 0 {
		return Finding{}, false
	}
	site, h := siteOf(u), hashOf(u.Origin, list)
	if d.isFirstOrderLocked(site, h, u) {
		d.orders.Put(site, h, u.hash())
		return Finding{}, false
	}
	if vain, _ := d.vain.Get(site, hashOf(u.Origin, path)); vain >= d.o.Orders {
		return Finding{Orders, u.Origin + path, fmt.Sprintf("%d more orders of this list led to nothing new", d.o.Orders)}, true
	}
	if vain, _ := d.vain.Get(site, hashOf(u.Origin, by)); vain >= originOrders*d.o.Orders {
		return Finding{Orders, u.Origin + anyPath + "?" + strings.TrimSuffix(by, "&"),
			fmt.Sprintf("%d more orders of such lists led to nothing new", vain)}, true
	}
	return Finding{}, false
}

// anyPath is the path of a place that lies all over an origin.
const anyPath = "/*"

// originOrders is how many times as many orders by the same parameters must have led to nothing new, one after the other, on all
// paths of an origin as on one: there each may have a list of its own, as directories do.
const originOrders = 4

// isFirstOrderLocked reports whether a list was found in no other order than that of u, nor without one.
func (d *Detector) isFirstOrderLocked(site, list uint64, u URL) bool {
	first, asked := d.orders.Get(site, list)
	return asked && first == u.hash() || !asked && !d.isKnownLocked(site, list)
}

// orderLocked takes in a list in another order: whether it led to what is new, other orders aside.
func (d *Detector) orderLocked(p Page) {
	path, list, by := orderOf(p.URL.PathQuery)
	site := siteOf(p.URL)
	if by == "" || d.isFirstOrderLocked(site, hashOf(p.URL.Origin, list), p.URL) {
		return
	}
	here, anywhere := hashOf(p.URL.Origin, path), hashOf(p.URL.Origin, by)
	for i, u := range p.Links {
		if d.known[i].link == nil && !d.isMoreOfOrderLocked(path, p.URL, u) {
			d.vain.Put(site, here, 0)
			d.vain.Put(site, anywhere, 0)
			return
		}
	}
	for _, h := range []uint64{here, anywhere} {
		vain, _ := d.vain.Get(site, h)
		d.vain.Put(site, h, vain+1)
	}
}

// isMoreOfOrderLocked reports whether a new link says nothing for a list in another order: it leads to further orders of the lists
// on its path, or hands the order on to what is known without it, as a report and a table of the list are. What says mostly what
// no page has said is no such list: there sort= names a kind of thing, and so it does where it is handed on.
func (d *Detector) isMoreOfOrderLocked(path string, from, to URL) bool {
	at, list, by := orderOf(to.PathQuery)
	return by != "" && to.Origin == from.Origin &&
		(at == path || d.now.phrases <= len(Text{}.Sample)/2 && d.isKnownLocked(siteOf(to), hashOf(to.Origin, list)))
}

// orderOf cuts the parameters off a path and query that say in which order a list is shown: path is what stands before the query,
// list all without them, and by their names; empty when there are none.
func orderOf(pathQuery string) (path, list, by string) {
	path, query, has := strings.Cut(pathQuery, "?")
	if !has {
		return path, path, ""
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
		if isSort(name) || isDirection(name) && (sorts && !namesFolder(name, value) || isUpOrDown(value) || isColumns(value)) {
			by += name + "&"
		} else {
			rest.WriteString(query[:min(len(p)+1, len(query))])
		}
		query = query[min(len(p)+1, len(query)):]
	}
	if rest.Len() == 0 {
		return path, path, by
	}
	return path, path + "?" + strings.TrimRightFunc(rest.String(), endsParameter), by
}

// endsParameter reports whether a character stands between two parameters: some programs write ;.
func endsParameter(r rune) bool { return r == '&' || r == ';' }

// isSort reports whether a parameter says by what a list is sorted.
func isSort(name string) bool {
	switch plainName(name) {
	case "sort", "sortby", "sortorder", "sortdir", "sortdirection", "sortfield", "sortcolumn", "sortcol", "sortkey", "sorttype",
		"sortoption", "sorting", "orderby", "orderdir", "orderdirection", "ordering", "listorder", "productlistorder",
		"productlistdir":
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

// namesFolder reports whether a parameter that may say in which direction a list is sorted names a directory instead, as in
// ?dir=photos&sort=name. A direction that is no word is one character: d, 0.
func namesFolder(name, value string) bool {
	return plainName(name) == "dir" && len(value) > 1 && !isUpOrDown(value)
}

func isUpOrDown(value string) bool {
	switch strings.ToLower(value) {
	case "asc", "desc", "ascending", "descending", "up", "down":
		return true
	}
	return false
}

// isColumns reports whether a value says by which columns of a table a list is sorted, one after the other, or one of them up or
// down: bug_id DESC, or priority,bug_id.
func isColumns(value string) bool {
	value, err := url.QueryUnescape(value)
	if err != nil {
		return false
	}
	columns, directed := strings.Split(value, ","), false
	for i, c := range columns {
		name, direction, has := strings.Cut(strings.TrimSpace(c), " ")
		if name == "" || strings.ContainsFunc(name, isNoColumn) || has && !isUpOrDown(direction) {
			return false
		}
		directed = directed || has || i > 0
	}
	return directed
}

// isNoColumn reports whether a character is in no name of a column.
func isNoColumn(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '.')
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
