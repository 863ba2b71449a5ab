package crawler

import (
	"cmp"
	"container/heap"
	"context"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Recrawl says when a URL that was visited is due for another visit (Crawler.Return). A page that is found changed is visited
// twice as often from then on, one that is not less often by half, as far as the time that had passed tells of it; what its answer
// says it is good for (Cache-Control: max-age) is waited for. What a sitemap says of changes (lastmod, changefreq) is where that
// begins if the second visit finds it true.
type Recrawl struct {
	First    time.Duration // after the first visit, of a page that does not say more; default 24 h
	Min      time.Duration // bounds of the time between two visits, always; default 1 h
	Max      time.Duration // likewise, of what was visited under another bound, too; default 90 days
	GoneRest time.Duration // before a page is asked for again that is gone, four times as long each time; default 7 days
	Gone     int           // further visits in a row to a page that is gone, after which there is none; default 3

	// Run is a recrawl: Limits.Pages counts the URLs that this run asks for, and not those of earlier runs.
	Run bool
}

func (r Recrawl) withDefaults() Recrawl {
	r.First = cmp.Or(max(r.First, 0), 24*time.Hour)
	r.Min = cmp.Or(max(r.Min, 0), time.Hour)
	r.Max = max(cmp.Or(max(r.Max, 0), 90*24*time.Hour), r.Min)
	r.GoneRest = cmp.Or(max(r.GoneRest, 0), 7*24*time.Hour)
	r.Gone = max(cmp.Or(r.Gone, 3), 0)
	return r
}

func (r *Recrawl) within(d time.Duration) time.Duration { return min(max(d, r.Min), r.Max) }

// goneRest returns how long a page is let be after the nth visit that found it gone.
func (r *Recrawl) goneRest(n int) time.Duration {
	wait := r.GoneRest
	for ; n > 1 && wait < r.Max; n-- {
		wait *= 4
	}
	return r.within(wait)
}

// goneFor returns how long a page is gone, at least, when the visit after the nth one that found it so is due.
func (r *Recrawl) goneFor(n int) (d time.Duration) {
	for ; n > 0; n-- {
		d += r.goneRest(n)
	}
	return d
}

// first returns after how long a URL is visited the second time: sooner the more recently it changed, by its server, and by what
// it says of itself. What its sitemap says is not known to be true.
func (r *Recrawl) first(s sighting, now time.Time) time.Duration {
	wait := r.First
	if t, isKnown := timeIn(s.header.Get("Last-Modified")); isKnown && t.Before(now) && t.Unix() >= firstPage {
		wait = now.Sub(t) / heuristic
	}
	switch s.state {
	case "static":
		wait *= 4
	case "dynamic":
		wait /= 4
	}
	return r.within(wait)
}

// longer returns how often a URL is visited from now on that was, and was not changed after so long: no less often than before
// where it was asked for so soon that this tells little.
func (r *Recrawl) longer(every, passed time.Duration) time.Duration {
	return r.within(max(min(passed, every)*3/2, every))
}

// shorter returns the same of a URL that has changed: no more often than before where the visit was so late that the change may
// well be the only one.
func (r *Recrawl) shorter(every, passed time.Duration) time.Duration {
	return r.within(min(max(passed, every)/2, every))
}

// due returns when a URL is to be visited again: no later than Max after the last visit, whatever the bound was then. If that has
// yet to come, the clock was wrong when it was noted, and the URL is due within Max of now, or at once.
func (r *Recrawl) due(back frontier.Return, now time.Time) time.Time {
	p, ok := ReadPast(back.State)
	last := time.Unix(p.Last, 0)
	switch {
	case ok && !last.After(now):
		return earlier(back.Due, last.Add(r.Max))
	case back.Due.Sub(now) > r.Max:
		return now
	}
	return back.Due
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// firstPage is when the web began, on 6 August 1991, in seconds since 1970. Files that a reproducible build has made are often
// dated 1970, which says nothing of when they changed.
const firstPage = 681436800

// heuristic is into how many parts the time since a change is cut, one of which passes before another one is looked for: that of
// RFC 9111 section 4.2.2.
const heuristic = 10

// second returns how often a URL changes by its sitemap, if the second visit, so long after the first one, found what that said:
// changed or not since then. ok is false if the sitemap does not say, or was wrong.
func second(e frontier.Entry, changed bool, last, now time.Time) (every time.Duration, ok bool) {
	passed := now.Sub(last)
	if !changed && !e.Modified.IsZero() && !e.Modified.After(last) { // it told of no change either
		every = now.Sub(e.Modified) / heuristic
	}
	if e.Every > 0 && (changed && passed >= e.Every/2 || !changed && passed <= 2*e.Every) {
		every = max(every, e.Every)
	}
	return every, every > 0
}

// A ReturnRequest says which URLs are visited again.
type ReturnRequest struct {
	All   bool      // due or not,
	Since time.Time // but, unless zero, not what was visited since then and is not due
	Most  int64     // no more than so many, those that are most likely to have changed; 0 for any number
}

// Returned is what came of a ReturnRequest.
type Returned struct {
	Queued int64     // URLs
	Closed int64     // of these, never asked for: robots.txt forbade it until now
	Next   time.Time // when the first of those that are not due will be; zero when there is none
}

// returnsAtOnce is how many URLs are queued in one step.
const returnsAtOnce = 1000

// Return queues the URLs that are due for another visit, durably. They pass the gates at their turn, as any entry does, and are
// asked for with what was remembered of them.
func (c *Crawler) Return(ctx context.Context, q ReturnRequest) (r Returned, err error) {
	now := time.Now()
	var batch []frontier.Link
	flush := func() error {
		added, err := c.config.Frontier.Add(ctx, batch)
		r.Queued += int64(added.New)
		batch = batch[:0]
		return err
	}
	add := func(l frontier.Link) error {
		l.Force = true
		if batch = append(batch, l); len(batch) == returnsAtOnce {
			return flush()
		}
		return nil
	}
	var likely likeliest
	for back, err := range c.config.Frontier.Returns(ctx) {
		if err != nil {
			return r, err
		}
		due := back.Due
		if due.After(now) {
			due = c.config.Recrawl.due(back, now)
		}
		switch {
		case back.Due.IsZero(), due.After(now) && !q.Since.IsZero() && visitedSince(back.State, q.Since, now):
			continue
		case due.After(now) && !q.All:
			if r.Next.IsZero() || due.Before(r.Next) {
				r.Next = due
			}
			continue
		}
		switch {
		case wasClosed(back.State): // most likely it is so still, and costs no request
			r.Closed++
		case q.Most > 0:
			likely.offer(back.Link, due, now, q.Most)
			continue
		}
		if err := add(back.Link); err != nil {
			return r, err
		}
	}
	for _, l := range likely {
		if err := add(l.Link); err != nil {
			return r, err
		}
	}
	return r, flush()
}

// visitedSince reports whether a URL was visited after a moment. What was visited within the same second may have been before it,
// and what was visited in times to come was by a clock that was wrong.
func visitedSince(state []byte, since, now time.Time) bool {
	p, ok := ReadPast(state)
	return ok && p.Last > since.Unix() && p.Last <= now.Unix()
}

// wasClosed reports whether robots.txt has kept a URL from ever being asked for.
func wasClosed(state []byte) bool {
	p, ok := ReadPast(state)
	return ok && !p.isOfVisit()
}

// A candidate is a link that may be visited again, and how likely it is that something has changed.
type candidate struct {
	frontier.Link
	score float64
}

// likeliest is a heap of candidates, the least likely first.
type likeliest []candidate

func (l likeliest) Len() int           { return len(l) }
func (l likeliest) Less(i, j int) bool { return l[i].score < l[j].score }
func (l likeliest) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *likeliest) Push(x any)        { *l = append(*l, x.(candidate)) }

func (l *likeliest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// offer takes a link in, and drops the least likely one when there are more than most. How often the time has passed by now that
// was to pass before the page is due grows with how often it has changed; of what is gone that is the rest it has. Sitemaps tell
// what is new, and come before all pages.
func (l *likeliest) offer(link frontier.Link, due, now time.Time, most int64) {
	wait := int64(1) // of what nothing is remembered
	p, ok := ReadPast(link.State)
	if ok {
		wait = max(due.Unix()-p.Last, 1)
	}
	score := float64(now.Unix()-p.Last) / float64(wait)
	if link.Kind != kindPage {
		score += 1e12
	}
	heap.Push(l, candidate{link, score})
	if int64(l.Len()) > most {
		heap.Pop(l)
	}
}

// toldChanged returns the link to visit what a sitemap names: another visit to what is settled if it tells of a change since the
// last one, and has proved true until now.
func toldChanged(l frontier.Link, known frontier.Info) frontier.Link {
	if known.Return == nil || known.Status == frontier.Queued || known.Status == frontier.Retrying || l.Modified.IsZero() {
		return l
	}
	p, ok := ReadPast(known.Return.State)
	if !ok || p.Untrue > 1 || l.Modified.Unix() <= p.Last {
		return l
	}
	again := known.Return.Link
	again.Modified, again.Every, again.Force = l.Modified, l.Every, true
	return again
}
