package crawler

import "strings"

// A Reason says in one short word group why something was refused, given up, or made to wait. A refusal is a Reason and
// never an error: it is counted, shown and written to the ledger. Reasons are stable: people search for them.
type Reason string

// A Gate is a place where a link or a page can be turned away.
type Gate string

// The gates, in the order a link meets them.
const (
	GateURL     Gate = "url"     // is it an http(s) URL at all?
	GateMeta    Gate = "meta"    // did the page ask us not to follow, or not to keep?
	GateOptOut  Gate = "opt-out" // did somebody ask the operator to stay away?
	GateAction  Gate = "action"  // would asking for it do something?
	GateScope   Gate = "scope"   // did the operator ask for it?
	GateTrap    Gate = "trap"    // does it look endless?
	GateLimit   Gate = "limit"   // is there room for it?
	GateSitemap Gate = "sitemap" // may the sitemap that names it speak for it, and can that be read?
	GateAddress Gate = "address" // may we connect there?
	GateRobots  Gate = "robots"  // may we ask for it?
)

// AllGates returns them in the order in which a link meets them.
func AllGates() []Gate {
	return []Gate{
		GateURL, GateMeta, GateOptOut, GateAction, GateScope, GateTrap, GateLimit, GateSitemap, GateAddress, GateRobots,
	}
}

// Why a link or a page was turned away.
const (
	ReasonBadURL         Reason = "bad-url"
	ReasonNofollowPage   Reason = "nofollow-page" // META or X-Robots-Tag nofollow: none of its links
	ReasonNofollowLink   Reason = "nofollow-link" // rel=nofollow, ugc or sponsored: not this link
	ReasonNoindex        Reason = "noindex"       // the page is not stored
	ReasonOptedOut       Reason = "opted-out"     // the host, its domain or its address is on the operator's list
	ReasonAction         Reason = "action-link"
	ReasonSignIn         Reason = "sign-in" // it redirects to a form to sign in
	ReasonOutOfScope     Reason = "out-of-scope"
	ReasonExcluded       Reason = "excluded"     // an exclude pattern matches
	ReasonNotIncluded    Reason = "not-included" // no include pattern matches
	ReasonMediaType      Reason = "media-type"   // a kind of file that the operator does not want
	ReasonPartFeed       Reason = "part-feed"    // the feed of a part of the site, named by neither a seed nor its front page
	ReasonURLLength      Reason = "url-too-long"
	ReasonPathDepth      Reason = "path-too-deep"
	ReasonRepeated       Reason = "repeated-segments"
	ReasonQueries        Reason = "queries-per-path"
	ReasonPrefixPages    Reason = "pages-per-directory"
	ReasonPrefixYield    Reason = "directory-repeats-itself" // of versions that looked at directories; now it is ReasonEndless
	ReasonEndless        Reason = "looks-endless"            // the place has no end, by what package trap says
	ReasonPermutation    Reason = "same-parameters"          // parameters in other order or twice, or one of a session or campaign
	ReasonListingOrder   Reason = "listing-order"            // a directory's listing, as the server makes it, in another order
	ReasonCleanParam     Reason = "clean-param"              // only parameters differ that the site says make no difference
	ReasonHostsPerDomain Reason = "hosts-per-domain"
	ReasonSoft404        Reason = "soft-404"
	ReasonRedirectLimit  Reason = "too-many-redirects"
	ReasonRedirectLoop   Reason = "redirect-loop"
	ReasonDepth          Reason = "too-deep"
	ReasonPagesPerHost   Reason = "pages-per-host"
	ReasonBytesPerHost   Reason = "bytes-per-host"
	ReasonTimePerHost    Reason = "time-per-host"
	ReasonOutlinks       Reason = "links-per-page"
	ReasonRequisites     Reason = "requisites-per-page" // or style sheets that lead to one another without end
	ReasonPrivate        Reason = "private-address"
	ReasonBadPort        Reason = "bad-port" // that of another service than the web
	ReasonDisallowed     Reason = "robots-disallow"
	ReasonLongDelay      Reason = "crawl-delay" // so long that only seeds are visited
)

// Why a sitemap, or something it names, was turned away; the reasons of package sitemap come on top.
const (
	ReasonSitemapScope  Reason = "sitemap-scope"       // it may not speak for that URL
	ReasonSitemapProofs Reason = "sitemap-proofs"      // too many origins would have to be asked
	ReasonSitemapIndex  Reason = "sitemap-index-depth" // an index in an index in an index
	ReasonSitemaps      Reason = "sitemaps-per-site"
)

// What another visit to a page found.
const (
	ReasonUnchanged Reason = "unchanged" // it is as it was: 304, or the same body
	ReasonChanged   Reason = "changed"   // it has another body
	ReasonGone      Reason = "gone"      // 404 or 410
	ReasonMoved     Reason = "moved"     // a redirect
)

// ReasonChecked is that of the outcome of a link out of the scope whose page was asked for to see whether it is there.
const ReasonChecked Reason = "link-checked"

// IsAgain reports whether r says what another visit found: the page has been counted when it was visited first.
func (r Reason) IsAgain() bool {
	return r == ReasonUnchanged || r == ReasonChanged || r == ReasonGone || r == ReasonMoved
}

// IsOfLink reports whether r says why a link was not followed, which says nothing of the URL: another link may lead there.
func (r Reason) IsOfLink() bool { return r == ReasonNofollowPage || r == ReasonNofollowLink }

// CutsShort reports whether a run that ended for r was not to end yet: the next one goes on with what it had begun.
func (r Reason) CutsShort() bool { return r == EndInterrupted || r == EndFailed }

// Gate returns the gate that turns away with this reason; empty for a reason that nothing is turned away with.
func (r Reason) Gate() Gate {
	switch r {
	case ReasonBadURL:
		return GateURL
	case ReasonNofollowPage, ReasonNofollowLink, ReasonNoindex:
		return GateMeta
	case ReasonOptedOut:
		return GateOptOut
	case ReasonAction, ReasonSignIn:
		return GateAction
	case ReasonOutOfScope, ReasonExcluded, ReasonNotIncluded, ReasonMediaType, ReasonPartFeed:
		return GateScope
	case ReasonURLLength, ReasonPathDepth, ReasonRepeated, ReasonQueries, ReasonPrefixPages, ReasonPrefixYield, ReasonEndless,
		ReasonPermutation, ReasonListingOrder, ReasonCleanParam, ReasonHostsPerDomain, ReasonSoft404, ReasonRedirectLimit,
		ReasonRedirectLoop, ReasonOutlinks, ReasonRequisites:
		return GateTrap
	case ReasonDepth, ReasonPagesPerHost, ReasonBytesPerHost, ReasonTimePerHost, ReasonLongDelay:
		return GateLimit
	case ReasonPrivate, ReasonBadPort:
		return GateAddress
	case ReasonDisallowed:
		return GateRobots
	}
	if strings.HasPrefix(string(r), "sitemap") {
		return GateSitemap
	}
	return ""
}

// Why an attempt failed. The first group is about one URL, the second about its host.
const (
	ReasonTimeout     Reason = "timeout"
	ReasonReset       Reason = "reset"
	ReasonProtocol    Reason = "protocol-error"
	ReasonCut         Reason = "cut-off"
	ReasonServerError Reason = "server-error"
	ReasonChallenge   Reason = "challenge" // a service before the site wants to see a browser, or a human, first
	ReasonAway        Reason = "site-away" // whatever is asked for leads to one place, or has one body

	ReasonBusy         Reason = "too-many-requests" // 429
	ReasonUnavailable  Reason = "unavailable"       // 503, or another error with Retry-After
	ReasonNetworkLogin Reason = "network-login"     // 511
	ReasonDNS          Reason = "dns"
	ReasonRefused      Reason = "connection-refused"
	ReasonTLS          Reason = "tls"
	ReasonFailures     Reason = "failures-in-a-row"
	ReasonUnreachable  Reason = "robots-unreachable"
	ReasonDenied       Reason = "access-denied" // 401, 403 or a challenge again and again
	ReasonVisitTime    Reason = "visit-time"    // robots.txt names another time of day
	ReasonHours        Reason = "hours"         // the operator does, by Config.Hours or Override.Hours
)

// Why a run ended.
const (
	EndDone        Reason = "done"               // nothing is left
	EndPagesOfHost Reason = "max-pages-per-host" // nothing is left but pages of hosts that have had Limits.PagesPerHost
	EndBytesOfHost Reason = "max-bytes-per-host" // likewise for Limits.BytesPerHost
	EndTimeOfHost  Reason = "max-time-per-host"  // likewise for Limits.TimePerHost
	EndWaiting     Reason = "waiting"            // what is left does not become due within the patience
	EndPages       Reason = "max-pages"          // Limits.Pages
	EndBytes       Reason = "max-bytes"          // Limits.Bytes
	EndTime        Reason = "max-time"           // Limits.Time
	EndInterrupted Reason = "interrupted"        // the context ended
	EndFailed      Reason = "failed"             // a store failed; Run returns the error
)
