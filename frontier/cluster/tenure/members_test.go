package tenure

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	for _, partitions := range []int{1, 64, 256} {
		for n := 1; n <= 20; n++ {
			before, after := spread(nodeIDs(n), partitions), spread(nodeIDs(n+1), partitions)
			if least, most := shares(before, n); least != partitions/n || most != (partitions+n-1)/n {
				t.Errorf("%d partitions, %d nodes: between %d and %d each", partitions, n, least, most)
			}
			moved := 0
			for p := range before {
				if nameOf(before[p]) != nameOf(after[p]) {
					moved++
				}
			}
			if fair := (partitions + n) / (n + 1); moved > 2*fair+2 {
				t.Errorf("%d partitions, from %d nodes to one more: %d moved, where it takes %d", partitions, n, moved, fair)
			}
		}
	}
}

func nodeIDs(n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("crawler-%02d.%d", i, n)) // another incarnation each time
	}
	return ids
}

func shares(owners []string, nodes int) (least, most int) {
	load := map[string]int{}
	for _, id := range owners {
		load[id]++
	}
	least = len(owners)
	for _, n := range load {
		least, most = min(least, n), max(most, n)
	}
	if len(load) < nodes {
		least = 0
	}
	return least, most
}

// Who was silent for a TTL has to be there for Settle again; a register that was never seen to change is nobody.
func TestMembers(t *testing.T) {
	o := &Options{TTL: 20, Settle: 10}
	s := members{}
	is := func(now time.Duration, want ...string) {
		t.Helper()
		if ids, _ := s.joined(now, o); !slices.Equal(ids, want) {
			t.Errorf("at %d %v have joined, want %v", now, ids, want)
		}
	}
	s.see(0, "a.1", []byte(here), 1, o.TTL)
	s.see(0, "b.1", []byte(here), 2, o.TTL) // all that is left of b
	s.see(5, "a.1", []byte(here), 3, o.TTL)
	is(9)
	is(10, "a.1")
	s.see(20, "a.1", []byte(here), 3, o.TTL) // seen again, not changed
	is(24, "a.1")
	is(25)
	s.see(30, "a.1", []byte(here), 4, o.TTL)
	s.see(35, "a.1", []byte(here), 5, o.TTL)
	is(39)
	is(40, "a.1")
	s.see(41, "a.1", nil, 6, o.TTL)
	is(41)
}
