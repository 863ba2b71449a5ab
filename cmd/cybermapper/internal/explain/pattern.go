package explain

import (
	"regexp"
	"strings"

	"github.com/cybermapper/cybermapper/crawler"
)

// A Pattern is what a trap looks like.
type Pattern string

// The patterns of traps.
const (
	Calendar        Pattern = "calendar"         // a page for every day or month, without end
	FacetGrid       Pattern = "facet grid"       // every combination of filters is a page
	Counter         Pattern = "counter"          // a number in the query that goes on and on
	EndlessQuery    Pattern = "endless query"    // other queries of one page
	SessionID       Pattern = "session id"       // the same page under a name for each visit
	ParameterOrder  Pattern = "parameter order"  // the same parameters in another order
	ListingOrder    Pattern = "listing order"    // the files of a directory, or another list, in another order
	OtherGuise      Pattern = "other guise"      // known pages once more: to print, at one of its posts
	GrowingPath     Pattern = "growing path"     // links that make the path longer and longer
	GrowingQuery    Pattern = "growing query"    // likewise the query
	RepeatedSegment Pattern = "repeated segment" // the same directory within itself
	LargeDirectory  Pattern = "large directory"  // very many pages side by side
	SameContent     Pattern = "same content"     // many pages, one text
	ManyHosts       Pattern = "many hosts"       // host names without end
	Redirects       Pattern = "redirects"        // a chain of redirects, or a circle
	ManyLinks       Pattern = "very long page"   // more links than are read
	Archives        Pattern = "archives"         // of each revision of a source, packed when they are asked for
	EndlessPlace    Pattern = "endless place"    // it does not close
	OtherPattern    Pattern = "no known pattern"
)

// A patterns finds out the pattern of a refused URL.
type patterns struct {
	dates   *regexp.Regexp // in a path or query
	session map[string]bool
}

func newPatterns(sessionParameters []string) *patterns {
	p := &patterns{
		dates: regexp.MustCompile(`(?i)(^|[^0-9])(19|20)[0-9]{2}[-/_]?(0?[1-9]|1[0-2])([^0-9]|$|[-/_]?[0-3]?[0-9]([^0-9]|$))` +
			`|[?&;](year|month|week|day|date|cal[a-z]*)=`),
		session: map[string]bool{},
	}
	for _, name := range sessionParameters {
		p.session[strings.ToLower(name)] = true
	}
	return p
}

// of names the pattern behind a refusal.
func (p *patterns) of(reason crawler.Reason, url string) Pattern {
	path, query, _ := strings.Cut(url, "?")
	switch reason {
	case crawler.ReasonQueries:
		return p.ofQueries(url, query)
	case crawler.ReasonPermutation:
		if p.hasSession(query) {
			return SessionID
		}
		return ParameterOrder
	case crawler.ReasonListingOrder:
		return ListingOrder
	case crawler.ReasonURLLength:
		if len(query) > len(path) {
			return GrowingQuery
		}
		return ofPath(path)
	case crawler.ReasonPathDepth:
		return ofPath(path)
	case crawler.ReasonRepeated:
		return RepeatedSegment
	case crawler.ReasonPrefixPages:
		if p.dates.MatchString(url) {
			return Calendar
		}
		return LargeDirectory
	case crawler.ReasonPrefixYield:
		if p.dates.MatchString(url) {
			return Calendar
		}
		return SameContent
	case crawler.ReasonEndless:
		if p.dates.MatchString(url) {
			return Calendar
		}
		return EndlessPlace
	case crawler.ReasonHostsPerDomain:
		return ManyHosts
	case crawler.ReasonRedirectLimit, crawler.ReasonRedirectLoop:
		return Redirects
	case crawler.ReasonOutlinks:
		return ManyLinks
	}
	return OtherPattern
}

// ofQueries names what makes one path have so many queries.
func (p *patterns) ofQueries(url, query string) Pattern {
	parameters := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	switch {
	case p.hasSession(query):
		return SessionID
	case p.dates.MatchString(url):
		return Calendar
	case len(parameters) >= 2:
		return FacetGrid
	}
	if _, value, ok := strings.Cut(query, "="); ok && value != "" && strings.Trim(value, "0123456789") == "" {
		return Counter
	}
	return EndlessQuery
}

func (p *patterns) hasSession(query string) bool {
	for parameter := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(parameter, "=")
		if p.session[strings.ToLower(name)] {
			return true
		}
	}
	return false
}

// ofPath names what makes a path so long.
func ofPath(path string) Pattern {
	_, path, _ = strings.Cut(path, "://")
	seen := map[string]int{}
	for s := range strings.SplitSeq(path, "/") {
		if seen[s]++; s != "" && seen[s] > 2 {
			return RepeatedSegment
		}
	}
	return GrowingPath
}

// settings are those that overrule the bound behind a reason.
var settings = map[crawler.Reason]string{
	crawler.ReasonURLLength:      "traps.url_length",
	crawler.ReasonPathDepth:      "traps.path_segments",
	crawler.ReasonRepeated:       "traps.repeated_segments",
	crawler.ReasonQueries:        "traps.queries_per_path",
	crawler.ReasonPrefixPages:    "traps.pages_per_directory",
	crawler.ReasonPrefixYield:    "traps.release",
	crawler.ReasonEndless:        "traps.release",
	crawler.ReasonPermutation:    "traps.session_parameters",
	crawler.ReasonListingOrder:   "traps.listing_orders",
	crawler.ReasonHostsPerDomain: "traps.hosts_per_domain",
	crawler.ReasonRedirectLimit:  "traps.redirects",
	crawler.ReasonOutlinks:       "traps.links_per_page",
}
