package crawler

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A requester makes the requests under one lease. It is safe for concurrent use.
type requester struct {
	crawl    *Crawler
	config   *Config // of crawl
	lease    frontier.Lease
	slot     *slot // nil in a survey
	site     string
	standing *standing
	budget   *hostBudget
}

// exchange is one request that has been made. Its gap is owed, and it is told, by finish.
type exchange struct {
	by       *requester
	request  Request
	grant    frontier.Grant
	leave    func()
	response *fetch.Response // nil when none came

	redirects int // in a row before this request
}

// ask makes one request: it waits for the permit of the site and for a slot of its address, then for the answer. The
// exchange must be finished; it is nil, which can be finished too, when no request left. rules are those of the origin, nil for a
// request for robots.txt.
func (q *requester) ask(ctx, work context.Context, told Request, req fetch.Request, rules *robots.Rules) (*exchange, error) {
	defer q.slot.lendWhenSlow()()
	x, err := q.permit(ctx, told, rules)
	if err != nil {
		return nil, err
	}
	addrs, err := x.enter(ctx, work)
	if err == nil {
		err = x.mayLeave(addrs, rules)
	}
	if err != nil {
		x.withdraw()
		return nil, err
	}
	x.request.Start = time.Now()
	resp, err := q.config.Fetch.Get(work, req)
	x.request.End = time.Now()
	if isKind(err, fetch.KindForbidden) {
		x.withdraw()
		return nil, err
	}
	x.leave()
	x.note(resp, err)
	x.response = resp
	if err == nil && archivedAtOnce(told.Purpose) {
		err = x.archive(work, false)
	}
	return x, err
}

// permit waits until the pause is over that is owed to the site.
func (q *requester) permit(ctx context.Context, told Request, rules *robots.Rules) (*exchange, error) {
	if d, owed := q.crawl.debtTo(told.Site); owed { // another site, to which robots.txt leads: of the leased one it has been paid
		return nil, &frontier.BlockedError{Site: told.Site, Until: d.Until, Reason: d.Reason}
	}
	grant, err := q.lease.Permit(ctx, told.Site)
	if err != nil {
		return nil, err
	}
	x := &exchange{by: q, request: told, grant: grant, leave: func() {}}
	x.request.LastEnd, x.request.Owed, x.request.Tenure = grant.LastEnd, grant.Owed, grant.Tenure
	if told.Site == q.site && rules != nil {
		if err := q.outwait(ctx, grant, rules); err != nil {
			x.withdraw()
			return nil, err
		}
	}
	return x, nil
}

// enter waits for a slot of the address that the request goes to, and returns all that the name has: none where a proxy looks it
// up, or where it is not found, which is for the client to tell.
func (x *exchange) enter(ctx, work context.Context) ([]netip.Addr, error) {
	q, u := x.by, x.request.URL
	proxy := q.config.Fetch.Proxy(u.Host())
	x.request.Proxy = proxy.String()
	if proxy.TakesNames() {
		return nil, nil
	}
	addrs, err := q.config.Resolver.LookupPort(work, u.Hostname(), portOf(u))
	if err != nil || len(addrs) == 0 {
		return addrs, nil
	}
	leave, err := q.crawl.addresses.enter(ctx, addrs[0])
	if err == nil {
		x.leave = leave
	}
	return addrs, err
}

// mayLeave says what forbids the request now, which may have come while the permit and the slot were waited for.
func (x *exchange) mayLeave(addrs []netip.Addr, rules *robots.Rules) error {
	q, site := x.by, x.request.Site
	if err := closed(rules); err != nil {
		return err
	}
	if err := q.config.outOfHours(site); err != nil {
		return err
	}
	if err := q.crawl.mayLeave(x.request, addrs); err != nil {
		return err
	}
	if site == q.site {
		if err := q.standing.mayLeave(); err != nil { // another connection has been told
			return err
		}
	}
	if x.grant.Valid != nil && !x.grant.Valid() { // this machine slept, say, and the site is another node's by now
		return frontier.ErrLost
	}
	return nil
}

// withdraw gives back what was granted to a request that was not sent.
func (x *exchange) withdraw() {
	x.leave()
	x.grant.Done(0)
}

// mostOutwait bounds how long a worker waits where a pause turns out to be longer: of more, the next pause will tell.
const mostOutwait = time.Minute

// outwait waits for the rest of the pause that the rules ask for, where less was owed: they were not known when the pause began,
// as when robots.txt redirects to another site.
func (q *requester) outwait(ctx context.Context, grant frontier.Grant, rules *robots.Rules) error {
	owed := q.crawl.Pace(q.site, 0, rules).Gap
	left := time.Until(grant.LastEnd.Add(owed))
	if grant.LastEnd.IsZero() || grant.Owed >= owed || left <= 0 {
		return nil
	}
	timer := time.NewTimer(min(left, mostOutwait))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// portOf returns the port that a URL leads to.
func portOf(u frontier.URL) uint16 {
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil {
		return uint16(n)
	}
	if u.Scheme() == "https" {
		return 443
	}
	return 80
}

// note fills in what came of the request.
func (x *exchange) note(resp *fetch.Response, err error) {
	r := &x.request
	if err != nil {
		r.Detail, r.Failure = err.Error(), ReasonProtocol
		if fe, ok := errors.AsType[*fetch.Error](err); ok {
			r.Failure = failureReason(fe.Kind)
		}
		return
	}
	r.Start, r.FirstByte, r.End = resp.Start, resp.FirstByte, resp.End
	r.Address, r.Proto, r.Status, r.Bytes, r.Truncated = resp.Address, resp.Proto, resp.Status, resp.WireBytes, resp.Truncated
	if r.Proxy == "" { // which the server sees in our place
		r.From = resp.From
	}
	r.RetryAfter = retryAfter(resp)
	if isRedirect(r.Status) || r.Purpose == ForRobots && robots.OutcomeOf(r.Status, nil) == robots.Redirected {
		r.Location = withoutUserInfo(resp.Location())
	}
}

// finish says how long the site is left alone now, under the given rules, and tells of the request. What the answer asks for beyond
// that is heeded before the next request can leave.
func (x *exchange) finish(rules *robots.Rules, heed func()) {
	if x == nil { // nothing was sent
		heed()
		return
	}
	x.tell(rules) // first, so that the requests to a site are told in the order in which they were made
	heed()
	x.done()
}

// nothing is for finish where an answer asks for nothing beyond the gap.
func nothing() {}

func (x *exchange) tell(rules *robots.Rules) {
	q, r := x.by, &x.request
	if r.Site != q.site && r.Site != frontier.SiteOf(r.Origin) {
		rules = nil // they are those of another site
	}
	r.Gap, r.GapWhy = q.crawl.gap(r.Site, r.End.Sub(r.Start), rules)
	q.crawl.tellRequest(*r)
}

// done lets the gap begin, after which the next request may leave.
func (x *exchange) done() {
	q, r := x.by, &x.request
	x.grant.Done(r.Gap)
	if r.Site == q.site {
		q.budget.took(r.End.Sub(r.Start) + r.Gap)
		q.standing.owe(time.Now().Add(r.Gap))
	}
}

// hostname returns the name or address in a site key.
func hostname(site string) string {
	if name, _, err := net.SplitHostPort(site); err == nil {
		return name
	}
	return strings.Trim(site, "[]")
}
