package verify

import (
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A signal is an answer, or the lack of one, that makes a site be left alone: 429, 503, or that it cannot be had at all. How long
// is said by the policy of the run, and doubles with every further one; that it is so long at least is what is judged.
type signal struct {
	seq    uint64 // of the request; 0 when there was none
	url    string
	run    int
	from   time.Time
	until  time.Time
	rested bool // a rest is on record
	later  bool // something is on record that the engine does after the rest
	status int
	asked  string // Retry-After, as sent
	nth    int    // how many there were in a row, in this run
	repair int    // how many repairs of the job were on record: one forgets what was counted
}

// signalSlack is how long after a signal a request may leave that had its permit already.
const signalSlack = time.Second

// isSignal reports whether a request tells that its site is to be left alone.
func isSignal(e *ledger.Entry) bool {
	if e.Purpose == forRobots {
		return false // has a time of its own: see origin
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case 0:
		return isVisit(e.Purpose) &&
			(e.Error == "dns" || e.Error == "connection-refused" || e.Error == "tls")
	}
	return false
}

// signaled notes what a request tells of its site.
func (p *pass) signaled(s *site, e *ledger.Entry) {
	if !isSignal(e) {
		if e.Status != 0 {
			s.signal.nth = 0
		}
		return
	}
	if p.run.policy == nil || p.run.policy.MaxRest == 0 {
		p.tally(Rests).lack(e, "the run does not say how long a failing site is left alone")
		return
	}
	nth := 1
	if s.signal.run == p.run.number && s.signal.repair == p.repairs {
		nth += s.signal.nth
	}
	s.signal = signal{
		seq: e.Seq, url: e.URL, run: p.run.number, from: e.End, until: e.End.Add(p.run.restAfter(1)), status: e.Status,
		asked: e.RetryAfter, nth: nth, repair: p.repairs,
	}
}

// restAfter returns how long a site is left alone at least after so many failures in a row: that doubles with each.
func (r *run) restAfter(failures int) time.Duration {
	rest, most := time.Duration(r.policy.Rest), time.Duration(r.policy.MaxRest)
	for i := 1; i < failures && rest < most; i++ {
		rest *= 2
	}
	return min(rest, most)
}

// restLost is how long after a signal the record of a rest may be lost with its process: it is written at once.
const restLost = 10 * time.Second

// outlived notes that a process has gone on after a signal: the outcome of the request is told behind the rest.
func (s *site) outlived(e *ledger.Entry, run int) {
	if s.signal.seq != 0 && s.signal.run == run && s.signal.url == e.URL {
		s.signal.later = true
	}
}

// answersSignal judges a rest by the signal that it follows.
func (p *pass) answersSignal(s *site, e *ledger.Entry) {
	g := &s.signal
	if g.seq == 0 || g.rested || e.NotBefore.Before(g.until) {
		return
	}
	g.rested = true
	reason := map[int]string{http.StatusTooManyRequests: "too-many-requests",
		http.StatusServiceUnavailable: "unavailable"}[g.status]
	switch {
	case reason != "" && (e.Reason != reason || !sameRule(e.ErrorText, g.asked)):
		p.tally(Rests).refute(e, "follows the answer %d, Retry-After %q, in record %d, and says %q, %q", g.status, g.asked, g.seq,
			e.Reason, e.ErrorText)
	case e.Attempt == 0:
		p.tally(Rests).lack(e, "does not say the how manieth failure in a row it is for")
	case e.Attempt < g.nth && p.run.connections(e.Site) == 1: // of several that fail at once the rests come later
		p.tally(Rests).lack(e, "says that it is for failure %d in a row; on record are %d", e.Attempt, g.nth)
	case e.NotBefore.Before(g.from.Add(p.run.restAfter(e.Attempt))):
		p.tally(Rests).refute(e, "is shorter than the %v that are promised after %d failures in a row",
			p.run.restAfter(e.Attempt), e.Attempt)
	}
}

// rested judges whether a site had its rest before a request. What was to be written when a process was killed may be lost.
func (p *pass) rested(s *site, e *ledger.Entry) {
	p.restedAcross(s, e)
	g := s.signal
	if g.seq == 0 || e.Start.Before(g.from.Add(signalSlack)) {
		return
	}
	t := p.tally(Rests)
	lost := g.run < p.run.killed && !g.rested && !g.later && !(g.run == p.run.killed-1 && p.run.cut.Sub(g.from) > restLost)
	switch early := g.until.Sub(e.Start); {
	case lost:
		p.interrupted++
		t.ok()
	case early > 0:
		t.refute(e, "left %v before the rest was over that record %d made the site be owed", early, g.seq)
	case !g.rested && g.until.After(g.from):
		t.refute(e, "no rest is on record after record %d, which made the site be owed one", g.seq)
	default:
		t.ok()
	}
	s.signal = signal{run: g.run, nth: g.nth, repair: g.repair}
}
