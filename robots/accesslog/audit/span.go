package audit

import "slices"

// A span is the time of the log, in nanoseconds since 1970.
type span struct {
	first, last int64   // of all requests
	begins      []int64 // when the log begins, and begins again after holes
}

// reach notes the moment of a request.
func (s *span) reach(at int64) {
	switch {
	case len(s.begins) == 0 || at-s.last > int64(hole):
		s.begins = append(s.begins, at)
	case s.begins[0]-at > int64(hole): // a line that strayed here from another log, or of a clock that was wrong for a moment
		s.begins = slices.Insert(s.begins, 0, at)
	case at < s.begins[0]:
		s.begins[0] = at
	}
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
