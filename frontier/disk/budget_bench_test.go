package disk_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/storage/cputime"
)

// A lostLog takes what it is given, and keeps none of it.
type lostLog struct{ last uint64 }

// Append implements disk.Log.
func (l *lostLog) Append([]byte) (uint64, error) { l.last++; return l.last, nil }

// Replay implements disk.Log.
func (l *lostLog) Replay(uint64, func(uint64, []byte) error) error { return nil }

// What memory the partitions of a node take: links are added to all of them in turn, and the process is looked at then. Of each
// kind a process of its own tells the truth: -bench 'Budget/shared=64$'.
func BenchmarkBudget(b *testing.B) {
	for _, c := range []struct {
		kind string
		n    int
	}{{"alone", 1}, {"shared", 1}, {"shared", 16}, {"shared", 64}, {"separate", 16}, {"separate", 64}} {
		b.Run(fmt.Sprintf("%s=%d", c.kind, c.n), func(b *testing.B) {
			var o disk.Options
			if c.kind == "shared" {
				o.Budget = disk.NewBudget(0, c.n)
				defer o.Budget.Close()
			}
			var all []*disk.Frontier
			for range c.n {
				o.Log = &lostLog{}
				f := open(b, b.TempDir(), o)
				defer f.Close()
				all = append(all, f)
			}
			b.ResetTimer()
			cpu := cputime.Used()
			var adding sync.WaitGroup
			for worker := range 4 {
				adding.Go(func() { addTo(b, all, worker) })
			}
			adding.Wait()
			b.StopTimer()
			b.ReportMetric(float64(residentSet())/(1<<20), "MiB-RSS")
			b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N), "cpu-s/Mlinks")
		})
	}
}

// addTo adds a quarter of b.N links, fifty at a time, each time those of a few sites of one frontier.
func addTo(b *testing.B, all []*disk.Frontier, worker int) {
	rng := rand.New(rand.NewPCG(1, uint64(worker)))
	for n := worker * 50; n < b.N; n += 200 {
		links, to := make([]frontier.Link, 50), rng.IntN(len(all))
		for i := range links {
			links[i].URL = makeURL(to+len(all)*rng.IntN(1+100_000/len(all)), rng.Uint64())
		}
		if _, err := all[to].Add(context.Background(), links); err != nil {
			b.Error(err)
			return
		}
	}
}
