package trap

import (
	"net/url"
	"slices"
	"strings"
)

// A way back is a link that says in a parameter on which page it stands, so that one may return there: to sign in, to write to
// somebody, to keep the page for later. Each page has its own, and they are one form. So they are no links of a page that lead on,
// nor are those of the form to further ones with the same way back, as to sign up: by these every site would seem to have no end.
// What leads from a form back to the form itself, and so on, does lead on.

// withoutWaysBack returns a page without these links.
func (p Page) withoutWaysBack() Page {
	isForm := namesPage(p.URL, p.Via)
	isBack := func(u URL) bool { return !isForm && namesPage(u, p.URL) || returnsAlike(u, p.URL) }
	return p.without(isBack)
}

// without returns a page without some of its links, which are taken to be new.
func (p Page) without(isNone func(URL) bool) Page {
	if i := slices.IndexFunc(p.Links, isNone); i >= 0 {
		rest := slices.DeleteFunc(slices.Clone(p.Links), isNone)
		p.New = max(p.New-len(p.Links)+len(rest), 0)
		p.Links = rest
	}
	return p
}

// isWayBack reports whether a page is a form that was found where it leads back to, or on another such form.
func (p Page) isWayBack() bool { return namesPage(p.URL, p.Via) || returnsAlike(p.URL, p.Via) }

// namesPage reports whether a URL has a parameter that is the address of the page that it was found on.
func namesPage(u, via URL) bool {
	_, query, _ := strings.Cut(u.PathQuery, "?")
	if query == "" || u.Origin != via.Origin {
		return false
	}
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		_, value, _ := strings.Cut(p, "=")
		if address, ok := addressIn(value); ok && isAddressOf(address, via) {
			return true
		}
	}
	return false
}

// returnsAlike reports whether a URL has a parameter that is an address, as has the page with another path that it was found on.
func returnsAlike(u, via URL) bool {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	pathOfVia, queryOfVia, _ := strings.Cut(via.PathQuery, "?")
	if query == "" || queryOfVia == "" || path == pathOfVia || u.Origin != via.Origin {
		return false
	}
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		_, value, _ := strings.Cut(p, "=")
		if _, ok := addressIn(value); ok && strings.Contains(queryOfVia, "="+value) {
			return true
		}
	}
	return false
}

// addressIn returns the address that the value of a parameter is; ok is false when it is none.
func addressIn(value string) (address string, ok bool) {
	if !strings.ContainsAny(value, "/?%") {
		return "", false
	}
	address, err := url.QueryUnescape(value)
	return address, err == nil && strings.ContainsAny(address, "/?")
}

// isAddressOf reports whether a page has an address: from its origin on, or without that, or, with a query, from its directory on.
// What more is said of the page may stand before it: GET,view,/page/17.
func isAddressOf(address string, page URL) bool {
	if rest, ok := strings.CutPrefix(address, page.Origin); ok {
		address = rest
	}
	if before, ok := strings.CutSuffix(address, page.PathQuery); ok && strings.HasSuffix(before, ",") {
		return true
	}
	below, ok := strings.CutSuffix(page.PathQuery, address)
	return ok && (below == "" || below == "/" || strings.HasSuffix(below, "/") && strings.Contains(address, "?"))
}
