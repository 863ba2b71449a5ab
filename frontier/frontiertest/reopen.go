package frontiertest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cybermapper/cybermapper/frontier"
)

// OpenDir opens the frontier that lives in a directory, which exists; it is empty the first time.
type OpenDir func(t testing.TB, dir string) frontier.Frontier

// Kill leaves f as a crash would, and returns the directory to open next: dir, or one that holds what the crash has left.
// If f goes on running, unseen, Kill sees to it that it ends with the test.
type Kill func(t testing.TB, f frontier.Frontier, dir string) string

// Reopen tests what must outlive the process: after Close, and after kill unless it is nil, the frontier opened again is
// what it was. The longer waits that implementations may impose after a crash are admitted.
func Reopen(t *testing.T, open OpenDir, kill Kill, o Options) {
	for _, end := range []struct {
		name string
		do   Kill
	}{{"Close", closeDir}, {"Kill", kill}} {
		if end.do == nil {
			continue
		}
		for _, p := range reopenPromises() {
			t.Run(end.name+"/"+p.name, func(t *testing.T) {
				o.run(t, func(t *testing.T) {
					dir := t.TempDir()
					r := newRun(t, func(t testing.TB) frontier.Frontier { return open(t, dir) }, o)
					r.exact = false
					r.again = func() {
						dir = end.do(t, r.f, dir)
						r.f = open(t, dir)
					}
					p.keep(r)
				})
			})
		}
		if o.Oracle != nil {
			t.Run(end.name+"/Random", func(t *testing.T) { randomReopen(t, open, end.do, o.Oracle) })
		}
	}
}

func closeDir(t testing.TB, f frontier.Frontier, dir string) string {
	if err := f.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	return dir
}

func reopenPromises() []promise {
	return []promise{
		{"everything settled is as before", reopenSame},
		{"what was leased is queued again", reopenLeased},
		{"the queue keeps its order", reopenOrder},
		{"retries keep their time", reopenRetry},
		{"what is known stays known", reopenKnown},
		{"the policy's delay is owed", reopenDelay},
		{"a block holds", reopenBlocked},
		{"many times", reopenOften},
	}
}

// A picture is all that can be seen of a frontier.
type picture struct {
	Stats frontier.Stats
	Sites map[string]frontier.SiteInfo
	URLs  map[string]frontier.Info

	Returns map[string]frontier.Return
}

func (r *run) picture(urls []string) (p picture) {
	r.Helper()
	var err error
	if p.Stats, err = r.f.Stats(r.ctx); err != nil {
		r.Fatalf("Stats: %v", err)
	}
	if p.Sites, err = sites(r.ctx, r.f); err != nil {
		r.Fatalf("Sites: %v", err)
	}
	if p.Returns, err = returns(r.ctx, r.f); err != nil {
		r.Fatalf("Returns: %v", err)
	}
	for name, s := range p.Sites {
		s.Due = time.Time{} // what is owed is the subject of reopenDelay
		p.Sites[name] = s
	}
	p.Stats.Waiting = 0
	p.URLs = make(map[string]frontier.Info)
	for _, u := range urls {
		p.URLs[u] = r.lookup(u)
	}
	return p
}

func (p picture) diff(q picture) string {
	return cmp.Diff(p, q, cmpopts.EquateComparable(frontier.URL{}), cmpopts.EquateEmpty(),
		cmpopts.EquateApproxTime(time.Millisecond), cmpopts.IgnoreFields(frontier.Entry{}, "ID"))
}

// somewhat does a little of everything and returns the URLs it knows of.
func (r *run) somewhat() []string {
	urls := append(pages("a", 8), "http://b/1", "https://b/2", "http://c:8080/x?y", "http://a/new", "http://d/new")
	links := Links(r, urls[:len(urls)-2]...)
	for i := range links {
		links[i].Depth, links[i].Priority = i%3, int8(i)
		links[i].Kind, links[i].Modified = uint8(i%2), time.Unix(int64(i), 0).UTC()
		links[i].Via, links[i].Hops = URL(r, "http://via/"), r.hops("http://hop/1", "http://hop/2")
	}
	r.add(links, len(links))
	var others []frontier.Lease
	l := r.lease("")
	for ; l.Site() != "a"; l = r.lease("") {
		others = append(others, l)
	}
	for _, other := range others {
		r.close(other)
	}
	r.policy(l, frontier.SitePolicy{
		Delay: time.Millisecond, Connections: 2, Failures: 3, State: []byte("state"),
		BlockedUntil: time.Now().Add(-time.Hour), BlockReason: "was busy",
	})
	for i, s := range []frontier.Status{frontier.Done, frontier.Refused, frontier.Failed, frontier.Retrying} {
		r.permit(l, "a").Done(time.Millisecond)
		e, _, err := l.Next(r.ctx)
		if err != nil {
			r.Fatalf("Next: %v", err)
		}
		r.settle(l, frontier.AddResult{New: min(i%3, 1), Known: 1 - min(i%3, 1)}, frontier.Outcome{
			Entry: e, Status: s, Reason: "reason", Code: 500 + i, Page: i%2 == 0, Bytes: 1000,
			NotBefore: time.Now().Add(time.Hour), State: []byte{byte(i)}, Again: time.Now(),
			Links: Links(r, []string{"http://b/1", "http://a/new", "http://d/new"}[i%3]),
		})
	}
	r.close(l)
	return urls
}

func reopenSame(r *run) {
	urls := r.somewhat()
	before := r.picture(urls)
	r.again()
	if diff := before.diff(r.picture(urls)); diff != "" {
		r.Errorf("after opening again (-before +after):\n%s", diff)
	}
}

func reopenLeased(r *run) {
	r.queue("http://a/1", "http://a/2", "http://a/3")
	l := r.lease("a")
	r.next(l, "http://a/1")
	r.done(l, r.next(l, "http://a/2"))
	r.again()
	r.stats(frontier.Stats{Known: 3, Queued: 2, Done: 1, Sites: 1})
	l = r.lease("a")
	if e := r.next(l, "http://a/1"); e.Attempt != 0 {
		r.Errorf("attempt %d, want 0", e.Attempt)
	}
	r.next(l, "http://a/3")
	r.noNext(l)
}

func reopenOrder(r *run) {
	links := Links(r, "http://a/d", "http://a/c", "http://a/b", "http://a/a")
	links[0].Depth, links[1].Depth, links[2].Priority = 2, 1, -1
	r.add(links, 4)
	r.again()
	r.queue("http://a/a2") // younger than all
	l := r.lease("a")
	for _, want := range []string{"a", "a2", "c", "b", "d"} {
		r.next(l, "http://a/"+want)
	}
}

func reopenRetry(r *run) {
	r.queue("http://a/1", "http://a/2")
	l := r.lease("a")
	one, two := r.next(l, "http://a/1"), r.next(l, "http://a/2")
	until := time.Now().Add(r.units(5))
	r.retry(l, one, until)
	r.retry(l, two, until.Add(time.Hour))
	r.again()
	l, err := r.f.Lease(r.ctx, time.Minute)
	if err != nil {
		r.Fatalf("Lease: %v", err)
	}
	if time.Now().Before(until) {
		r.Errorf("leased %v too soon", time.Until(until))
	}
	if e := r.next(l, "http://a/1"); e.Attempt != 1 {
		r.Errorf("attempt %d, want 1", e.Attempt)
	}
	r.noNext(l)
}

func reopenKnown(r *run) {
	urls := r.somewhat()
	r.again()
	r.add(Links(r, urls...), 0)
	force := Links(r, urls...)
	for i := range force {
		force[i].Force = true
	}
	r.add(force, 3) // one is Done, one Refused, one Failed
}

func reopenDelay(r *run) {
	r.queue("http://a/1", "http://a/2", "http://b/1")
	a, b := r.lease(""), r.lease("")
	if a.Site() == "b" {
		a, b = b, a
	}
	r.policy(a, frontier.SitePolicy{Delay: r.units(8)})
	g := r.permit(a, "a")
	e := r.next(a, "http://a/1")
	end := time.Now()
	g.Done(0)
	r.done(a, e)
	r.again()
	b = r.lease("b") // nothing is owed there
	l, err := r.f.Lease(r.ctx, time.Minute)
	if err != nil {
		r.Fatalf("Lease: %v", err)
	}
	g = r.permit(l, "a")
	r.took(end, 8, "left")
	if g.LastEnd.IsZero() || g.Owed < r.units(8)-time.Millisecond {
		r.Errorf("last end %v, owed %v, want %v and %v", g.LastEnd, g.Owed, end, r.units(8))
	}
	end = time.Now()
	g.Done(r.unit) // from now on the gap that is asked for
	g = r.permit(l, "a")
	r.took(end, 1, "left")
	g.Done(0)
	r.close(b)
}

func reopenBlocked(r *run) {
	l := r.leased()
	until := time.Now().Add(r.units(30))
	r.policy(l, frontier.SitePolicy{BlockedUntil: until, BlockReason: "busy"})
	r.again()
	r.noLease(0, frontier.ErrWaiting)
	l, err := r.f.Lease(r.ctx, time.Minute)
	if err != nil {
		r.Fatalf("Lease: %v", err)
	}
	if time.Now().Before(until) {
		r.Errorf("leased %v too soon", time.Until(until))
	}
	if p := l.Info().Policy; p.BlockReason != "busy" || !near(p.BlockedUntil, until, until) {
		r.Errorf("policy %+v, want it blocked until %v", p, until)
	}
}

func reopenOften(r *run) {
	r.queue(pages("a", 10)...)
	for i, u := range pages("a", 10) {
		l := r.lease("a")
		r.done(l, r.next(l, u))
		r.again()
		r.stats(frontier.Stats{Known: 10, Queued: int64(9 - i), Done: int64(i + 1), Sites: 1})
	}
	r.noLease(time.Hour, frontier.ErrIdle)
}
