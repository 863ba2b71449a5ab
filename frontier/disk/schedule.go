package disk

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// A schedule holds the sites that are due first. Those after the horizon are on disk only, where the d keys hold all
// sites with work in the order of the times they were due when last written; no site is due before that time.
//
// An appointment may be out of date. Whoever takes it looks at the site, and makes a new one if it was too early.
type schedule struct {
	heap    []appointment
	place   map[siteID]int // in heap
	max     int
	horizon appointment // all sites up to this key are in the heap, or leased
	whole   bool        // there is nothing behind the horizon
	reading bool        // sites are being read from disk: whatever comes meanwhile goes into the heap
}

type appointment struct {
	due   int64
	id    siteID
	exact bool  // due was computed with all that is known of the site
	key   int64 // due according to the d key
}

func newSchedule(size int) schedule {
	return schedule{place: make(map[siteID]int), max: max(size, 16), horizon: appointment{key: math.MinInt64}}
}

func (s *schedule) Len() int           { return len(s.heap) }
func (s *schedule) Less(i, j int) bool { return s.heap[i].due < s.heap[j].due }

func (s *schedule) Swap(i, j int) {
	s.heap[i], s.heap[j] = s.heap[j], s.heap[i]
	s.place[s.heap[i].id], s.place[s.heap[j].id] = i, j
}

// Push and Pop are for package heap.
func (s *schedule) Push(x any) {
	a := x.(appointment)
	s.place[a.id] = len(s.heap)
	s.heap = append(s.heap, a)
}

func (s *schedule) Pop() any {
	last := len(s.heap) - 1
	a := s.heap[last]
	delete(s.place, a.id)
	s.heap = s.heap[:last]
	return a
}

// set makes or changes the appointment of a site. It reports whether the site is now the first.
func (s *schedule) set(a appointment) bool {
	if i, ok := s.place[a.id]; ok {
		s.heap[i] = a
		heap.Fix(s, i)
	} else if s.whole || s.reading || byKey(a, s.horizon) <= 0 {
		heap.Push(s, a)
		s.spill()
	}
	return len(s.heap) > 0 && s.heap[0].id == a.id
}

func (s *schedule) remove(id siteID) {
	if i, ok := s.place[id]; ok {
		heap.Remove(s, i)
	}
}

func (s *schedule) first() (a appointment, ok bool) {
	if len(s.heap) == 0 {
		return a, false
	}
	return s.heap[0], true
}

// byKey orders as the d keys are.
func byKey(a, b appointment) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
}

// spill leaves a quarter of the sites to the disk when there are too many.
func (s *schedule) spill() {
	if len(s.heap) <= s.max || s.reading {
		return
	}
	slices.SortFunc(s.heap, byKey)
	keep := s.max - s.max/4
	for _, a := range s.heap[keep:] {
		delete(s.place, a.id)
	}
	clear(s.heap[keep:])
	s.heap = s.heap[:keep]
	s.horizon, s.whole = s.heap[keep-1], false
	for i, a := range s.heap {
		s.place[a.id] = i
	}
	heap.Init(s)
}

// hungry reports whether the first appointment is not known before more sites are read from disk. A heap that is nearly
// full goes without: then the order of sites due at about the same time is not exact.
func (s *schedule) hungry() bool {
	if s.whole || s.reading {
		return false
	}
	return len(s.heap) == 0 || s.room() && s.heap[0].due > s.horizon.key
}

func (s *schedule) room() bool { return len(s.heap) < s.max-s.max/4 }

// portion returns how many sites to read at once.
func (s *schedule) portion() int { return max(min(s.max/4, 1024), 1) }
