package cluster_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
)

// Ensure that nodes wait while the brokers have no room for more, those that come as well, leave when they are asked to, and go on
// when there is more room for the logs of partitions: nothing is lost, and nothing asked for twice but what was under way.
func TestJoin_LogsAreFull(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute to see that nothing goes on")
	}
	t.Parallel()
	c, w := brokertest.Start(t, 1), newTree(8, 120)
	o := joinOptions(c, "node0", filepath.Join(t.TempDir(), "node0"))
	o.Stream.Partitions, o.Stream.MaxBytes = 2, 40<<10
	members := []*cluster.Member{w.joinWith(t, o)}
	w.start(t, members[0])
	ended := make(chan error, 8)
	crawl := func(m *cluster.Member) { go func() { ended <- w.crawl(t.Context(), t, m) }() }
	crawl(members[0])
	w.awaitStill(t)
	o.Node, o.Frontier.Dir = "node1", filepath.Join(t.TempDir(), "node1")
	members = append(members, w.joinWith(t, o))
	crawl(members[1])
	w.awaitStill(t)
	if err := members[0].Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, frontier.ErrClosed) {
		t.Errorf("Lease: %v, want %v", err, frontier.ErrClosed)
	}
	w.awaitStill(t)
	o.Stream.MaxBytes = 64 << 20
	o.Node, o.Frontier.Dir = "node2", filepath.Join(t.TempDir(), "node2")
	members = append(members, w.joinWith(t, o))
	crawl(members[2])
	for range 2 {
		if err := <-ended; !errors.Is(err, frontier.ErrIdle) {
			t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
		}
	}
	t.Logf("%d pages were asked for again", w.check(t))
	for _, m := range members[1:] {
		m.Close()
	}
}

func (w *tree) joinWith(t *testing.T, o cluster.JoinOptions) *cluster.Member {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m, err := cluster.Join(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// awaitStill waits until nothing has been asked for in a while, and wants something to be left.
func (w *tree) awaitStill(t *testing.T) {
	t.Helper()
	for last, n := -1, 0; n == 0 || n != last; {
		time.Sleep(2500 * time.Millisecond)
		w.mu.Lock()
		last, n = n, len(w.asked)
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.asked); n == 0 || n == w.sites*w.pages {
		t.Fatalf("%d pages were asked for", n)
	}
}
