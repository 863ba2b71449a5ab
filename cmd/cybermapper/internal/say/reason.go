package say

import (
	"strings"

	"github.com/cybermapper/cybermapper/crawler"
)

// Reason says in words what a reason code means to somebody who reads it for the first time. Codes that speak for
// themselves are only spelt out.
func Reason(r crawler.Reason) string {
	switch r {
	case crawler.ReasonBadURL:
		return "not an http or https URL"
	case crawler.ReasonUnchanged:
		return "it is as it was at the visit before"
	case crawler.ReasonChanged:
		return "it has changed since the visit before"
	case crawler.ReasonGone:
		return "it is gone since an earlier visit"
	case crawler.ReasonMoved:
		return "it has moved since an earlier visit"
	case crawler.ReasonChecked:
		return "a link out of scope, asked for to see whether it is dead"
	case crawler.ReasonNofollowPage:
		return "the page asks robots not to follow its links"
	case crawler.ReasonNofollowLink:
		return "the link is marked nofollow"
	case crawler.ReasonNoindex:
		return "the page asks not to be stored"
	case crawler.ReasonOptedOut:
		return "the owner asked us to stay away (opt-out)"
	case crawler.ReasonAction:
		return "following the link might do something"
	case crawler.ReasonOutOfScope:
		return "outside the scope of the crawl"
	case crawler.ReasonExcluded:
		return "an exclude pattern matches"
	case crawler.ReasonMediaType:
		return "a kind of file that is not wanted"
	case crawler.ReasonPathDepth:
		return "too many path segments: this may have no end"
	case crawler.ReasonRepeated:
		return "the same path segment repeats: this may have no end"
	case crawler.ReasonQueries:
		return "too many pages that differ only in their query"
	case crawler.ReasonPrefixPages:
		return "too many pages in one directory"
	case crawler.ReasonEndless:
		return "the place looks endless, so it is parked"
	case crawler.ReasonPrefixYield:
		return "the directory serves the same content again and again"
	case crawler.ReasonPermutation:
		return "only the order of parameters or a session id differs from a page that was visited"
	case crawler.ReasonCleanParam:
		return "only parameters differ from a page that was visited, and robots.txt says that these change nothing"
	case crawler.ReasonHostsPerDomain:
		return "too many hosts of one domain"
	case crawler.ReasonSoft404:
		return "looks like an error page sent with status 200"
	case crawler.ReasonRedirectLoop:
		return "the redirects form a loop"
	case crawler.ReasonDepth:
		return "too many links from a seed"
	case crawler.ReasonPagesPerHost:
		return "the limit of pages for this host is reached"
	case crawler.ReasonBytesPerHost:
		return "the limit of bytes for this host is reached"
	case crawler.ReasonTimePerHost:
		return "the limit of time for this host is reached"
	case crawler.ReasonOutlinks:
		return "too many links on one page"
	case crawler.ReasonSitemapScope:
		return "a sitemap speaks for its own directory and for sites whose robots.txt names it"
	case crawler.ReasonSitemapProofs:
		return "too many sites would have to be asked whether a sitemap speaks for them"
	case crawler.ReasonSitemapIndex:
		return "too many indexes of sitemaps in a row"
	case crawler.ReasonSitemaps:
		return "the limit of sitemaps for this site is reached"
	case crawler.ReasonPrivate:
		return "a private address, which --allow-private permits"
	case crawler.ReasonBadPort:
		return "the port belongs to another service than the web"
	case crawler.ReasonDisallowed:
		return "robots.txt does not allow it"
	case crawler.ReasonLongDelay:
		return "the site asks for pauses so long that only its seeds are visited"
	case crawler.ReasonServerError:
		return "the server reported an error"
	case crawler.ReasonBusy:
		return "429: the server asks us to slow down"
	case crawler.ReasonUnavailable:
		return "503: the server asks us to come back later"
	case crawler.ReasonDNS:
		return "the host name has no address"
	case crawler.ReasonRefused:
		return "nobody accepts connections there"
	case crawler.ReasonTimeout:
		return "no answer came in time"
	case crawler.ReasonTLS:
		return "no secure connection could be made"
	case crawler.ReasonUnreachable:
		return "robots.txt cannot be fetched, so everything counts as disallowed"
	case crawler.ReasonVisitTime:
		return "robots.txt asks for visits at another time of day"
	case crawler.ReasonDenied:
		return "401 or 403 many times in a row: the owner may not want us"
	}
	return strings.ReplaceAll(string(r), "-", " ")
}
