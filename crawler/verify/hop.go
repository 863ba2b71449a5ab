package verify

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// hop judges whether a further request for a robots.txt went where the redirect before it led (RFC 9309 section 2.3.1.2).
func (p *pass) hop(o *origin, e *ledger.Entry) {
	switch {
	case o.hops == 0:
	case o.next == "":
		p.tally(Decided).lack(e, "follows a redirect of which the record does not say where it led")
	case !sameURL(o.next, e.URL):
		p.tally(Decided).refute(e, "follows a redirect of robots.txt that led to %s", o.next)
	}
}

// resolve returns where a redirect leads, "" when that cannot be told.
func resolve(from, location string) string {
	to, err := robots.ResolveLocation(from, location)
	if err != nil {
		return ""
	}
	return to
}

// sameURL reports whether two URLs are the same but for how they are written.
func sameURL(a, b string) bool { return canonical(a) == canonical(b) }

func canonical(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	path := cmp.Or(u.Path, "/")
	query, err := url.QueryUnescape(u.RawQuery)
	if err != nil {
		query = u.RawQuery
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(siteOf(raw)) + path + "?" + query
}
