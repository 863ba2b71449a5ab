package disk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
)

// Ensure that a lease knows the first of the entries that it has taken, and their chunks, in whatever order they are settled.
func TestLease_HeadLocked(t *testing.T) {
	l := leaseWithTaken(0)
	l.cursor = position{seq: 1000}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		e := &taken{entry: frontier.Entry{ID: uint64(i)}, place: position{seq: r.Uint64N(2000)}, retry: r.IntN(4) == 0}
		if !e.retry {
			e.chunk = l.chunks[position{seq: e.place.seq / 100}]
			if e.chunk == nil {
				e.chunk = &chunkLeft{key: position{seq: e.place.seq / 100}}
			}
		}
		l.holdLocked(e)
		for _, e := range l.taken {
			if len(l.taken) > 50 || r.IntN(3) == 0 {
				l.forgetLocked(e)
			}
			break
		}
		want, chunks := l.cursor, map[position]bool{}
		for _, e := range l.taken {
			if e.retry {
				continue
			}
			if chunks[e.chunk.key] = true; e.place.compare(want) < 0 {
				want = e.place
			}
		}
		if got := l.headLocked(); got != want || len(l.chunks) != len(chunks) {
			t.Fatalf("after %d the head is %v, of %d chunks; want %v, of %d", i, got, len(l.chunks), want, len(chunks))
		}
	}
}

// BenchmarkLease_Taken takes and settles entries, of which one in ten is read from disk, while others are taken: what each costs
// does not grow with these.
func BenchmarkLease_Taken(b *testing.B) {
	for _, others := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprint(others), func(b *testing.B) {
			l := leaseWithTaken(others)
			for i := uint64(0); b.Loop(); i++ {
				t := takenAt(1<<40 + i)
				if i%10 == 0 {
					l.shareChunksLocked([]taken{*t})
				}
				l.holdLocked(t)
				l.headLocked()
				l.forgetLocked(t)
			}
		})
	}
}

// leaseWithTaken returns a lease that has taken n entries.
func leaseWithTaken(n int) *lease {
	l := &lease{taken: map[uint64]*taken{}, chunks: map[position]*chunkLeft{}}
	for i := range n {
		l.holdLocked(takenAt(uint64(i)))
	}
	l.cursor = position{seq: uint64(n)}
	return l
}

func takenAt(seq uint64) *taken {
	return &taken{entry: frontier.Entry{ID: seq}, place: position{seq: seq}, chunk: &chunkLeft{key: position{seq: seq}}}
}
