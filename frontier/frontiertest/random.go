package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/cybermapper/cybermapper/frontier"
)

// random does the same random things to a frontier and to an oracle and compares what they answer. Which site is leased
// first, and anything that needs time to pass, is left to the promises.
func random(t *testing.T, open Open, oracle func() frontier.Frontier) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &pair{ctx: t.Context(), got: open(t), want: oracle()}
		defer p.end(rt)
		rt.Repeat(p.actions())
	})
}

// randomReopen does the same to a frontier that lives in a directory, and at times ends it and opens it again.
func randomReopen(t *testing.T, open OpenDir, end Kill, oracle func() frontier.Frontier) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		p := &pair{ctx: t.Context(), got: open(t, dir), want: oracle()}
		defer p.end(rt)
		actions := p.actions()
		actions["Reopen"] = func(*rapid.T) {
			for _, l := range p.leases {
				l.want.Close()
			}
			p.leases = nil
			dir = end(t, p.got, dir)
			p.got = open(t, dir)
		}
		rt.Repeat(actions)
	})
}

// A pair is a frontier and its oracle, and what was got from both.
type pair struct {
	ctx       context.Context
	got, want frontier.Frontier
	leases    []*leasePair
	retries   int
}

type leasePair struct {
	got, want frontier.Lease
	taken     []entryPair
}

type entryPair struct{ got, want frontier.Entry }

func (p *pair) end(t *rapid.T) {
	if err := p.got.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	p.want.Close()
}

func (p *pair) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"Add":       p.add,
		"Lease":     p.lease,
		"Next":      p.next,
		"Settle":    p.settle,
		"SetPolicy": p.setPolicy,
		"Close":     p.close,
		"Lookup":    p.lookup,
		"":          p.compare,
	}
}

const fewSites = 4

var anyURL = rapid.Custom(func(t *rapid.T) frontier.URL {
	raw := fmt.Sprintf("http://%c/%d", 'a'+rapid.IntRange(0, fewSites-1).Draw(t, "site"), rapid.IntRange(0, 9).Draw(t, "page"))
	u, err := frontier.ParseURL(raw)
	if err != nil {
		t.Fatalf("parse URL %q: %v", raw, err)
	}
	return u
})

var anyLink = rapid.Custom(func(t *rapid.T) frontier.Link {
	return frontier.Link{
		URL:      anyURL.Draw(t, "URL"),
		Via:      anyURL.Draw(t, "via"),
		Hops:     rapid.SliceOfN(anyURL, 0, 2).Draw(t, "hops"),
		Depth:    rapid.IntRange(0, 3).Draw(t, "depth"),
		Priority: rapid.SampledFrom([]int8{0, 1, -1, 100, -100}).Draw(t, "priority"),
		Force:    rapid.IntRange(0, 4).Draw(t, "force") == 0,
		Kind:     rapid.SampledFrom([]uint8{0, 0, 1}).Draw(t, "kind"),
		State:    rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "state"),
	}
})

func (p *pair) add(t *rapid.T) {
	links := rapid.SliceOfN(anyLink, 0, 8).Draw(t, "links")
	got, err := p.got.Add(p.ctx, links)
	want, _ := p.want.Add(p.ctx, links)
	same(t, "Add", got, want, err)
}

// lease leases a site that is due, or else finds that there is none.
func (p *pair) lease(t *rapid.T) {
	due := 0
	all, _ := sites(p.ctx, p.want)
	for _, s := range all {
		if !s.Leased && !s.Due.IsZero() && !s.Due.After(time.Now()) {
			due++
		}
	}
	if due == 0 && len(p.leases) > 0 {
		t.Skip("it would wait")
	}
	got, err := p.got.Lease(p.ctx, 0)
	if due == 0 {
		if _, want := p.want.Lease(p.ctx, 0); !errors.Is(err, want) {
			t.Fatalf("Lease: %v, want %v", err, want)
		}
		return
	}
	if err != nil {
		t.Fatalf("Lease: %v, want one of %d sites", err, due)
	}
	want := leaseSite(t, p.want, got.Site(), due)
	gotInfo, wantInfo := got.Info(), want.Info()
	p.leases = append(p.leases, &leasePair{got: got, want: want})
	same(t, "Lease.Info", dueOrNot(gotInfo), dueOrNot(wantInfo), nil)
}

// leaseSite leases that site, one of due.
func leaseSite(t *rapid.T, f frontier.Frontier, site string, due int) frontier.Lease {
	for range due {
		l, err := f.Lease(context.Background(), 0)
		if err != nil {
			t.Fatalf("Lease of the oracle: %v", err)
		}
		if l.Site() == site {
			return l
		}
		defer l.Close()
	}
	t.Fatalf("%s is leased, but not due", site)
	return nil
}

func (p *pair) anyLease(t *rapid.T) *leasePair {
	if len(p.leases) == 0 {
		t.Skip("no lease")
	}
	return rapid.SampledFrom(p.leases).Draw(t, "lease")
}

func (p *pair) next(t *rapid.T) {
	l := p.anyLease(t)
	got, ok, err := l.got.Next(p.ctx)
	want, wantOK, _ := l.want.Next(p.ctx)
	if ok {
		l.taken = append(l.taken, entryPair{got, want})
	}
	same(t, "Next", ok, wantOK, err)
	same(t, "Next", got, want, nil)
}

// settle settles some entries of a lease, not always the oldest.
func (p *pair) settle(t *rapid.T) {
	l := p.anyLease(t)
	var got, want []frontier.Outcome
	for range rapid.IntRange(0, len(l.taken)).Draw(t, "outcomes") {
		i := rapid.IntRange(0, len(l.taken)-1).Draw(t, "entry")
		e := l.taken[i]
		l.taken = slices.Delete(l.taken, i, i+1)
		o := p.anyOutcome(t)
		o.Entry = e.got
		got = append(got, o)
		o.Entry = e.want
		want = append(want, o)
	}
	gotRes, err := l.got.Settle(p.ctx, got...)
	wantRes, _ := l.want.Settle(p.ctx, want...)
	same(t, "Settle", gotRes, wantRes, err)
}

func (p *pair) anyOutcome(t *rapid.T) frontier.Outcome {
	o := frontier.Outcome{
		Status: rapid.SampledFrom([]frontier.Status{frontier.Done, frontier.Refused, frontier.Failed, frontier.Retrying}).Draw(t,
			"status"),
		Reason: rapid.SampledFrom([]string{"", "robots", "timeout"}).Draw(t, "reason"),
		Code:   rapid.SampledFrom([]int{0, 200, 999}).Draw(t, "code"),
		Page:   rapid.Bool().Draw(t, "page"),
		Bytes:  rapid.Int64Range(0, 1<<40).Draw(t, "bytes"),
		Links:  rapid.SliceOfN(anyLink, 0, 4).Draw(t, "links"),
	}
	if rapid.Bool().Draw(t, "remember") {
		o.State = rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "state")
		o.Again = time.Unix(rapid.Int64Range(1, 1<<32).Draw(t, "again"), 0)
	}
	if o.Status == frontier.Retrying {
		o.Unasked = rapid.Bool().Draw(t, "unasked")
		o.Excused = !o.Unasked && rapid.Bool().Draw(t, "excused")
		p.retries++ // no two at the same time, which have no order
		span := rapid.SampledFrom([]time.Duration{-1000 * time.Hour, 1000 * time.Hour}).Draw(t, "when")
		o.NotBefore = time.Now().Truncate(time.Second).Add(span + time.Duration(p.retries)*time.Second)
	}
	return o
}

func (p *pair) setPolicy(t *rapid.T) {
	l := p.anyLease(t)
	policy := frontier.SitePolicy{
		Connections: rapid.IntRange(0, 3).Draw(t, "connections"),
		Failures:    rapid.IntRange(0, 3).Draw(t, "failures"),
		State:       rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "state"),
	}
	if rapid.IntRange(0, 9).Draw(t, "block") == 0 {
		policy.BlockReason = "busy"
		policy.BlockedUntil = time.Now().Truncate(time.Second).Add(1000 * time.Hour)
	}
	err := l.got.SetPolicy(p.ctx, policy)
	l.want.SetPolicy(p.ctx, policy)
	same(t, "SetPolicy", nil, nil, err)
}

func (p *pair) close(t *rapid.T) {
	l := p.anyLease(t)
	err := l.got.Close()
	l.want.Close()
	p.leases = slices.DeleteFunc(p.leases, func(other *leasePair) bool { return other == l })
	same(t, "Lease.Close", nil, nil, err)
}

func (p *pair) lookup(t *rapid.T) {
	u := anyURL.Draw(t, "URL")
	got, err := p.got.Lookup(p.ctx, u)
	want, _ := p.want.Lookup(p.ctx, u)
	same(t, "Lookup", got, want, err)
}

// compare looks at everything that can be seen without a change.
func (p *pair) compare(t *rapid.T) {
	got, err := p.got.Stats(p.ctx)
	want, _ := p.want.Stats(p.ctx)
	same(t, "Stats", got, want, err)

	gotSites, err := sites(p.ctx, p.got)
	wantSites, _ := sites(p.ctx, p.want)
	for _, all := range []map[string]frontier.SiteInfo{gotSites, wantSites} {
		for name, s := range all {
			all[name] = dueOrNot(s)
		}
	}
	same(t, "Sites", gotSites, wantSites, err)

	gotReturns, err := returns(p.ctx, p.got)
	wantReturns, _ := returns(p.ctx, p.want)
	same(t, "Returns", gotReturns, wantReturns, err)
}

// dueOrNot returns s with one of three values for Due: none, in the past, in the future. While a site is leased Due
// depends on what is taken, so it is left out.
func dueOrNot(s frontier.SiteInfo) frontier.SiteInfo {
	switch {
	case s.Leased || s.Due.IsZero():
		s.Due = time.Time{}
	case s.Due.After(time.Now()):
		s.Due = time.Unix(2, 0)
	default:
		s.Due = time.Unix(1, 0)
	}
	s.Leased = false
	return s
}

// same compares what two frontiers answered, but for what they may choose and for the time that lies between.
func same(t *rapid.T, what string, got, want any, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	diff := cmp.Diff(want, got,
		cmpopts.EquateComparable(frontier.URL{}), cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(time.Minute),
		cmpopts.IgnoreFields(frontier.Entry{}, "ID"), cmpopts.IgnoreFields(frontier.Link{}, "Force"))
	if diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
