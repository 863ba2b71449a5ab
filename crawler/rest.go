package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file holds what a site tells us by failing: signals of the host make the whole host rest, a failing URL is tried
// again later without holding up its site.

// failed handles a request that got no answer.
func (h *host) failed(work context.Context, e frontier.Entry, err error) ending {
	var fe *fetch.Error
	var rest *restError
	var gone *givenUpError
	switch {
	case errors.As(err, &gone):
		return ending{settled: frontier.Outcome{Status: frontier.Failed, Reason: string(gone.reason)}}
	case errors.As(err, &rest) && rest.ofOrigin:
		return h.passOver(rest)
	case !errors.As(err, &fe):
		return ending{err: err} // a restError, too
	}
	reason := failureReason(fe.Kind)
	switch {
	case fe.Kind == fetch.KindCanceled:
		return later
	case fe.Kind == fetch.KindOptedOut:
		var out *fetch.OptOutError
		errors.As(err, &out)
		return turnedAway(Refusal{Gate: GateOptOut, Reason: ReasonOptedOut, Rule: out.Entry})
	case fe.Kind == fetch.KindForbidden && h.isForbiddenForGood(e.URL, fe):
		return turnedAway(notThere(fe))
	case fe.Kind == fetch.KindLocal:
		return ending{err: fmt.Errorf("this machine fails: %w", fe)}
	case fe.Kind == fetch.KindURL:
		return turnedAway(Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: fe.Error()})
	case fe.HostFailure():
		_, err := h.standing.backOff(work, h.leastRest(fe), reason, fe.Error())
		return ending{err: err}
	}
	return h.failing(work, e, reason, 0, fe.Error())
}

// mostPrivate is after how many failures in a row a name that leads to a private address is refused: with the longest rests between
// them that is a month, after which an origin without robots.txt is given up, too.
const mostPrivate = 128

// isForbiddenForGood reports whether it is the URL itself that forbids to connect: its port, or that its host is an address. A name
// may lead elsewhere later: routers without a line, and networks that want a login, answer every question with their own address,
// or redirect robots.txt to it.
func (h *host) isForbiddenForGood(u frontier.URL, err *fetch.Error) bool {
	name := u.Hostname()
	_, notAddress := netip.ParseAddr(name)
	return notAddress == nil || name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		errors.As(err, new(*fetch.PortError)) || h.standing.failures() >= mostPrivate
}

// leastRest returns for how long a site rests at least after a failure. A name that was never known to lead elsewhere than to a
// private address is most likely one of the operator's own network: a run that has nothing else to do tells it rather than waits.
func (h *host) leastRest(err *fetch.Error) time.Duration {
	if err.Kind == fetch.KindForbidden && h.standing.neverAnswered() {
		return h.config.Patience + fullYield
	}
	return 0
}

// passOver puts an entry behind the others whose origin lets nobody know its robots.txt: a site has two, and where one is closed
// for ever the pages of the other have their turn. That shows nothing of how the site is.
func (h *host) passOver(r *restError) ending {
	isWell := h.standing.failures() == 0
	h.mu.Lock()
	h.probed = isWell
	h.mu.Unlock()
	return ending{settled: frontier.Outcome{Status: frontier.Retrying, Reason: string(r.reason),
		NotBefore: r.until.Add(h.config.RetryDelay), Unasked: true}}
}

// mostPassed is how many entries of a site are passed over between two answers of it, before it rests as a whole.
const mostPassed = 1000

// closedOrigins counts, by site, entries that were passed over since the site answered last. It is safe for concurrent use.
type closedOrigins struct {
	mu     sync.Mutex // guards passed
	passed bounded.Map[int]
}

// mayPass counts another entry of a site, unless it has had so many that the site is to rest. After that it has as many again.
func (c *closedOrigins) mayPass(site string) bool {
	key := xxhash.Sum64String(site)
	c.mu.Lock()
	defer c.mu.Unlock()
	n, _ := c.passed.Get(key)
	c.passed.Put(key, (n+1)%(mostPassed+1))
	return n < mostPassed
}

// answered notes that a site answers.
func (c *closedOrigins) answered(site string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, _ := c.passed.At(xxhash.Sum64String(site)); n != nil {
		*n = 0
	}
}

// notThere is the refusal to connect to an address or a port.
func notThere(err *fetch.Error) Refusal {
	r := Refusal{Gate: GateAddress, Reason: ReasonPrivate, Rule: err.Error()}
	if bad, ok := errors.AsType[*fetch.PortError](err); ok {
		r.Reason, r.Rule = ReasonBadPort, bad.Error()
	}
	return r
}

// troubled handles answers that are no answer: the host or the URL is to be tried again later.
func (h *host) troubled(work context.Context, e frontier.Entry, r *fetch.Response) (end ending, trouble bool) {
	switch {
	case asksForRest(r):
		end = h.signal(work, e, r)
		if end.err != nil || !isDenial(r.Status) || e.Attempt < h.config.Retries {
			return end, true
		}
		return h.denied(work, e) // still, after so many rests
	case r.Challenge() != "":
		end, _ = h.denied(work, e)
		end.settled = h.config.again(e, ReasonChallenge, r.Status).settled
		return end, true
	case isDenial(r.Status):
		return h.denied(work, e)
	case saysOfServer(r.Status):
		detail := strings.TrimSpace(fmt.Sprintf("%s: %d %s", e.URL, r.Status, http.StatusText(r.Status)))
		return h.failing(work, e, ReasonServerError, r.Status, detail), true
	}
	if h.showsWell(e, r) {
		if err := h.standing.answered(work); err != nil {
			return ending{err: err}, true
		}
	}
	switch {
	case r.Status == http.StatusNotModified && !h.crawl.isConditional(e): // it says nothing of the page (RFC 9110 section 15.4.5)
		return h.config.again(e, ReasonProtocol, r.Status), true
	case r.Truncated == fetch.CutDisconnect && e.Attempt-e.Excused < h.config.Retries:
		return h.config.again(e, ReasonCut, r.Status), true
	}
	return later, false
}

// denied handles an answer by which the site, or a service before it, sends us away.
func (h *host) denied(work context.Context, e frontier.Entry) (end ending, trouble bool) {
	denied, err := h.standing.denied(work, e.URL.Origin())
	if err == nil && denied == ofAll {
		err = h.standing.shutOut(work)
	}
	return ending{err: err, denied: denied}, err != nil
}

// unlessWelcome lets the site rest, which denied page after page, unless it answers otherwise for one that does not exist: then
// it has a part that is for others, as forums have attachments for their members. An error of the server, or none, tells nothing.
func (h *host) unlessWelcome(ctx, work context.Context, u frontier.URL) error {
	resp, _, err := h.askMissing(ctx, work, u, "/")
	defer resp.Release()
	if err != nil {
		return err
	}
	if resp != nil && !isDenial(resp.Status) && resp.Challenge() == "" && resp.Status < http.StatusInternalServerError {
		return nil
	}
	return h.standing.shutOut(work)
}

// again queues an entry for another attempt, or gives it up.
func (c *Config) again(e frontier.Entry, reason Reason, code int) ending {
	failed := e.Attempt - e.Excused
	if failed >= c.Retries {
		return ending{settled: frontier.Outcome{Status: frontier.Failed, Reason: string(reason), Code: code}}
	}
	at := time.Now().Add(c.RetryDelay << min(failed, 16))
	return ending{settled: frontier.Outcome{Status: frontier.Retrying, Reason: string(reason), Code: code, NotBefore: at}}
}

// mostHeld is how many entries that failed before may wait, in memory, until another one shows that a site is well.
const mostHeld = 100

// nextQueued takes the next entry. Of a site that failed the last time it is one that was not tried before, if there is any: those
// that failed are due first, and would make it rest for ever longer while nothing else is asked for. They follow when that one is
// answered; else they go back to the queue with the lease.
func (h *host) nextQueued(ctx context.Context) (frontier.Entry, bool, error) {
	for {
		if e, ok := h.takeHeld(); ok {
			return e, true, nil
		}
		e, ok, err := h.lease.Next(ctx)
		if err != nil {
			return e, false, err
		}
		if !h.holdBack(e, ok) && (ok || !h.holds()) {
			return e, ok, nil
		}
	}
}

// holdBack keeps an entry that failed before for later, if that is yet to come; ok says whether there is an entry at all.
func (h *host) holdBack(e frontier.Entry, ok bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.probed || !ok || e.Attempt == 0 || len(h.held) == mostHeld {
		h.probed = true
		return false
	}
	h.held = append(h.held, e)
	return true
}

func (h *host) takeHeld() (e frontier.Entry, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.probed || len(h.held) == 0 {
		return e, false
	}
	e, h.held = h.held[0], h.held[1:]
	return e, true
}

func (h *host) holds() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.held) > 0
}

// signal handles answers by which the host asks for a rest, and 511, which is of the network before it and says nothing of the page
// (RFC 6585 section 6). The page is tried again afterwards, behind the others.
func (h *host) signal(work context.Context, e frontier.Entry, r *fetch.Response) ending {
	until, err := h.standing.asked(work, r)
	if err != nil {
		return ending{err: err}
	}
	o := frontier.Outcome{Status: frontier.Retrying, Reason: string(SignalReason(r.Status)), Code: r.Status,
		NotBefore: until.Add(h.config.RetryDelay), Excused: true}
	if most := h.config.Politeness.SignalsPerPage; most > 0 && e.Excused+1 >= most {
		o.Status, o.NotBefore, o.Excused = frontier.Failed, time.Time{}, false
	}
	return ending{settled: o}
}

// asksForRest reports whether an answer makes the whole site rest, whatever was asked for: by its status, or because an error of
// the server, or a denial, says when to come again (RFC 9110 section 10.2.3): some sites tell with 403 that we ask too much.
func asksForRest(r *fetch.Response) bool {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusNetworkAuthenticationRequired:
		return true
	}
	return (saysOfServer(r.Status) || isDenial(r.Status)) && robots.RetryAfter(r.Header, r.End) > 0
}

// retryAfter returns the Retry-After header of an answer as sent; of several, that which asks for the longest wait.
func retryAfter(r *fetch.Response) (text string) {
	longest := time.Duration(-1)
	for _, value := range r.Header.Values("Retry-After") {
		if wait := robots.RetryAfter(http.Header{"Retry-After": {value}}, r.End); wait > longest {
			text, longest = value, wait
		}
	}
	return text
}

// SignalReason says in a word why a site rests after an answer that asks for it.
func SignalReason(status int) Reason {
	switch status {
	case http.StatusTooManyRequests:
		return ReasonBusy
	case http.StatusNetworkAuthenticationRequired:
		return ReasonNetworkLogin
	}
	return ReasonUnavailable
}

func failureReason(k fetch.Kind) Reason {
	switch k {
	case fetch.KindDNS:
		return ReasonDNS
	case fetch.KindForbidden:
		return ReasonPrivate
	case fetch.KindOptedOut:
		return ReasonOptedOut
	case fetch.KindRefused:
		return ReasonRefused
	case fetch.KindTLS:
		return ReasonTLS
	case fetch.KindTimeout:
		return ReasonTimeout
	case fetch.KindReset:
		return ReasonReset
	case fetch.KindCanceled:
		return EndInterrupted // by us
	}
	return ReasonProtocol
}
