package ledger

import "time"

// Format is the version of the record format. The first record of every file carries it.
const Format = 1

// MaxRecord bounds one line, in bytes, its newline included.
const MaxRecord = 64 << 10

// Type says what a record is about.
type Type string

// The types of records.
const (
	Run     Type = "run"     // a process began or ended its work on the job
	Request Type = "request" // an HTTP request left, and what came of it
	Refusal Type = "refusal" // a gate kept a URL from being asked for
	Outcome Type = "outcome" // what became of a URL in the frontier
	Seed    Type = "seed"    // the operator submitted a URL, for the reason Why, and Outcome became of it
	Rest    Type = "rest"    // a site is left alone until NotBefore, for Reason; ErrorText is what it said, Attempt counts
	Purge   Type = "purge"   // File, with Digest, leaves the stored pages: what refused its URL last did so for Reason by Rule
)

// The events of a Run.
const (
	EventStart    = "start"          // it began, under Policy
	EventOverride = "override"       // it may do other than Policy says at Site: Connections at once, and with GapWhy, Gap between
	EventOptOut   = "opt-out"        // whoever Rule, an entry of the operator's list, names is left alone from now on
	EventLifted   = "opt-out-lifted" // no longer
	EventRepair   = "repair"         // the job was damaged, and put in order as Why says: what was lost may be asked for again
	EventAgain    = "again"          // what is settled by now may be asked for once more: what is due, or all, as Why says
	EventClock    = "clock"          // the wall clock was set, by Set: all times in later records differ by that
	EventStop     = "stop"           // it ended, for the reason Why; a run without one was killed
)

// A Policy is what a run promised to keep to. It is written down so that a proof needs no configuration.
type Policy struct {
	Dialect       string  `json:"dialect"`            // in which robots.txt was read
	Delay         Millis  `json:"delay_ms"`           // least gap between the requests to a site
	Factor        float64 `json:"factor"`             // the gap is this many times the last response time,
	MaxDelay      Millis  `json:"max_delay_ms"`       // up to this or Delay
	MaxRetryAfter Millis  `json:"max_retry_after_ms"` // Retry-After is obeyed up to this
	Rest          Millis  `json:"rest_ms"`            // a site that fails as a whole is left alone so long at least,
	MaxRest       Millis  `json:"max_rest_ms"`        // doubling up to this; 0 where an older version did not say
	PerAddress    int     `json:"per_address"`        // requests in flight per IP address; 0 for no bound
	Workers       int     `json:"workers"`            // sites served at once
	MaxLife       Millis  `json:"robots_max_life_ms"` // robots.txt is used at most so long
	UseLastGood   bool    `json:"use_last_good"`      // the last robots.txt stays in force while there is none to be had
}

// A Record is one line of the ledger. Keys whose value is empty, zero or false are left out; the order of keys is that
// of the fields. Which fields are used depends on Type. Times are written in UTC.
type Record struct {
	Seq  uint64    `json:"seq"`  // 1 for the first record; set by Append
	Prev string    `json:"prev"` // SHA-256 of the line before without newline, in hexadecimal; zeros in the first; set by Append
	Type Type      `json:"type"`
	Time time.Time `json:"time"` // of writing; Append sets it when zero

	// Format is the version of the format, in the first record of each file; set by Append.
	Format int `json:"format,omitempty"`

	// Run, and the first record of each file: the clock of the machine that nobody sets, when the one on the wall showed Time (see
	// package bootclock); set by Append unless it is there.
	Boot   string `json:"boot,omitempty"`    // which start of the machine; absent where nobody knows
	BootAt Millis `json:"boot_ms,omitempty"` // since then

	// Run.
	Event     string `json:"event,omitempty"` // one of the events of a Run
	Why       string `json:"why,omitempty"`
	Version   string `json:"version,omitempty"`
	Product   string `json:"product,omitempty"` // the token that robots.txt groups are matched with
	UserAgent string `json:"user_agent,omitempty"`
	Key       string `json:"key,omitempty"` // of the operator, who signs checkpoints with it, as a verifier of signed notes has it

	// Run: what it found and promised when it began. The file of pages and this one may have to be repaired after an unclean
	// stop: Torn counts the bytes of unfinished records that were cut off, Repaired the files of pages without a line.
	Policy      *Policy `json:"policy,omitempty"`
	Torn        int64   `json:"torn_bytes,omitempty"`
	Repaired    int     `json:"repaired,omitempty"`
	Connections int     `json:"connections,omitempty"` // EventOverride
	Set         Millis  `json:"set_ms,omitempty"`      // EventClock; negative when it was set back

	// Request, Refusal, Outcome.
	URL   string `json:"url,omitempty"`
	Site  string `json:"site,omitempty"` // the queue the URL waits in
	Via   string `json:"via,omitempty"`  // the page that linked here; absent for a seed
	Depth int    `json:"depth,omitempty"`

	// Request. It left at Start, its first byte came at FirstByte, its last one at End. Clock is the time from the beginning
	// of the run to Start, Took that from Start to End, both by a clock that nobody sets.
	// Purpose is "page", "requisite", "robots", "sitemap", "probe", "witness" or "tdmrep"; of a Refusal or an Outcome it
	// is absent for a page.
	Purpose    string    `json:"purpose,omitempty"`
	Attempt    int       `json:"attempt,omitempty"` // 1 for the first
	Method     string    `json:"method,omitempty"`
	Proto      string    `json:"proto,omitempty"`
	Address    string    `json:"address,omitempty"` // the address dialled, with port
	From       string    `json:"from,omitempty"`    // the address that it came from, where the crawler knows what the server saw
	Proxy      string    `json:"proxy,omitempty"`   // gone through; with scheme socks5 it was told Address, with any other the name
	Start      time.Time `json:"start,omitzero"`
	FirstByte  time.Time `json:"first_byte,omitzero"`
	End        time.Time `json:"end,omitzero"`
	Clock      Millis    `json:"clock_ms,omitempty"`
	Took       Millis    `json:"took_ms,omitempty"`
	Status     int       `json:"status,omitempty"` // of HTTP
	Bytes      int64     `json:"bytes,omitempty"`  // of the body, as sent
	WireBytes  int64     `json:"wire_bytes,omitempty"`
	MediaType  string    `json:"media_type,omitempty"`
	Location   string    `json:"location,omitempty"` // where a redirect led
	ETag       string    `json:"etag,omitempty"`
	RetryAfter string    `json:"retry_after,omitempty"` // the Retry-After header as sent
	Truncated  string    `json:"truncated,omitempty"`   // which limit cut the body
	Error      string    `json:"error,omitempty"`       // kind of failure
	ErrorText  string    `json:"error_text,omitempty"`  // for people

	// Request: the gap to the request before it at the same site that was owed and that was kept, and the gap that this
	// one made the next one owe.
	Owed   Millis `json:"owed_ms,omitempty"`
	Kept   Millis `json:"kept_ms,omitempty"`
	Gap    Millis `json:"gap_ms,omitempty"`
	GapWhy string `json:"gap_why,omitempty"`

	// Request, of a crawl that several nodes share: under which right it left, as node, partition of the site, and epoch, which
	// grows with each owner of the partition.
	Tenure string `json:"tenure,omitempty"`

	// Request: the robots.txt that permitted it.
	RobotsDigest string `json:"robots_digest,omitempty"`
	RobotsLine   int    `json:"robots_line,omitempty"`
	RobotsRule   string `json:"robots_rule,omitempty"`
	RobotsReason string `json:"robots_reason,omitempty"`

	// Request for robots.txt: the origin whose rules were asked for, and on the last of a chain of redirects, with
	// Outcome and Digest, what it brought; it is not asked for again before Expires or, after a failure, NotBefore.
	Origin  string    `json:"origin,omitempty"`
	Expires time.Time `json:"expires,omitzero"`

	// Refusal: the gate that refused: "url", "action", "scope", "limit", "trap", "robots", "sitemap", "address", "meta" or
	// "opt-out". Reason also says why an Outcome is what it is.
	Gate   string `json:"gate,omitempty"`
	Reason string `json:"reason,omitempty"`
	Rule   string `json:"rule,omitempty"`   // the rule as written; EventOptOut, EventLifted: the entry
	Line   int    `json:"line,omitempty"`   // of the rule
	Digest string `json:"digest,omitempty"` // of the file with the rule; of the robots.txt a Request brought; of the stored body

	// Outcome is what became of a URL: "done", "failed", "refused" or "retrying"; of a Request for robots.txt what it
	// brought: "found", "unavailable", "unreachable" or "redirected"; of a Seed "queued", "known" or "refused".
	Outcome    string    `json:"outcome,omitempty"`
	NotBefore  time.Time `json:"not_before,omitzero"`
	File       string    `json:"file,omitempty"`           // where the page was stored
	SameAs     string    `json:"same_as,omitempty"`        // the file of an earlier page with the same body
	Listing    string    `json:"listing_digest,omitempty"` // of the line of the list of pages; absent when no line was added
	LinksFound int       `json:"links_found,omitempty"`
	LinksNew   int       `json:"links_new,omitempty"`

	// LinksOnward is LinksNew of a page without links to what was found elsewhere, else 0: so places without end are
	// known again.
	LinksOnward int `json:"links_onward,omitempty"`
}
