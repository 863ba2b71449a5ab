package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file holds what a site tells us by failing: signals of the host make the whole host rest, a failing URL is tried
// again later without holding up its site.

// restFor leaves the site alone for its back-off, or longer if it asked for that.
func (h *host) restFor(work context.Context, asked time.Duration, reason Reason, detail string) (time.Time, error) {
	var until time.Time
	err := h.learn(work, func() {
		h.policy.Failures++
		h.state.Fails = 0
		until = time.Now().Add(max(asked, h.Politeness.rest(h.policy.Failures)))
		h.policy.BlockedUntil, h.policy.BlockReason = until, string(reason)
		h.resting = true
	})
	h.tellRest(until, reason, detail)
	return until, err
}

// restUntil leaves the site alone until a time that somebody else worked out.
func (h *host) restUntil(work context.Context, until time.Time, reason Reason, detail string) error {
	err := h.learn(work, func() {
		h.policy.BlockedUntil, h.policy.BlockReason = until, string(reason)
		h.resting = true
	})
	h.tellRest(until, reason, detail)
	return err
}

func (h *host) tellRest(until time.Time, reason Reason, detail string) {
	h.mu.Lock()
	failures := h.policy.Failures
	h.mu.Unlock()
	h.stats.reason(reason)
	h.Log.Info("site rests", zap.String("site", h.site), zap.String("reason", string(reason)), zap.String("detail", detail),
		zap.Time("until", until), zap.Int("failures", failures))
	h.Events.rest(Rest{Site: h.site, Until: until, Reason: reason, Detail: detail, Failures: failures})
}

// unreachable handles rules that could not be had: nothing of the site is asked for until the next try. The entry stays
// where it was in the queue.
func (h *host) unreachable(work context.Context, a robots.Answer) error {
	detail := a.State.Err
	if a.State.Status != 0 {
		detail = http.StatusText(a.State.Status)
	}
	return h.restUntil(work, a.State.NextTry, ReasonUnreachable, detail)
}

// healthy notes an answer that shows the host well.
func (h *host) healthy(work context.Context) error {
	h.mu.Lock()
	well := h.policy.Failures == 0 && h.state.Fails == 0 && h.state.Denials == 0 && h.policy.BlockedUntil.IsZero()
	h.mu.Unlock()
	if well {
		return nil
	}
	return h.learn(work, func() {
		h.policy.Failures, h.state.Fails, h.state.Denials = 0, 0, 0
		h.policy.BlockedUntil, h.policy.BlockReason = time.Time{}, ""
	})
}

// failed handles a request that got no answer.
func (h *host) failed(work context.Context, e frontier.Entry, err error) error {
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		return err // a closedError, too
	}
	reason := failureReason(fe.Kind)
	switch {
	case fe.Kind == fetch.KindCanceled:
		return nil // unsettled: back to the queue
	case fe.Kind == fetch.KindOptedOut:
		var out *fetch.OptOutError
		errors.As(err, &out)
		return h.leave(work, e, out.Entry)
	case fe.Kind == fetch.KindForbidden:
		return h.refuse(work, e, Refusal{Gate: GateAddress, Reason: ReasonPrivate, Rule: fe.Error()})
	case fe.Kind == fetch.KindLocal:
		return fmt.Errorf("this machine cannot connect: %w", fe)
	case fe.Kind == fetch.KindURL:
		return h.refuse(work, e, Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: fe.Error()})
	case fe.HostFailure():
		_, err := h.restFor(work, 0, reason, fe.Error())
		return err
	}
	if err := h.strike(work, fe.Error()); err != nil {
		return err
	}
	return h.again(work, e, reason, 0)
}

// strike counts a failure that may be the URL's or the host's; too many in a row are the host's.
func (h *host) strike(work context.Context, detail string) error {
	var tooMany bool
	err := h.learn(work, func() {
		h.state.Fails++
		tooMany = h.Politeness.FailuresInRow > 0 && h.state.Fails >= h.Politeness.FailuresInRow
	})
	if err == nil && tooMany {
		_, err = h.restFor(work, 0, ReasonFailures, detail)
	}
	return err
}

// again queues an entry for another attempt, or gives it up.
func (h *host) again(work context.Context, e frontier.Entry, reason Reason, code int) error {
	o := frontier.Outcome{Entry: e, Status: frontier.Retrying, Reason: string(reason), Code: code, NotBefore: h.retryTime(e.Attempt)}
	if e.Attempt >= h.Retries {
		o.Status, o.NotBefore = frontier.Failed, time.Time{}
	}
	return h.settle(work, o, Outcome{})
}

// signal handles 429 and 503: the host asks for a rest. The page is tried again afterwards, behind the others.
func (h *host) signal(work context.Context, e frontier.Entry, r *fetch.Response) error {
	until, err := h.signaled(work, r)
	if err != nil {
		return err
	}
	o := frontier.Outcome{Entry: e, Status: frontier.Retrying, Reason: string(signalReason(r.Status)), Code: r.Status, NotBefore: until.Add(h.RetryDelay)}
	if e.Attempt+1 >= max(h.Politeness.SignalsPerPage, 1) {
		o.Status, o.NotBefore = frontier.Failed, time.Time{}
	}
	return h.settle(work, o, Outcome{})
}

// signaled lets the site rest for as long as its answer, 429 or 503, asks for, and returns until when.
func (h *host) signaled(work context.Context, r *fetch.Response) (time.Time, error) {
	asked := retryAfter(r.Header, r.End, h.Politeness.MaxRetryAfter)
	return h.restFor(work, asked, signalReason(r.Status), r.Header.Get("Retry-After"))
}

func signalReason(status int) Reason {
	if status == http.StatusServiceUnavailable {
		return ReasonUnavailable
	}
	return ReasonBusy
}

// denied handles 401 and 403. A site whose robots.txt was refused as well, or that refuses again and again, does not want us.
func (h *host) denied(work context.Context, e frontier.Entry) error {
	var enough bool
	err := h.learn(work, func() {
		h.state.Denials++
		switch h.state.Robots[e.URL.Origin()].Status {
		case http.StatusUnauthorized, http.StatusForbidden:
			enough = true
		}
		enough = enough || h.Politeness.DenialsInRow > 0 && h.state.Denials >= h.Politeness.DenialsInRow
	})
	if err == nil && enough {
		_, err = h.restFor(work, h.Politeness.MaxRetryAfter, ReasonDenied, "")
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
	}
	return ReasonProtocol
}
