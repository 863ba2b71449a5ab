package audit

import (
	"slices"
	"time"
)

// A span is the time of the log, in nanoseconds since 1970.
type span struct {
	first, last int64   // of all requests
	begins      []int64 // when the log begins, and begins again after holes
	requests    int64
	longest     int64 // silence that is no hole
}

// isHole reports whether a silence is a hole: it is as long as that, or a log that was never silent for long is so for far longer,
// as when the disk was full or a part of it was lost.
func (s *span) isHole(silence int64) bool {
	return silence > int64(hole) || silence > int64(shortHole) && silence > unusual*s.longest && s.requests >= fewSilences &&
		s.last-s.first > int64(24*time.Hour)
}

// reach notes the moment of a request.
func (s *span) reach(at int64) {
	silence := at - s.last
	switch {
	case len(s.begins) == 0 || s.isHole(silence):
		s.begins = append(s.begins, at)
	case s.begins[0]-at > int64(hole): // a line that strayed here from another log, or of a clock that was wrong for a moment
		s.begins = slices.Insert(s.begins, 0, at)
	case at < s.begins[0]:
		s.begins[0] = at
	default:
		s.longest = max(s.longest, silence)
	}
	s.requests++
	s.first, s.last = min(s.first, at), max(s.last, at)
}

// began returns since when the log tells all up to a moment.
func (s *span) began(at int64) int64 {
	i := len(s.begins) - 1
	for i > 0 && s.begins[i] > at {
		i--
	}
	return s.begins[i]
}
