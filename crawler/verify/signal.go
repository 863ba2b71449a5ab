package verify

import (
	"net/http"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A signal is an answer, or the lack of one, that makes a site be left alone: it asks for that, or cannot be had at all. How long
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
	asked  string   // Retry-After, as sent
	nth    int      // how many there were in a row, in this run
	repair int      // how many repairs of the job were on record: one forgets what was counted
	own    bool     // the rest that is on record is for it
	beside []signal // those just before it whose own rests are not on record yet: fewer than the site has connections
}

// signalSlack is how long after a signal a request may leave that had its permit already.
const signalSlack = time.Second

// isSignal reports whether a request tells that its site is to be left alone.
func (p *pass) isSignal(e *ledger.Entry) bool {
	if e.Purpose == forRobots {
		return false // has a time of its own: see origin
	}
	if e.Status == 0 {
		return isVisit(e.Purpose) && (e.Error == "dns" || e.Error == "connection-refused" || e.Error == "tls")
	}
	return p.asksForRest(e)
}

// asksForRest reports whether an answer asks to leave its site alone: by its status, or because an error of the server, or a
// denial, says when to come again (RFC 9110 section 10.2.3).
func (p *pass) asksForRest(e *ledger.Entry) bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusNetworkAuthenticationRequired:
		return true
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooEarly:
		return p.waitOf(e) > 0
	}
	return e.Status >= http.StatusInternalServerError && p.waitOf(e) > 0
}

// waitOf returns how long the Retry-After of an answer asks to wait; 0 when it has none that can be read. A date is one of the wall
// clock, whatever that had been set to.
func (p *pass) waitOf(e *ledger.Entry) time.Duration {
	return robots.RetryAfter(http.Header{"Retry-After": {e.RetryAfter}}, e.End.Add(p.set))
}

// retryAfter returns until when the answer of a request asks to be left alone; zero when it does not.
func (p *pass) retryAfter(e *ledger.Entry) time.Time {
	isHeeded := p.asksForRest(e)
	if e.Purpose == forRobots { // which has a time of its own after other answers: see origin
		isHeeded = e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
	}
	if !isHeeded || p.run.policy == nil {
		return time.Time{}
	}
	return e.End.Add(min(p.waitOf(e), time.Duration(p.run.policy.MaxRetryAfter)))
}

// signaled notes what a request tells of its site.
func (p *pass) signaled(s *site, e *ledger.Entry) {
	if !p.isSignal(e) {
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
	beside := p.run.beside(s.signal, p.run.connections(e.Site)-1)
	s.signal = signal{
		seq: e.Seq, url: e.URL, run: p.run.number, from: e.End, until: e.End.Add(p.run.restAfter(1)), status: e.Status,
		asked: e.RetryAfter, nth: nth, repair: p.repairs, beside: beside,
	}
}

// beside returns the signals, at most so many, whose rests may be on record only after the signal that follows g: of several
// requests at once, each may fail before the rest for the first is written.
func (r *run) beside(g signal, most int) []signal {
	if most == 0 || g.seq == 0 || g.run != r.number {
		return nil
	}
	all := g.beside
	if g.beside = nil; !g.own {
		all = append(all, g)
	}
	return all[max(len(all)-most, 0):]
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
	if g.seq == 0 || g.own {
		return
	}
	long := !e.NotBefore.Before(g.until)
	if i := slices.IndexFunc(g.beside, func(b signal) bool { return b.names(e) && p.run.isLong(&b, e) }); i >= 0 {
		g.beside = slices.Delete(g.beside, i, i+1)
		g.rested = g.rested || long
		return
	}
	if !long {
		return
	}
	g.rested, g.own = true, true
	switch {
	case !g.names(e):
		p.tally(Rests).refute(e, "follows the answer %d, Retry-After %q, in record %d, and says %q, %q", g.status, g.asked, g.seq,
			e.Reason, e.ErrorText)
	case e.Attempt == 0:
		p.tally(Rests).lack(e, "does not say the how manieth failure in a row it is for")
	case e.Attempt < g.nth && p.run.connections(e.Site) == 1: // of several that fail at once the rests come later
		p.tally(Rests).lack(e, "says that it is for failure %d in a row; on record are %d", e.Attempt, g.nth)
	case !p.run.isLong(g, e):
		p.tally(Rests).refute(e, "is shorter than the %v that are promised after %d failures in a row",
			p.run.restAfter(e.Attempt), e.Attempt)
	}
}

// names reports whether a rest says what the signal said.
func (g *signal) names(e *ledger.Entry) bool {
	reason := "unavailable"
	switch g.status {
	case 0:
		return true
	case http.StatusTooManyRequests:
		reason = "too-many-requests"
	case http.StatusNetworkAuthenticationRequired:
		reason = "network-login"
	}
	return e.Reason == reason && sameRule(e.ErrorText, g.asked)
}

// isLong reports whether a rest is as long after a signal as the run promises after so many failures in a row.
func (r *run) isLong(g *signal, e *ledger.Entry) bool {
	return e.Attempt > 0 && !e.NotBefore.Before(g.from.Add(r.restAfter(e.Attempt)))
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
