package disk

import "container/heap"

// A lease may have many entries taken that it does not settle: what waits for something else until it ends. So nothing that is done
// for each entry looks at all of them.

// A takenHeap is the entries of the queue that a lease has taken; the one that is the first in the queue comes first.
type takenHeap []*taken

func (h takenHeap) Len() int           { return len(h) }
func (h takenHeap) Less(i, j int) bool { return h[i].place.compare(h[j].place) < 0 }

func (h takenHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *takenHeap) Push(x any) {
	t := x.(*taken)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *takenHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last], *h = nil, (*h)[:last]
	return t
}

// holdLocked notes that an entry is taken.
func (l *lease) holdLocked(t *taken) {
	l.taken[t.entry.ID] = t
	if t.retry {
		return
	}
	heap.Push(&l.queued, t)
	t.chunk.taken++
	l.chunks[t.chunk.key] = t.chunk
}

// forgetLocked notes that an entry is settled.
func (l *lease) forgetLocked(t *taken) {
	delete(l.taken, t.entry.ID)
	if t.retry {
		return
	}
	heap.Remove(&l.queued, t.index)
	if t.chunk.taken--; t.chunk.taken == 0 {
		delete(l.chunks, t.chunk.key)
	}
}
