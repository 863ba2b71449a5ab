package tenure

import (
	"fmt"
	"slices"
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
				if NameOf(before[p]) != NameOf(after[p]) {
					moved++
				}
			}
			if fair := (partitions + n) / (n + 1); moved > 2*fair+2 {
				t.Errorf("%d partitions, from %d nodes to one more: %d moved, where it takes %d", partitions, n, moved, fair)
			}
		}
	}
}

// Ensure that exactly the node is in line for a partition that has it when its owner goes.
func TestInLine(t *testing.T) {
	const partitions = 64
	for n := 1; n <= 9; n++ {
		ids := nodeIDs(n)
		target, lines := spread(ids, partitions), map[string][]int{}
		for _, id := range ids {
			lines[id] = inLine(id, ids, target)
		}
		for i, owner := range ids {
			after := spread(slices.Delete(slices.Clone(ids), i, i+1), partitions)
			for p := range target {
				for _, id := range ids {
					want := target[p] == owner && n > 1 && after[p] == id
					if got := slices.Contains(lines[id], p); target[p] == owner && got != want {
						t.Errorf("%d nodes: %s in line for partition %d of %s: %v, want %v", n, id, p, owner, got, want)
					}
				}
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
