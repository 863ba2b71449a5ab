package cluster_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// crawlWith crawls with a node at real brokers, for a time or, if that is 0, to the end, and closes it.
func (w *tree) crawlWith(t *testing.T, o cluster.JoinOptions, isFirst bool, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	m, err := cluster.Join(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if isFirst {
		w.start(t, m)
	}
	if d > 0 {
		defer time.AfterFunc(d, func() { m.Close() }).Stop()
	}
	if err := w.crawl(t.Context(), t, m); !errors.Is(err, frontier.ErrIdle) && (d == 0 || !errors.Is(err, frontier.ErrClosed)) {
		t.Errorf("Lease: %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// Ensure that a node whose directory was removed goes on at real brokers from snapshots, and what came after: everything is
// visited, nothing twice, and the streams did not grow with the crawl.
func TestJoin_Wiped(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"brokers", "directory"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			n := 3
			if testing.Short() || where == "directory" {
				n = 1
			}
			c, w := brokertest.Start(t, n), newTree(16, 70)
			o := joinOptions(c, "node", filepath.Join(t.TempDir(), "node"))
			if o.Frontier.SnapshotEvery, o.Frontier.SnapshotMost = often, often; where == "directory" {
				o.Frontier.Snapshots = cluster.Directory(t.TempDir())
			}
			for round := range 3 {
				d := 3 * time.Second
				if round == 2 {
					d = 0
				}
				w.crawlWith(t, o, round == 0, d)
				if err := os.RemoveAll(o.Frontier.Dir); err != nil {
					t.Fatal(err)
				}
			}
			if again := w.check(t); again != 0 {
				t.Errorf("%d pages were asked for twice", again)
			}
			b, err := stream.Connect(t.Context(), o.Stream)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			for p := range o.Stream.Partitions {
				first, last, size, err := b.Extent(t.Context(), p)
				if err != nil || first <= 1 || size > 16*often {
					t.Errorf("the stream of partition %d goes from %d to %d, with %d bytes, %v", p, first, last, size, err)
				}
			}
		})
	}
}

// Ensure that an operator sees a partition whose stream has lost what it had, at real brokers, and can have it rebuilt, from a
// snapshot or a node's files.
func TestOperator(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"snapshot", "files"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			c, w := brokertest.Start(t, 1), newTree(8, 40)
			o := joinOptions(c, "node", filepath.Join(t.TempDir(), "node"))
			o.Stream.Partitions, o.Frontier.SnapshotEvery, o.Frontier.SnapshotMost = 1, often, often
			w.crawlWith(t, o, true, 3*time.Second)
			b, err := stream.Connect(t.Context(), o.Stream)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if err := b.Recreate(t.Context(), 0, 0); err != nil {
				t.Fatal(err)
			}
			m, err := cluster.Join(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			op := o
			op.Node, op.Frontier.Dir = "operator", t.TempDir()
			operator, err := cluster.Operate(t.Context(), op)
			if err != nil {
				t.Fatal(err)
			}
			defer operator.Close()
			all := []cluster.Quarantine(nil)
			for ; len(all) == 0 && err == nil; time.Sleep(100 * time.Millisecond) {
				all, err = operator.Quarantined(t.Context())
			}
			if err != nil || all[0].Node != "node" || !strings.Contains(all[0].Reason, "ends before") || all[0].Place == 0 {
				t.Errorf("Quarantined = %+v, %v", all, err)
			}
			m.Close()
			files := ""
			if from == "files" {
				files = filepath.Join(o.Frontier.Dir, "0000")
			}
			res, err := operator.Repair(t.Context(), 0, files)
			if err != nil || res.Lost == nil || !res.InboxLost {
				t.Errorf("Repair = %+v, %v", res, err)
			}
			w.crawlWith(t, o, false, 0)
			if again := w.check(t); again != 0 && from == "files" {
				t.Errorf("%d pages were asked for twice", again)
			}
		})
	}
}
