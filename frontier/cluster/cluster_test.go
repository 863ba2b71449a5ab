package cluster_test

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/storage/bootclock"
)

func TestMain(m *testing.M) {
	brokertest.Main()
	goleak.VerifyTestMain(m)
}

// A node is one of a cluster of a test.
type node struct {
	*cluster.Frontier
	tenures *tenures
}

func newNode(t testing.TB, b *broker, fs vfs.FS, partitions int) *node {
	t.Helper()
	n := &node{tenures: newTenures()}
	var err error
	n.Frontier, err = cluster.Open(cluster.Options{
		Dir: "partitions", Partitions: partitions, Secret: []byte("secret"), Brokers: b, Tenures: n.tenures,
		Disk: disk.Options{FS: fs, Memory: 1, Boot: func() bootclock.Reading { return bootclock.Reading{} }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The contract, as a node that owns all partitions keeps it. Where there are several their sites take turns, so there is one.
func TestFrontier(t *testing.T) {
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		b := newBroker(1)
		n := newNode(t, b, vfs.NewMem(), 1)
		n.tenures.give(b, 0)
		awaitOwned(t, n)
		return n
	}, frontiertest.Options{Bubble: true})
}

// awaitOwned waits until a node serves all partitions.
func awaitOwned(t testing.TB, n *node) {
	t.Helper()
	if _, err := n.Lease(t.Context(), 0); !errors.Is(err, frontier.ErrIdle) {
		t.Fatalf("Lease = %v, want %v", err, frontier.ErrIdle)
	}
}
