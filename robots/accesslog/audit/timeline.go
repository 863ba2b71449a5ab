package audit

import "time"

// maxSlots is how many intervals a timeline has at most.
const maxSlots = 240

// A timeline divides the time of the log into at most maxSlots intervals, which double in width when it grows. All rows have the
// same intervals.
type timeline struct {
	width int64 // of an interval, in seconds: 1 << bits
	bits  int
	first int64 // number of the first interval, counted from 1970
	last  int64
	rows  []*row
}

// A row counts for one robot, or for all, what happened in each interval.
type row struct{ slots []slot }

// A slot is one interval.
type slot struct {
	requests int32
	timed    int32 // of which the response time is known
	taken    time.Duration
}

// newRow adds a row.
func (t *timeline) newRow() *row {
	r := &row{}
	t.rows = append(t.rows, r)
	return r
}

// reach makes the timeline include a moment.
func (t *timeline) reach(unix int64) {
	if t.width == 0 {
		t.width, t.first, t.last = 1, unix, unix
	}
	for n := t.number(unix); n < t.first || n > t.last; n = t.number(unix) {
		first, last := min(n, t.first), max(n, t.last)
		if last-first < maxSlots {
			t.shift(t.first - first)
			t.first, t.last = first, last
			return
		}
		t.halve()
	}
}

// number returns the number of the interval of a moment.
func (t *timeline) number(unix int64) int64 { return unix >> t.bits }

// shift makes room for earlier intervals.
func (t *timeline) shift(by int64) {
	if by == 0 {
		return
	}
	for _, r := range t.rows {
		if len(r.slots) > 0 {
			r.slots = append(make([]slot, by), r.slots...)
		}
	}
}

// halve makes the intervals twice as wide.
func (t *timeline) halve() {
	first := floorDiv(t.first, 2)
	odd := t.first - 2*first
	for _, r := range t.rows {
		merged := make([]slot, 0, len(r.slots)/2+1)
		for i, s := range r.slots {
			n := int(odd+int64(i)) / 2
			for len(merged) <= n {
				merged = append(merged, slot{})
			}
			merged[n].requests += s.requests
			merged[n].timed += s.timed
			merged[n].taken += s.taken
		}
		r.slots = merged
	}
	t.first, t.last, t.width, t.bits = first, floorDiv(t.last, 2), 2*t.width, t.bits+1
}

// count adds a request to a row, at a moment that was reached.
func (t *timeline) count(r *row, unix int64, taken time.Duration) {
	n := int(t.number(unix) - t.first)
	for len(r.slots) <= n {
		r.slots = append(r.slots, slot{})
	}
	r.slots[n].requests++
	if taken >= 0 {
		r.slots[n].timed++
		r.slots[n].taken += taken
	}
}

// start returns when the first interval begins.
func (t *timeline) start() time.Time { return time.Unix(t.first*t.width, 0).UTC() }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
