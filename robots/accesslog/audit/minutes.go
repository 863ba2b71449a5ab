package audit

import (
	"iter"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// minutes count what all clients together asked of the site, and how it answered, minute by minute. An hour of it has 6 kB.
type minutes struct {
	most    int // hours
	hours   map[int64]*[60]minute
	present int64 // hour
	page    *[60]minute
	counted int64         // minutes with requests
	beyond  int64         // requests in hours beyond most
	late    time.Duration // response times in these
}

// A minute is one of them.
type minute struct {
	requests, people, timed, errors uint32
	taken                           time.Duration
	spread                          spread
}

// A spread counts response times by powers of two: less than 1 ms, 1 ms, 2 to 3 ms, 4 to 7 ms, and so on; the last class has no end.
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

// count counts a request in the minute of its line.
func (m *minutes) count(e *accesslog.Entry, forPerson bool) {
	unix := e.Time.Unix()
	if hour := floorDiv(unix, 3600); m.page == nil || hour != m.present {
		m.present, m.page = hour, m.open(hour)
	}
	if m.page == nil {
		m.beyond++
		m.late += max(e.Taken, 0)
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
func (m *minutes) open(hour int64) *[60]minute {
	page := m.hours[hour]
	if page == nil && len(m.hours) < max(m.most, 1) {
		if m.hours == nil {
			m.hours = map[int64]*[60]minute{}
		}
		page = &[60]minute{}
		m.hours[hour] = page
	}
	return page
}

// at returns a minute, counted from 1970; nil when it was not counted.
func (m *minutes) at(number int64) *minute {
	hour := floorDiv(number, 60)
	if page := m.hours[hour]; page != nil {
		return &page[number-60*hour]
	}
	return nil
}

// all goes through the minutes in which there were requests, in order.
func (m *minutes) all() iter.Seq2[int64, *minute] {
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

// mean returns the mean response time, in seconds.
func (m *minute) mean() float64 { return m.taken.Seconds() / float64(max(m.timed, 1)) }
