//go:build unix

package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// Of a benchmark that stores as a crawl does.
const (
	crawlPages   = 10_000
	crawlWorkers = 8
	crawlSync    = 1000 // pages between two calls of Sync
	removed      = 100_000
)

// BenchmarkCrawl stores 10,000 pages of 20 KB on 200 hosts from eight workers: on a disk as it is, right after 100,000 files were
// removed from it, and pages of which two in three have been stored before. Run it with -benchtime 1x.
func BenchmarkCrawl(b *testing.B) {
	b.Run("fresh", func(b *testing.B) { benchmarkCrawl(b, crawlPages) })
	b.Run("same", func(b *testing.B) { benchmarkCrawl(b, crawlPages/3) })
	b.Run("removed", func(b *testing.B) {
		dir := b.TempDir()
		for i := range removed {
			folder := filepath.Join(dir, fmt.Sprint(i%200))
			if err := os.MkdirAll(folder, 0o755); err != nil {
				b.Fatal(err)
			}
			filetest.Write(b, filepath.Join(folder, fmt.Sprint(i)), "x")
		}
		syscall.Sync()
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		benchmarkCrawl(b, crawlPages)
	})
}

func benchmarkCrawl(b *testing.B, bodies int) {
	filler := strings.Repeat("<p>body", 3000)
	before, start := cpu(b), time.Now()
	for range b.N {
		s := open(b, b.TempDir())
		var next atomic.Int64
		var wg sync.WaitGroup
		for range crawlWorkers {
			wg.Go(func() {
				for i := int(next.Add(1)); i <= crawlPages; i = int(next.Add(1)) {
					body := fmt.Sprint(i%bodies, filler)
					put(b, s, numberedPage(i, body, storage.DigestOf([]byte(body))))
					if i%crawlSync == 0 {
						if err := s.Sync(); err != nil {
							b.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		filetest.Close(b, s)
	}
	used := cpu(b)
	n := float64(b.N * crawlPages)
	b.ReportMetric(n/time.Since(start).Seconds(), "pages/s")
	b.ReportMetric((used.user-before.user)*1e6/n, "user-µs/page")
	b.ReportMetric((used.system-before.system)*1e6/n, "system-µs/page")
	b.ReportMetric(0, "ns/op")
}

// used is CPU time in seconds.
type used struct{ user, system float64 }

func cpu(tb testing.TB) used {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return time.Duration(t.Nano()).Seconds() }
	return used{seconds(u.Utime), seconds(u.Stime)}
}
