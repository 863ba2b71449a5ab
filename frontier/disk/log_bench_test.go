package disk_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/cputime"
)

// The figures for adding links, four of five known, with the write-ahead log elsewhere and in the directory: to be run together.
func BenchmarkAdd_Log(b *testing.B) {
	for _, where := range []string{"directory", "memory"} {
		b.Run("log="+where, func(b *testing.B) {
			var o disk.Options
			log := &memLog{}
			if where == "memory" {
				o.Log = log.take()
			}
			f := open(b, b.TempDir(), o)
			defer f.Close()
			w := &web{sites: 10_000, known: 80}
			w.add(b, f, 100_000)
			before, records := log.size(), log.len()
			b.ResetTimer()
			cpu := cputime.Used()
			fresh := w.add(b, f, b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "links/s")
			b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(b.N), "cpu-s/Mlinks")
			if o.Log != nil {
				b.ReportMetric(float64(log.size()-before)/float64(fresh), "B/new-link")
				b.ReportMetric(float64(b.N)/float64(log.len()-records), "links/record")
			}
		})
	}
}

// How fast an empty directory is brought to where the log ends: links that were new when they were added.
func BenchmarkReplay(b *testing.B) {
	const total = 1_000_000
	log := &memLog{}
	f := open(b, b.TempDir(), disk.Options{Log: log.take()})
	fresh := (&web{sites: 100_000}).add(b, f, total)
	frontiertest.MustClose(b, f)
	b.ResetTimer()
	cpu := cputime.Used()
	for range b.N {
		f := open(b, b.TempDir(), disk.Options{Log: log.copy().take()})
		b.StopTimer()
		f.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(fresh)*float64(b.N)/b.Elapsed().Seconds(), "links/s")
	b.ReportMetric(float64((cputime.Used()-cpu).Microseconds())/float64(fresh)/float64(b.N), "cpu-s/Mlinks")
}
