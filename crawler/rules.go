package crawler

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// siteRules are the robots.txt rules of a leased site, as they are met under the lease. It is safe for concurrent use.
type siteRules struct {
	requests *requester

	mu      sync.Mutex               // guards all below
	answers map[string]robots.Answer // by origin
	named   map[string]sitemapNames  // likewise
	failed  map[string]Reason        // why the last request for robots.txt got no answer, likewise
	lasting map[string]bool          // that a second try in minutes will hardly fare better
	barred  map[string]error         // why its redirect leads where we do not go: no other URL is a reason to ask again
}

func newSiteRules(q *requester) *siteRules {
	return &siteRules{requests: q, answers: map[string]robots.Answer{}, named: map[string]sitemapNames{},
		failed: map[string]Reason{}, lasting: map[string]bool{}, barred: map[string]error{}}
}

// of returns the robots.txt rules of an origin. A missing or stale file is fetched first, as politely as a page.
func (s *siteRules) of(ctx, work context.Context, origin string) (robots.Answer, error) {
	answer, isNew, err := s.find(ctx, work, origin)
	if err != nil || !isNew {
		return answer, err
	}
	return answer, s.learn(work, answer, nil)
}

// forVisit is of for a page to be visited: when the file could not be had the site rests, or the origin alone, which a *restError
// says, and is stored in the same step as what is known of the file. A *givenUpError says that it could not be had for too long.
func (s *siteRules) forVisit(ctx, work context.Context, origin string) (robots.Answer, error) {
	answer, isNew, err := s.find(ctx, work, origin)
	if err != nil {
		return answer, err
	}
	var rest *restError
	var alone error // stored without a rest of the site
	if answer.Rules.Test("/").Reason == robots.ReasonUnreachable {
		switch rest = s.unreachable(answer); {
		case s.isGivenUp(answer.State):
			alone = &givenUpError{rest.reason}
		case rest.ofOrigin:
			alone = rest
		}
	}
	if alone != nil {
		if isNew {
			err = s.learn(work, answer, nil)
		}
		return answer, cmp.Or(err, alone)
	}
	if isNew {
		err = s.learn(work, answer, rest)
	}
	if err == nil && rest != nil {
		rest.stored = isNew
		err = rest
	}
	return answer, err
}

// find returns the rules of an origin, and whether they were fetched just now and are to be learnt.
func (s *siteRules) find(ctx, work context.Context, origin string) (answer robots.Answer, isNew bool, err error) {
	q := s.requests
	answer, ok := s.met(origin)
	if ok && time.Now().Before(answer.State.Expires) {
		return answer, false, nil // the cache would say the same, more slowly
	}
	answer, err = s.ask(ctx, work, origin, q.standing.robots(origin))
	if err != nil {
		return answer, false, err
	}
	if err := q.crawl.announce(work, answer); err != nil {
		return answer, false, err
	}
	s.mu.Lock()
	s.answers[origin] = answer
	s.mu.Unlock()
	return answer, answer.Fetched, nil
}

// learn keeps what is known of an origin now, and that its site rests, if it does.
func (s *siteRules) learn(work context.Context, answer robots.Answer, rest *restError) error {
	q := s.requests
	delay, _ := q.crawl.gap(q.site, 0, answer.Rules)
	return q.standing.learnRobots(work, answer.State, delay, q.config.Hosts[q.site].Connections, rest)
}

// met returns the rules of an origin as this lease has met them.
func (s *siteRules) met(origin string) (a robots.Answer, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, known = s.answers[origin]
	return a, known
}

// foreign returns what is known of the robots.txt of another site, and asks for it, under the permit of that site, when
// that is nothing.
func (s *siteRules) foreign(ctx, work context.Context, u frontier.URL) (robots.Answer, error) {
	info, _, err := s.requests.config.Frontier.Site(ctx, u.Site())
	if err != nil {
		return robots.Answer{}, err
	}
	return s.ask(ctx, work, u.Origin(), KnownRobots(info.Policy)[u.Origin()])
}

// ask returns the rules of an origin of any site, and asks for them if what is known of them is out of date.
func (s *siteRules) ask(ctx, work context.Context, origin string, prior robots.State) (robots.Answer, error) {
	s.mu.Lock()
	err := s.barred[origin]
	s.mu.Unlock()
	if err != nil {
		return robots.Answer{}, err
	}
	var last *exchange // its gap is owed once the new rules are known
	hop := func(_ context.Context, url, etag, modified string) (r robots.Response) {
		if last != nil {
			last.finish(nil, nothing)
		}
		isFirst := last == nil
		last, r = s.fetch(ctx, work, origin, url, etag, modified)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lasting[origin] = isLasting(r.Err) || isFirst && neverAnswered(prior) && isRefused(r.Err)
		if !isFirst && isKind(r.Abort, fetch.KindForbidden, fetch.KindOptedOut) {
			s.barred[origin] = fmt.Errorf("robots.txt of %s: %w", origin, r.Abort)
		}
		return r
	}
	answer, err := s.requests.config.Robots.Rules(ctx, origin, prior, hop)
	if last != nil {
		last.request.Robots = answer.State
		last.finish(answer.Rules, nothing)
	}
	if err != nil {
		return answer, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return answer, nil
}

// fetch makes one hop of a request for the robots.txt of origin. The exchange is nil when no request left.
func (s *siteRules) fetch(ctx, work context.Context, origin, url, etag, modified string) (*exchange, robots.Response) {
	u, err := frontier.ParseURL(url)
	if err != nil {
		return nil, robots.Response{Err: err}
	}
	verdict := robots.AllowAll(robots.ReasonRobotsTxt).Test(u.PathQuery())
	x, err := s.requests.ask(ctx, work, Request{Purpose: ForRobots, URL: u, Site: u.Site(), Verdict: verdict, Origin: origin},
		fetch.Request{
			URL: url, ETag: unmarkedToo(etag), LastModified: modified, MaxBody: robots.MaxBytes + 1, Comment: s.comment(),
		}, nil)
	switch {
	case x == nil || isKind(err, fetch.KindForbidden, fetch.KindOptedOut, fetch.KindCanceled, fetch.KindLocal):
		return x, robots.Response{Abort: err} // says nothing about the site
	case err != nil && x.response != nil: // it was answered, and the archive failed
		x.response.Release()
		return x, robots.Response{Abort: err}
	case err != nil:
		s.mu.Lock()
		s.failed[origin] = x.request.Failure
		s.mu.Unlock()
		return x, robots.Response{Err: err}
	}
	x.response.Release()
	r := robots.Response{Status: x.response.Status, Header: x.response.Header, Body: x.response.Body}
	switch cut, by := x.response.Truncated, x.response.Challenge(); {
	case by != "" && r.Status < http.StatusInternalServerError && r.Status != http.StatusTooManyRequests: // the rules are behind it
		r.Err = fmt.Errorf("a challenge of %s came in place of robots.txt", by)
	case cut == "" || cut == fetch.CutLength:
	case r.Status/100 != 2: // what is cut is no file: the status says all
	default: // half a file may lack the half that says no
		r.Err = fmt.Errorf("robots.txt is not whole: %s", cut)
	}
	return x, r
}

// unreachable is about rules that could not be had: nothing of the site is asked for until the next try.
func (s *siteRules) unreachable(a robots.Answer) *restError {
	detail := a.State.Err
	if text := http.StatusText(a.State.Status); a.State.Status >= 400 && text != "" && strings.HasPrefix(detail, "status ") {
		detail = text
	}
	until, reason := a.State.NextTry, s.whyUnreachable(a.State.Origin)
	s.mu.Lock()
	lasting := s.lasting[a.State.Origin]
	s.mu.Unlock()
	if lasting { // most likely mistyped: a run that has nothing else to do tells it now rather than waits
		if beyond := time.Now().Add(s.requests.config.Patience + fullYield); beyond.After(until) {
			until = beyond
		}
	}
	return &restError{until: until, reason: reason, detail: detail, ofOrigin: s.mayPassOver(a.State)}
}

// A givenUpError says that robots.txt of an origin could not be had for so long that nothing there is waited for any more.
type givenUpError struct{ reason Reason }

func (e *givenUpError) Error() string { return "given up: " + string(e.reason) }

// leastFailures is how often robots.txt of an origin is asked for in vain, at least, before the origin is given up: a crawl that
// runs once a month, and a clock that was wrong, do not tell how long a server is away.
const leastFailures = 8

// isGivenUp reports whether robots.txt of an origin could not be had for too long.
func (s *siteRules) isGivenUp(state robots.State) bool {
	most := s.requests.config.GiveUp
	return most > 0 && state.Failures >= leastFailures && state.FetchedAt.Sub(state.FirstFailure) >= most
}

// mayPassOver reports whether a robots.txt that could not be had is the trouble of one origin, and no sign of the host, and the
// other origin of the site may be asked; then it counts an entry that is passed over.
func (s *siteRules) mayPassOver(state robots.State) bool {
	switch state.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return false
	}
	return s.requests.standing.mayAskBut(state.Origin) && s.requests.crawl.closed.mayPass(s.requests.site)
}

// whyUnreachable returns why robots.txt of an origin could not be had: no name, no connection or no answer, if it is that which was
// met under this lease.
func (s *siteRules) whyUnreachable(origin string) Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch why := s.failed[origin]; why {
	case ReasonDNS, ReasonTLS, ReasonRefused, ReasonTimeout:
		return why
	}
	return ReasonUnreachable
}

// comment returns what requests for robots.txt say besides who we are.
func (s *siteRules) comment() string {
	if say := s.requests.config.RobotsComment; say != nil {
		return say()
	}
	return ""
}

// isKind reports whether err is a failed exchange of one of these kinds.
func isKind(err error, kinds ...fetch.Kind) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && slices.Contains(kinds, fe.Kind)
}

// isRefused reports whether the connection was refused there, rather than that no way leads there: this machine may be about to get
// its network.
func isRefused(err error) bool {
	return isKind(err, fetch.KindRefused) && !errors.Is(err, syscall.ENETUNREACH) && !errors.Is(err, syscall.EHOSTUNREACH) &&
		!errors.Is(err, syscall.ENETDOWN)
}

// neverAnswered reports whether nothing is known of an origin that only its server can have told: who refuses the connection then
// is nobody who restarts, but most likely a port that was mistyped.
func neverAnswered(known robots.State) bool { return known.Status == 0 && known.LastGood == "" }

// isLasting reports whether a request failed for what does not pass by itself: the name has no address, the certificate is not
// good for it, or what answers does not speak TLS.
func isLasting(err error) bool {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
	)
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &certificate) || errors.As(err, &record)
}
