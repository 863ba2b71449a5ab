package frontiertest

import (
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

func nextPromises() []promise {
	return []promise{
		{"Next/lowest depth less priority, highest priority, first come", nextOrder},
		{"Next/what was taken and not settled comes again", nextAgain},
		{"Next/links of the same visit come too", nextFresh},
		{"Next/retries come when they are due", nextRetry},
		{"Next/a retry that is due comes before the queue", nextRetryFirst},
		{"Next/a retry without time is due at once", nextRetryNow},
		{"Next/the earliest retry comes first", nextRetryOrder},
		{"Next/an ID is unique in its site", nextID},
	}
}

func nextOrder(r *run) {
	at := func(raw string, depth int, priority int8) frontier.Link {
		return frontier.Link{URL: URL(r, raw), Depth: depth, Priority: priority}
	}
	r.add([]frontier.Link{
		at("http://a/2-z", 2, 0), at("http://a/0-low", 0, -9), at("http://a/10", 10, 0), at("http://a/1-lowest", 1, -128),
		at("http://a/0-z", 0, 0), at("http://a/0-a", 0, 0), at("http://a/300", 300, 0), at("http://a/100-highest", 100, 127),
	}, 8)
	r.add([]frontier.Link{at("http://a/0-b", 0, 0), at("http://a/3-high", 3, 2), at("http://a/2-a", 2, 0),
		at("http://a/9", 9, 0)}, 4)
	l := r.lease("a")
	for _, want := range []string{
		"100-highest", "0-z", "0-a", "0-b", "3-high", "2-z", "2-a", "9", "0-low", "10", "1-lowest", "300",
	} {
		r.next(l, "http://a/"+want)
	}
	r.noNext(l)
}

func nextAgain(r *run) {
	urls := pages("a", 5)
	r.queue(urls...)
	l := r.lease("a")
	for _, u := range urls[:3] {
		r.next(l, u)
	}
	if !r.lookup(urls[0]).Leased || r.lookup(urls[3]).Leased {
		r.Errorf("Lookup does not say what is leased")
	}
	r.close(l)
	if r.lookup(urls[0]).Leased {
		r.Errorf("Lookup says leased after Close")
	}
	r.stats(frontier.Stats{Known: 5, Queued: 5, Sites: 1})
	l = r.lease("a")
	for _, u := range urls {
		if e := r.next(l, u); e.Attempt != 0 {
			r.Errorf("%s has %d attempts, want none", u, e.Attempt)
		}
	}
	r.noNext(l)
}

func nextFresh(r *run) {
	l := r.leased()
	e := r.next(l, "http://a/1")
	r.noNext(l)
	r.settle(l, frontier.AddResult{New: 1}, frontier.Outcome{Entry: e, Status: frontier.Done, Links: Links(r, "http://a/2")})
	r.next(l, "http://a/2")
	r.queue("http://a/3")
	r.next(l, "http://a/3")
	r.noNext(l)
}

// retry settles e as Retrying; every second attempt is excused.
func (r *run) retry(l frontier.Lease, e frontier.Entry, notBefore time.Time) {
	r.Helper()
	r.settle(l, frontier.AddResult{}, frontier.Outcome{
		Entry: e, Status: frontier.Retrying, Reason: "http", Code: 500, NotBefore: notBefore, Excused: e.Attempt%2 != 0,
	})
}

func nextRetry(r *run) {
	r.queue("http://a/1")
	added := r.lookup("http://a/1").Entry.Added
	for attempt := range 3 {
		start := time.Now()
		l := r.lease("a")
		e := r.next(l, "http://a/1")
		if e.Attempt != attempt || e.Excused != attempt/2 || !near(e.Added, added, added) {
			r.Errorf("attempt %d, %d excused, added %v, want %d, %d, %v", e.Attempt, e.Excused, e.Added, attempt, attempt/2, added)
		}
		until := start.Add(r.units(15))
		r.retry(l, e, until)
		r.noNext(l)
		info := r.lookup("http://a/1")
		if info.Status != frontier.Retrying || info.Reason != "http" || info.Code != 500 || !near(info.NotBefore, until, until) ||
			info.Entry.Attempt != attempt+1 || info.Leased {
			r.Errorf("Lookup = %+v, want retrying at %v", info, until)
		}
		if attempt == 0 { // it comes in the same lease
			time.Sleep(time.Until(until))
			e = r.next(l, "http://a/1")
			r.close(l) // and goes back where it was
			continue
		}
		r.close(l)
		r.noLease(0, frontier.ErrWaiting)
		l, err := r.f.Lease(r.ctx, time.Hour)
		if err != nil {
			r.Fatalf("Lease: %v", err)
		}
		r.took(start, 15, "leased")
		r.close(l)
	}
}

func nextRetryFirst(r *run) {
	r.queue("http://a/1", "http://a/2", "http://a/3")
	l := r.lease("a")
	until := time.Now().Add(r.units(15))
	r.retry(l, r.next(l, "http://a/1"), until)
	r.next(l, "http://a/2")
	time.Sleep(time.Until(until))
	r.next(l, "http://a/1")
	r.next(l, "http://a/3")
	r.noNext(l)
}

func nextRetryNow(r *run) {
	l := r.leased()
	r.retry(l, r.next(l, "http://a/1"), time.Time{})
	e := r.next(l, "http://a/1")
	r.settle(l, frontier.AddResult{}, frontier.Outcome{Entry: e, Status: frontier.Retrying, Unasked: true})
	if last := r.next(l, "http://a/1"); e.Attempt != 1 || last.Attempt != 1 {
		r.Errorf("attempt %d, and %d when it was not asked for, want 1 both times", e.Attempt, last.Attempt)
	}
}

func nextRetryOrder(r *run) {
	urls := pages("a", 4)
	r.queue(urls...)
	l := r.lease("a")
	var taken []frontier.Entry
	for _, u := range urls {
		taken = append(taken, r.next(l, u))
	}
	past := time.Now().Add(-time.Hour)
	for i, minute := range []time.Duration{2, 0, 3, 1} {
		r.retry(l, taken[i], past.Add(minute*time.Minute))
	}
	for _, again := range []int{1, 3, 0, 2} {
		r.next(l, urls[again])
	}
	r.noNext(l)
}

func nextID(r *run) {
	seen := make(map[uint64]bool)
	r.queue(pages("a", 100)...)
	l := r.lease("a")
	for range 100 {
		e, ok, err := l.Next(r.ctx)
		if !ok || err != nil || seen[e.ID] {
			r.Fatalf("Next = %s with ID %d, %v, %v; ID seen: %v", e.URL, e.ID, ok, err, seen[e.ID])
		}
		seen[e.ID] = true
	}
}
