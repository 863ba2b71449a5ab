package frontiertest

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cybermapper/cybermapper/frontier"
)

func addPromises() []promise {
	return []promise{
		{"Add/no links is nothing", addNothing},
		{"Add/a link is new once", addOnce},
		{"Add/a link without URL spoils the batch", addNoURL},
		{"Add/force queues what is settled, and only that", addForce},
		{"Add/a link is kept whole", addWhole},
		{"Add/a site is a host, whatever the scheme", addSites},
		{"Add/the slice stays the caller's", addCopies},
		{"Lookup/what was never added is unknown", lookupUnknown},
	}
}

func addNothing(r *run) {
	r.add(nil, 0)
	r.stats(frontier.Stats{})
	r.noLease(time.Hour, frontier.ErrIdle)
}

func addOnce(r *run) {
	r.add(Links(r, "http://a/1", "http://a/2", "http://b/1", "http://a/1"), 3)
	r.add(Links(r, "http://b/1", "http://b/2", "http://a/2"), 1)
	r.stats(frontier.Stats{Known: 4, Queued: 4, Sites: 2})
	l := r.lease("")
	e, _, _ := l.Next(r.ctx)
	r.done(l, e)
	r.add([]frontier.Link{e.Link}, 0)
	r.stats(frontier.Stats{Known: 4, Queued: 3, Done: 1, Sites: 2, Leased: 1})
}

func addNoURL(r *run) {
	if res, err := r.f.Add(r.ctx, append(Links(r, "http://a/1"), frontier.Link{})); err == nil || res != (frontier.AddResult{}) {
		r.Errorf("Add of a link without URL = %+v, %v, want an error", res, err)
	}
	r.stats(frontier.Stats{})
}

func addForce(r *run) {
	again := Links(r, "http://a/1")
	again[0].Force, again[0].Depth = true, 3
	r.add(again, 1) // also what is not known

	l := r.lease("a")
	r.add(again, 0) // queued
	e := r.next(l, "http://a/1")
	r.add(again, 0) // leased
	r.settle(l, frontier.AddResult{}, frontier.Outcome{Entry: e, Status: frontier.Retrying})
	r.add(again, 0) // waits for another attempt

	for _, s := range []frontier.Status{frontier.Done, frontier.Refused, frontier.Failed} {
		e := r.next(l, "http://a/1")
		r.settle(l, frontier.AddResult{}, frontier.Outcome{Entry: e, Status: s, Page: true, Bytes: 1})
		r.noNext(l)
		again[0].Depth++
		r.add(again, 1)
		if info := r.lookup("http://a/1"); info.Status != frontier.Queued || info.Depth != again[0].Depth ||
			info.Entry.Attempt != 0 || !info.Settled.IsZero() {
			r.Errorf("Lookup = %+v, want it queued anew", info)
		}
	}
	r.stats(frontier.Stats{Known: 1, Queued: 1, Pages: 3, Bytes: 3, Sites: 1, Leased: 1})
}

func addWhole(r *run) {
	want := frontier.Link{
		URL:      URL(r, "http://a/1?q=%2F"),
		Via:      URL(r, "https://b:8080/"),
		Hops:     []frontier.URL{URL(r, "http://a/2"), URL(r, "http://c/")},
		Depth:    300,
		Priority: -frontier.MaxPriority,
		Kind:     3,
		Modified: time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC),
		Every:    7 * 24 * time.Hour,
	}
	start := time.Now()
	r.add([]frontier.Link{want}, 1)
	for _, from := range []string{"Lookup", "Next", "Lookup of what is leased"} {
		var e frontier.Entry
		if from == "Next" {
			e = r.next(r.lease("a"), "http://a/1?q=%2F")
		} else {
			info := r.lookup("http://a/1?q=%2F")
			e = info.Entry
			if info.Status != frontier.Queued || info.Depth != 300 || info.Leased != (from != "Lookup") {
				r.Errorf("%s: %+v", from, info)
			}
		}
		if diff := cmp.Diff(want, e.Link, cmpopts.EquateComparable(frontier.URL{})); diff != "" {
			r.Errorf("%s (-added +got):\n%s", from, diff)
		}
		if e.Attempt != 0 || !near(e.Added, start, time.Now()) {
			r.Errorf("%s: attempt %d, added %v, want 0 and now", from, e.Attempt, e.Added)
		}
	}
}

func addSites(r *run) {
	r.queue("http://a/", "https://a/", "http://a:80/1", "http://a:8080/", "http://b/", "http://b.a/")
	all, err := sites(r.ctx, r.f)
	if err != nil {
		r.Fatalf("Sites: %v", err)
	}
	got := make(map[string]int64)
	for name, s := range all {
		got[name] = s.Queued
	}
	if diff := cmp.Diff(map[string]int64{"a": 3, "a:8080": 1, "b": 1, "b.a": 1}, got); diff != "" {
		r.Errorf("queued by site (-want +got):\n%s", diff)
	}
	if info, known, err := r.f.Site(r.ctx, "b"); err != nil || !known || info.Site != "b" || info.Queued != 1 {
		r.Errorf("Site(b) = %+v, %t, %v, want one that is queued", info, known, err)
	}
	if info, known, err := r.f.Site(r.ctx, "never.a"); err != nil || known || info.Queued != 0 {
		r.Errorf("Site(never.a) = %+v, %t, %v, want unknown and no error", info, known, err)
	}
	for range r.f.Sites(r.ctx) {
		break // early, which must not hold anything up
	}
	r.queue("http://c/")
}

func addCopies(r *run) {
	links := Links(r, "http://a/1", "http://a/2")
	links[0].Hops = r.hops("http://x/")
	hops := links[0].Hops
	r.add(links, 2)
	hops[0] = URL(r, "http://y/")
	links[0], links[1] = frontier.Link{}, frontier.Link{}
	l := r.lease("a")
	if e := r.next(l, "http://a/1"); !slices.Equal(e.Hops, r.hops("http://x/")) {
		r.Errorf("hops are %v after the caller changed his", e.Hops)
	}
	r.next(l, "http://a/2")
}

func (r *run) hops(raws ...string) (urls []frontier.URL) {
	for _, raw := range raws {
		urls = append(urls, URL(r, raw))
	}
	return urls
}

func lookupUnknown(r *run) {
	r.queue("http://a/1")
	for _, raw := range []string{"http://a/2", "http://b/1", "https://a/1"} {
		if info := r.lookup(raw); info.Status != frontier.Unknown || info.Leased || info.Depth != 0 || info.Entry.Attempt != 0 {
			r.Errorf("Lookup(%s) = %+v, want it unknown", raw, info)
		}
	}
}

// near reports whether t lies between from and to, if times are kept to the millisecond.
func near(t, from, to time.Time) bool {
	return !t.Before(from.Add(-time.Millisecond)) && !t.After(to.Add(time.Millisecond))
}

// pages returns n URLs of one site.
func pages(site string, n int) (raws []string) {
	for i := range n {
		raws = append(raws, fmt.Sprintf("http://%s/%03d", site, i))
	}
	return raws
}
