package plan

import (
	"fmt"
	"math"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A load is what one host asks of the time: all in seconds.
type load struct {
	host     *Host
	start    float64 // when its first page may be fetched
	pace     float64 // from one page to the next
	held     float64 // of that, the time that a worker is busy
	response float64 // of that, the time that a request is in flight
	wanted   float64 // pages; may be infinite
}

func newLoad(h *Host, now time.Time) load {
	l := load{
		host: h, pace: h.Pace.seconds(), held: h.Pace.held.Seconds(), response: time.Duration(h.Pace.Response).Seconds(),
		start: max(h.RestsUntil.Sub(now).Seconds(), 0), wanted: float64(h.Pages),
	}
	if h.RestsUntil.IsZero() {
		l.start = 0
	}
	if h.Pages == Unlimited {
		l.wanted = math.Inf(1)
	}
	return l
}

// pages returns how many pages the host gives within t.
func (l load) pages(t float64) float64 {
	return min(l.wanted, max(math.Floor((t-l.start)/l.pace), 0))
}

// time returns how long the host needs for n pages.
func (l load) time(n float64) float64 { return l.start + n*l.pace }

// An estimate knows how many pages fit into a time.
type estimate struct {
	loads   []load
	shared  map[string][]int // the loads of an address that several hosts share
	workers float64
	slots   float64 // per address
}

func newEstimate(b Budget, hosts []*Host, now time.Time) *estimate {
	e := &estimate{shared: map[string][]int{}, workers: orInf(b.Workers), slots: orInf(b.PerAddress)}
	for _, h := range hosts {
		if h.Refuses != "" || h.Pages == 0 {
			continue
		}
		if h.Address != "" {
			e.shared[h.Address] = append(e.shared[h.Address], len(e.loads))
		}
		e.loads = append(e.loads, newLoad(h, now))
	}
	for address, of := range e.shared {
		if float64(len(of)) <= e.slots {
			delete(e.shared, address) // each host has a slot to itself
		}
	}
	return e
}

// orInf reads 0 as no limit.
func orInf(n int) float64 {
	if n <= 0 {
		return math.Inf(1)
	}
	return float64(n)
}

// wanted returns the pages of all hosts.
func (e *estimate) wanted() (n float64) {
	for _, l := range e.loads {
		n += l.wanted
	}
	return n
}

// rate returns the pages per second while every host has some and none rests.
func (e *estimate) rate() float64 {
	free := &estimate{shared: e.shared, workers: e.workers, slots: e.slots}
	for _, l := range e.loads {
		l.start, l.wanted = 0, math.Inf(1)
		free.loads = append(free.loads, l)
	}
	const long = 1e7 // seconds; floor does not show
	return free.pages(long) / long
}

// pages returns how many pages all hosts give within t.
func (e *estimate) pages(t float64) float64 {
	n := make([]float64, len(e.loads))
	for i, l := range e.loads {
		n[i] = l.pages(t)
	}
	for _, of := range e.shared {
		flight := 0.0
		for _, i := range of {
			flight += n[i] * e.loads[i].response
		}
		for _, i := range of {
			n[i] *= share(flight, t*e.slots)
		}
	}
	pages, busy := 0.0, 0.0
	for i, l := range e.loads {
		pages += n[i]
		busy += n[i] * l.held
	}
	return pages * share(busy, t*e.workers)
}

// share is the part of what is asked for that can be had.
func share(asked, had float64) float64 {
	if asked <= had {
		return 1
	}
	return had / asked
}

// forever is a time that no crawl takes, in seconds: a thousand years.
const forever = 1000 * 365 * 24 * 3600

// time returns how long n pages take, and what makes it so long.
func (e *estimate) time(n float64) (seconds float64, why string) {
	if n <= 0 || len(e.loads) == 0 {
		return 0, ""
	}
	low, high := 0.0, 1.0
	for e.pages(high) < n*(1-1e-9) && high < forever {
		low, high = high, 2*high
	}
	for high-low > high/1e4 {
		if mid := (low + high) / 2; e.pages(mid) < n*(1-1e-9) {
			low = mid
		} else {
			high = mid
		}
	}
	return high, e.why(n, high)
}

// why says what decides that n pages take t.
func (e *estimate) why(n, t float64) string {
	const nearly = 0.98
	slowest, busy := &e.loads[0], 0.0
	for i := range e.loads {
		l := &e.loads[i]
		if l.time(l.wanted) > slowest.time(slowest.wanted) {
			slowest = l
		}
		busy += l.pages(t) * l.held
	}
	if e.wanted() <= n && slowest.time(slowest.wanted) >= nearly*t {
		return slowest.why()
	}
	for address, of := range e.shared {
		flight := 0.0
		for _, i := range of {
			flight += e.loads[i].pages(t) * e.loads[i].response
		}
		if flight >= nearly*t*e.slots {
			return fmt.Sprintf("%s share the address %s, where at most %.0f requests are in flight", say.Plural(len(of), "host"),
				address, e.slots)
		}
	}
	if busy >= nearly*t*e.workers {
		return fmt.Sprintf("all workers are busy (--workers %.0f)", e.workers)
	}
	return fmt.Sprintf("all hosts together give %s pages an hour at most", say.Count(int64(e.rate()*time.Hour.Seconds())))
}

// why names the host and its pace.
func (l *load) why() string {
	text := fmt.Sprintf("%s: %s at %s a page", l.host.Site, say.Plural(int64(l.wanted), "page"), say.Span(secondsOf(l.pace)))
	if l.start > 0 {
		text += fmt.Sprintf(" after a rest of %s (%s)", say.Span(secondsOf(l.start)), l.host.RestReason)
	}
	return text
}

// secondsOf turns seconds into a duration, and what is longer than a Duration can be into the longest.
func secondsOf(s float64) time.Duration {
	return time.Duration(min(s*float64(time.Second), float64(math.MaxInt64)/2))
}

// long writes a span of a plan: nobody plans by the millisecond.
func long(s float64) string {
	d := secondsOf(s)
	const day = 24 * time.Hour
	switch {
	case d >= 3*day:
		return fmt.Sprintf("%.1f days", d.Hours()/24)
	case d >= 10*time.Minute:
		return config.Duration(d.Round(time.Minute)).String()
	}
	return say.Span(d)
}
