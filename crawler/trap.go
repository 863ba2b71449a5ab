package crawler

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// Traps bound what a site can make us visit without end: calendars, facets, session ids, links that grow. Permission by
// robots.txt does not replace a bound. Zero fields mean the defaults, negative ones switch a bound off. What is counted
// is counted in memory bounded by Remembered; see Crawler.Recall for what earlier runs have counted.
type Traps struct {
	URLLength      int     // octets of a URL; default 2,048
	PathSegments   int     // segments of a path; default 20
	Repeats        int     // times a segment, or a pair of segments, may stand in a row; default 2
	Redirects      int     // hops in a row; default 10
	Outlinks       int     // links taken from one page; default 5,000
	QueriesPerPath int     // pages of one path that differ only in their query; default 100
	PrefixPages    int     // pages directly in one directory; default 10,000
	PrefixSample   int     // pages of a directory after which its yield is looked at; default 100
	PrefixYield    float64 // least share of these that must be new content; default 0.1
	HostsPerDomain int     // hosts of one registrable domain; default 1,000
	KeepSoft404    bool    // take pages with status 200 that say they do not exist for pages
	SessionParams  []string
	Remembered     int // entries of each table of counters; default 100,000
}

// DefaultSessionParams are query parameters that name a visit, not a page. They count as absent when two URLs are compared.
func DefaultSessionParams() []string {
	return []string{"sid", "sessionid", "session_id", "jsessionid", "phpsessid", "aspsessionid", "asp.net_sessionid", "cfid", "cftoken", "zenid", "oscsid"}
}

func (t Traps) withDefaults() Traps {
	t.URLLength = orDefault(t.URLLength, 2048)
	t.PathSegments = orDefault(t.PathSegments, 20)
	t.Repeats = orDefault(t.Repeats, 2)
	t.Redirects = orDefault(t.Redirects, 10)
	t.Outlinks = orDefault(t.Outlinks, 5000)
	t.QueriesPerPath = orDefault(t.QueriesPerPath, 100)
	t.PrefixPages = orDefault(t.PrefixPages, 10_000)
	t.PrefixSample = orDefault(t.PrefixSample, 100)
	t.PrefixYield = orDefault(t.PrefixYield, 0.1)
	t.HostsPerDomain = orDefault(t.HostsPerDomain, 1000)
	t.Remembered = orDefault(t.Remembered, 100_000)
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
	case ReasonPrefixYield:
		return fmt.Sprintf("after %d pages of a directory at least %.0f %% new content", t.PrefixSample, 100*t.PrefixYield)
	case ReasonHostsPerDomain:
		return fmt.Sprintf("at most %d hosts of one domain", t.HostsPerDomain)
	case ReasonRedirectLimit:
		return fmt.Sprintf("at most %d redirects in a row", t.Redirects)
	}
	return ""
}

// shape returns why the URL by itself looks like a trap; an empty reason means it does not.
func (t *Traps) shape(u frontier.URL) Reason {
	if t.URLLength > 0 && len(u.String()) > t.URLLength {
		return ReasonURLLength
	}
	path, _, _ := strings.Cut(u.PathQuery(), "?")
	if strings.Count(path, "/") <= 2 {
		return ""
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
		return ReasonPathDepth
	case t.Repeats > 0 && repeats(segments, t.Repeats):
		return ReasonRepeated
	}
	return ""
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
	queries  boundedMap[int]
	prefixes boundedMap[prefixCount]
	visited  boundedMap[uint64] // comparison key -> URL
	domains  boundedMap[map[uint64]struct{}]
	contents boundedMap[struct{}]
}

type prefixCount struct{ pages, fresh int }

func newTrapCounters(t *Traps) *trapCounters {
	c := &trapCounters{Traps: t, session: map[string]bool{}}
	for _, p := range t.SessionParams {
		c.session[strings.ToLower(p)] = true
	}
	c.queries.most, c.prefixes.most, c.visited.most, c.contents.most = t.Remembered, t.Remembered, t.Remembered, t.Remembered
	c.domains.most = max(t.Remembered/100, 1)
	return c
}

// visit counts a URL that is about to be fetched and returns what speaks against it, if anything does; then it is not counted.
// Redirects of one URL to another that is like it are followed: the site knows why.
func (c *trapCounters) visit(e frontier.Entry, rules *robots.Rules) (r Refusal, refused bool) {
	p := placeOf(e.URL)
	c.mu.Lock()
	defer c.mu.Unlock()
	if full := c.fullLocked(p); full != "" {
		return c.refusal(full), true
	}
	u := e.URL
	if p.hasQuery && !c.firstLocked(e, u.PathQuery()) {
		return c.refusal(ReasonPermutation), true
	}
	if cleaned := rules.Clean(u.PathQuery()); rules.HasCleanParams() && !c.firstLocked(e, "clean "+cleaned.PathQuery) {
		return Refusal{Gate: GateTrap, Reason: ReasonCleanParam, Rule: cleaned.Rule, Verdict: robots.Verdict{Line: cleaned.Line}}, true
	}
	c.countLocked(p, false)
	return r, false
}

// A place is where a URL is counted.
type place struct {
	path, prefix uint64 // hashes of the path, and of the directory
	hasQuery     bool
}

func placeOf(u frontier.URL) place {
	path, _, hasQuery := strings.Cut(u.PathQuery(), "?")
	return place{xxhash.Sum64String(u.Origin() + path), xxhash.Sum64String(u.Origin() + directory(u)), hasQuery}
}

// full returns the bound that has no room for one more URL of the place of u; empty when all have.
func (c *trapCounters) full(u frontier.URL) Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fullLocked(placeOf(u))
}

func (c *trapCounters) fullLocked(p place) Reason {
	n, _ := c.prefixes.get(p.prefix)
	queries, _ := c.queries.get(p.path)
	switch {
	case c.PrefixPages > 0 && n.pages >= c.PrefixPages:
		return ReasonPrefixPages
	case c.PrefixSample > 0 && n.pages >= c.PrefixSample && float64(n.fresh) < c.PrefixYield*float64(n.pages):
		return ReasonPrefixYield
	case p.hasQuery && c.QueriesPerPath > 0 && queries >= c.QueriesPerPath:
		return ReasonQueries
	}
	return ""
}

func (c *trapCounters) countLocked(p place, fresh bool) {
	if p.hasQuery {
		queries, _ := c.queries.get(p.path)
		c.queries.put(p.path, queries+1)
	}
	n, _ := c.prefixes.get(p.prefix)
	n.pages++
	if fresh {
		n.fresh++
	}
	c.prefixes.put(p.prefix, n)
}

func (c *trapCounters) refusal(r Reason) Refusal {
	return Refusal{Gate: GateTrap, Reason: r, Rule: c.bound(r)}
}

// firstLocked reports whether no other URL was visited whose path and query look the same when parameters are in order and
// those that name a session are left out.
func (c *trapCounters) firstLocked(e frontier.Entry, pathQuery string) bool {
	path, query, _ := strings.Cut(pathQuery, "?")
	same := xxhash.Sum64String(e.URL.Origin() + path + "?" + c.comparable(query))
	self := xxhash.Sum64String(e.URL.String())
	first, known := c.visited.get(same)
	cameFrom := func(hop frontier.URL) bool { return xxhash.Sum64String(hop.String()) == first }
	if known && first != self && !slices.ContainsFunc(e.Hops, cameFrom) {
		return false
	}
	c.visited.put(same, self)
	return true
}

// comparable returns the query with its parameters sorted and those that name a session left out.
func (c *trapCounters) comparable(query string) string {
	pairs := strings.Split(query, "&")
	pairs = slices.DeleteFunc(pairs, func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		return c.session[strings.ToLower(name)]
	})
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// content notes the content of a page that visit counted, for the yield of its directory.
func (c *trapCounters) content(u frontier.URL, body []byte) {
	prefix := xxhash.Sum64String(u.Origin() + directory(u))
	digest := xxhash.Sum64(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.contents.get(digest); known {
		return
	}
	c.contents.put(digest, struct{}{})
	if n, ok := c.prefixes.get(prefix); ok {
		n.fresh++
		c.prefixes.put(prefix, n)
	}
}

// recall counts a page that an earlier run has visited; fresh says that its content was new.
func (c *trapCounters) recall(u frontier.URL, fresh bool) {
	c.host(u)
	p := placeOf(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.hasQuery {
		c.firstLocked(frontier.Entry{Link: frontier.Link{URL: u}}, u.PathQuery())
	}
	c.countLocked(p, fresh)
}

// host counts the host of a link and reports whether its registrable domain has room for it.
func (c *trapCounters) host(u frontier.URL) Reason {
	if c.HostsPerDomain == 0 {
		return ""
	}
	domain := xxhash.Sum64String(registrableDomain(u))
	site := xxhash.Sum64String(u.Site())
	c.mu.Lock()
	defer c.mu.Unlock()
	hosts, ok := c.domains.get(domain)
	if !ok {
		hosts = map[uint64]struct{}{}
		c.domains.put(domain, hosts)
	}
	if _, known := hosts[site]; known {
		return ""
	}
	if len(hosts) >= c.HostsPerDomain {
		return ReasonHostsPerDomain
	}
	hosts[site] = struct{}{}
	return ""
}
