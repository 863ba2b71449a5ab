package chaos

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A Verdict is what came of a run, as the servers saw it.
type Verdict struct {
	Pages, Asked int // pages there are, and requests for them
	Missing      []string
	Again        int     // requests for a page that was asked for before
	AgainAfter   []event // the faults after which that was, each with how often
	Forbidden    int     // requests that robots.txt forbids
	Unknown      int     // requests for what there is no link to
	AtOnce       int     // requests to a site while another was under way
	Short        int     // requests too soon after another to the same site
	ShortestGap  time.Duration
	Stall        time.Duration // the longest time without any request, brokers without a quorum not counted
	SiteStall    time.Duration // the longest time between two requests to a site, whatever was the matter
	Wrong        []string      // the first of what is wrong, and what is wrong besides
	Proof        string        // what verify says of all jobs
}

// An event is a fault that happened, and how many pages were asked for again before the next one.
type event struct {
	at    time.Time
	fault Fault
	again int
}

// A span is a time in which something was the matter.
type span struct{ from, to time.Time }

// judge looks at the log. Requests of a process that was killed were sent before its death, and have nothing under way since.
func (w *Web) judge(delay time.Duration, dead map[string]time.Time, outages []span, happened []event) *Verdict {
	w.mu.Lock()
	hits := slices.Clone(w.hits)
	w.mu.Unlock()
	for i, h := range hits {
		if death, ok := dead[h.remote]; ok {
			if h.start.After(death) {
				hits[i].start = death.Add(-1)
			}
			if h.end.IsZero() || h.end.After(death) {
				hits[i].end = death.Add(-1)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.start.Compare(b.start) })
	v := &Verdict{Pages: w.Total(), ShortestGap: 1<<63 - 1, AgainAfter: happened}
	last := make([]hit, w.hosts)
	asked := make([]bool, w.Total())
	for i, h := range hits {
		switch {
		case h.page == forbidden:
			v.Forbidden++
			v.wrong("%s was asked for a page that its robots.txt forbids, by %s", w.urls[h.host], h.remote)
		case h.page == unknown:
			v.Unknown++
			v.wrong("%s was asked for what it does not have, by %s", w.urls[h.host], h.remote)
		case h.page >= 0:
			v.Asked++
			if n := h.host*w.pages + h.page; asked[n] {
				v.Again++
				v.after(h.start)
			} else {
				asked[n] = true
			}
		}
		if before := last[h.host]; !before.start.IsZero() {
			v.follow(w.urls[h.host], before, h, delay)
		}
		if last[h.host].end.Before(h.end) || h.end.IsZero() {
			last[h.host] = h
		}
		if i > 0 {
			v.Stall = max(v.Stall, without(span{hits[i-1].start, h.start}, outages))
		}
	}
	for n, was := range asked {
		if !was {
			v.Missing = append(v.Missing, w.url(n/w.pages, n%w.pages))
		}
	}
	return v
}

// after lays a page that was asked for again to the fault that was the last one then.
func (v *Verdict) after(at time.Time) {
	for i := range slices.Backward(v.AgainAfter) {
		if e := &v.AgainAfter[i]; e.at.Before(at) {
			e.again++
			return
		}
	}
}

// follow judges a request by the one before it at the same site.
func (v *Verdict) follow(site string, before, h hit, delay time.Duration) {
	if before.end.IsZero() || h.start.Before(before.end) {
		v.AtOnce++
		v.wrong("%s was asked by %s at %s, while a request of %s was under way",
			site, h.remote, h.start.Format(stamp), before.remote)
		return
	}
	gap := h.start.Sub(before.end)
	v.ShortestGap = min(v.ShortestGap, gap)
	v.SiteStall = max(v.SiteStall, gap)
	if gap < delay {
		v.Short++
		v.wrong("%s was asked by %s at %s, %v after a request of %s", site, h.remote, h.start.Format(stamp), gap, before.remote)
	}
}

const stamp = "15:04:05.000"

// wrong notes the first things that are wrong.
func (v *Verdict) wrong(format string, args ...any) {
	if len(v.Wrong) < 20 {
		v.Wrong = append(v.Wrong, fmt.Sprintf(format, args...))
	}
}

// without returns how long a span is, less what others cover of it, which are in order.
func without(s span, others []span) time.Duration {
	d := s.to.Sub(s.from)
	for _, o := range others {
		from, to := o.from, o.to
		if from.Before(s.from) {
			from = s.from
		}
		if to.After(s.to) {
			to = s.to
		}
		if from.Before(to) {
			d -= to.Sub(from)
			s.from = to
		}
	}
	return d
}

// mostStall is how long nothing may be asked for while the brokers have a quorum.
const mostStall = 20 * time.Second

// decide tells what is wrong, for good.
func (v *Verdict) decide(mostAgain int) {
	if n := len(v.Missing); n > 0 {
		v.Wrong = append(v.Wrong, fmt.Sprintf("%d pages were never asked for; %s is one", n, v.Missing[0]))
	}
	if v.Again > mostAgain {
		v.Wrong = append(v.Wrong, fmt.Sprintf("%d pages were asked for again, want at most %d", v.Again, mostAgain))
	}
	if v.Stall > mostStall {
		v.Wrong = append(v.Wrong, fmt.Sprintf("nothing was asked for in %v", v.Stall))
	}
}

// Failed reports whether anything is wrong.
func (v *Verdict) Failed() bool { return len(v.Wrong) > 0 }

// Print tells the verdict.
func (v *Verdict) Print(out io.Writer) {
	fmt.Fprintf(out, "pages           %d, of which %d were asked for\n", v.Pages, v.Pages-len(v.Missing))
	fmt.Fprintf(out, "again           %d, %.3f %%\n", v.Again, 100*float64(v.Again)/float64(v.Pages))
	for _, e := range v.AgainAfter {
		if e.again > 0 {
			fmt.Fprintf(out, "%15d after %s\n", e.again, e.fault)
		}
	}
	fmt.Fprintf(out, "forbidden       %d, and %d that do not exist\n", v.Forbidden, v.Unknown)
	fmt.Fprintf(out, "two at once     %d\n", v.AtOnce)
	fmt.Fprintf(out, "gaps too short  %d; the shortest was %v\n", v.Short, v.ShortestGap)
	fmt.Fprintf(out, "longest stall   %v of the whole web, %v of a site\n",
		v.Stall.Round(time.Millisecond), v.SiteStall.Round(time.Millisecond))
	fmt.Fprintf(out, "verify          %s\n", v.Proof)
	for _, s := range v.Wrong {
		fmt.Fprintln(out, "WRONG:", s)
	}
	if !v.Failed() {
		fmt.Fprintln(out, "all is well")
	}
}
