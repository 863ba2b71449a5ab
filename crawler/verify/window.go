package verify

import (
	"cmp"
	"slices"
	"time"
)

// A span is a request on the clock of its run.
type span struct {
	start, end time.Duration
	gap        time.Duration // owed after it
}

// A window holds the latest of several requests that may overlap, in the order in which they ended.
type window struct {
	spans []span
	lost  time.Duration // no span that ended later than this was dropped
}

// add adds a request and returns how many were under way at once at the worst moment of it. known is false when spans were dropped
// that may have been under way too. Spans that ended horizon before are dropped, and the oldest when there are more than most.
func (w *window) add(s span, horizon time.Duration, most int) (together int, known bool) {
	drop := 0
	for drop < len(w.spans) && (w.spans[drop].end < s.end-horizon || len(w.spans)-drop >= most) {
		w.lost = max(w.lost, w.spans[drop].end)
		drop++
	}
	if drop > len(w.spans)/2 || len(w.spans) >= most {
		w.spans = slices.Delete(w.spans, 0, drop)
	}
	together = w.overlap(s)
	i := len(w.spans)
	for i > 0 && w.spans[i-1].end > s.end {
		i--
	}
	w.spans = slices.Insert(w.spans, i, s)
	return together, s.start >= w.lost
}

// overlap returns the greatest number of spans, s among them, that are under way at one moment.
func (w *window) overlap(s span) int {
	var others []span
	for i := len(w.spans) - 1; i >= 0 && w.spans[i].end > s.start; i-- {
		if w.spans[i].start < s.end {
			others = append(others, w.spans[i])
		}
	}
	if len(others) < 2 {
		return len(others) + 1
	}
	slices.SortFunc(others, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	most := 0
	for i, o := range others { // the worst moment is the start of one of them, or of s
		at, n := max(o.start, s.start), 0
		for _, p := range others[:i+1] {
			if p.end > at {
				n++
			}
		}
		for _, p := range others[i+1:] {
			if p.start <= at {
				n++
			}
		}
		most = max(most, n)
	}
	return most + 1
}
