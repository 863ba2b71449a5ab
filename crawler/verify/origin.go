package verify

import (
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A version is what one request for robots.txt brought.
type version struct {
	outcome robots.Outcome
	digest  string
	fetched time.Time
	due     time.Time // not asked for again before
	run     int
	set     time.Duration // the wall clock, by which it is due, as in summary
}

// An origin is what is known of the robots.txt of one origin.
type origin struct {
	now, before version // in force, and before that
	good        string  // digest of the last file that was found
	hops        int     // redirects followed so far
	next        string  // where the last of them led
	hopRun      int     // the run that followed it
}

// permitWait is how long the engine may wait between a decision and its request, besides the gap that is owed: when the site is
// blocked for a moment.
const permitWait = time.Minute

// decidedBy returns the version under which a request that left then says it was decided, the one in force or, if that came while
// the request was already waiting for its turn, which takes no longer than waited, the one before.
func (o *origin) decidedBy(e *ledger.Entry, left time.Time, waited time.Duration, p *ledger.Policy) (version, bool) {
	if o.names(o.now, e, p) {
		return o.now, true
	}
	if o.before.outcome != "" && o.names(o.before, e, p) && left.Before(o.now.fetched.Add(waited)) {
		return o.before, true
	}
	return version{}, false
}

// names reports whether the decision of a request is one that v can lead to.
func (o *origin) names(v version, e *ledger.Entry, p *ledger.Policy) bool {
	reason := robots.Reason(e.RobotsReason)
	switch {
	case reason == robots.ReasonRobotsTxt:
		return true
	case v.outcome == robots.Found:
		return e.RobotsDigest == v.digest
	case v.outcome == robots.Unavailable:
		return reason == robots.ReasonUnavailable && e.RobotsDigest == ""
	case v.outcome == robots.Unreachable:
		return p != nil && p.UseLastGood && o.good != "" && e.RobotsDigest == o.good
	}
	return false
}

// learn takes in what a request for robots.txt brought, and returns what cannot be true of it.
func (o *origin) learn(e *ledger.Entry, run int, set time.Duration) (wrong string) {
	v := version{robots.Outcome(e.Outcome), e.Digest, e.End, e.Expires, run, set}
	ok := e.Status
	switch v.outcome {
	case "":
		o.hops = 0 // broken off: says nothing about the site
		return ""
	case robots.Redirected:
		o.hops++
		o.hopRun = run
		o.next = resolve(e.URL, e.Location)
		return ""
	case robots.Found:
		o.good = v.digest
		if (ok < 200 || ok > 299) && ok != 304 || v.digest == "" {
			wrong = "is said to have brought a file"
		}
	case robots.Unavailable:
		if ok < 300 || ok > 499 || ok == 429 || ok == 304 {
			wrong = "is said to have shown that there is no robots.txt"
		}
	case robots.Unreachable:
		v.due = e.NotBefore
	default:
		wrong = "is said to have ended as " + e.Outcome
	}
	o.hops, o.before, o.now = 0, o.now, v
	return wrong
}

// holds says what is missing of, or odd about, how long the answer to a request for robots.txt holds.
func (p *pass) holds(e *ledger.Entry) (lack string) {
	switch robots.Outcome(e.Outcome) {
	case robots.Unreachable:
		if e.NotBefore.IsZero() {
			return "does not say when the site is asked again"
		}
	case robots.Found, robots.Unavailable:
		if e.Expires.IsZero() {
			return "does not say how long the answer holds"
		}
		if p.run.policy != nil && e.Expires.After(e.End.Add(time.Duration(p.run.policy.MaxLife)+permitWait)) {
			return "says that the answer holds for longer than the run promises"
		}
	}
	return ""
}
