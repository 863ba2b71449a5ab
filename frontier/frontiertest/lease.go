package frontiertest

import (
	"context"
	"errors"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

func leasePromises() []promise {
	return []promise{
		{"Lease/idle when nothing is left", leaseIdle},
		{"Lease/waiting when nothing is due within patience", leaseWaiting},
		{"Lease/waits for what is due within patience", leasePatient},
		{"Lease/waits while another is out", leaseWaits},
		{"Lease/is idle as soon as the last one is back", leaseIdleLater},
		{"Lease/wakes for a link that is added", leaseWakes},
		{"Lease/ends with its context", leaseContext},
		{"Lease/is exclusive", leaseExclusive},
		{"Lease/longest due first", leaseOldest},
		{"Lease/priority among sites that are due", leasePriority},
		{"Lease/a site that another lease asks is due later", leasePostponed},
		{"Lease/sites take turns", leaseTurns},
		{"Lease/shows the site", leaseInfo},
		{"Lease/not before the gap is over", leaseGap},
		{"Lease/not while the site is blocked", leaseBlocked},
		{"Yield/not before the time asked for", yields},
		{"Stats/waiting sites", statsWaiting},
	}
}

func leaseIdle(r *run) {
	r.noLease(0, frontier.ErrIdle)
	l := r.leased()
	r.done(l, r.next(l, "http://a/1"))
	r.close(l)
	r.noLease(time.Hour, frontier.ErrIdle)
}

// rests queues a URL of the site whose next attempt is n units away.
func (r *run) rests(site string, n int) {
	r.Helper()
	raw := "http://" + site + "/rests"
	r.queue(raw)
	l := r.lease(site)
	e := r.next(l, raw)
	r.settle(l, frontier.AddResult{}, frontier.Outcome{Entry: e, Status: frontier.Retrying, NotBefore: time.Now().Add(r.units(n))})
	r.close(l)
}

func leaseWaiting(r *run) {
	r.rests("a", 100000)
	r.noLease(0, frontier.ErrWaiting)
	r.noLease(r.units(50), frontier.ErrWaiting)
	r.queue("http://b/1") // due now, although a is not
	l := r.lease("b")
	r.done(l, r.next(l, "http://b/1"))
	r.close(l)
	r.noLease(r.units(50), frontier.ErrWaiting)
}

func leasePatient(r *run) {
	start := time.Now()
	r.rests("b", 100000)
	r.rests("a", 3) // last, so that it is not due before b rests, however slow the disk is
	l, err := r.f.Lease(r.ctx, r.units(3))
	if err != nil || l.Site() != "a" {
		r.Fatalf("Lease: %v, want a", err)
	}
	r.took(start, 3, "leased")
}

func leaseWaits(r *run) {
	start := time.Now()
	r.rests("b", 20)
	r.queue("http://a/1")
	a := r.lease("a")
	c := r.leaseLater(r.ctx, 0) // patience is for when nothing is leased
	r.waits(c, "Lease")
	res := r.returns(c, "Lease")
	if res.err != nil || res.lease.Site() != "b" {
		r.Fatalf("Lease: %v, want b", res.err)
	}
	r.took(start, 20, "leased")
	c = r.leaseLater(r.ctx, 0)
	r.waits(c, "Lease")
	r.close(a)
	if res := r.returns(c, "Lease"); res.err != nil || res.lease.Site() != "a" {
		r.Fatalf("Lease: %v, want a", res.err)
	}
}

func leaseIdleLater(r *run) {
	l := r.leased()
	c := r.leaseLater(r.ctx, time.Hour)
	r.done(l, r.next(l, "http://a/1"))
	r.waits(c, "Lease") // the lease is out
	r.close(l)
	if res := r.returns(c, "Lease"); !errors.Is(res.err, frontier.ErrIdle) {
		r.Fatalf("Lease: %v, want %v", res.err, frontier.ErrIdle)
	}
}

func leaseWakes(r *run) {
	l := r.leased()
	c := r.leaseLater(r.ctx, 0)
	r.queue("http://b/1")
	if res := r.returns(c, "Lease"); res.err != nil || res.lease.Site() != "b" {
		r.Fatalf("Lease: %v, want b", res.err)
	}
	c = r.leaseLater(r.ctx, 0)
	e := r.next(l, "http://a/1")
	r.settle(l, frontier.AddResult{New: 1}, frontier.Outcome{Entry: e, Status: frontier.Done, Links: Links(r, "http://c/1")})
	if res := r.returns(c, "Lease"); res.err != nil || res.lease.Site() != "c" {
		r.Fatalf("Lease: %v, want c", res.err)
	}
}

func leaseContext(r *run) {
	l := r.leased()
	ctx, cancel := context.WithCancel(r.ctx)
	c := r.leaseLater(ctx, 0)
	cancel()
	if res := r.returns(c, "Lease"); !errors.Is(res.err, context.Canceled) {
		r.Fatalf("Lease: %v, want %v", res.err, context.Canceled)
	}
	r.close(l)
	if l, err := r.f.Lease(ctx, 0); !errors.Is(err, context.Canceled) {
		r.Fatalf("Lease with an ended context = %v, %v", l, err)
	}
	r.lease("a")
}

func leaseExclusive(r *run) {
	r.queue("http://a/1", "http://a/2", "http://b/1")
	first, second := r.lease(""), r.lease("")
	if first.Site() == second.Site() {
		r.Fatalf("%s is leased twice", first.Site())
	}
	c := r.leaseLater(r.ctx, 0)
	r.queue("http://a/3", "http://b/3")
	r.waits(c, "Lease")
	r.close(second)
	if res := r.returns(c, "Lease"); res.err != nil || res.lease.Site() != second.Site() {
		r.Fatalf("Lease: %v, want %s", res.err, second.Site())
	}
}

func leaseOldest(r *run) {
	for _, site := range []string{"c", "a", "d", "b"} {
		r.queue("http://" + site + "/1")
		r.tick()
	}
	r.queue("http://c/2")
	for _, site := range []string{"c", "a", "d", "b"} {
		r.lease(site)
	}
}

func leasePriority(r *run) {
	for _, l := range []struct {
		site     string
		priority int8
	}{{"low", -1}, {"none", 0}, {"high", 1}, {"none2", 0}, {"highest", 100}} {
		r.add([]frontier.Link{{URL: URL(r, "http://"+l.site+"/1"), Priority: l.priority}}, 1)
		r.tick()
	}
	r.add([]frontier.Link{{URL: URL(r, "http://none2/2"), Priority: 2}}, 1) // what a site has next counts
	for _, site := range []string{"highest", "none2", "high", "none", "low"} {
		r.lease(site)
	}
}

func leasePostponed(r *run) {
	for _, site := range []string{"a", "b", "c", "d"} {
		r.queue("http://" + site + "/1")
		r.tick()
	}
	l := r.lease("a")
	start := time.Now()
	r.permit(l, "b").Done(r.units(20)) // robots.txt of a has moved to b
	r.lease("c")
	r.lease("d")
	r.lease("b")
	r.took(start, 20, "leased")
}

// tick lets some time pass, however short.
func (r *run) tick() { time.Sleep(2 * time.Millisecond) }

func leaseTurns(r *run) {
	for _, site := range []string{"a", "b", "c"} {
		r.queue(pages(site, 10)...)
		r.tick()
	}
	for range 5 {
		for _, site := range []string{"a", "b", "c"} {
			l := r.lease(site)
			e, _, _ := l.Next(r.ctx)
			r.done(l, e)
			r.tick()
			r.close(l)
		}
	}
}

func leaseInfo(r *run) {
	r.queue("http://a/1", "http://a/2")
	l := r.lease("a")
	if s := l.Info(); l.Site() != "a" || s.Site != "a" || s.Queued != 2 || !s.LastEnd.IsZero() {
		r.Errorf("lease of %s, %+v", l.Site(), s)
	}
	if s := r.site("a"); !s.Leased || s.Queued != 2 {
		r.Errorf("Sites: %+v, want it leased", s)
	}
	r.next(l, "http://a/1")
	if s := r.site("a"); s.Queued != 2 {
		r.Errorf("Sites: %+v, want what is taken still counted", s)
	}
	r.close(l)
	if s := r.site("a"); s.Leased || s.Queued != 2 || s.Due.IsZero() || s.Due.After(time.Now()) {
		r.Errorf("Sites: %+v, want it due", s)
	}
}

func leaseGap(r *run) {
	l, g := r.asking()
	end := time.Now()
	g.Done(r.units(20))
	r.close(l)
	if s := r.site("a"); !near(s.LastEnd, end, time.Now()) || s.Due.Before(end.Add(r.units(20))) {
		r.Errorf("Sites: last end %v, due %v, want %v and 20 units later", s.LastEnd, s.Due, end)
	}
	r.noLease(r.units(2), frontier.ErrWaiting)
	if _, err := r.f.Lease(r.ctx, time.Hour); err != nil {
		r.Fatalf("Lease: %v", err)
	}
	r.took(end, 20, "leased")
}

func leaseBlocked(r *run) {
	r.queue("http://a/1")
	start := time.Now()
	l := r.lease("a")
	r.policy(l, frontier.SitePolicy{BlockedUntil: start.Add(r.units(20)), BlockReason: "busy"})
	r.close(l)
	r.noLease(0, frontier.ErrWaiting)
	if _, err := r.f.Lease(r.ctx, time.Hour); err != nil {
		r.Fatalf("Lease: %v", err)
	}
	r.took(start, 20, "leased")
}

func (r *run) policy(l frontier.Lease, p frontier.SitePolicy) {
	r.Helper()
	if err := l.SetPolicy(r.ctx, p); err != nil {
		r.Fatalf("SetPolicy: %v", err)
	}
}

func yields(r *run) {
	r.queue("http://a/1", "http://b/1")
	l := r.lease("")
	start := time.Now()
	l.Yield(start.Add(r.units(20)))
	e, ok, err := l.Next(r.ctx)
	if !ok || err != nil {
		r.Fatalf("Next after Yield = %v, %v, want an entry", ok, err)
	}
	r.close(l)
	r.queue(e.URL.String() + "/2") // wakes the site no sooner
	if info, known, err := r.f.Site(r.ctx, l.Site()); err != nil || !known || info.Due.After(start.Add(r.units(10))) {
		r.Errorf("Site after Yield: %+v, %v, want nothing owed to it", info, err)
	}
	r.stats(frontier.Stats{Known: 3, Queued: 3, Sites: 2, Waiting: 1})
	other := r.lease("")
	if other.Site() == l.Site() {
		r.Fatalf("%s is leased again at once", l.Site())
	}
	next, _, _ := other.Next(r.ctx)
	r.done(other, next)
	r.close(other)
	r.noLease(0, frontier.ErrWaiting)
	again, err := r.f.Lease(r.ctx, time.Hour)
	if err != nil || again.Site() != l.Site() {
		r.Fatalf("Lease: %v, want %s", err, l.Site())
	}
	r.took(start, 20, "leased")
	r.close(again) // Yield was for one time
	r.lease(l.Site())
}

func statsWaiting(r *run) {
	r.rests("a", 100000)
	r.stats(frontier.Stats{Known: 1, Retrying: 1, Sites: 1, Waiting: 1})
	r.queue("http://b/1")
	r.stats(frontier.Stats{Known: 2, Queued: 1, Retrying: 1, Sites: 2, Waiting: 1})
	r.queue("http://a/1") // now a is due
	r.stats(frontier.Stats{Known: 3, Queued: 2, Retrying: 1, Sites: 2})
	if s := r.site("a"); s.Queued != 1 || s.Retrying != 1 || s.Due.IsZero() || s.Due.After(time.Now()) {
		r.Errorf("Sites: %+v, want it due", s)
	}
	l := r.lease("")
	r.stats(frontier.Stats{Known: 3, Queued: 2, Retrying: 1, Sites: 2, Leased: 1})
	r.close(l)
}
