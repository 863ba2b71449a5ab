package verify

import (
	"cmp"
	"slices"
	"time"
)

// A span is a request on the clock of its run.
type span struct {
	start, end time.Duration
	sure       time.Duration // until when it was under way for certain, among several jobs
	gap        time.Duration // owed after it
	job        int
}

// moved returns a span that begins and ends so much later or earlier that by clocks that differ by drift it lasted as long at most,
// or with a negative drift at least.
func (s span) moved(drift time.Duration) span {
	s.start, s.end = s.start-drift, s.end+drift
	return s
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
	together = w.overlap(s, 0)
	i := len(w.spans)
	for i > 0 && w.spans[i-1].end > s.end {
		i--
	}
	w.spans = slices.Insert(w.spans, i, s)
	return together, s.start >= w.lost
}

// busy returns how many requests, s among them, were under way at the worst moment of s, or had ended so shortly before that what
// was owed after them had not passed.
func (w *window) busy(s span) int {
	resting := window{spans: make([]span, 0, len(w.spans))}
	for _, o := range w.spans {
		if o.end += o.gap; o.end > s.start {
			resting.spans = append(resting.spans, o)
		}
	}
	return resting.overlap(s, 0)
}

// overlap returns the greatest number of spans, s among them, that are under way at one moment. Those of another job are longer by
// drift at both ends, for they may have been there, or shorter if it is negative, for they must have been; then none lasts longer
// than is sure.
func (w *window) overlap(s span, drift time.Duration) int {
	var others []span
	if drift < 0 {
		s.end = s.sure
	}
	for i := len(w.spans) - 1; i >= 0 && w.spans[i].end+max(drift, 0) > s.start; i-- {
		o := w.spans[i]
		if drift < 0 {
			o.end = o.sure
		}
		if o.job != s.job {
			o = o.moved(drift)
		}
		if o.start < s.end && o.end > s.start {
			o.end = max(o.end, o.start+1)
			others = append(others, o)
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
