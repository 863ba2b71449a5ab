package cluster_test

import (
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
	"github.com/cybermapper/cybermapper/frontier/memory"
	"github.com/cybermapper/cybermapper/storage/bootclock"
)

func TestMain(m *testing.M) {
	brokertest.Main()
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // what waits for real brokers takes little but time
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// A node is one of a cluster of a test.
type node struct {
	*cluster.Frontier
	tenures *tenures
}

func newNode(t testing.TB, b *broker, fs vfs.FS, partitions int) *node {
	t.Helper()
	return newNodeWith(t, optionsOf(b, fs, partitions))
}

func optionsOf(b cluster.Brokers, fs vfs.FS, partitions int) cluster.Options {
	return cluster.Options{
		Dir: "partitions", Partitions: partitions, Secret: []byte("secret"), Brokers: b,
		Disk: disk.Options{FS: fs, Memory: 1, Boot: func() bootclock.Reading { return bootclock.Reading{} }},
	}
}

func newNodeWith(t testing.TB, o cluster.Options) *node {
	t.Helper()
	n := &node{tenures: newTenures()}
	o.Tenures = n.tenures
	var err error
	n.Frontier, err = cluster.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The contract, as a node that owns all partitions keeps it. Where there are several their sites take turns, so there is one.
func TestFrontier(t *testing.T) {
	frontiertest.Test(t, func(t testing.TB) frontier.Frontier {
		b := newBroker(1)
		o := optionsOf(b, vfs.NewMem(), 1)
		o.HandOver, o.Disk.Gather = time.Millisecond, time.Millisecond // random operations wait for real
		n := newNodeWith(t, o)
		n.tenures.give(b, 0)
		awaitOwned(t, n)
		return n
	}, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

func newOracle() frontier.Frontier { return memory.New() }

// onMachine is the boot-time clock of one machine: another one would have every site wait anew.
func onMachine() bootclock.Reading {
	return bootclock.Reading{Boot: "a", Since: time.Since(time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC))}
}

// What must outlive a node which closes, or loses the right to all it had, whether the next one has its files, or but the log, or
// snapshots and what came after.
func TestFrontier_Reopen(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"its files", "the log", "snapshots"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			testReopen(t, from)
		})
	}
}

func testReopen(t *testing.T, from string) {
	type crawl struct {
		b     *broker
		s     *store
		files vfs.FS
		have  *given
	}
	crawls := make(map[string]*crawl)
	opened := func(t testing.TB, dir string) frontier.Frontier {
		c := crawls[dir]
		if c == nil {
			c = &crawl{b: newBroker(1), s: newStore(), files: vfs.NewMem()}
			crawls[dir] = c
		}
		if from != "its files" {
			c.files = vfs.NewMem()
		}
		o := optionsOf(c.b, c.files, 1)
		o.HandOver, o.Disk.Gather, o.Disk.Boot = time.Millisecond, time.Millisecond, onMachine
		if from == "snapshots" {
			o.Snapshots, o.SnapshotEvery, o.SnapshotMost = c.s, 1, 1
		}
		n := newNodeWith(t, o)
		t.Cleanup(func() { n.Close() }) // also who has lost its right
		c.have = n.tenures.give(c.b, 0)
		awaitServed(t, n)
		return n
	}
	kill := func(t testing.TB, f frontier.Frontier, dir string) string {
		crawls[dir].have.end()
		if from == "its files" {
			<-crawls[dir].have.back // a process that has died has closed them
		}
		return dir
	}
	frontiertest.Reopen(t, opened, kill, frontiertest.Options{Bubble: true, Oracle: newOracle})
}

// awaitServed waits until a node serves a partition.
func awaitServed(t testing.TB, n *node) {
	t.Helper()
	for ; ; time.Sleep(time.Millisecond) {
		if all, err := n.Owned(t.Context()); err != nil {
			t.Fatal(err)
		} else if len(all) > 0 {
			return
		}
	}
}

// awaitOwned waits until a node serves all partitions.
func awaitOwned(t testing.TB, n *node) {
	t.Helper()
	if _, err := n.Lease(t.Context(), 0); !errors.Is(err, frontier.ErrIdle) {
		t.Fatalf("Lease = %v, want %v", err, frontier.ErrIdle)
	}
}
