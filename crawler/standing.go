package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// standing is how we stand with a leased site: what is known of its robots.txt, how well it answers, and until when it is
// left alone. What must outlive the process is stored before the method that changes it returns. It is safe for concurrent use.
type standing struct {
	site       string
	politeness *Politeness
	store      func(context.Context, frontier.SitePolicy) error
	tell       func(Rest)

	storing sync.Mutex // held from a change until it is stored, so that changes are stored in their order
	mu      sync.Mutex // guards all below
	policy  frontier.SitePolicy
	state   siteState
	free    time.Time // when the next request may leave
	resting bool      // nothing more under this lease
}

// siteState is what the engine keeps in frontier.SitePolicy.State: as durable as the queue.
type siteState struct {
	Robots  map[string]robots.State `json:"robots,omitempty"`  // by origin
	Failed  int                     `json:"fails,omitempty"`   // requests in a row without an answer or with an error of the server
	Witness frontier.URL            `json:"witness,omitzero"`  // a page that was answered while the site was well
	Body    uint64                  `json:"body,omitempty"`    // hash of its body; 0 when it is not known
	Notice  uint64                  `json:"notice,omitempty"`  // of the body that each page has while the site rests
	Denials int                     `json:"denials,omitempty"` // answers 401 and 403, and challenges, in a row
	Welcome bool                    `json:"welcome,omitempty"` // it denied robots.txt, and answered something else
	TDM     map[string]tdmState     `json:"tdm,omitempty"`     // by origin
	Spent   time.Duration           `json:"spent,omitempty"`   // HostLimits.Time, if that is bounded
}

// newStanding takes up what is remembered of a leased site.
func newStanding(c *Crawler, lease frontier.Lease) *standing {
	s := remembered(lease.Info().Policy, &c.config.Politeness, lease.SetPolicy)
	s.site, s.tell = lease.Site(), c.tellRest
	return s
}

// remembered takes up what a policy remembers. store keeps a policy, durably.
func remembered(p frontier.SitePolicy, politeness *Politeness, store func(context.Context, frontier.SitePolicy) error) *standing {
	s := &standing{politeness: politeness, store: store, tell: func(Rest) {}, policy: p, state: readState(p)}
	if s.state.Robots == nil {
		s.state.Robots = map[string]robots.State{} // nothing known: robots.txt is asked for again
	}
	if s.state.TDM == nil {
		s.state.TDM = map[string]tdmState{}
	}
	return s
}

// A restError says that a site is to be left alone for now, which is no failure: the entry stays where it was in the queue.
type restError struct {
	until  time.Time
	reason Reason
	detail string
	stored bool // what asked for it made it durable

	ofOrigin bool // it is about the robots.txt of one origin, and the other one of the site may be asked
}

func (e *restError) Error() string { return e.detail }

// KnownRobots returns what the policy of a site remembers of robots.txt, by origin; it is empty when that is nothing.
func KnownRobots(p frontier.SitePolicy) map[string]robots.State {
	return readState(p).Robots
}

// WithoutRobots returns a SitePolicy.State without what it knows of robots.txt, which is asked for again before anything else, as
// when the evidence of it is lost.
func WithoutRobots(state []byte) []byte {
	known := readState(frontier.SitePolicy{State: state})
	known.Robots = nil
	state, err := json.Marshal(known)
	if err != nil {
		return nil // nothing is known of the site then, and all is asked for again
	}
	return state
}

// readState returns what a policy remembers; nothing when it cannot be read.
func readState(p frontier.SitePolicy) siteState {
	var state siteState
	if len(p.State) > 0 && json.Unmarshal(p.State, &state) != nil {
		return siteState{}
	}
	return state
}

// learn changes what is remembered of the site and makes it durable.
func (s *standing) learn(work context.Context, change func()) error {
	s.storing.Lock()
	defer s.storing.Unlock()
	s.mu.Lock()
	change()
	state, err := json.Marshal(s.state)
	s.policy.State = state
	policy := s.policy
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("site state: %w", err)
	}
	return s.store(work, policy)
}

// robots returns what is known of the robots.txt of an origin.
func (s *standing) robots(origin string) robots.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Robots[origin]
}

// mayAskBut reports whether another origin of the site was asked for its robots.txt, and that it may be asked for now.
func (s *standing) mayAskBut(origin string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, known := range s.state.Robots {
		if other != origin && !known.NextTry.After(time.Now()) {
			return true
		}
	}
	return false
}

// learnRobots keeps what is known now of a robots.txt, and the politeness that follows from it: the rest too, if there is one, of
// which heed tells.
func (s *standing) learnRobots(work context.Context, known robots.State, delay time.Duration, connections int,
	rest *restError) error {
	return s.learn(work, func() {
		s.state.Robots[known.Origin] = known
		s.policy.Delay, s.policy.Connections = delay, connections
		if rest != nil {
			s.restLocked(rest.until, rest.reason)
		}
	})
}

// tdm returns what is known of the TDM file of an origin.
func (s *standing) tdm(origin string) tdmState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.TDM[origin]
}

// learnTDM keeps what is known now of a TDM file.
func (s *standing) learnTDM(work context.Context, origin string, known tdmState) error {
	return s.learn(work, func() { s.state.TDM[origin] = known })
}

// learnSpent keeps how long the site has taken.
func (s *standing) learnSpent(work context.Context, d time.Duration) error {
	return s.learn(work, func() { s.state.Spent = d })
}

// owe notes until when the site is left alone after a request. That is not stored: the frontier does so itself.
func (s *standing) owe(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = until
}

// mustWait reports whether the site rests, or would hold a worker for nothing.
func (s *standing) mustWait() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resting || time.Until(s.free) > holdGap
}

// mayLeave returns an error if the site has come to rest under this lease.
func (s *standing) mayLeave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.resting {
		return nil
	}
	return &frontier.BlockedError{Site: s.site, Until: s.policy.BlockedUntil, Reason: s.policy.BlockReason}
}

// backOff leaves the site alone for longer with each failure in a row, and for as long as asked at least. It tells of the rest, and
// returns it.
func (s *standing) backOff(work context.Context, asked time.Duration, reason Reason, detail string) (Rest, error) {
	return s.leaveAlone(work, asked, reason, detail, func() { s.policy.Failures++ })
}

// backOffOnce is backOff where several connections may find out the same at once, which is one failure.
func (s *standing) backOffOnce(work context.Context, asked time.Duration, reason Reason, detail string) (Rest, error) {
	return s.leaveAlone(work, asked, reason, detail, s.failOnceLocked)
}

func (s *standing) failOnceLocked() {
	if !s.resting {
		s.policy.Failures++
	}
}

// away leaves a site alone that has one answer for every page, and remembers a page that was answered otherwise before, and the
// hash of the body that each page has now, which is 0 if they redirect.
func (s *standing) away(work context.Context, witness answered, notice uint64, detail string) (Rest, error) {
	return s.leaveAlone(work, 0, ReasonAway, detail, func() {
		s.failOnceLocked()
		s.state.Notice = notice
		s.rememberLocked(witness)
	})
}

func (s *standing) leaveAlone(work context.Context, asked time.Duration, reason Reason, detail string, count func()) (Rest, error) {
	var rest Rest
	err := s.learn(work, func() {
		count()
		s.state.Failed = 0
		rest = s.restLocked(time.Now().Add(max(asked, s.politeness.rest(s.policy.Failures))), reason)
	})
	s.tellOf(rest, detail)
	return rest, err
}

// A Debt is what a crawl that is over still owes a site: to be left alone.
type Debt struct {
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason"`             // why, as in SitePolicy.BlockReason
	Failures int       `json:"failures,omitempty"` // of the host in a row, which the next failure adds to
}

// EverySite is the key of what is owed to each site of which nothing else is said.
const EverySite = "*"

// debtTo returns what is still owed to a site.
func (c *Crawler) debtTo(site string) (d Debt, owed bool) {
	d, isNamed := c.config.Debts[site]
	if !isNamed {
		d = c.config.Debts[EverySite]
	}
	return d, time.Until(d.Until) > 0
}

// takeOver leaves the site alone for as long as a debt says.
func (s *standing) takeOver(work context.Context, d Debt) error {
	return s.learn(work, func() {
		s.policy.Failures = max(s.policy.Failures, d.Failures)
		if d.Until.After(s.policy.BlockedUntil) {
			s.restLocked(d.Until, Reason(d.Reason))
		}
		s.resting = true
	})
}

// heed handles an error that only says that a site is left alone: this one, or the one that its robots.txt redirects to, without
// which nothing is known here.
func (s *standing) heed(work context.Context, err error) error {
	var b *frontier.BlockedError
	var r *restError
	switch {
	case errors.As(err, &r):
	case !errors.As(err, &b):
		return err
	case b.Site == s.site:
		return nil
	default:
		r = &restError{until: b.Until, reason: ReasonUnreachable, detail: b.Error()}
	}
	if r.stored {
		s.tellOf(Rest{Until: r.until, Reason: r.reason, Failures: s.failures()}, r.detail)
		return nil
	}
	var rest Rest
	err = s.learn(work, func() { rest = s.restLocked(r.until, r.reason) })
	s.tellOf(rest, r.detail)
	return err
}

func (s *standing) failures() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy.Failures
}

func (s *standing) tellOf(r Rest, detail string) {
	r.Site, r.Detail, r.NeverAnswered = s.site, detail, s.neverAnswered()
	s.tell(r)
}

// neverAnswered reports whether no answer of the site is known, from whichever of its origins.
func (s *standing) neverAnswered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.state.Robots {
		if !neverAnswered(known) {
			return false
		}
	}
	return true
}

// restLocked lets the site rest, until the later time if it rests already: another connection may have been told so.
func (s *standing) restLocked(until time.Time, reason Reason) Rest {
	if !s.resting || until.After(s.policy.BlockedUntil) {
		s.policy.BlockedUntil, s.policy.BlockReason = until, string(reason)
	}
	s.resting = true
	return Rest{Until: s.policy.BlockedUntil, Reason: reason, Failures: s.policy.Failures}
}

// answered notes an answer that shows the host well: what was in a row ends. A rest does not: what is answered under the lease in
// which it began had left before.
func (s *standing) answered(work context.Context) error {
	s.mu.Lock()
	well := s.policy.Failures == 0 && s.state.Failed == 0 && s.state.Denials == 0 && s.policy.BlockedUntil.IsZero() &&
		(s.state.Welcome || !s.deniesRobotsLocked())
	s.mu.Unlock()
	if well {
		return nil
	}
	return s.learn(work, func() {
		s.state.Failed, s.state.Denials, s.state.Notice = 0, 0, 0
		s.state.Welcome = s.state.Welcome || s.deniesRobotsLocked()
		if !s.resting {
			s.policy.Failures, s.policy.BlockedUntil, s.policy.BlockReason = 0, time.Time{}, ""
		}
	})
}

// asked lets the site rest for as long as its answer asks for (asksForRest), and returns until when.
func (s *standing) asked(work context.Context, r *fetch.Response) (time.Time, error) {
	least := min(robots.RetryAfter(r.Header, r.End), s.politeness.MaxRetryAfter)
	rest, err := s.backOff(work, least, SignalReason(r.Status), retryAfter(r))
	return rest.Until, err
}

// failed counts a request that failed, which may be the fault of the URL or of the site, and remembers the page that was answered
// last, unless that is unknown. It returns how many did in a row, and for how many failures in a row the site has rested.
func (s *standing) failed(work context.Context, witness answered) (inRow, failures int, err error) {
	err = s.learn(work, func() {
		s.state.Failed++
		s.rememberLocked(witness)
		inRow, failures = s.state.Failed, s.policy.Failures
	})
	return inRow, failures, err
}

func (s *standing) rememberLocked(witness answered) {
	if !witness.page.IsZero() {
		s.state.Witness, s.state.Body = witness.page, witness.body
	}
}

// remember keeps a page that was answered and is unlike others, unless one is known: the process may end, and the next one find a
// notice in the place of every page.
func (s *standing) remember(work context.Context, witness answered) error {
	s.mu.Lock()
	isNew := witness.body != 0 && s.state.Body == 0
	if isNew {
		s.rememberLocked(witness)
	}
	s.mu.Unlock()
	if !isNew {
		return nil
	}
	return s.learn(work, func() {})
}

// witness returns a page that was answered while the site was well; it is zero when none is known.
func (s *standing) witness() answered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return answered{s.state.Witness, s.state.Body}
}

// isAway reports whether the site rested last since it had one answer for every page, and has shown nothing else since.
func (s *standing) isAway() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy.BlockReason == string(ReasonAway)
}

// notice returns the hash of the body that a site that rests has in the place of each page; 0 if it does not.
func (s *standing) notice() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Notice
}

// deniesRobotsLocked reports whether a robots.txt of the site was answered with 401 or 403.
func (s *standing) deniesRobotsLocked() bool {
	for _, known := range s.state.Robots {
		if isDenial(known.Status) {
			return true
		}
	}
	return false
}

func isDenial(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// A denial is what an answer 401 or 403, or a challenge, says of the site.
type denial int

const (
	ofPage denial = iota // the page is for others
	ofMany               // so were those before it: the site may not want us, or has a part that is for others
	ofAll                // robots.txt was denied, too, and nothing else was answered
)

// denied counts such an answer. Where robots.txt is denied and there are pages, it may be how a store of files says that
// there is none.
func (s *standing) denied(work context.Context, origin string) (d denial, err error) {
	err = s.learn(work, func() {
		s.state.Denials++
		switch {
		case isDenial(s.state.Robots[origin].Status) && !s.state.Welcome:
			d = ofAll
		case s.politeness.DenialsInRow > 0 && s.state.Denials >= s.politeness.DenialsInRow:
			d = ofMany
		default:
			return
		}
		s.state.Denials = 0 // or each page that is for members only would cost another day
	})
	return d, err
}

// shutOut lets a site rest that does not want us.
func (s *standing) shutOut(work context.Context) error {
	_, err := s.backOff(work, s.politeness.MaxRetryAfter, ReasonDenied, "")
	return err
}
