package disk

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"time"
)

// A schedule holds the sites that are due first. Those after the horizon are on disk only, where the d keys hold all
// sites with work in the order of the turns they had when last written; no site is due before that time.
//
// An appointment may be out of date. Whoever takes it looks at the site, and makes a new one if it was too early.
type schedule struct {
	waiting appointments // by the time they are due
	ready   appointments // those that were found to be due, by their turn
	max     int
	horizon appointment // all sites up to this key are in memory, or leased
	whole   bool        // there is nothing behind the horizon
	reading bool        // sites are being read from disk: whatever comes meanwhile is taken in
}

type appointment struct {
	due   int64
	id    siteID
	exact bool          // due was computed with all that is known of the site
	key   int64         // due according to the d key
	lead  time.Duration // by how much earlier its turn comes among sites that are due
}

// turn is what sites that are due are ordered by.
func (a appointment) turn() int64 { return later(a.due, -a.lead) }

func newSchedule(size int) schedule {
	return schedule{
		waiting: newAppointments(func(a, b *appointment) bool { return a.due < b.due }),
		ready:   newAppointments(func(a, b *appointment) bool { return a.turn() < b.turn() }),
		max:     max(size, 16), horizon: appointment{key: math.MinInt64},
	}
}

func (s *schedule) len() int { return s.waiting.Len() + s.ready.Len() }

func (s *schedule) has(id siteID) bool {
	_, waiting := s.waiting.place[id]
	_, ready := s.ready.place[id]
	return waiting || ready
}

// all yields all appointments, in no order.
func (s *schedule) all(yield func(appointment) bool) {
	for _, heap := range [][]appointment{s.waiting.heap, s.ready.heap} {
		for _, a := range heap {
			if !yield(a) {
				return
			}
		}
	}
}

// set makes or changes the appointment of a site. It reports whether the site is now the first that becomes due.
func (s *schedule) set(a appointment) bool {
	known := s.has(a.id)
	s.remove(a.id)
	if known || s.whole || s.reading || byKey(a, s.horizon) <= 0 {
		heap.Push(&s.waiting, a)
		s.spill()
	}
	return s.waiting.Len() > 0 && s.waiting.heap[0].id == a.id
}

func (s *schedule) remove(id siteID) {
	s.waiting.remove(id)
	s.ready.remove(id)
}

// first returns the appointment whose turn it is, or, if no site is due, the one that is due next.
func (s *schedule) first(now int64) (a appointment, ok bool) {
	for s.waiting.Len() > 0 && s.waiting.heap[0].due <= now {
		heap.Push(&s.ready, heap.Pop(&s.waiting))
	}
	switch {
	case s.ready.Len() > 0:
		return s.ready.heap[0], true
	case s.waiting.Len() > 0:
		return s.waiting.heap[0], true
	}
	return a, false
}

// prefers reports whether the turn of another site that is due is before that of a.
func (s *schedule) prefers(a appointment, now int64) bool {
	first, ok := s.first(now)
	return ok && first.due <= now && first.turn() < a.turn()
}

// byKey orders as the d keys are.
func byKey(a, b appointment) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
}

// spill leaves a quarter of the sites to the disk when there are too many.
func (s *schedule) spill() {
	if s.len() <= s.max || s.reading {
		return
	}
	kept := slices.SortedFunc(s.all, byKey)[:s.max-s.max/4]
	s.horizon, s.whole = kept[len(kept)-1], false
	s.ready.clear()
	s.waiting.clear()
	for _, a := range kept {
		heap.Push(&s.waiting, a)
	}
}

// hungry reports whether the first appointment is not known before more sites are read from disk. A memory that is nearly
// full goes without: then the order of sites due at about the same time is not exact.
func (s *schedule) hungry(now int64) bool {
	if s.whole || s.reading {
		return false
	}
	first, ok := s.first(now)
	return !ok || s.room() && (s.horizon.key <= now || s.horizon.key < first.due)
}

func (s *schedule) room() bool { return s.len() < s.max-s.max/4 }

// portion returns how many sites to read at once.
func (s *schedule) portion() int { return max(min(s.max/4, 1024), 1) }

// appointments are a heap in which the appointment of a site can be found.
type appointments struct {
	heap  []appointment
	place map[siteID]int // in heap
	less  func(a, b *appointment) bool
}

func newAppointments(less func(a, b *appointment) bool) appointments {
	return appointments{place: make(map[siteID]int), less: less}
}

func (h *appointments) remove(id siteID) {
	if i, ok := h.place[id]; ok {
		heap.Remove(h, i)
	}
}

func (h *appointments) clear() {
	clear(h.place)
	clear(h.heap)
	h.heap = h.heap[:0]
}

// Len, Less, Swap, Push and Pop are for package heap.
func (h *appointments) Len() int           { return len(h.heap) }
func (h *appointments) Less(i, j int) bool { return h.less(&h.heap[i], &h.heap[j]) }

func (h *appointments) Swap(i, j int) {
	h.heap[i], h.heap[j] = h.heap[j], h.heap[i]
	h.place[h.heap[i].id], h.place[h.heap[j].id] = i, j
}

func (h *appointments) Push(x any) {
	a := x.(appointment)
	h.place[a.id] = len(h.heap)
	h.heap = append(h.heap, a)
}

func (h *appointments) Pop() any {
	last := len(h.heap) - 1
	a := h.heap[last]
	delete(h.place, a.id)
	h.heap = h.heap[:last]
	return a
}
