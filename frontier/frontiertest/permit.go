package frontiertest

import (
	"context"
	"errors"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/frontier"
)

func permitPromises() []promise {
	return []promise{
		{"Permit/the first request owes nothing", permitFirst},
		{"Permit/the gap counts from the end of the last request", permitGap},
		{"Permit/one request in flight unless the policy says more", permitOne},
		{"Permit/as many requests in flight as the policy says", permitMany},
		{"Permit/a shorter gap does not cut a longer one short", permitLongest},
		{"Permit/guards other sites as well", permitForeign},
		{"Permit/guards sites never heard of", permitStranger},
		{"Permit/a long block is an error at once", permitBlocked},
		{"Permit/a short block is waited for", permitBlockedShort},
		{"Permit/a block reaches those who wait", permitBlockedMeanwhile},
		{"Permit/ends with its context and takes nothing", permitContext},
		{"Permit/ends with the lease", permitClosed},
		{"Permit/a request ends once", permitEndsOnce},
		{"Permit/the gap outlives the lease", permitOutlives},
		{"Permit/a request may end after the lease", permitEndsLate},
		{"SetPolicy/is kept whole", policyWhole},
	}
}

func permitFirst(r *run) {
	l := r.leased()
	r.policy(l, frontier.SitePolicy{Delay: time.Hour}) // owed after an end, and there was none
	start := time.Now()
	g := r.permit(l, "a")
	if r.exact {
		r.took(start, 0, "left")
	}
	if !g.LastEnd.IsZero() || g.Owed != 0 {
		r.Errorf("grant %+v, want nothing owed", g)
	}
	g.Done(0)
}

func permitGap(r *run) {
	l, g := r.asking()
	r.sleep(2)
	for _, gap := range []int{3, 0, 1} {
		end := time.Now()
		g.Done(r.units(gap))
		ended := time.Now()
		g = r.permit(l, "a")
		r.took(end, gap, "left")
		if !near(g.LastEnd, end, ended) || g.Owed != r.units(gap) {
			r.Errorf("last end %v, owed %v, want %v and %v", g.LastEnd, g.Owed, end, r.units(gap))
		}
	}
	g.Done(0)
}

func permitOne(r *run) { permitApart(r, "a") }

func permitStranger(r *run) { permitApart(r, "robots.example:8080") }

// permitApart looks at two requests to a site under a lease of site a.
func permitApart(r *run, site string) {
	l := r.leased()
	g := r.permit(l, site)
	c := r.permitLater(r.ctx, l, site)
	r.sleep(5)
	r.waits(c, "Permit")
	end := time.Now()
	g.Done(r.units(2))
	res := r.returns(c, "Permit")
	if res.err != nil {
		r.Fatalf("Permit: %v", res.err)
	}
	r.took(end, 2, "left")
	res.grant.Done(0)
}

func permitMany(r *run) {
	l := r.leased()
	first := r.permit(l, "a")
	c := r.permitLater(r.ctx, l, "a")
	r.waits(c, "Permit")
	r.policy(l, frontier.SitePolicy{Connections: 3})
	second := r.returns(c, "Permit")
	third := r.permit(l, "a")
	c = r.permitLater(r.ctx, l, "a")
	r.waits(c, "Permit")
	second.grant.Done(0)
	fourth := r.returns(c, "Permit")
	if second.err != nil || fourth.err != nil {
		r.Fatalf("Permit: %v, %v", second.err, fourth.err)
	}
	first.Done(0)
	third.Done(0)
	fourth.grant.Done(0)
}

func permitLongest(r *run) {
	l := r.leased()
	r.policy(l, frontier.SitePolicy{Connections: 2})
	first, second := r.permit(l, "a"), r.permit(l, "a")
	end := time.Now()
	first.Done(r.units(4)) // say, 429 with Retry-After
	r.sleep(1)
	second.Done(r.units(1))
	g := r.permit(l, "a")
	r.took(end, 4, "left")
	if r.exact && g.Owed != r.units(3) {
		r.Errorf("owed %v since the last end, want %v", g.Owed, r.units(3))
	}
	g.Done(0)
}

func permitForeign(r *run) {
	r.queue("http://a/1", "http://b/1")
	a, b := r.lease(""), r.lease("")
	if a.Site() == "b" {
		a, b = b, a
	}
	g := r.permit(a, "b") // robots.txt of a has moved to b
	c := r.permitLater(r.ctx, b, "b")
	r.permit(a, "a").Done(0) // a itself is free
	r.waits(c, "Permit")
	end := time.Now()
	g.Done(r.units(2))
	res := r.returns(c, "Permit")
	if res.err != nil {
		r.Fatalf("Permit: %v", res.err)
	}
	r.took(end, 2, "left")
	c = r.permitLater(r.ctx, a, "b")
	r.waits(c, "Permit")
	end = time.Now()
	res.grant.Done(r.units(2))
	if res = r.returns(c, "Permit"); res.err != nil {
		r.Fatalf("Permit: %v", res.err)
	}
	r.took(end, 2, "left")
	res.grant.Done(0)

	r.policy(b, frontier.SitePolicy{BlockedUntil: time.Now().Add(time.Hour), BlockReason: "busy"})
	var blocked *frontier.BlockedError
	if _, err := a.Permit(r.ctx, "b"); !errors.As(err, &blocked) || blocked.Site != "b" {
		r.Errorf("Permit of a blocked site by another lease: %v, want a BlockedError", err)
	}
}

func permitBlocked(r *run) {
	l := r.leased()
	start := time.Now()
	until := start.Add(2 * time.Hour)
	r.policy(l, frontier.SitePolicy{BlockedUntil: until, BlockReason: "busy"})
	_, err := l.Permit(r.ctx, "a")
	var blocked *frontier.BlockedError
	if !errors.As(err, &blocked) {
		r.Fatalf("Permit: %v, want a BlockedError", err)
	}
	if blocked.Site != "a" || blocked.Reason != "busy" || !near(blocked.Until, until, until) {
		r.Errorf("blocked: %+v", blocked)
	}
	if time.Since(start) > time.Minute {
		r.Errorf("BlockedError after %v, want it at once", time.Since(start))
	}
	r.policy(l, frontier.SitePolicy{})
	r.permit(l, "a").Done(0)
}

func permitBlockedShort(r *run) {
	l := r.leased()
	start := time.Now()
	r.policy(l, frontier.SitePolicy{BlockedUntil: start.Add(r.units(50)), BlockReason: "busy"})
	g := r.permit(l, "a")
	r.took(start, 50, "left")
	g.Done(0)
}

func permitBlockedMeanwhile(r *run) {
	l, g := r.asking()
	c := r.permitLater(r.ctx, l, "a")
	r.policy(l, frontier.SitePolicy{BlockedUntil: time.Now().Add(time.Hour), BlockReason: "busy"})
	g.Done(0)
	var blocked *frontier.BlockedError
	if res := r.returns(c, "Permit"); !errors.As(res.err, &blocked) {
		r.Errorf("Permit: %v, want a BlockedError", res.err)
	}
}

func permitContext(r *run) {
	l, g := r.asking()
	ctx, cancel := context.WithCancel(r.ctx)
	c := r.permitLater(ctx, l, "a")
	cancel()
	if res := r.returns(c, "Permit"); !errors.Is(res.err, context.Canceled) {
		r.Errorf("Permit: %v, want %v", res.err, context.Canceled)
	}
	end := time.Now()
	g.Done(r.units(2))
	if g, err := l.Permit(ctx, "a"); !errors.Is(err, context.Canceled) {
		r.Errorf("Permit with an ended context = %+v, %v", g, err)
	}
	g = r.permit(l, "a")
	r.took(end, 2, "left")
	g.Done(0)
}

func permitClosed(r *run) {
	l, g := r.asking()
	c := r.permitLater(r.ctx, l, "a")
	r.close(l)
	if res := r.returns(c, "Permit"); res.err == nil {
		r.Error("Permit of a lease closed meanwhile, want an error")
	}
	if _, err := l.Permit(r.ctx, "a"); err == nil {
		r.Error("Permit of a closed lease, want an error")
	}
	g.Done(0)
}

func permitEndsOnce(r *run) {
	l, g := r.asking()
	g.Done(0)
	g.Done(r.units(1000)) // a mistake, which must not free a second slot
	g = r.permit(l, "a")
	c := r.permitLater(r.ctx, l, "a")
	r.waits(c, "Permit")
	g.Done(0)
	if res := r.returns(c, "Permit"); res.err != nil {
		r.Fatalf("Permit: %v", res.err)
	} else {
		res.grant.Done(0)
	}
}

func permitOutlives(r *run) {
	r.queue("http://a/1", "http://b/1")
	a, b := r.lease(""), r.lease("")
	g := r.permit(a, a.Site())
	end := time.Now()
	g.Done(r.units(4))
	r.close(a)
	g = r.permit(b, a.Site()) // no lease of a, but its gap
	r.took(end, 4, "left")
	g.Done(0)
}

func permitEndsLate(r *run) {
	l, g := r.asking()
	r.close(l)
	r.sleep(1)
	end := time.Now()
	g.Done(r.units(3))
	again, err := r.f.Lease(r.ctx, time.Hour)
	if err != nil {
		r.Fatalf("Lease: %v", err)
	}
	g = r.permit(again, "a")
	r.took(end, 3, "left")
	g.Done(0)
}

func policyWhole(r *run) {
	r.queue("http://a/1", "http://b/1")
	l := r.lease("")
	now := time.Now().UTC().Truncate(time.Second)
	want := frontier.SitePolicy{
		Delay: 1500 * time.Millisecond, Connections: 2, BlockedUntil: now.Add(-time.Hour), BlockReason: "busy", Failures: 300,
		State: []byte("{\x00}"),
	}
	state := []byte("{\x00}")
	given := want
	given.State = state
	r.policy(l, given)
	state[0] = 'x'
	check := func(got frontier.SitePolicy, where string) {
		r.Helper()
		got.BlockedUntil = got.BlockedUntil.UTC()
		if diff := cmp.Diff(want, got); diff != "" {
			r.Errorf("%s (-set +got):\n%s", where, diff)
		}
	}
	check(l.Info().Policy, "Info of the lease")
	check(r.site(l.Site()).Policy, "Sites")
	r.lease("") // the other site
	r.close(l)
	again := r.lease(l.Site())
	check(again.Info().Policy, "Info of the next lease")
	r.site(l.Site()).Policy.State[0] = 'y'
	check(r.site(l.Site()).Policy, "Sites after its result was changed")
	again.Info().Policy.State[0] = 'y'
	check(again.Info().Policy, "Info after its result was changed")
	want = frontier.SitePolicy{}
	r.policy(again, want)
	got := again.Info().Policy
	if len(got.State) == 0 {
		got.State = nil
	}
	check(got, "Info after an empty policy was set")
}
