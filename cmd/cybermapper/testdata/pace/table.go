package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// A table gathers what the ways cost.
type table struct {
	ways  []entrant
	costs map[string][]cost
}

func newTable(ways []entrant) *table { return &table{ways, map[string][]cost{}} }

func (t *table) add(name string, c cost) { t.costs[name] = append(t.costs[name], c) }

func (c cost) String() string {
	return fmt.Sprintf("%6d pages %7.2f CPU s %7.2f s %5d MB", c.pages, c.cpu.Seconds(), c.wall.Seconds(), c.resident>>20)
}

// print tells the medians. Ratios are medians over the rounds, each of one round.
func (t *table) print(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer tw.Flush()
	fmt.Fprintln(tw, "\tpages\tCPU µs/page\tµs/20 KB\tx bare\tpages/s\tx fetchbot\tRSS MB\tdisk B/page\t")
	for _, way := range t.ways {
		costs := t.costs[way.name]
		of := func(f func(cost) float64) float64 { return median(costs, func(i int) float64 { return f(costs[i]) }) }
		ratio := func(name string, f func(cost) float64) string {
			others := t.costs[name]
			if len(others) != len(costs) {
				return "-"
			}
			return fmt.Sprintf("%.2f", median(costs, func(i int) float64 { return f(costs[i]) / f(others[i]) }))
		}
		disk := "-"
		if costs[0].disk > 0 {
			disk = fmt.Sprintf("%.0f", of(func(c cost) float64 { return float64(c.disk) / float64(c.pages) }))
		}
		fmt.Fprintf(tw, "%s\t%.0f\t%.0f\t%.0f\t%s\t%.0f\t%s\t%.0f\t%s\t\n", way.name,
			of(func(c cost) float64 { return float64(c.pages) }), of(cost.perPage), of(cost.perBytes), ratio("bare", cost.perBytes),
			of(cost.rate), ratio("fetchbot", cost.rate), of(func(c cost) float64 { return float64(c.resident) / (1 << 20) }), disk)
	}
}

func (c cost) perPage() float64 { return float64(c.cpu.Microseconds()) / float64(c.pages) }

func (c cost) perBytes() float64 { return float64(c.cpu.Microseconds()) / float64(c.bytes) * 20_000 }

func (c cost) rate() float64 { return float64(c.pages) * float64(time.Second) / float64(c.wall) }

// median returns the median of f over the rounds.
func median(costs []cost, f func(i int) float64) float64 {
	values := make([]float64, len(costs))
	for i := range costs {
		values[i] = f(i)
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
