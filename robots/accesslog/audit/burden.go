package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// When it is worth asking whether the site suffered from a robot, and when it did.
const (
	maxBusiest = 10              // minutes of a robot that are looked at
	worthShare = 0.1             // of the requests, or of the time that answers took, makes a robot worth mention
	fewOthers  = 20              // requests of others, at least, tell how these fared
	loadTimes  = 2               // the load is so many times that of the rest, and
	loadMore   = 1               // so much more than that, when it is high
	loadNear   = 5 * time.Minute // how far a measurement may be from a minute in which there is none
)

// Burden tells how the site fared in the busiest minutes of a robot: up to ten, with at least half of the requests of its busiest. Other
// causes may have come together with it.
type Burden struct {
	Suffered bool        `json:"suffered"` // others had to wait longer, or got errors, or the load rose
	Told     bool        `json:"told"`     // there was enough to tell by
	Verdict  string      `json:"verdict"`  // in words
	Requests int64       `json:"requests"` // of the robot in these minutes
	Minutes  []time.Time `json:"minutes"`
	Busy     State       `json:"busy"`
	Rest     State       `json:"rest"` // of the log
}

// State is how the site was in some minutes.
type State struct {
	Minutes     int64    `json:"minutes"`               // in which there were requests
	Rate        float64  `json:"requests_per_second"`   // of all
	Open        float64  `json:"open_requests"`         // of all, on average: response times by time (Little's law)
	Others      int64    `json:"requests_of_others"`    // than the robot
	Errors      int64    `json:"errors_of_others"`      // answers 5xx, those included by which a server defends itself
	Timed       int64    `json:"timed_of_others"`       // those of which the response time is known
	Mean        float64  `json:"mean_response_seconds"` // of others
	Load        *float64 `json:"load,omitempty"`        // on average, where it was measured
	Connections *float64 `json:"connections,omitempty"` // likewise
}

// busiest keeps the minutes in which a robot asked for most.
type busiest struct {
	open [2]ownMinute
	top  []ownMinute
}

// An ownMinute is a robot's part of a minute.
type ownMinute struct {
	number int64
	part
}

// A part is one of requests and answers.
type part struct {
	requests, timed, errors int64
	taken                   time.Duration
}

// plus adds another part, or with -1 takes it away.
func (p part) plus(o part, sign int64) part {
	return part{p.requests + sign*o.requests, p.timed + sign*o.timed, p.errors + sign*o.errors, p.taken + time.Duration(sign)*o.taken}
}

// part returns what matters here of a sum.
func (s *sum) part() part {
	p := part{requests: s.requests, timed: s.timed, taken: s.taken}
	for status, n := range s.status {
		if status >= 500 {
			p.errors += n
		}
	}
	return p
}

// count counts a request. Two minutes are open at a time, for lines may be out of order.
func (b *busiest) count(e *accesslog.Entry) {
	number := floorDiv(e.Time.Unix(), 60)
	m := &b.open[number&1]
	if m.number != number {
		b.keep(*m)
		*m = ownMinute{number: number}
	}
	m.requests++
	if e.Status >= 500 {
		m.errors++
	}
	if e.Taken >= 0 {
		m.timed++
		m.taken += e.Taken
	}
}

// keep keeps a minute if it is one of the busiest.
func (b *busiest) keep(m ownMinute) {
	if m.requests == 0 {
		return
	}
	if i := slices.IndexFunc(b.top, func(o ownMinute) bool { return o.number == m.number }); i >= 0 {
		b.top[i].part = b.top[i].plus(m.part, 1)
		return
	}
	if len(b.top) < maxBusiest {
		b.top = append(b.top, m)
		return
	}
	least := slices.MinFunc(b.top, func(x, y ownMinute) int { return cmp.Compare(x.requests, y.requests) })
	if m.requests > least.requests {
		b.top[slices.Index(b.top, least)] = m
	}
}

// minutes returns the busiest in order of time.
func (b *busiest) minutes() []ownMinute {
	b.keep(b.open[0])
	b.keep(b.open[1])
	b.open = [2]ownMinute{}
	most := int64(0)
	for _, m := range b.top {
		most = max(most, m.requests)
	}
	list := slices.DeleteFunc(b.top, func(m ownMinute) bool { return 2*m.requests < most })
	slices.SortFunc(list, func(x, y ownMinute) int { return cmp.Compare(x.number, y.number) })
	return list
}

// isWorthMention reports whether a robot was fast, or a large part of the traffic.
func (a *Auditor) isWorthMention(r *robot, one Robot) bool {
	time := r.sum.taken.Seconds() / max(a.total.taken.Seconds(), 1e-9)
	return r.class == ClassRobot && r.sum.requests > sporadic &&
		(one.Pace.PeakMinute > int64(a.o.HumanPace) || one.Pace.RapidSeconds > 0 || one.Pace.Broken > 0 || one.Share >= worthShare || time >= worthShare)
}

// burden compares the busiest minutes of a robot with the rest of the log; nil when there is nothing to compare.
func (r *robot) burden(a *Auditor, one Robot) *Burden {
	if a.total.timed == 0 && len(a.load.samples) == 0 || !a.isWorthMention(r, one) {
		return nil
	}
	b := &Burden{Minutes: []time.Time{}}
	var site minute
	var own part
	var numbers []int64
	for _, m := range r.busiest.minutes() {
		if all := a.minutes.at(m.number); all != nil {
			site.add(all)
			own = own.plus(m.part, 1)
			numbers = append(numbers, m.number)
			b.Minutes = append(b.Minutes, moment(m.number*int64(time.Minute)))
		}
	}
	if len(numbers) == 0 {
		return nil // all of them are beyond MaxMinutes
	}
	b.Requests = own.requests
	others := part{int64(site.requests), int64(site.timed), int64(site.errors), site.taken}.plus(own, -1)
	b.Busy = newState(len(numbers), int64(site.requests), site.taken, others)
	others = a.total.part().plus(r.sum.part(), -1).plus(others, -1)
	b.Rest = newState(int(a.minutes.counted)-len(numbers), a.total.requests-a.minutes.beyond-int64(site.requests),
		a.total.taken-a.minutes.late-site.taken, others)
	load, connections := a.load.near(numbers)
	b.Busy.Load, b.Busy.Connections = load.value(), connections.value()
	b.Rest.Load, b.Rest.Connections = a.load.load.less(load).value(), a.load.connections.less(connections).value()
	b.judge(a.o.Slower)
	return b
}

// newState says how the site was in some minutes with so many requests in all, for which it took so long.
func newState(minutes int, requests int64, taken time.Duration, others part) State {
	s := State{Minutes: int64(minutes), Others: others.requests, Errors: others.errors, Timed: others.timed}
	s.Mean = others.taken.Seconds() / float64(max(others.timed, 1))
	s.Rate = float64(requests) / 60 / float64(max(minutes, 1))
	s.Open = taken.Minutes() / float64(max(minutes, 1))
	return s
}

// ErrorShare returns which part of the answers to others were errors; 0 when there were none.
func (s State) ErrorShare() float64 { return float64(s.Errors) / float64(max(s.Others, 1)) }

// judge says whether the site suffered, and by what that shows.
func (b *Burden) judge(slower float64) {
	busy, rest := b.Busy, b.Rest
	var signs []string
	if busy.Timed >= fewOthers && rest.Timed >= fewOthers {
		b.Told = true
		if isSlower(busy.Mean, rest.Mean, slower) {
			signs = append(signs, fmt.Sprintf("others were answered in %s against %s%s", inWords(busy.Mean), inWords(rest.Mean), timesInWords(busy.Mean, rest.Mean)))
		}
	}
	if busy.Others >= fewOthers && rest.Others >= fewOthers && isWorse(busy.Errors, busy.ErrorShare(), rest.ErrorShare()) {
		b.Told = true
		signs = append(signs, fmt.Sprintf("%.1f %% of the answers to others were server errors against %.1f %%", 100*busy.ErrorShare(), 100*rest.ErrorShare()))
	}
	if busy.Load != nil && rest.Load != nil {
		b.Told = true
		if *busy.Load >= loadTimes**rest.Load && *busy.Load >= *rest.Load+loadMore {
			signs = append(signs, fmt.Sprintf("load %.3g against %.3g", *busy.Load, *rest.Load))
		}
	}
	b.Suffered = len(signs) > 0
	switch {
	case b.Suffered:
		b.Verdict = "while it was there: " + strings.Join(signs, "; ")
	case b.Told:
		b.Verdict = "nothing shows that the site suffered"
	default:
		b.Verdict = "too few requests of others in its busiest minutes, or else, to tell"
	}
}

func timesInWords(busy, rest float64) string {
	if rest <= 0 {
		return ""
	}
	return fmt.Sprintf(", %.1f times as long", busy/rest)
}
