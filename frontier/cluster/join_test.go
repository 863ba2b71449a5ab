package cluster_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/cluster/tenure"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

func join(t *testing.T, c *brokertest.Cluster, name string) *cluster.Member {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	m, err := cluster.Join(ctx, cluster.JoinOptions{
		Node: name,
		Stream: stream.Options{
			Servers: c.URLs(), Job: "test", Partitions: 4, Replicas: len(c.Brokers), AllowUnsafe: len(c.Brokers) < 3,
		},
		Tenure:   tenure.Options{TTL: 6 * time.Second, Settle: time.Second},
		Frontier: cluster.Options{Dir: t.TempDir(), Disk: disk.Options{DefaultDelay: gap}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// Ensure that nodes which come and go share a crawl at real brokers, one of which is killed meanwhile.
func TestJoin(t *testing.T) {
	brokers := 3
	if testing.Short() {
		brokers = 1
	}
	c := brokertest.Start(t, brokers)
	w := newTree(16, 40)
	var running sync.WaitGroup
	crawl := func(m *cluster.Member) {
		running.Go(func() {
			if _, err := m.Add(t.Context(), []frontier.Link{{URL: w.url(t, 0, 0)}}); err != nil {
				t.Error(err)
			}
			if err := w.crawl(t.Context(), t, m); !errors.Is(err, frontier.ErrIdle) && !errors.Is(err, frontier.ErrClosed) {
				t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
			}
		})
	}
	first := join(t, c, "first")
	crawl(first)
	time.Sleep(2 * time.Second)
	second := join(t, c, "second")
	crawl(second)
	time.Sleep(3 * time.Second)
	if brokers > 1 {
		c.Brokers[1].Kill()
		time.Sleep(time.Second)
		if err := c.Brokers[1].Start(); err != nil {
			t.Fatal(err)
		}
	}
	crawl(join(t, c, "third"))
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	running.Wait()
	t.Logf("%d pages were asked for again", w.check(t))
}
