package frontiertest

import (
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cybermapper/cybermapper/frontier"
)

func settlePromises() []promise {
	return []promise{
		{"Settle/outcomes are kept", settleKeeps},
		{"Settle/counts by site and in total", settleCounts},
		{"Settle/links are added", settleLinks},
		{"Settle/what an outcome says is remembered", settleRemembers},
		{"Settle/no outcomes is nothing", settleNothing},
		{"Settle/all or nothing", settleAtomic},
		{"Settle/once, and only what this lease has taken", settleOwn},
	}
}

func settleKeeps(r *run) {
	urls := pages("a", 3)
	for _, u := range urls {
		r.add([]frontier.Link{{URL: URL(r, u), Depth: 7, Via: URL(r, "http://b/")}}, 1)
	}
	l := r.lease("a")
	start := time.Now()
	outcomes := []frontier.Outcome{
		{Status: frontier.Done, Code: 404, Reason: "status", Page: true, Bytes: 1000},
		{Status: frontier.Refused, Reason: "robots"},
		{Status: frontier.Failed, Code: 500, Reason: "http", Bytes: 10},
	}
	for i := range outcomes {
		outcomes[i].Entry = r.next(l, urls[i])
	}
	r.settle(l, frontier.AddResult{}, outcomes...)
	for _, when := range []string{"in the lease", "after it"} {
		for i, o := range outcomes {
			got := r.lookup(urls[i])
			if got.Status != o.Status || got.Reason != o.Reason || got.Code != o.Code || got.Depth != 7 ||
				got.Leased || !got.NotBefore.IsZero() || !near(got.Settled, start, time.Now()) || got.Entry.URL != o.Entry.URL {
				r.Errorf("Lookup %s = %+v, want %+v", when, got, o)
			}
		}
		if when == "in the lease" {
			r.close(l)
		}
	}
}

func settleCounts(r *run) {
	r.queue(pages("a", 10)...)
	r.queue("http://b/1")
	r.tick()
	l := r.lease("")
	if l.Site() == "b" {
		other := r.lease("a")
		r.close(l)
		l = other
	}
	status := []frontier.Status{
		frontier.Done, frontier.Done, frontier.Done, frontier.Refused, frontier.Refused, frontier.Failed, frontier.Retrying,
	}
	for i, s := range status {
		e := r.next(l, pages("a", 10)[i])
		r.settle(l, frontier.AddResult{}, frontier.Outcome{
			Entry: e, Status: s, Page: s == frontier.Done, Bytes: 100, NotBefore: time.Now().Add(time.Hour),
		})
	}
	r.close(l)
	got := r.site("a")
	got.Due = time.Time{}
	want := frontier.SiteInfo{Site: "a", Queued: 3, Retrying: 1, Done: 3, Refused: 2, Failed: 1, Pages: 3, Bytes: 700}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("Sites (-want +got):\n%s", diff)
	}
	r.stats(frontier.Stats{Known: 11, Queued: 4, Retrying: 1, Done: 3, Refused: 2, Failed: 1, Pages: 3, Bytes: 700, Sites: 2})
}

func settleLinks(r *run) {
	r.queue("http://a/1", "http://a/2")
	l := r.lease("a")
	first, second := r.next(l, "http://a/1"), r.next(l, "http://a/2")
	r.settle(l, frontier.AddResult{New: 4, Known: 3},
		frontier.Outcome{Entry: first, Status: frontier.Done,
			Links: Links(r, "http://a/1", "http://a/2", "http://a/3", "http://b/1")},
		frontier.Outcome{Entry: second, Status: frontier.Refused, Links: Links(r, "http://b/1", "http://b/2", "http://c/1")},
	)
	r.stats(frontier.Stats{Known: 6, Queued: 4, Done: 1, Refused: 1, Sites: 3, Leased: 1})
	r.next(l, "http://a/3")
	r.noNext(l)
}

func settleRemembers(r *run) {
	link := frontier.Link{URL: URL(r, "http://a/1"), Via: URL(r, "http://b/"), Hops: r.hops("http://a/0"), Depth: 3, Kind: 1}
	r.add([]frontier.Link{link}, 1)
	due := time.Now().Add(time.Hour).Truncate(time.Second)
	opts := cmp.Options{cmpopts.EquateComparable(frontier.URL{})}
	expect := func(when string, want ...frontier.Return) {
		r.Helper()
		got, err := returns(r.ctx, r.f)
		byURL := map[string]frontier.Return{}
		for _, w := range want {
			byURL[w.URL.String()] = w
		}
		if diff := cmp.Diff(byURL, got, opts); err != nil || diff != "" {
			r.Errorf("Returns %s (-want +got): %v\n%s", when, err, diff)
		}
		if of := r.lookup("http://a/1").Return; len(want) > 0 && (of == nil || !cmp.Equal(want[0], *of, opts)) {
			r.Errorf("Lookup %s remembers %+v", when, of)
		}
	}
	visit := func(o frontier.Outcome) {
		r.Helper()
		r.rest()
		l := r.lease("a")
		o.Entry = r.next(l, "http://a/1")
		r.settle(l, frontier.AddResult{}, o)
		r.close(l)
	}
	visit(frontier.Outcome{Status: frontier.Done, State: []byte("first"), Again: due})
	link.State = []byte("first")
	expect("after a visit", frontier.Return{Link: link, Due: due})

	r.add([]frontier.Link{{URL: link.URL, State: link.State, Force: true}}, 1)
	expect("while it is queued again", frontier.Return{Link: link, Due: due})
	r.rest()
	l := r.lease("a")
	if e := r.next(l, "http://a/1"); string(e.State) != "first" {
		r.Errorf("Next hands out %q, want what was remembered", e.State)
	}
	r.close(l)
	visit(frontier.Outcome{Status: frontier.Refused})
	expect("after an outcome without State", frontier.Return{Link: link, Due: due})

	r.add([]frontier.Link{{URL: link.URL, State: link.State, Force: true}}, 1)
	visit(frontier.Outcome{Status: frontier.Failed, State: []byte("second")})
	expect("after the last visit", frontier.Return{Link: frontier.Link{URL: link.URL, State: []byte("second")}})
}

func settleNothing(r *run) {
	l := r.leased()
	r.settle(l, frontier.AddResult{})
	r.next(l, "http://a/1")
	r.settle(l, frontier.AddResult{})
	r.stats(frontier.Stats{Known: 1, Queued: 1, Sites: 1, Leased: 1})
}

func settleAtomic(r *run) {
	r.queue("http://a/1", "http://a/2")
	l := r.lease("a")
	first, second := r.next(l, "http://a/1"), r.next(l, "http://a/2")
	good := frontier.Outcome{Entry: first, Status: frontier.Done, Page: true, Bytes: 1, Links: Links(r, "http://b/1")}
	for name, bad := range map[string]frontier.Outcome{
		"status unknown": {Entry: second},
		"status queued":  {Entry: second, Status: frontier.Queued},
		"no such status": {Entry: second, Status: frontier.Failed + 1},
		"twice":          good,
		"no entry":       {Status: frontier.Done},
		"other URL":      {Entry: frontier.Entry{Link: Links(r, "http://a/3")[0], ID: second.ID}, Status: frontier.Done},
		"link no URL":    {Entry: second, Status: frontier.Done, Links: []frontier.Link{{}}},
	} {
		if res, err := l.Settle(r.ctx, good, bad); err == nil || res != (frontier.AddResult{}) {
			r.Errorf("%s: Settle = %+v, %v, want an error", name, res, err)
		}
	}
	r.stats(frontier.Stats{Known: 2, Queued: 2, Sites: 1, Leased: 1})
	r.settle(l, frontier.AddResult{New: 1}, good) // still can be
	r.stats(frontier.Stats{Known: 3, Queued: 2, Done: 1, Pages: 1, Bytes: 1, Sites: 2, Leased: 1})
}

func settleOwn(r *run) {
	r.queue("http://a/1", "http://a/2", "http://b/1")
	a, b := r.lease(""), r.lease("")
	if a.Site() == "b" {
		a, b = b, a
	}
	e := r.next(a, "http://a/1")
	settled := frontier.Outcome{Entry: e, Status: frontier.Done}
	refuse := func(l frontier.Lease, why string) {
		r.Helper()
		if res, err := l.Settle(r.ctx, settled); err == nil {
			r.Errorf("Settle %s = %+v, want an error", why, res)
		}
	}
	refuse(b, "by another lease")
	r.done(a, e)
	refuse(a, "twice")
	settled.Entry = r.next(a, "http://a/2")
	r.close(a)
	refuse(a, "after Close")
	r.stats(frontier.Stats{Known: 3, Queued: 2, Done: 1, Sites: 2, Leased: 1})
	again := r.lease("a")
	refuse(again, "what an earlier lease took")
	r.next(again, "http://a/2")
}
