package say

import (
	"strings"

	"github.com/cybermapper/cybermapper/crawler"
)

// reasons has what reason codes mean to somebody who reads them for the first time. Others speak for themselves.
var reasons = map[crawler.Reason]string{
	crawler.ReasonBadURL:       "not an http or https URL",
	crawler.ReasonUnchanged:    "it is as it was at the visit before",
	crawler.ReasonChanged:      "it has changed since the visit before",
	crawler.ReasonGone:         "it is gone since an earlier visit",
	crawler.ReasonMoved:        "it has moved since an earlier visit",
	crawler.ReasonChecked:      "a link out of scope, asked for to see whether it is dead",
	crawler.ReasonNofollowPage: "the page asks robots not to follow its links",
	crawler.ReasonNofollowLink: "the link is marked nofollow",
	crawler.ReasonNoindex:      "the page asks not to be stored",
	crawler.ReasonOptedOut:     "the owner asked us to stay away (opt-out)",
	crawler.ReasonAction:       "following the link might do something",
	crawler.ReasonSignIn:       "it leads to a form to sign in",
	crawler.ReasonOutOfScope:   "outside the scope of the crawl",
	crawler.ReasonExcluded:     "an exclude pattern matches",
	crawler.ReasonMediaType:    "a kind of file that is not wanted",
	crawler.ReasonPartFeed:     "the feed of a part of the site",
	crawler.ReasonPathDepth:    "too many path segments: this may have no end",
	crawler.ReasonRepeated:     "the same path segment repeats: this may have no end",
	crawler.ReasonQueries:      "too many pages that differ only in their query",
	crawler.ReasonPrefixPages:  "too many pages in one directory",
	crawler.ReasonEndless:      "the place looks endless, so it is parked",
	crawler.ReasonPrefixYield:  "the directory serves the same content again and again",
	crawler.ReasonPermutation: "only the order or repetition of parameters, or a session or campaign, " +
		"differs from a page that was visited",
	crawler.ReasonListingOrder: "the listing of a directory that was visited, in another order",
	crawler.ReasonCleanParam: "only parameters differ from a page that was visited, and " +
		"robots.txt says that these change nothing",
	crawler.ReasonHostsPerDomain: "too many hosts of one domain",
	crawler.ReasonSoft404:        "looks like an error page sent with status 200",
	crawler.ReasonRedirectLoop:   "the redirects form a loop",
	crawler.ReasonDepth:          "too many links from a seed",
	crawler.ReasonPagesPerHost:   "the limit of pages for this host is reached",
	crawler.ReasonBytesPerHost:   "the limit of bytes for this host is reached",
	crawler.ReasonTimePerHost:    "the limit of time for this host is reached",
	crawler.ReasonOutlinks:       "too many links on one page",
	crawler.ReasonRequisites:     "too much that one page needs, or styles that import one another without end",
	crawler.ReasonSitemapScope:   "a sitemap speaks for its own directory and for sites whose robots.txt names it",
	crawler.ReasonSitemapProofs:  "too many sites would have to be asked whether a sitemap speaks for them",
	crawler.ReasonSitemapIndex:   "too many indexes of sitemaps in a row",
	crawler.ReasonSitemaps:       "the limit of sitemaps for this site is reached",
	crawler.ReasonPrivate:        "a private address, which --allow-private permits",
	crawler.ReasonBadPort:        "the port belongs to another service than the web",
	crawler.ReasonDisallowed:     "robots.txt does not allow it",
	crawler.ReasonLongDelay:      "the site asks for pauses so long that only its seeds are visited",
	crawler.ReasonServerError:    "the server reported an error",
	crawler.ReasonAway:           "its site gave one answer for all pages",
	crawler.ReasonChallenge:      "a test whether there is a browser, or a human, came in its place",
	crawler.ReasonBusy:           "429: the server asks us to slow down",
	crawler.ReasonUnavailable:    "the server asks us to come back later",
	crawler.ReasonNetworkLogin:   "511: the network between us and the site wants a login first",
	crawler.ReasonDNS:            "no address was found for the host name",
	crawler.ReasonRefused:        "nobody accepts connections there, or no way leads there",
	crawler.ReasonTimeout:        "no answer came in time",
	crawler.ReasonTLS:            "no secure connection could be made",
	crawler.ReasonUnreachable:    "robots.txt cannot be fetched, so everything counts as disallowed",
	crawler.ReasonVisitTime:      "robots.txt asks for visits at another time of day",
	crawler.ReasonHours:          "the settings (hours) name another time for it",
	crawler.ReasonDenied:         "401, 403 or a challenge many times in a row: the owner may not want us",
}

// Reason says in words what a reason code means. Codes that speak for themselves are only spelt out.
func Reason(r crawler.Reason) string {
	if text, ok := reasons[r]; ok {
		return text
	}
	return strings.ReplaceAll(string(r), "-", " ")
}
