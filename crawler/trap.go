package crawler

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// Traps bound what a site can make us visit without end: calendars, facets, session ids, links that grow. Permission by
// robots.txt does not replace a bound. What is counted is counted in memory bounded by Remembered; see Crawler.Recall for what
// earlier runs have counted.
type Traps struct {
	URLLength      int     // octets of a URL; default 2,048
	PathSegments   int     // segments of a path; default 20
	Repeats        int     // times a segment, or a pair of segments, may stand in a row; default 2
	Redirects      int     // hops in a row; default 10
	Outlinks       int     // links taken from one page, each counted once; default 100,000
	QueriesPerPath int     // pages of one path that differ only in their query; default 100,000
	PrefixPages    int     // pages directly in one directory; default 100,000
	PrefixSample   int     // pages of a calendar after which their texts are looked at; default 100
	PrefixYield    float64 // least share of the pages of a place that must have a text of their own; default 0.1
	EndlessSample  int     // pages of a place after which scouts look for its end; default 40; negative judges none
	ScoutDepth     int     // links that scouts follow one after the other; always; default 6
	Spellings      int     // spellings of one path: letters of other case, doubled slashes, parameters of segments; default 4
	Guises         int     // pages alike but for parameters or a number that in a row are others once more, or not kept; default 16
	Archives       int     // archives a program makes of one revision each, in one place; four times as many of a host; default 8
	HostsPerDomain int     // hosts of one registrable domain; those of seeds count, and are visited all the same; default 10,000
	KeepSoft404    bool    // take pages with status 200 that say they do not exist for pages
	KeepOrders     bool    // follow links of a list, or of a directory's listing as servers make them, to the same in other orders
	SessionParams  []string
	Released       []*regexp.Regexp // URLs of which none is parked, whatever it looks like
	Remembered     int              // entries of each map of counters, always; default 100,000
}

// DefaultSessionParams are query parameters that name a visit, or what led to it, not a page. They count as absent when two URLs
// are compared.
func DefaultSessionParams() []string {
	return []string{"sid", "sessionid", "session_id", "jsessionid", "phpsessid", "aspsessionid", "asp.net_sessionid", "cfid",
		"cftoken", "zenid", "oscsid", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id", "fbclid",
		"gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid"}
}

func (t Traps) withDefaults() Traps {
	t.URLLength = max(cmp.Or(t.URLLength, 2048), 0)
	t.PathSegments = max(cmp.Or(t.PathSegments, 20), 0)
	t.Repeats = max(cmp.Or(t.Repeats, 2), 0)
	t.Redirects = max(cmp.Or(t.Redirects, 10), 0)
	t.Outlinks = max(cmp.Or(t.Outlinks, 100_000), 0)
	t.QueriesPerPath = max(cmp.Or(t.QueriesPerPath, 100_000), 0)
	t.PrefixPages = max(cmp.Or(t.PrefixPages, 100_000), 0)
	t.PrefixSample = max(cmp.Or(t.PrefixSample, 100), 0)
	t.PrefixYield = max(cmp.Or(t.PrefixYield, 0.1), 0)
	t.EndlessSample = max(cmp.Or(t.EndlessSample, 40), 0)
	t.ScoutDepth = cmp.Or(max(t.ScoutDepth, 0), 6)
	t.Spellings = max(cmp.Or(t.Spellings, 4), 0)
	t.Guises = max(cmp.Or(t.Guises, 16), 0)
	t.Archives = max(cmp.Or(t.Archives, 8), 0)
	t.HostsPerDomain = max(cmp.Or(t.HostsPerDomain, 10_000), 0)
	t.Remembered = cmp.Or(max(t.Remembered, 0), 100_000)
	if t.SessionParams == nil {
		t.SessionParams = DefaultSessionParams()
	}
	return t
}

// bound names the bound behind a reason and its value: what the operator could change.
func (t *Traps) bound(r Reason) string {
	switch r {
	case ReasonURLLength:
		return fmt.Sprintf("URLs of at most %d octets", t.URLLength)
	case ReasonPathDepth:
		return fmt.Sprintf("at most %d path segments", t.PathSegments)
	case ReasonRepeated:
		return fmt.Sprintf("the same segments at most %d times in a row", t.Repeats)
	case ReasonQueries:
		return fmt.Sprintf("at most %d queries of one path", t.QueriesPerPath)
	case ReasonPrefixPages:
		return fmt.Sprintf("at most %d pages in one directory", t.PrefixPages)
	case ReasonHostsPerDomain:
		return fmt.Sprintf("at most %d hosts of one domain", t.HostsPerDomain)
	case ReasonRedirectLimit:
		return fmt.Sprintf("at most %d redirects in a row", t.Redirects)
	}
	return ""
}

// refusal turns away for a bound.
func (t *Traps) refusal(r Reason) Refusal {
	return Refusal{Gate: GateTrap, Reason: r, Rule: t.bound(r)}
}

// judge turns away a link that looks like a trap by itself.
func (t *Traps) judge(l frontier.Link) (Refusal, bool) {
	u := l.URL
	if t.URLLength > 0 && len(u.String()) > t.URLLength {
		return t.refusal(ReasonURLLength), true
	}
	path, query, hasQuery := strings.Cut(u.PathQuery(), "?")
	if hasQuery && !t.KeepOrders && isListingOrder(query) && isOnPath(l.Via, u) {
		return t.refusal(ReasonListingOrder), true
	}
	if hasQuery && len(l.Hops) == 0 && isSaidAgain(l.Via, u) { // where it sends one itself, the site knows why
		return t.refusal(ReasonPermutation), true
	}
	var buf [64]string
	segments := buf[:0]
	for s := range strings.SplitSeq(path[1:], "/") {
		if s != "" {
			segments = append(segments, s)
		}
	}
	switch {
	case t.PathSegments > 0 && len(segments) > t.PathSegments:
		return t.refusal(ReasonPathDepth), true
	case t.Repeats > 0 && repeats(segments, t.Repeats):
		return t.refusal(ReasonRepeated), true
	}
	return Refusal{}, false
}

// isListingOrder reports whether a query asks for another order, or another look, of the listing of a directory, as Apache and
// nginx have them: C=N;O=D, and before Apache 2 N=D.
func isListingOrder(query string) bool {
	if len(query) == len("N=D") && strings.IndexByte("NMSD", query[0]) >= 0 {
		return query[1] == '=' && strings.IndexByte("AD", query[2]) >= 0
	}
	known := 0
	for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == ';' || r == '&' }) {
		if len(part) != len("C=N") || part[1] != '=' || strings.IndexByte(listingValues(part[0]), part[2]) < 0 {
			return false
		}
		known++
	}
	return known > 0
}

// listingValues returns the values of a parameter of listings: column, order, fancy format, versions.
func listingValues(name byte) string {
	switch name {
	case 'C':
		return "NMSD"
	case 'O':
		return "AD"
	case 'F':
		return "012"
	case 'V':
		return "01"
	}
	return ""
}

// isSaidAgain reports whether a page leads to itself with what its query says already said once more.
func isSaidAgain(page, u frontier.URL) bool {
	path, query, _ := strings.Cut(u.PathQuery(), "?")
	before, said, has := strings.Cut(page.PathQuery(), "?")
	if !has || path != before || len(query) <= len(said) || u.Origin() != page.Origin() {
		return false
	}
	pairs, known := strings.Split(query, "&"), strings.Split(said, "&")
	slices.Sort(pairs)
	slices.Sort(known)
	return slices.Equal(slices.Compact(pairs), slices.Compact(known))
}

// isOnPath reports whether two URLs differ at most in their queries.
func isOnPath(a, b frontier.URL) bool {
	before, _, _ := strings.Cut(a.String(), "?")
	after, _, _ := strings.Cut(b.String(), "?")
	return before == after
}

// repeats reports whether a segment, or a pair of segments, follows itself so often that it stands there more than most times.
func repeats(segments []string, most int) bool {
	for period := 1; period <= 2; period++ {
		run := 0
		for i := period; i < len(segments); i++ {
			if segments[i] != segments[i-period] {
				run = 0
				continue
			}
			if run++; run > period*(most-1) && run%period == 0 {
				return true
			}
		}
	}
	return false
}

// trapCounters counts what is visited, to notice when a place has no end.
type trapCounters struct {
	*Traps
	session map[string]bool

	mu       sync.Mutex // guards all below
	queries  bounded.Map[int]
	prefixes bounded.Map[int]
	visited  bounded.Map[uint64] // comparison key -> URL
	domains  bounded.Map[map[uint64]struct{}]
}

func newTrapCounters(t *Traps) *trapCounters {
	c := &trapCounters{Traps: t, session: map[string]bool{}}
	for _, p := range t.SessionParams {
		c.session[strings.ToLower(p)] = true
	}
	c.queries.Most, c.prefixes.Most, c.visited.Most = t.Remembered, t.Remembered, t.Remembered
	c.domains.Most = max(t.Remembered/100, 1)
	return c
}

// admitPage counts a URL that is about to be fetched, unless something speaks against it. Redirects of one URL to another that
// is like it are followed: the site knows why. What was released may be one too many in its place.
func (c *trapCounters) admitPage(e frontier.Entry, rules *robots.Rules, released bool) (Refusal, bool) {
	p := placeOf(e.URL)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, full := c.judgePlaceLocked(p); full && !released {
		return r, true
	}
	if r, alike := c.judgeLikenessLocked(e, p); alike {
		return r, true
	}
	pathQuery := e.URL.PathQuery()
	cleaned := rules.Clean(pathQuery)
	if rules.HasCleanParams() && !c.firstLocked(e, cleanKey(cleaned)) {
		return Refusal{Gate: GateTrap, Reason: ReasonCleanParam, Rule: cleaned.Rule, Verdict: robots.Verdict{Line: cleaned.Line}},
			true
	}
	if p.hasParams {
		c.noteLocked(e, pathQuery)
	}
	if rules.HasCleanParams() {
		c.noteLocked(e, cleanKey(cleaned))
	}
	c.countLocked(p)
	return Refusal{}, false
}

// judgeLikeness turns away a URL that differs from one that was visited in nothing but the order of parameters, how often each
// stands there, or a session.
func (c *trapCounters) judgeLikeness(e frontier.Entry) (Refusal, bool) {
	p := placeOf(e.URL)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.judgeLikenessLocked(e, p)
}

func (c *trapCounters) judgeLikenessLocked(e frontier.Entry, p place) (Refusal, bool) {
	if p.hasParams && !c.firstLocked(e, e.URL.PathQuery()) {
		return c.refusal(ReasonPermutation), true
	}
	return Refusal{}, false
}

// cleanKey keeps what Clean-param makes of a URL apart from URLs as they are.
func cleanKey(c robots.Cleaned) string { return "clean " + c.PathQuery }

// A place is where a URL is counted.
type place struct {
	path, prefix uint64 // hashes of the path, and of the directory
	hasQuery     bool
	hasParams    bool // in the query, or in a segment of the path
}

func placeOf(u frontier.URL) place {
	path, _, hasQuery := strings.Cut(u.PathQuery(), "?")
	return place{
		xxhash.Sum64String(u.Origin() + path), xxhash.Sum64String(u.Origin() + directory(u)),
		hasQuery, hasQuery || strings.Contains(path, ";"),
	}
}

// judgePlace turns away a URL in a place that has no room for one more.
func (c *trapCounters) judgePlace(u frontier.URL) (Refusal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.judgePlaceLocked(placeOf(u))
}

func (c *trapCounters) judgePlaceLocked(p place) (Refusal, bool) {
	n, _ := c.prefixes.Get(p.prefix)
	queries, _ := c.queries.Get(p.path)
	switch {
	case c.PrefixPages > 0 && n >= c.PrefixPages:
		return c.refusal(ReasonPrefixPages), true
	case p.hasQuery && c.QueriesPerPath > 0 && queries >= c.QueriesPerPath:
		return c.refusal(ReasonQueries), true
	}
	return Refusal{}, false
}

func (c *trapCounters) countLocked(p place) {
	if p.hasQuery {
		queries, _ := c.queries.Get(p.path)
		c.queries.Put(p.path, queries+1)
	}
	n, _ := c.prefixes.Get(p.prefix)
	c.prefixes.Put(p.prefix, n+1)
}

// firstLocked reports whether no other URL was visited whose path and query look the same when parameters are in order and
// those that name a session are left out.
func (c *trapCounters) firstLocked(e frontier.Entry, pathQuery string) bool {
	first, known := c.visited.Get(c.likeness(e.URL, pathQuery))
	cameFrom := func(hop frontier.URL) bool { return xxhash.Sum64String(hop.String()) == first }
	return !known || first == xxhash.Sum64String(e.URL.String()) || slices.ContainsFunc(e.Hops, cameFrom)
}

// bare returns the address of a URL whose parameters all name a session, without them, if the site has not led from there to it.
func (c *trapCounters) bare(e frontier.Entry) (bare string, has bool) {
	path, query, hasQuery := strings.Cut(e.URL.PathQuery(), "?")
	short := c.withoutSessions(path)
	if !hasQuery && short == path || c.comparable(query) != "" {
		return "", false
	}
	bare = e.URL.Origin() + short
	return bare, !slices.ContainsFunc(e.Hops, func(hop frontier.URL) bool { return hop.String() == bare })
}

// isVisited reports whether a URL with a query was visited, or one that looks like it, but for one that is known not to be it.
func (c *trapCounters) isVisited(u, other frontier.URL) bool {
	key := c.likeness(u, u.PathQuery())
	c.mu.Lock()
	defer c.mu.Unlock()
	_, visited := c.visited.Get(key)
	return visited && key != c.likeness(other, other.PathQuery())
}

// isMirror reports whether another page than u was visited that names the same one as its canonical one, and remembers that u does.
// That must have parameters, all of which u has: pictures that differ in ?id=17 may all name /picture, wrongly.
func (c *trapCounters) isMirror(u, canonical frontier.URL) bool {
	_, query, _ := strings.Cut(u.PathQuery(), "?")
	_, named, _ := strings.Cut(canonical.PathQuery(), "?")
	pairs := strings.Split(c.comparable(query), "&")
	isOther := func(pair string) bool { return !slices.Contains(pairs, pair) }
	if named = c.comparable(named); named == "" || slices.ContainsFunc(strings.Split(named, "&"), isOther) {
		return false
	}
	key, own := c.likeness(canonical, "canonical "+canonical.PathQuery()), xxhash.Sum64String(u.String())
	c.mu.Lock()
	defer c.mu.Unlock()
	first, known := c.visited.Get(key)
	if !known {
		c.visited.Put(key, own)
	}
	return known && first != own
}

// extras returns the parameters of a URL, sessions aside, without one of which it was visited; it has others. When it has none,
// base is its address without a query.
func (c *trapCounters) extras(u frontier.URL) (extras []string, base string) {
	path, query, _ := strings.Cut(u.PathQuery(), "?")
	pairs := strings.Split(c.comparable(query), "&")
	switch {
	case len(pairs) == 1:
		return pairs, u.Origin() + path
	case len(pairs) > mostParts:
		return nil, ""
	}
	path = u.Origin() + c.withoutSessions(path) + "?"
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range pairs {
		part := slices.Delete(slices.Clone(pairs), i, i+1)
		if _, visited := c.visited.Get(xxhash.Sum64String(path + strings.Join(part, "&"))); visited {
			extras = append(extras, pairs[i])
		}
	}
	return extras, ""
}

// mostParts is how many parameters a URL may have for each of its parts to be looked for.
const mostParts = 16

// noteLocked remembers a URL as the first that looks like this.
func (c *trapCounters) noteLocked(e frontier.Entry, pathQuery string) {
	c.visited.Put(c.likeness(e.URL, pathQuery), xxhash.Sum64String(e.URL.String()))
}

// likeness is the same for URLs that look the same.
func (c *trapCounters) likeness(u frontier.URL, pathQuery string) uint64 {
	path, query, _ := strings.Cut(pathQuery, "?")
	return xxhash.Sum64String(u.Origin() + c.withoutSessions(path) + "?" + c.comparable(query))
}

// withoutSessions returns a path without the parameters of its segments that name a session, as in /cart;jsessionid=1F.
func (c *trapCounters) withoutSessions(path string) string {
	if !strings.Contains(path, ";") {
		return path
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		params := strings.Split(s, ";")
		kept := slices.DeleteFunc(params[1:], func(p string) bool {
			name, _, _ := strings.Cut(p, "=")
			return c.session[strings.ToLower(name)]
		})
		segments[i] = strings.Join(params[:1+len(kept)], ";")
	}
	return strings.Join(segments, "/")
}

// comparable returns the query with its parameters sorted, each once, and those that name a session left out: what says something
// twice, as _crumb=1&_crumb=1 does where each page leads to itself with one more, says it once.
func (c *trapCounters) comparable(query string) string {
	pairs := strings.Split(query, "&")
	pairs = slices.DeleteFunc(pairs, func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		return c.session[strings.ToLower(name)]
	})
	slices.Sort(pairs)
	return strings.Join(slices.Compact(pairs), "&")
}

// recall counts a page that an earlier run has visited.
func (c *trapCounters) recall(u frontier.URL) {
	c.admitHost(u, true)
	p := placeOf(u)
	e := frontier.Entry{Link: frontier.Link{URL: u}}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.hasParams && c.firstLocked(e, u.PathQuery()) {
		c.noteLocked(e, u.PathQuery())
	}
	c.countLocked(p)
}

// judgeHost turns away a link to a host for which its registrable domain has no room.
func (c *trapCounters) judgeHost(u frontier.URL) (Refusal, bool) {
	if c.HostsPerDomain == 0 {
		return Refusal{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	hosts, _ := c.domains.Get(xxhash.Sum64String(registrableDomain(u)))
	return c.judgeHostOf(hosts, xxhash.Sum64String(u.Site()))
}

func (c *trapCounters) judgeHostOf(hosts map[uint64]struct{}, site uint64) (Refusal, bool) {
	if _, known := hosts[site]; known || len(hosts) < c.HostsPerDomain {
		return Refusal{}, false
	}
	return c.refusal(ReasonHostsPerDomain), true
}

// admitHost counts the host of a link that is to be queued, if its registrable domain has room for it, or it is certain anyway.
func (c *trapCounters) admitHost(u frontier.URL, certain bool) (Refusal, bool) {
	if c.HostsPerDomain == 0 {
		return Refusal{}, false
	}
	domain, site := xxhash.Sum64String(registrableDomain(u)), xxhash.Sum64String(u.Site())
	c.mu.Lock()
	defer c.mu.Unlock()
	hosts, known := c.domains.Get(domain)
	if !known {
		hosts = map[uint64]struct{}{}
		c.domains.Put(domain, hosts)
	}
	if r, refused := c.judgeHostOf(hosts, site); refused && !certain {
		return r, true
	}
	if len(hosts) < max(c.HostsPerDomain, c.Remembered) {
		hosts[site] = struct{}{}
	}
	return Refusal{}, false
}
