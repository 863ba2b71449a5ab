package frontier

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Errors of every implementation.
var (
	// ErrClosed is returned by every method after Close.
	ErrClosed = errors.New("frontier: closed")
	// ErrIdle is returned by Lease when no link is queued and no lease is out that could bring new ones.
	ErrIdle = errors.New("frontier: nothing left to fetch")
	// ErrLost is returned, wrapped, by the methods of a lease whose site another process may ask now: what was not settled is asked
	// for there.
	ErrLost = errors.New("frontier: the site belongs to another process now")
	// ErrWaiting is returned by Lease when links are queued, but none becomes due within the patience asked for.
	ErrWaiting = errors.New("frontier: nothing becomes due soon enough")
)

// A Frontier knows which page is next, and when. It is safe for concurrent use.
type Frontier interface {
	// Add queues the links that are not known yet and returns when they are durable. A known link is a no-op, unless it
	// says Force and has been settled: then it is queued anew, without attempts, and counts as new. Adding no links does
	// nothing; a link without URL is an error, and then none is added.
	Add(ctx context.Context, links []Link) (AddResult, error)

	// Lease waits for a site that is due and returns the exclusive right to fetch from it; the site that has been due
	// longest comes first, where each point of the priority of the entry it has next counts as PriorityLead. It returns
	// ErrIdle when nothing is queued and nothing is leased, ErrWaiting when nothing is leased and no site becomes due within
	// patience, and ctx.Err() when ctx ends. Whichever lease is out may bring new links, so while one is out Lease waits.
	Lease(ctx context.Context, patience time.Duration) (Lease, error)

	// Lookup tells what is known of one URL.
	Lookup(ctx context.Context, u URL) (Info, error)

	// Site tells what is known of one site, by its key (URL.Site); known is false when no link of it was ever added.
	Site(ctx context.Context, site string) (info SiteInfo, known bool, err error)

	// Sites iterates over all sites known, in no particular order. What changes during the iteration may or may not be seen.
	Sites(ctx context.Context) iter.Seq2[SiteInfo, error]

	// Returns iterates over all settled links of which something is remembered (Outcome.State), in no particular order. What
	// changes during the iteration may or may not be seen.
	Returns(ctx context.Context) iter.Seq2[Return, error]

	// Stats returns the totals.
	Stats(ctx context.Context) (Stats, error)

	// Close waits for operations under way and closes. Leases that are out become useless: their methods return ErrClosed.
	// Closing twice returns nil.
	Close() error
}

// A Lease is the exclusive, expiring right to fetch from one site. Politeness is a property of the lease, not of the
// goroutine that holds it. Its methods are safe for concurrent use.
type Lease interface {
	// Site returns the key of the leased site (URL.Site).
	Site() string

	// Info returns the site as it was when the lease began, with later SetPolicy calls applied.
	Info() SiteInfo

	// Context ends before the exclusive right can end. Every request made under the lease must use it.
	Context() context.Context

	// Next takes the next entry: a retry that is due, those with the earliest NotBefore first; else the one with the lowest
	// depth less priority, then the highest priority, then first come. ok is false when nothing of this site is due now. What is
	// taken counts as queued until it is settled.
	Next(ctx context.Context) (e Entry, ok bool, err error)

	// Permit waits until a request to site may leave and takes its slot: never more than SitePolicy.Connections requests
	// are in flight at a site, and none leaves before the gap owed since the last one ended. Call it right before each
	// request (robots.txt, retries and redirect hops too), call Grant.Done when the response has ended. site is normally
	// Lease.Site(); a robots.txt redirect may lead to another, whose politeness counts all the same, lease or none.
	// With several connections the longest gap that is still owed counts. Do not hold one Grant while waiting for another. If
	// the site is blocked for longer than a minute Permit returns a *BlockedError at once.
	Permit(ctx context.Context, site string) (Grant, error)

	// SetPolicy replaces the policy of the leased site and is durable on return.
	SetPolicy(ctx context.Context, p SitePolicy) error

	// Settle records outcomes, their links, and the site's politeness state in one durable step: after a crash either all of
	// it is there or none. The entries must come from Next of this lease and are settled once; one bad outcome makes all of
	// the call an error that changes nothing.
	Settle(ctx context.Context, outcomes ...Outcome) (AddResult, error)

	// Yield asks that the site is not leased again before until. It is not durable and takes effect at Close.
	Yield(until time.Time)

	// Close ends the lease. Entries taken and not settled go back to where they were. Closing twice does nothing; every other
	// method but Yield then returns an error.
	Close() error
}

// A Grant is the permission for one request.
type Grant struct {
	Site    string
	LastEnd time.Time     // when the previous request to the site ended; zero if none is known
	Owed    time.Duration // the gap that was owed since LastEnd
	// Tenure is the right under which the request leaves, where several nodes share a crawl: the node, the partition of the site
	// and its epoch, which grows with each owner, as in "node1/3/57"; empty elsewhere.
	Tenure string
	// Valid reports whether the request may still leave, and is asked right before it does; nil means that it may.
	Valid func() bool
	// Done says that the response has ended, now, and which gap is owed before the next request may leave. It must be
	// called; a second call does nothing. It may be called after the lease or the frontier was closed.
	Done func(gap time.Duration)
}

// A BlockedError says that a site may not be asked for a while.
type BlockedError struct {
	Site   string
	Until  time.Time
	Reason string
}

// Error names the site, the time and the reason.
func (e *BlockedError) Error() string {
	return "frontier: " + e.Site + " is blocked until " + e.Until.UTC().Format(time.RFC3339) + ": " + e.Reason
}

// MaxPriority bounds the priority of a link, which lies between -MaxPriority and MaxPriority; what is beyond counts as the bound.
//
// A point of priority is worth one link of depth among the entries of a site, and PriorityLead of waiting among sites. So a low
// priority puts off and never starves: of each depth there are finitely many links, and whoever waits long enough is first.
const MaxPriority = 100

// PriorityLead is by how much earlier a site counts as due for each point of priority. It is not asked any sooner.
const PriorityLead = time.Minute

// A Link is a URL that was found, and how.
type Link struct {
	URL      URL
	Via      URL   // the page it was found on, or the redirecting URL; zero for a seed
	Hops     []URL // the redirects that led here, oldest first; nil when found on a page
	Depth    int   // links from a seed; a redirect target has the depth of its source
	Priority int8  // higher comes first; at most MaxPriority from 0, the default; see Lease.Next
	Force    bool  // queue again although settled before

	Kind     uint8         // what the engine takes the URL for, which is its own affair
	Modified time.Time     // when what is there changed, as its site says, to the second; zero when unknown
	Every    time.Duration // how often it changes, as its site says, to the second; zero when unknown
	State    []byte        // the engine's own, opaque: what it knows of earlier visits; nil when there were none
}

// A Return is a link that may be visited again. Offered with Force it is.
type Return struct {
	Link           // as it was when it was settled, with the State of its Outcome
	Due  time.Time // when that is due; zero for never
}

// An Entry is a link handed out to be fetched.
type Entry struct {
	Link
	ID      uint64 // opaque; unique among the queued entries of its site
	Attempt int    // attempts made before this one
	Excused int    // those of them that do not count against the URL
	Added   time.Time
}

// Status says what became of an entry.
type Status uint8

// The states of a URL. Queued and Retrying wait for their turn; the others are final.
const (
	Unknown  Status = iota // never added
	Queued                 // waits for its first attempt, or for another that does not count
	Retrying               // an attempt failed, the next one waits until NotBefore
	Done                   // the server answered, and that is that, whatever it answered
	Refused                // a gate kept us from asking; Reason names it
	Failed                 // all attempts failed; Reason names the last failure
)

// String returns the name of s, such as "retrying". Files keep these words: they never change.
func (s Status) String() string {
	switch s {
	case Queued:
		return "queued"
	case Retrying:
		return "retrying"
	case Done:
		return "done"
	case Refused:
		return "refused"
	case Failed:
		return "failed"
	}
	return "unknown"
}

// An Outcome settles one entry.
type Outcome struct {
	Entry     Entry
	Status    Status    // Done, Refused, Failed or Retrying
	Reason    string    // short code: why refused, failed or tried again
	Code      int       // HTTP status of the answer; 0 when there was none
	NotBefore time.Time // Retrying: not earlier than this
	Unasked   bool      // Retrying: there was no attempt
	Excused   bool      // Retrying: there was one that does not count against the URL
	Page      bool      // counts against page limits
	Bytes     int64     // received; counts against byte limits
	Links     []Link    // what was found on the way

	// State, unless empty, is remembered of a link that is settled for good, for Frontier.Returns and Lookup, and Again with it:
	// when another visit is due, zero for never. What was remembered before is forgotten. Without State it stays.
	State []byte
	Again time.Time
}

// SitePolicy is what must be remembered to stay polite to a site. It is as durable as the queue.
type SitePolicy struct {
	Delay        time.Duration // gap owed when no request of this process has ended yet, e.g. after a restart
	Connections  int           // requests in flight at once; 0 means 1
	BlockedUntil time.Time     // no request leaves before; zero when not blocked
	BlockReason  string        // short code: why
	Failures     int           // failures of the host in a row; drives the back-off
	State        []byte        // the engine's own, opaque: what it knows of robots.txt
}

// SiteInfo describes one site.
type SiteInfo struct {
	Site     string
	Policy   SitePolicy
	LastEnd  time.Time // end of the last request; zero if none is known
	Due      time.Time // when its next request may leave at the earliest, whatever Yield asked for; zero when nothing waits
	Queued   int64     // entries waiting for their turn
	Retrying int64     // entries waiting for NotBefore
	Done     int64
	Refused  int64
	Failed   int64
	Pages    int64 // settled with Page
	Bytes    int64
	Leased   bool
}

// Info is what is known of one URL. Fields that do not apply to Status are zero.
type Info struct {
	Status    Status
	Leased    bool  // handed out right now
	Entry     Entry // URL always; the rest while Queued or Retrying
	Depth     int
	Reason    string
	Code      int
	NotBefore time.Time
	Settled   time.Time // when it became Done, Refused or Failed
	Return    *Return   // what is remembered of it; nil when nothing is
}

// Stats are totals over all sites.
type Stats struct {
	Known    int64 `json:"known"`
	Queued   int64 `json:"queued"`
	Retrying int64 `json:"retrying"`
	Done     int64 `json:"done"`
	Refused  int64 `json:"refused"`
	Failed   int64 `json:"failed"`
	Pages    int64 `json:"pages"`
	Bytes    int64 `json:"bytes"`
	Sites    int64 `json:"sites"`   // sites known
	Waiting  int64 `json:"waiting"` // sites with something queued that are neither leased nor due
	Leased   int64 `json:"leased"`  // leases out
}

// AddResult says what became of links offered.
type AddResult struct {
	Known  int // were known already
	New    int // were queued
	Passed int // lead to sites of another frontier, whose affair they are: they are on their way there
}
