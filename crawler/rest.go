package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file holds what a site tells us by failing: signals of the host make the whole host rest, a failing URL is tried
// again later without holding up its site.

// A restError says that a site is to be left alone for now, which is no failure: the entry stays where it was in the queue.
type restError struct {
	until  time.Time
	reason Reason
	detail string
}

func (e *restError) Error() string { return e.detail }

// unreachable is about rules that could not be had: nothing of the site is asked for until the next try.
func (h *host) unreachable(a robots.Answer) error {
	detail := a.State.Err
	if a.State.Status != 0 {
		detail = http.StatusText(a.State.Status)
	}
	return &restError{until: a.State.NextTry, reason: h.whyUnreachable(a.State.Origin), detail: detail}
}

// whyUnreachable returns why robots.txt of an origin could not be had: no name, no connection or no answer, if it is that which was
// met under this lease.
func (h *host) whyUnreachable(origin string) Reason {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch why := h.robotsFailed[origin]; why {
	case ReasonDNS, ReasonTLS, ReasonRefused, ReasonTimeout:
		return why
	}
	return ReasonUnreachable
}

// heedRest handles an error that only says that a site is left alone: this one, or the one that its robots.txt redirects to,
// without which nothing is known here.
func (h *host) heedRest(work context.Context, err error) error {
	var b *frontier.BlockedError
	var r *restError
	switch {
	case errors.As(err, &r):
	case !errors.As(err, &b):
		return err
	case b.Site == h.site:
		return nil
	default:
		r = &restError{until: b.Until, reason: ReasonUnreachable, detail: b.Error()}
	}
	rest, err := h.standing.restUntil(work, r.until, r.reason)
	h.tellRest(rest, r.detail)
	return err
}

// backOff leaves the site alone for its back-off, or longer if it asked for that, and returns until when.
func (h *host) backOff(work context.Context, asked time.Duration, reason Reason, detail string) (time.Time, error) {
	rest, err := h.standing.backOff(work, asked, reason)
	h.tellRest(rest, detail)
	return rest.Until, err
}

func (h *host) tellRest(r Rest, detail string) {
	r.Site, r.Detail = h.site, detail
	h.crawl.tellRest(r)
}

// failed handles a request that got no answer.
func (h *host) failed(work context.Context, e frontier.Entry, err error) ending {
	var fe *fetch.Error
	if !errors.As(err, &fe) {
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
	case fe.Kind == fetch.KindForbidden:
		return turnedAway(notThere(fe))
	case fe.Kind == fetch.KindLocal:
		return ending{err: fmt.Errorf("this machine fails: %w", fe)}
	case fe.Kind == fetch.KindURL:
		return turnedAway(Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: fe.Error()})
	case fe.HostFailure():
		_, err := h.backOff(work, 0, reason, fe.Error())
		return ending{err: err}
	}
	tooMany, err := h.standing.timedOut(work)
	if err == nil && tooMany {
		_, err = h.backOff(work, 0, ReasonFailures, fe.Error())
	}
	if err != nil {
		return ending{err: err}
	}
	return h.again(e, reason, 0)
}

// notThere is the refusal to connect to an address or a port.
func notThere(err *fetch.Error) Refusal {
	r := Refusal{Gate: GateAddress, Reason: ReasonPrivate, Rule: err.Error()}
	if bad := (*fetch.PortError)(nil); errors.As(err, &bad) {
		r.Reason, r.Rule = ReasonBadPort, bad.Error()
	}
	return r
}

// troubled handles answers that are no answer: the host or the URL is to be tried again later.
func (h *host) troubled(work context.Context, e frontier.Entry, r *fetch.Response) (end ending, trouble bool) {
	switch r.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return h.signal(work, e, r), true
	case http.StatusUnauthorized, http.StatusForbidden:
		err := h.denied(work, e)
		return ending{err: err}, err != nil
	}
	if err := h.standing.answered(work); err != nil {
		return ending{err: err}, true
	}
	switch {
	case r.Status >= 500, r.Status == http.StatusRequestTimeout, r.Status == http.StatusTooEarly:
		return h.again(e, ReasonServerError, r.Status), true
	case r.Truncated == fetch.CutDisconnect && e.Attempt < h.config.Retries:
		return h.again(e, ReasonCut, r.Status), true
	}
	return later, false
}

// again queues an entry for another attempt, or gives it up.
func (h *host) again(e frontier.Entry, reason Reason, code int) ending {
	if e.Attempt >= h.config.Retries {
		return ending{settled: frontier.Outcome{Status: frontier.Failed, Reason: string(reason), Code: code}}
	}
	at := time.Now().Add(h.config.RetryDelay << min(e.Attempt, 16))
	return ending{settled: frontier.Outcome{Status: frontier.Retrying, Reason: string(reason), Code: code, NotBefore: at}}
}

// signal handles 429 and 503: the host asks for a rest. The page is tried again afterwards, behind the others.
func (h *host) signal(work context.Context, e frontier.Entry, r *fetch.Response) ending {
	until, err := h.signaled(work, r)
	if err != nil {
		return ending{err: err}
	}
	o := frontier.Outcome{Status: frontier.Retrying, Reason: string(signalReason(r.Status)), Code: r.Status, NotBefore: until.Add(h.config.RetryDelay)}
	if most := h.config.Politeness.SignalsPerPage; most > 0 && e.Attempt+1 >= most {
		o.Status, o.NotBefore = frontier.Failed, time.Time{}
	}
	return ending{settled: o}
}

// signaled lets the site rest for as long as its answer, 429 or 503, asks for, and returns until when.
func (h *host) signaled(work context.Context, r *fetch.Response) (time.Time, error) {
	asked := retryAfter(r.Header, r.End, h.config.Politeness.MaxRetryAfter)
	return h.backOff(work, asked, signalReason(r.Status), r.Header.Get("Retry-After"))
}

func signalReason(status int) Reason {
	if status == http.StatusServiceUnavailable {
		return ReasonUnavailable
	}
	return ReasonBusy
}

// denied handles 401 and 403.
func (h *host) denied(work context.Context, e frontier.Entry) error {
	enough, err := h.standing.denied(work, e.URL.Origin())
	if err == nil && enough {
		_, err = h.backOff(work, h.config.Politeness.MaxRetryAfter, ReasonDenied, "")
	}
	return err
}

func failureReason(k fetch.Kind) Reason {
	switch k {
	case fetch.KindDNS:
		return ReasonDNS
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
