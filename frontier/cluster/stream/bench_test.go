package stream_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// The figures for appends to logs, each by one owner that waits for the one before: three brokers that sync each write.
func BenchmarkAppend(b *testing.B) {
	for _, partitions := range []int{1, 16, 64} {
		for _, size := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("partitions=%d/KiB=%d", partitions, size), func(b *testing.B) {
				c := brokertest.Start(b, 3)
				brokers := connect(b, c, func(o *stream.Options) { o.Partitions = partitions })
				logs := make([]*stream.Log, partitions)
				for p := range logs {
					logs[p] = mustOwn(b, brokers, p, 1)
				}
				record := make([]byte, size<<10)
				rand.NewChaCha8([32]byte{1}).Read(record)
				cpu := brokertest.CPU(c)
				b.ResetTimer()
				var wg sync.WaitGroup
				for p, l := range logs {
					wg.Go(func() {
						for range (b.N + p) / partitions {
							if _, err := l.Append(record); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
				b.ReportMetric(float64((brokertest.CPU(c)-cpu).Microseconds())/float64(b.N), "broker-cpu-us/append")
			})
		}
	}
}

// The figures for messages of links, sent to 16 partitions, of 87 bytes a link.
func BenchmarkSend(b *testing.B) {
	for _, links := range []int{50, 500} {
		b.Run(fmt.Sprintf("links=%d", links), func(b *testing.B) {
			const partitions = 16
			c := brokertest.Start(b, 3)
			brokers := connect(b, c, func(o *stream.Options) { o.Partitions = partitions })
			message := make([]byte, links*87)
			rand.NewChaCha8([32]byte{1}).Read(message)
			cpu := brokertest.CPU(c)
			b.ResetTimer()
			var wg sync.WaitGroup
			for p := range partitions {
				wg.Go(func() {
					for i := range (b.N + p) / partitions {
						if err := brokers.Send(b.Context(), p, fmt.Sprint(p, "-", i), message); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N*links)/b.Elapsed().Seconds(), "links/s")
			b.ReportMetric(float64((brokertest.CPU(c)-cpu).Microseconds())/float64(b.N), "broker-cpu-us/message")
		})
	}
}

// What 64 partitions cost while nothing happens.
func BenchmarkIdle(b *testing.B) {
	const partitions = 64
	c := brokertest.Start(b, 3)
	brokers := connect(b, c, func(o *stream.Options) { o.Partitions = partitions })
	ctx, stop := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	for p := range partitions {
		mustOwn(b, brokers, p, 1)
		wg.Go(func() { brokers.Receive(ctx, p, 0, func(uint64, []byte) error { return nil }) })
	}
	time.Sleep(5 * time.Second)
	for b.Loop() {
		cpu, begin := brokertest.CPU(c), time.Now()
		time.Sleep(20 * time.Second)
		b.ReportMetric(100*(brokertest.CPU(c)-cpu).Seconds()/time.Since(begin).Seconds(), "percent-of-a-core")
	}
	stop()
	wg.Wait()
}
