package strain

import (
	"cmp"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// Minutes count what all clients together asked of the site, and how it answered, minute by minute. The zero value is empty. They
// are not safe for concurrent use.
type Minutes struct {
	Max int // minutes, whole hours of them, of which each has 6 kB; default 100,000

	hours   map[int64]*[60]minute
	present int64 // hour
	page    *[60]minute
	counted int64 // minutes with requests
	total   part
	beyond  part // of it: in hours beyond Max
}

// A minute is one of them.
type minute struct {
	requests, people, timed, errors uint32
	taken                           time.Duration
	spread                          spread
}

// A part is one of requests and answers.
type part struct {
	requests, timed, errors int64
	taken                   time.Duration
}

func (p *part) count(e *accesslog.Entry) {
	p.requests++
	if e.Status >= 500 {
		p.errors++
	}
	if e.Taken >= 0 {
		p.timed++
		p.taken += e.Taken
	}
}

// plus adds another part.
func (p part) plus(o part) part {
	return part{p.requests + o.requests, p.timed + o.timed, p.errors + o.errors, p.taken + o.taken}
}

// minus takes a part away.
func (p part) minus(o part) part {
	return part{p.requests - o.requests, p.timed - o.timed, p.errors - o.errors, p.taken - o.taken}
}

// A spread counts response times by powers of two: less than 1 ms, 1 ms, 2 to 3 ms, 4 to 7 ms, and so on; the last class has no
// end.
type spread [18]uint32

func (s *spread) count(d time.Duration) {
	s[min(bits.Len64(uint64(d.Milliseconds())), len(s)-1)]++
}

// within returns the time in which a part of the answers came, to the bound of a class; n is how many there are.
func (s *spread) within(part float64, n uint32) time.Duration {
	seen := 0.0
	for i, in := range s {
		if seen += float64(in); seen >= part*float64(n) {
			return time.Millisecond << i
		}
	}
	return 0
}

// Count counts a request in the minute of its line; forPerson says that no robot has made it.
func (m *Minutes) Count(e *accesslog.Entry, forPerson bool) {
	m.total.count(e)
	unix := e.Time.Unix()
	if hour := floorDiv(unix, 3600); m.page == nil || hour != m.present {
		m.present, m.page = hour, m.open(hour)
	}
	if m.page == nil {
		m.beyond.count(e)
		return
	}
	in := &m.page[(unix-3600*m.present)/60]
	if in.requests++; in.requests == 1 {
		m.counted++
	}
	if forPerson {
		in.people++
	}
	if e.Status >= 500 {
		in.errors++
	}
	if e.Taken >= 0 {
		in.timed++
		in.taken += e.Taken
		in.spread.count(e.Taken)
	}
}

// open returns the page of an hour; nil when there are too many.
func (m *Minutes) open(hour int64) *[60]minute {
	page := m.hours[hour]
	if page == nil && len(m.hours) < max(cmp.Or(m.Max, 100_000)/60, 1) {
		if m.hours == nil {
			m.hours = map[int64]*[60]minute{}
		}
		page = &[60]minute{}
		m.hours[hour] = page
	}
	return page
}

// at returns a minute, counted from 1970; nil when it was not counted.
func (m *Minutes) at(number int64) *minute {
	hour := floorDiv(number, 60)
	if page := m.hours[hour]; page != nil {
		return &page[number-60*hour]
	}
	return nil
}

// all goes through the minutes in which there were requests, in order.
func (m *Minutes) all() iter.Seq2[int64, *minute] {
	return func(yield func(int64, *minute) bool) {
		for _, hour := range slices.Sorted(maps.Keys(m.hours)) {
			page := m.hours[hour]
			for i := range page {
				if page[i].requests > 0 && !yield(60*hour+int64(i), &page[i]) {
					return
				}
			}
		}
	}
}

// add adds up.
func (m *minute) add(o *minute) {
	m.requests += o.requests
	m.people += o.people
	m.timed += o.timed
	m.errors += o.errors
	m.taken += o.taken
	for i, n := range o.spread {
		m.spread[i] += n
	}
}

// part returns all but how response times are spread, and for whom requests were.
func (m *minute) part() part {
	return part{int64(m.requests), int64(m.timed), int64(m.errors), m.taken}
}

// mean returns the mean response time, in seconds.
func (m *minute) mean() float64 { return m.taken.Seconds() / float64(max(m.timed, 1)) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
