package tenure

import (
	"fmt"
	"testing"
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
