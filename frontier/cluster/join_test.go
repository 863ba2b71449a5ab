package cluster_test

import (
	"context"
	"errors"
	"slices"
	"strings"
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
	m, err := cluster.Join(ctx, joinOptions(c, name, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func joinOptions(c *brokertest.Cluster, name, dir string) cluster.JoinOptions {
	return cluster.JoinOptions{
		Node: name,
		Stream: stream.Options{
			Servers: c.URLs(), Job: "test", Partitions: 4, Replicas: len(c.Brokers), AllowUnsafe: len(c.Brokers) < 3,
		},
		Tenure: tenure.Options{
			TTL: 6 * time.Second, Renew: time.Second / 2, Settle: time.Second / 2, Patience: 3 * time.Second / 2, Retry: time.Second / 6,
		},
		Frontier: cluster.Options{Dir: dir, Disk: disk.Options{DefaultDelay: gap}},
	}
}

// Ensure that nodes which come and go share a crawl at real brokers, one of which is killed meanwhile.
func TestJoin(t *testing.T) {
	t.Parallel()
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
			m.Close() // or what it owns waits for somebody to ask
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

// Ensure that a crawl goes on where it was when all brokers have been killed at once and come back, after less and after more than
// the time that a node may be silent.
func TestJoin_AllBrokersAreKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("three brokers")
	}
	t.Parallel()
	c := brokertest.Start(t, 3)
	w := newTree(16, 80)
	var running sync.WaitGroup
	for _, name := range []string{"first", "second"} {
		m := join(t, c, name)
		running.Go(func() {
			if _, err := m.Add(t.Context(), []frontier.Link{{URL: w.url(t, 0, 0)}}); err != nil {
				t.Error(err)
			}
			if err := w.crawl(t.Context(), t, m); !errors.Is(err, frontier.ErrIdle) {
				t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
			}
			m.Close()
		})
	}
	for _, away := range []time.Duration{time.Second, 9 * time.Second} {
		time.Sleep(4 * time.Second)
		c.Stop()
		time.Sleep(away)
		for _, b := range c.Brokers {
			if err := b.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	running.Wait()
	t.Logf("%d pages were asked for again", w.check(t))
}

// Ensure that options which no node can have are told before the brokers, whose crawl would begin with them, hear of it.
func TestJoin_BadOptions(t *testing.T) {
	for name, set := range map[string]func(o *cluster.JoinOptions){
		"no name":     func(o *cluster.JoinOptions) { o.Node = "" },
		"a long name": func(o *cluster.JoinOptions) { o.Node = strings.Repeat("a", 65) },
		"a short TTL": func(o *cluster.JoinOptions) { o.Tenure = tenure.Options{TTL: time.Second} },
	} {
		o := joinOptions(&brokertest.Cluster{}, "a", "")
		o.Stream.Servers = []string{"nats://127.0.0.1:1"} // nobody
		set(&o)
		if _, err := cluster.Join(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), "tenure: ") {
			t.Errorf("Join with %s: %v, want what is wrong with it", name, err)
		}
	}
}

// Ensure that nodes whose names differ behind a dot only are told apart.
func TestInspect_Names(t *testing.T) {
	t.Parallel()
	c := brokertest.Start(t, 1)
	want := []string{"a.one", "a.two"}
	for _, name := range want {
		join(t, c, name)
	}
	s, err := stream.Connect(t.Context(), joinOptions(c, "", "").Stream)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	for deadline := time.Now().Add(30 * time.Second); !slices.Equal(got, want) && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
		i, err := cluster.Inspect(t.Context(), s, "test")
		if err != nil {
			t.Fatal(err)
		}
		got = i.Nodes
	}
	if !slices.Equal(got, want) {
		t.Errorf("the nodes are %v, want %v", got, want)
	}
}
