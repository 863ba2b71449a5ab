package audit

import "time"

// An event is a request of a robot, as far as its order matters.
type event struct {
	at     int64 // nanoseconds since 1970
	line   int64
	file   int32
	kind   kind
	coarse bool // at is in whole seconds
	moved  bool // it was answered with a redirect
	told   bool // the robot was told in the last 24 hours that there is no robots.txt
	// it is what a browser gets for a page, and names one
	isAsset, isPart bool
	era, unknown    int16 // of the witness
	epoch           int32 // of the file
	taken           time.Duration
}

type kind uint8

const (
	kindPage   kind = iota
	kindRobots      // for /robots.txt
)

// A sorter puts events in order that come slightly out of it: a server logs a request when it has answered it.
type sorter struct {
	waiting []event // in order, from head on
	head    int
}

// add takes an event, and hands out those that are older than anything that may still come.
func (s *sorter) add(e event, disorder time.Duration, next func(event)) {
	s.waiting = append(s.waiting, e)
	for i := len(s.waiting) - 1; i > s.head && e.before(s.waiting[i-1]); i-- {
		s.waiting[i-1], s.waiting[i] = s.waiting[i], s.waiting[i-1]
	}
	newest := s.waiting[len(s.waiting)-1].at
	for s.head < len(s.waiting) && (len(s.waiting)-s.head > maxPending || s.waiting[s.head].at < newest-int64(disorder)) {
		next(s.waiting[s.head])
		s.head++
	}
	if s.head > len(s.waiting)/2 {
		s.waiting = append(s.waiting[:0], s.waiting[s.head:]...)
		s.head = 0
	}
}

// flush hands out the rest.
func (s *sorter) flush(next func(event)) {
	for _, e := range s.waiting[s.head:] {
		next(e)
	}
	s.waiting, s.head = nil, 0
}

// before says which is first: of two at the same time the one in the earlier line.
func (e event) before(o event) bool {
	if e.at != o.at {
		return e.at < o.at
	}
	return e.file == o.file && e.line < o.line
}
