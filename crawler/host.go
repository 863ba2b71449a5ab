package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

const (
	leasePages = 64                     // pages taken under one lease, so that other sites get their turn
	holdGap    = 200 * time.Millisecond // a site that must be left alone for longer gives its worker to another
	dnsHold    = 100 * time.Millisecond // likewise while its name is being looked up
	dnsYield   = time.Second
	busyYield  = 250 * time.Millisecond // while its address has no slot free
	concluding = 4                      // pages of one site being read and stored while the next is fetched
)

// host is one leased site being served. Its methods are safe for concurrent use.
type host struct {
	*Crawler
	lease frontier.Lease
	site  string

	conclusions sync.WaitGroup // pages being read and stored
	concludeMax chan struct{}

	tdmMu sync.Mutex // held while a TDM file is found out; no grant is held then

	mu      sync.Mutex // guards all below
	policy  frontier.SitePolicy
	state   siteState
	answers map[string]robots.Answer // by origin, of this lease
	named   map[string]sitemapNames  // likewise
	free    time.Time                // when the next request may leave
	pages   int64                    // fetched, over all runs
	resting bool                     // nothing more under this lease
	err     error                    // of a store
}

// siteState is what the engine keeps in frontier.SitePolicy.State: as durable as the queue.
type siteState struct {
	Robots  map[string]robots.State `json:"robots,omitempty"`  // by origin
	Fails   int                     `json:"fails,omitempty"`   // timeouts and resets in a row
	Denials int                     `json:"denials,omitempty"` // answers 401 and 403 in a row
	TDM     map[string]tdmState     `json:"tdm,omitempty"`     // by origin
}

func newHost(c *Crawler, lease frontier.Lease) *host {
	info := lease.Info()
	h := &host{
		Crawler: c, lease: lease, site: lease.Site(), policy: info.Policy, pages: info.Pages,
		concludeMax: make(chan struct{}, concluding), answers: map[string]robots.Answer{}, named: map[string]sitemapNames{},
	}
	if err := json.Unmarshal(info.Policy.State, &h.state); err != nil || h.state.Robots == nil {
		h.state.Robots = map[string]robots.State{} // nothing known: robots.txt is asked for again
	}
	return h
}

// serve visits pages of the site until the lease has been used enough. ctx ends when no new request may start, work when
// those under way must end.
func (h *host) serve(ctx, work context.Context) error {
	work, cancel := mergeDone(work, h.lease.Context())
	defer cancel()
	if wait := h.notNow(ctx); wait > 0 {
		h.lease.Yield(time.Now().Add(wait))
		return nil
	}
	var visitors sync.WaitGroup
	for range max(h.Hosts[h.site].Connections, 1) {
		visitors.Go(func() { h.fail(h.visits(ctx, work)) })
	}
	visitors.Wait()
	h.conclusions.Wait()
	return h.failure()
}

// mergeDone returns a context that ends with either of two.
func mergeDone(a, b context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(a)
	stop := context.AfterFunc(b, cancel)
	return ctx, func() { stop(); cancel() }
}

// notNow returns how long the site should be put back: while its name is still being looked up or its address is busy with
// other sites, the worker serves somebody else.
func (h *host) notNow(ctx context.Context) time.Duration {
	lookup, cancel := context.WithTimeout(ctx, dnsHold)
	defer cancel()
	addrs, err := h.Resolver.Lookup(lookup, hostname(h.site))
	switch {
	case err != nil && lookup.Err() != nil:
		return dnsYield
	case err == nil && len(addrs) > 0 && h.addresses.busy(addrs[0]):
		return busyYield
	}
	return 0 // a name that does not resolve is found out, and told, by the request
}

// visits takes one entry after the other.
func (h *host) visits(ctx, work context.Context) error {
	for range leasePages {
		if ctx.Err() != nil || h.over() || !h.budget.reserve() {
			return nil
		}
		e, ok, err := h.lease.Next(ctx)
		if err != nil || !ok {
			h.budget.settle(false, 0)
			return ignoreEnd(ctx, err)
		}
		if err := h.visit(ctx, work, e); err != nil {
			return ignoreEnd(ctx, h.blocked(work, err))
		}
	}
	return nil
}

// blocked handles an error that only says that a site is left alone: this one, until its Visit-time too, or the one that its
// robots.txt redirects to, without which nothing is known here.
func (h *host) blocked(work context.Context, err error) error {
	var b *frontier.BlockedError
	var c *closedError
	switch {
	case errors.As(err, &c):
		return h.restUntil(work, c.opens, ReasonVisitTime, c.Error())
	case !errors.As(err, &b):
		return err
	case b.Site == h.site:
		return nil
	}
	return h.restUntil(work, b.Until, ReasonUnreachable, b.Error())
}

// ignoreEnd drops an error that only says that ctx has ended: what was not settled goes back to the queue.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return nil
	}
	return err
}

// over reports whether the lease should end: the site rests, failed to be stored, or would hold a worker for nothing.
func (h *host) over() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.resting || h.err != nil || time.Until(h.free) > holdGap
}

func (h *host) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = errors.Join(h.err, err)
}

func (h *host) failure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// rules returns the robots.txt rules of an origin. A missing or stale file is fetched first, as politely as a page.
func (h *host) rules(ctx, work context.Context, origin string) (robots.Answer, error) {
	h.mu.Lock()
	answer, ok := h.answers[origin]
	prior := h.state.Robots[origin]
	h.mu.Unlock()
	if ok && time.Now().Before(answer.State.Expires) {
		return answer, nil // the cache would say the same, more slowly
	}
	answer, err := h.askRobots(ctx, work, origin, prior)
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
	return answer, h.learn(work, func() {
		h.state.Robots[origin] = answer.State
		h.policy.Delay, _ = h.gap(h.site, 0, answer.Rules)
		h.policy.Connections = h.Hosts[h.site].Connections
	})
}

// askRobots returns the rules of an origin of any site, and asks for them if what is known of them is out of date.
func (h *host) askRobots(ctx, work context.Context, origin string, prior robots.State) (robots.Answer, error) {
	var last *exchange // its gap is owed once the new rules are known
	answer, err := h.Robots.Rules(ctx, origin, prior, func(_ context.Context, url, etag, modified string) robots.Response {
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
	case err != nil:
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

// learn changes what is remembered of the site and makes it durable.
func (h *host) learn(work context.Context, change func()) error {
	h.mu.Lock()
	change()
	state, err := json.Marshal(h.state)
	h.policy.State = state
	policy := h.policy
	h.mu.Unlock()
	if err != nil {
		return fmt.Errorf("site state: %w", err)
	}
	return h.lease.SetPolicy(work, policy)
}
