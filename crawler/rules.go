package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// rules returns the robots.txt rules of an origin. A missing or stale file is fetched first, as politely as a page.
func (h *host) rules(ctx, work context.Context, origin string) (robots.Answer, error) {
	answer, ok := h.met(origin)
	if ok && time.Now().Before(answer.State.Expires) {
		return answer, nil // the cache would say the same, more slowly
	}
	answer, err := h.askRobots(ctx, work, origin, h.standing.robots(origin))
	if err != nil {
		return answer, err
	}
	if err := h.announce(work, answer); err != nil {
		return answer, err
	}
	h.mu.Lock()
	h.answers[origin] = answer
	h.mu.Unlock()
	if !answer.Fetched {
		return answer, nil
	}
	delay, _ := h.crawl.gap(h.site, 0, answer.Rules)
	return answer, h.standing.learnRobots(work, answer.State, delay, h.config.Hosts[h.site].Connections)
}

// met returns the rules of an origin as this lease has met them.
func (h *host) met(origin string) (a robots.Answer, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a, known = h.answers[origin]
	return a, known
}

// foreignRules returns what is known of the robots.txt of another site, and asks for it, under the permit of that site, when
// that is nothing.
func (h *host) foreignRules(ctx, work context.Context, u frontier.URL) (robots.Answer, error) {
	info, _, err := h.config.Frontier.Site(ctx, u.Site())
	if err != nil {
		return robots.Answer{}, err
	}
	return h.askRobots(ctx, work, u.Origin(), KnownRobots(info.Policy)[u.Origin()])
}

// askRobots returns the rules of an origin of any site, and asks for them if what is known of them is out of date.
func (h *host) askRobots(ctx, work context.Context, origin string, prior robots.State) (robots.Answer, error) {
	var last *exchange // its gap is owed once the new rules are known
	answer, err := h.config.Robots.Rules(ctx, origin, prior, func(_ context.Context, url, etag, modified string) robots.Response {
		if last != nil {
			last.finish(nil)
		}
		var r robots.Response
		last, r = h.fetchRobots(ctx, work, origin, url, etag, modified)
		return r
	})
	if last != nil {
		last.request.Robots = answer.State
		last.finish(answer.Rules)
	}
	if err != nil {
		return answer, fmt.Errorf("robots.txt of %s: %w", origin, err)
	}
	return answer, nil
}

// fetchRobots makes one hop of a request for the robots.txt of origin. The exchange is nil when no request left.
func (h *host) fetchRobots(ctx, work context.Context, origin, url, etag, modified string) (*exchange, robots.Response) {
	u, err := frontier.ParseURL(url)
	if err != nil {
		return nil, robots.Response{Err: err}
	}
	verdict := robots.AllowAll(robots.ReasonRobotsTxt).Test(u.PathQuery())
	x, err := h.ask(ctx, work, Request{Purpose: ForRobots, URL: u, Site: u.Site(), Verdict: verdict, Origin: origin},
		fetch.Request{URL: url, ETag: etag, LastModified: modified, MaxBody: robots.MaxBytes + 1})
	switch {
	case x == nil || isKind(err, fetch.KindForbidden, fetch.KindOptedOut, fetch.KindCanceled, fetch.KindLocal):
		return x, robots.Response{Abort: err} // says nothing about the site
	case err != nil && x.response != nil: // it was answered, and the archive failed
		x.response.Release()
		return x, robots.Response{Abort: err}
	case err != nil:
		h.mu.Lock()
		h.robotsFailed[origin] = x.request.Failure
		h.mu.Unlock()
		return x, robots.Response{Err: err}
	}
	x.response.Release()
	r := robots.Response{Status: x.response.Status, Header: x.response.Header, Body: x.response.Body}
	switch x.response.Truncated {
	case "", fetch.CutLength:
	default: // half a file may lack the half that says no
		r.Err = fmt.Errorf("robots.txt is not whole: %s", x.response.Truncated)
	}
	return x, r
}

// isKind reports whether err is a failed exchange of one of these kinds.
func isKind(err error, kinds ...fetch.Kind) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && slices.Contains(kinds, fe.Kind)
}
