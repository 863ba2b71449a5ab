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
}

// A promise is until when a job is not to ask for a robots.txt again.
type promise struct {
	due  time.Time
	made time.Time     // when the file came that it is due for; zero if none could be had
	run  int           // that asked for it; 0 for none
	set  time.Duration // the wall clock, by which it is due, as in summary
}

// An origin is what is known of the robots.txt of one origin.
type origin struct {
	*asker              // the job of the record at hand
	now, before version // in force, and before that
	good        string  // digest of the last file that was found
	epoch       uint64  // of the right under which it was asked for last, in a shared crawl
	goodEpoch   uint64  // likewise, when that brought a file

	first asker
	more  []*asker
}

// An asker is one job that asks for the robots.txt of an origin.
type asker struct {
	job     int
	own     promise
	ownGood string   // digest of the last file that it found
	hops    int      // redirects followed so far
	next    string   // where the last of them led
	hopRun  int      // the run that followed it
	passed  []string // URLs that redirected, so far
	tdmRun  int      // the run that asked for the TDM file; 0 when none did
	tdm     time.Time
}

// mostHops is how many redirects of a robots.txt are followed at the most (RFC 9309 section 2.3.1.2).
const mostHops = 5

// unfollowed returns where a redirect led that was said to show that there is no robots.txt, "" when there was no way on: too many
// before it, a circle, or nowhere that can be asked.
func (o *origin) unfollowed(e *ledger.Entry) string {
	to := resolve(e.URL, e.Location)
	if e.Status < 300 || e.Status > 399 || to == "" || len(o.passed) >= mostHops {
		return ""
	}
	for _, url := range append(o.passed, e.URL) {
		if sameURL(url, to) {
			return ""
		}
	}
	return to
}

// tdmLife is how long a TDM file, or that there is none, is used at least.
const tdmLife = 23 * time.Hour

// askedTDM judges whether a TDM file was due to be asked for.
func (p *pass) askedTDM(o *origin, e *ledger.Entry) {
	if age := e.Start.Sub(o.tdm); o.tdmRun == p.run.number && age < tdmLife {
		p.tally(Once).lack(e, "asks for the TDM file again after %v", age.Round(time.Millisecond))
	}
	o.tdmRun, o.tdm = p.run.number, e.Start
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

// isAskedElsewhere reports whether another node, whose ledger may not be at hand, may have asked for the robots.txt before a
// request of a shared crawl left: that did so under a later right than the last request for the file on record.
func (o *origin) isAskedElsewhere(e *ledger.Entry) bool { return epochOf(e.Tenure) > o.epoch }

// isGoodElsewhere reports likewise whether another node may have had the last good file, which is in force while none can be had.
func (o *origin) isGoodElsewhere(e *ledger.Entry, p *ledger.Policy) bool {
	return o.now.outcome == robots.Unreachable && p != nil && p.UseLastGood && e.RobotsDigest != "" &&
		epochOf(e.Tenure) > o.goodEpoch
}

// learn takes in what a request for robots.txt brought, and returns what cannot be true of it.
func (o *origin) learn(e *ledger.Entry, run int, set time.Duration) (wrong string) {
	v := version{robots.Outcome(e.Outcome), e.Digest, e.End, e.Expires}
	ok := e.Status
	switch v.outcome {
	case "":
		o.hops, o.passed = 0, nil // broken off: says nothing about the site
		return ""
	case robots.Redirected:
		o.hops++
		o.hopRun = run
		o.next = resolve(e.URL, e.Location)
		o.passed = append(o.passed, e.URL)
		return ""
	case robots.Found:
		o.good, o.ownGood, o.goodEpoch = v.digest, v.digest, o.epoch
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
	o.hops, o.passed, o.before, o.now, o.own = 0, nil, o.now, v, promise{v.due, v.fetched, run, set}
	if v.outcome == robots.Unreachable {
		o.own.made = time.Time{}
	}
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
