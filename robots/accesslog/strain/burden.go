package strain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// What it takes to tell whether a site suffered from a visitor.
const (
	maxBusiest = 10              // minutes of a visitor that are looked at
	fewOthers  = 20              // requests of others, at least, tell how these fared
	loadTimes  = 2               // the load is so many times that of the rest, and
	loadMore   = 1               // so much more than that, when it is high
	loadNear   = 5 * time.Minute // how far a measurement may be from a minute in which there is none
	complains  = 3               // times as often as in the rest, and as often as this in all: the server complains
)

// Burden tells how the site fared in the busiest minutes of a visitor: up to ten, with at least half of the requests of its
// busiest. Other causes may have come together with it.
type Burden struct {
	Suffered bool        `json:"suffered"` // others had to wait longer, or got errors, or the load rose
	Told     bool        `json:"told"`     // there was enough to tell by
	Verdict  string      `json:"verdict"`  // in words
	Requests int64       `json:"requests"` // of the visitor in these minutes
	Minutes  []time.Time `json:"minutes"`
	Busy     State       `json:"busy"`
	Rest     State       `json:"rest"` // of the log
}

// State is how the site was in some minutes.
type State struct {
	Minutes     int64    `json:"minutes"`               // in which there were requests
	Rate        float64  `json:"requests_per_second"`   // of all
	Open        float64  `json:"open_requests"`         // of all, on average: response times by time (Little's law)
	Others      int64    `json:"requests_of_others"`    // than the visitor
	Errors      int64    `json:"errors_of_others"`      // answers 5xx, those included by which a server defends itself
	Timed       int64    `json:"timed_of_others"`       // those of which the response time is known
	Mean        float64  `json:"mean_response_seconds"` // of others
	Load        *float64 `json:"load,omitempty"`        // on average, where it was measured
	Connections *float64 `json:"connections,omitempty"` // likewise

	// entries of the error log about an overload, in a minute, if there is such a log
	Complaints *float64 `json:"error_log_per_minute,omitempty"`
}

// Own are the minutes in which one visitor asked for most. The zero value is empty.
type Own struct {
	open  [2]ownMinute
	top   []ownMinute
	total part
}

// An ownMinute is a visitor's part of a minute.
type ownMinute struct {
	number int64
	part
}

// Count counts a request. Two minutes are open at a time, for lines may be out of order.
func (b *Own) Count(e *accesslog.Entry) {
	number := floorDiv(e.Time.Unix(), 60)
	m := &b.open[number&1]
	if m.number != number {
		b.keep(*m)
		*m = ownMinute{number: number}
	}
	m.count(e)
	b.total.count(e)
}

// keep keeps a minute if it is one of the busiest.
func (b *Own) keep(m ownMinute) {
	if m.requests == 0 {
		return
	}
	if i := slices.IndexFunc(b.top, func(o ownMinute) bool { return o.number == m.number }); i >= 0 {
		b.top[i].part = b.top[i].plus(m.part)
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
func (b *Own) minutes() []ownMinute {
	b.keep(b.open[0])
	b.keep(b.open[1])
	b.open = [2]ownMinute{}
	most := int64(0)
	for _, m := range b.top {
		most = max(most, m.requests)
	}
	list := slices.DeleteFunc(slices.Clone(b.top), func(m ownMinute) bool { return 2*m.requests < most })
	slices.SortFunc(list, func(x, y ownMinute) int { return cmp.Compare(x.number, y.number) })
	return list
}

// Taken returns how long all answers to the visitor took together.
func (b *Own) Taken() time.Duration { return b.total.taken }

// Taken returns how long all answers took together.
func (m *Minutes) Taken() time.Duration { return m.total.taken }

// Burden compares the busiest minutes of a visitor with the rest of the log; nil when there is nothing to compare: neither response
// times nor a load nor an error log, or none of its minutes because all are beyond Max. slower is as for Bearing.
func (m *Minutes) Burden(visitor *Own, load *Load, slower float64) *Burden {
	b := &Burden{Minutes: []time.Time{}}
	var site minute
	var own part
	var numbers []int64
	for _, o := range visitor.minutes() {
		if all := m.at(o.number); all != nil {
			site.add(all)
			own = own.plus(o.part)
			numbers = append(numbers, o.number)
			b.Minutes = append(b.Minutes, begin(o.number))
		}
	}
	if len(numbers) == 0 || m.total.timed == 0 && load.IsEmpty() {
		return nil
	}
	b.Requests = own.requests
	busy, others := site.part(), site.part().minus(own)
	b.Busy = newState(int64(len(numbers)), busy, others)
	b.Rest = newState(m.counted-int64(len(numbers)), m.total.minus(m.beyond).minus(busy),
		m.total.minus(visitor.total).minus(others))
	near, connections := load.near(numbers)
	b.Busy.Load, b.Busy.Connections = near.value(), connections.value()
	b.Rest.Load, b.Rest.Connections = load.load.less(near).value(), load.connections.less(connections).value()
	if load.complaints != nil {
		in, others := load.complaintsIn(m, numbers)
		b.Busy.Complaints, b.Rest.Complaints = perMinute(in, b.Busy.Minutes), perMinute(others, b.Rest.Minutes)
	}
	b.judge(cmp.Or(slower, usualSlower))
	return b
}

func perMinute(n, minutes int64) *float64 {
	v := float64(n) / float64(max(minutes, 1))
	return &v
}

// newState says how the site was in some minutes: all requests, and those of others.
func newState(minutes int64, all, others part) State {
	n := float64(max(minutes, 1))
	return State{
		Minutes: minutes, Rate: float64(all.requests) / 60 / n, Open: all.taken.Minutes() / n,
		Others: others.requests, Errors: others.errors, Timed: others.timed,
		Mean: others.taken.Seconds() / float64(max(others.timed, 1)),
	}
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
			signs = append(signs, fmt.Sprintf("others were answered in %s against %s%s", inWords(busy.Mean), inWords(rest.Mean),
				timesInWords(busy.Mean, rest.Mean)))
		}
	}
	if busy.Others >= fewOthers && rest.Others >= fewOthers && isWorse(busy.Errors, busy.ErrorShare(), rest.ErrorShare()) {
		b.Told = true
		signs = append(signs, fmt.Sprintf("%.1f %% of the answers to others were server errors against %.1f %%",
			100*busy.ErrorShare(), 100*rest.ErrorShare()))
	}
	if busy.Load != nil && rest.Load != nil {
		b.Told = true
		if *busy.Load >= loadTimes**rest.Load && *busy.Load >= *rest.Load+loadMore {
			signs = append(signs, fmt.Sprintf("load %.3g against %.3g", *busy.Load, *rest.Load))
		}
	}
	if busy.Complaints != nil && rest.Minutes > 0 {
		b.Told = true
		if *busy.Complaints*float64(busy.Minutes) >= complains && *busy.Complaints >= complains**rest.Complaints {
			signs = append(signs, fmt.Sprintf("the error log has %.3g entries a minute about an overload against %.3g",
				*busy.Complaints, *rest.Complaints))
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
