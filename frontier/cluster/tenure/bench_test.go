package tenure

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// BenchmarkValid is the last check before a byte is sent.
func BenchmarkValid(b *testing.B) {
	m := machine{b: &bounds{ttl: time.Hour}}
	t := newTenure(b.Context(), 0, &m, readClocks())
	for b.Loop() {
		if !t.Valid() {
			b.Fatal("over")
		}
	}
}

// BenchmarkRest is what a second costs a node at rest that has all partitions: its clocks are read, and the renewals due are made.
func BenchmarkRest(b *testing.B) {
	for _, partitions := range []int{64, 256} {
		b.Run(fmt.Sprint(partitions), func(b *testing.B) {
			n, err := New(newMemory(), Options{Name: "a", Partitions: partitions, Hold: func(t *Tenure) { <-t.Context().Done() }})
			if err != nil {
				b.Fatal(err)
			}
			now := time.Duration(0)
			n.read = func() reading { return reading{now, now, now} }
			work, stop := context.WithCancel(b.Context())
			for s := range 4 {
				n.members.see(now, n.id, []byte(here), uint64(s+1), time.Hour)
				now += 5 * time.Second
			}
			second := func() {
				now += time.Second
				n.members[n.id].last = now
				for range partitions { // each answer makes a turn come
					n.turn(work)
				}
			}
			for n.Status().Partitions[partitions-1].Epoch == 0 {
				second()
			}
			for b.Loop() {
				second()
			}
			stop()
			n.work.Wait()
		})
	}
}
