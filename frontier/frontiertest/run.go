package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/frontier"
)

// Options say how an implementation is tested.
type Options struct {
	// Bubble runs the tests in testing/synctest bubbles, but for the random operations, which need no time to pass. All
	// goroutines of the implementation must be durably blocked when they have nothing to do, as one that waits for a file is
	// not, and must end with Close.
	Bubble bool

	// Oracle makes an empty frontier to compare with in random operations; nil leaves them out.
	Oracle func() frontier.Frontier
}

// Open makes an empty frontier. The suite closes it; t is for helpers and temporary directories.
type Open func(t testing.TB) frontier.Frontier

// Test runs the contract against the frontiers that open makes.
func Test(t *testing.T, open Open, o Options) {
	for _, p := range promises() {
		t.Run(p.name, func(t *testing.T) {
			o.run(t, func(t *testing.T) { p.keep(newRun(t, open, o)) })
		})
	}
	t.Run("Hammer", func(t *testing.T) {
		o.run(t, func(t *testing.T) { hammer(newRun(t, open, o)) })
	})
	if o.Oracle != nil {
		t.Run("Random", func(t *testing.T) { random(t, open, o.Oracle) })
	}
}

func (o Options) run(t *testing.T, test func(t *testing.T)) {
	if o.Bubble {
		synctest.Test(t, test)
	} else {
		test(t)
	}
}

// A promise is a sentence of the contract and the test that fails without it.
type promise struct {
	name string
	keep func(r *run)
}

func promises() []promise {
	var all []promise
	for _, some := range [][]promise{addPromises(), leasePromises(), nextPromises(), settlePromises(), permitPromises(),
		closePromises()} {
		all = append(all, some...)
	}
	return all
}

// A run is one test of one frontier.
type run struct {
	*testing.T
	f      frontier.Frontier
	ctx    context.Context
	bubble bool
	exact  bool          // no wait may be longer than it must
	unit   time.Duration // of all waits; longer on a slow disk, as the first queue finds
	timed  bool          // the first queue was
	again  func()        // for Reopen: opens f again
}

func newRun(t *testing.T, open Open, o Options) *run {
	r := &run{T: t, f: open(t), ctx: t.Context(), bubble: o.Bubble, exact: o.Bubble, unit: 30 * time.Millisecond}
	if r.bubble {
		r.unit = time.Second
	}
	t.Cleanup(func() {
		if err := r.f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return r
}

// units returns a span of time.
func (r *run) units(n int) time.Duration { return time.Duration(n) * r.unit }

// rest waits until nothing moves any more.
func (r *run) rest() {
	if r.bubble {
		synctest.Wait()
	} else {
		time.Sleep(r.unit)
	}
}

// sleep lets n units pass.
func (r *run) sleep(n int) { time.Sleep(r.units(n)) }

// took checks that what began at start and has just ended took n units: in a bubble, and if exact, no more than that.
func (r *run) took(start time.Time, n int, what string) {
	r.Helper()
	got, want := time.Since(start), r.units(n)
	if got < want || r.exact && got != want {
		r.Errorf("%s after %v, want %v", what, got, want)
	}
}

// add adds links and expects that many to be new.
func (r *run) add(links []frontier.Link, fresh int) {
	r.Helper()
	got, err := r.f.Add(r.ctx, links)
	want := frontier.AddResult{New: fresh, Known: len(links) - fresh}
	if err != nil || got != want {
		r.Fatalf("Add = %+v, %v, want %+v", got, err, want)
	}
}

// queue adds new URLs.
func (r *run) queue(raws ...string) {
	r.Helper()
	start := time.Now()
	r.add(Links(r, raws...), len(raws))
	if !r.timed {
		r.unit, r.timed = max(r.unit, time.Since(start)/4), true
	}
}

// lease leases the site that is due, and expects it to be that one unless site is empty.
func (r *run) lease(site string) frontier.Lease {
	r.Helper()
	l, err := r.f.Lease(r.ctx, 0)
	if err != nil {
		r.Fatalf("Lease: %v, want %s", err, site)
	}
	if site != "" && l.Site() != site {
		r.Fatalf("Lease = %s, want %s", l.Site(), site)
	}
	return l
}

// leased queues http://a/1 and leases its site.
func (r *run) leased() frontier.Lease {
	r.Helper()
	r.queue("http://a/1")
	return r.lease("a")
}

// asking leases the site of http://a/1, of which a request is under way then.
func (r *run) asking() (frontier.Lease, frontier.Grant) {
	r.Helper()
	l := r.leased()
	return l, r.permit(l, "a")
}

// noLease expects Lease to return that error.
func (r *run) noLease(patience time.Duration, want error) {
	r.Helper()
	l, err := r.f.Lease(r.ctx, patience)
	if err == nil {
		r.Fatalf("Lease = %s, want error %v", l.Site(), want)
	}
	if !errors.Is(err, want) {
		r.Fatalf("Lease: %v, want %v", err, want)
	}
}

// next takes the next entry of l and expects it to be that URL.
func (r *run) next(l frontier.Lease, want string) frontier.Entry {
	r.Helper()
	e, ok, err := l.Next(r.ctx)
	if err != nil || !ok || e.URL != URL(r, want) {
		r.Fatalf("Next = %s, %v, %v, want %s", e.URL, ok, err, want)
	}
	return e
}

// noNext expects that nothing is due in l.
func (r *run) noNext(l frontier.Lease) {
	r.Helper()
	if e, ok, err := l.Next(r.ctx); ok || err != nil {
		r.Fatalf("Next = %s, %v, %v, want nothing", e.URL, ok, err)
	}
}

// settle settles outcomes and expects that many new and known links.
func (r *run) settle(l frontier.Lease, want frontier.AddResult, outcomes ...frontier.Outcome) {
	r.Helper()
	if got, err := l.Settle(r.ctx, outcomes...); err != nil || got != want {
		r.Fatalf("Settle = %+v, %v, want %+v", got, err, want)
	}
}

// done settles e as Done.
func (r *run) done(l frontier.Lease, e frontier.Entry) {
	r.Helper()
	r.settle(l, frontier.AddResult{}, frontier.Outcome{Entry: e, Status: frontier.Done, Code: 200})
}

// close closes l.
func (r *run) close(l frontier.Lease) {
	r.Helper()
	if err := l.Close(); err != nil {
		r.Fatalf("close lease of %s: %v", l.Site(), err)
	}
}

// lookup returns what is known of a URL.
func (r *run) lookup(raw string) frontier.Info {
	r.Helper()
	info, err := r.f.Lookup(r.ctx, URL(r, raw))
	if err != nil {
		r.Fatalf("Lookup(%s): %v", raw, err)
	}
	return info
}

// returns returns all that is remembered, by URL.
func returns(ctx context.Context, f frontier.Frontier) (map[string]frontier.Return, error) {
	all := make(map[string]frontier.Return)
	for one, err := range f.Returns(ctx) {
		if err != nil {
			return nil, err
		}
		all[one.URL.String()] = one
	}
	return all, nil
}

// sites returns all sites by name.
func sites(ctx context.Context, f frontier.Frontier) (map[string]frontier.SiteInfo, error) {
	all := make(map[string]frontier.SiteInfo)
	for s, err := range f.Sites(ctx) {
		if err != nil {
			return nil, err
		}
		if _, twice := all[s.Site]; twice {
			return nil, fmt.Errorf("site %s comes twice", s.Site)
		}
		all[s.Site] = s
	}
	return all, nil
}

// site returns what is known of a site.
func (r *run) site(name string) frontier.SiteInfo {
	r.Helper()
	all, err := sites(r.ctx, r.f)
	if err != nil {
		r.Fatalf("Sites: %v", err)
	}
	s, ok := all[name]
	if !ok {
		r.Fatalf("Sites has no %s", name)
	}
	alone, known, err := r.f.Site(r.ctx, name)
	alone.Due = s.Due // of a site that is due it is about now
	if diff := cmp.Diff(s, alone); err != nil || !known || diff != "" {
		r.Errorf("Site(%s): known %t, error %v, differs from Sites:\n%s", name, known, err, diff)
	}
	return s
}

// stats expects those totals.
func (r *run) stats(want frontier.Stats) {
	r.Helper()
	got, err := r.f.Stats(r.ctx)
	if err != nil || got != want {
		r.Fatalf("Stats = %+v, %v, want %+v", got, err, want)
	}
}

// permit waits for a request to the site to leave.
func (r *run) permit(l frontier.Lease, site string) frontier.Grant {
	r.Helper()
	g, err := l.Permit(r.ctx, site)
	if err != nil {
		r.Fatalf("Permit(%s): %v", site, err)
	}
	if g.Site != site || g.Done == nil {
		r.Fatalf("Permit(%s) = grant for %q, Done %v", site, g.Site, g.Done != nil)
	}
	return g
}

// A result is what a call in the background has returned, and when.
type result struct {
	lease frontier.Lease
	grant frontier.Grant
	err   error
	at    time.Time
}

// later makes a call in the background and waits until it waits.
func (r *run) later(call func() result) <-chan result {
	c := make(chan result, 1)
	go func() {
		res := call()
		res.at = time.Now()
		c <- res
	}()
	r.rest()
	return c
}

func (r *run) leaseLater(ctx context.Context, patience time.Duration) <-chan result {
	return r.later(func() result {
		l, err := r.f.Lease(ctx, patience)
		return result{lease: l, err: err}
	})
}

func (r *run) permitLater(ctx context.Context, l frontier.Lease, site string) <-chan result {
	return r.later(func() result {
		g, err := l.Permit(ctx, site)
		return result{grant: g, err: err}
	})
}

// waits expects that the call has not returned yet.
func (r *run) waits(c <-chan result, what string) {
	r.Helper()
	r.rest()
	select {
	case res := <-c:
		r.Fatalf("%s has returned (error %v), want it to wait", what, res.err)
	default:
	}
}

// returns waits for the call to return.
func (r *run) returns(c <-chan result, what string) result {
	r.Helper()
	select {
	case res := <-c:
		return res
	case <-time.After(time.Minute):
		r.Fatalf("%s has not returned", what)
		panic("unreachable")
	}
}
