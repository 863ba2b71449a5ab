package crawler

import (
	"net/netip"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// Events is what can be heard of a crawl. Every function is optional and is called by the goroutine the event happens
// in, so it must be safe for concurrent use and quick: whoever wants to do slow things puts the event into a queue of its
// own and drops what does not fit.
type Events struct {
	Request func(Request)
	Refusal func(Refusal)
	Outcome func(Outcome)
	Rest    func(Rest)
}

// Purpose says what a request was for.
type Purpose string

// The purposes.
const (
	ForPage      Purpose = "page"
	ForRobots    Purpose = "robots"
	ForSitemap   Purpose = "sitemap"
	ForRequisite Purpose = "requisite" // what a page needs to be shown
	ForProbe     Purpose = "probe"     // a path that should not exist, to learn how the site says so
	ForWitness   Purpose = "witness"   // another page, when one failed, to learn whether the whole site fails
	ForTDM       Purpose = "tdmrep"    // the TDM file of an origin, /.well-known/tdmrep.json
)

// Kind returns what frontier.Link.Kind is for what is asked for that purpose.
func (p Purpose) Kind() uint8 {
	switch p {
	case ForSitemap:
		return kindSitemap
	case ForRequisite:
		return kindRequisite
	}
	return kindPage
}

// PurposeOf returns what an entry of that frontier.Link.Kind is asked for.
func PurposeOf(kind uint8) Purpose {
	switch {
	case kind == kindPage || kind == kindCheck:
		return ForPage
	case isRequisite(kind) || kind == kindCheckNeeded:
		return ForRequisite
	}
	return ForSitemap
}

// Request tells of one HTTP exchange, answered or not.
type Request struct {
	Purpose    Purpose
	URL        frontier.URL
	Via        frontier.URL // where the URL was found
	Site       string       // whose politeness it counted against
	Depth      int
	Attempt    int
	Start      time.Time
	FirstByte  time.Time // zero when nothing came
	End        time.Time
	From       netip.Addr     // ours, as the server saw it; zero when that is not known
	Address    netip.AddrPort // zero when none is known: there was no connection, or only a proxy knows
	Proxy      string         // the proxy that was to be gone through; "" for none
	Proto      string
	Status     int // 0 when nothing came
	Bytes      int64
	Location   string // where a redirect led, as sent, but for a user name and password
	RetryAfter string // the header, as sent
	Truncated  string // which limit cut the body; empty when whole
	Failure    Reason // empty when answered
	Detail     string // the failure in words

	LastEnd time.Time     // end of the request before, zero when none is known
	Owed    time.Duration // gap owed since LastEnd; the gap kept is Start - LastEnd
	Gap     time.Duration // gap owed from End to the next request
	GapWhy  string        // which rule made Gap as large as it is
	Tenure  string        // the right under which it left, as in frontier.Grant; empty in a crawl of one process

	Verdict robots.Verdict // the decision it was made under

	Origin string       // ForRobots: whose rules were asked for
	Robots robots.State // ForRobots: what is known of them now; zero unless this is the exchange that told
}

// Refusal tells of a link or page that was turned away, before any request for it.
type Refusal struct {
	URL     string // as found when it is no URL, canonical otherwise
	Via     frontier.URL
	Depth   int
	Purpose Purpose // ForPage, ForRequisite or ForSitemap
	Gate    Gate
	Reason  Reason
	Rule    string         // the pattern, bound or directive that decided
	Verdict robots.Verdict // GateRobots; elsewhere no more than the Line and Digest of a robots.txt that decided
}

// of returns the refusal of a link, of which a gate has said why.
func (r Refusal) of(l frontier.Link) Refusal {
	r.URL, r.Via, r.Depth, r.Purpose = l.URL.String(), l.Via, l.Depth, PurposeOf(l.Kind)
	return r
}

// Outcome tells what became of a URL after its request, or that it waits for another.
type Outcome struct {
	Purpose   Purpose // ForPage, ForRequisite or ForSitemap
	URL       frontier.URL
	Via       frontier.URL
	Depth     int
	Status    frontier.Status
	Reason    Reason
	Code      int
	NotBefore time.Time // when Retrying
	Page      bool      // answered with a page, for the first time
	Stored    bool
	Bytes     int64
	Links     int          // links found, or URLs that a sitemap names
	Queued    int          // of these, passed all gates
	New       int          // of these, not known before
	Opens     bool         // a page that brings new links, and none to what was found elsewhere
	Target    frontier.URL // of a redirect
}

// Rest tells that a site is left alone for a while.
type Rest struct {
	Site     string
	Until    time.Time
	Reason   Reason
	Detail   string
	Failures int // in a row

	NeverAnswered bool // no answer of the site is known
}

func (e *Events) request(r Request) {
	if e.Request != nil {
		e.Request(r)
	}
}

func (e *Events) refusal(r Refusal) {
	if e.Refusal != nil {
		e.Refusal(r)
	}
}

func (e *Events) outcome(o Outcome) {
	if e.Outcome != nil {
		e.Outcome(o)
	}
}

func (e *Events) rest(r Rest) {
	if e.Rest != nil {
		e.Rest(r)
	}
}
