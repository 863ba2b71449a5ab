package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// crawlWith crawls with a node at real brokers, until something holds or, if that is nil, to the end, and closes it.
func (w *tree) crawlWith(t *testing.T, o cluster.JoinOptions, isFirst bool, enough func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	m, err := cluster.Join(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if isFirst {
		w.start(t, m)
	}
	want := frontier.ErrIdle
	var watching sync.WaitGroup
	if enough != nil {
		want = frontier.ErrClosed
		watching.Go(func() {
			for ctx.Err() == nil && !enough() {
				time.Sleep(20 * time.Millisecond)
			}
			m.Close()
		})
	}
	if err := w.crawl(t.Context(), t, m); !errors.Is(err, want) {
		t.Errorf("Lease: %v, want %v", err, want)
	}
	watching.Wait()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// awaitSnapshots waits while snapshots lag behind the streams, as they do on a machine that is slow to make them.
func awaitSnapshots(ctx context.Context, t *testing.T, b *stream.Brokers, partitions int) {
	for p := range partitions {
		for ctx.Err() == nil {
			var m struct{ Kept []struct{ Place uint64 } }
			if v, _, err := b.Get(ctx, fmt.Sprint("snapshots.", p)); err == nil && v != nil {
				if err := json.Unmarshal(v, &m); err != nil {
					t.Error(err)
					return
				}
			}
			first, last, size, err := b.Extent(ctx, p)
			if err != nil {
				return // the crawl will tell
			}
			from := first
			if len(m.Kept) > 0 {
				from = max(first, m.Kept[0].Place)
			}
			if last <= from || size*(last-from)/(last-first+1) < 4*often {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
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
			b, err := stream.Connect(t.Context(), o.Stream)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			w.before = func(ctx context.Context) { awaitSnapshots(ctx, t, b, o.Stream.Partitions) }
			for round := range 3 {
				enough := func() bool { return w.sum() >= 350*(round+1) }
				if round == 2 {
					enough = nil
				}
				w.crawlWith(t, o, round == 0, enough)
				if err := os.RemoveAll(o.Frontier.Dir); err != nil {
					t.Fatal(err)
				}
			}
			if again := w.check(t); again != 0 {
				t.Errorf("%d pages were asked for twice", again)
			}
			for p := range o.Stream.Partitions {
				first, last, size, err := b.Extent(t.Context(), p)
				isCut := first > 1 || size < 4*often // few sites may have fallen into it
				if err != nil || !isCut || size > 16*often {
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
	for _, from := range []string{"snapshot", "files", "nothing"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			c, w := brokertest.Start(t, 1), newTree(8, 40)
			o := joinOptions(c, "node", filepath.Join(t.TempDir(), "node"))
			if o.Stream.Partitions = 1; from != "nothing" {
				o.Frontier.SnapshotEvery, o.Frontier.SnapshotMost = often, often
			}
			b, err := stream.Connect(t.Context(), o.Stream)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			w.crawlWith(t, o, true, func() bool {
				if from == "nothing" {
					return w.sum() >= 160
				}
				snapshots, _, err := b.Get(t.Context(), "snapshots.0")
				return w.sum() >= 160 && err == nil && strings.Contains(string(snapshots), "sha256")
			})
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
			if from == "nothing" {
				all, qerr := operator.Quarantined(t.Context())
				if !errors.Is(err, cluster.ErrNothingLeft) || qerr != nil || len(all) != 1 {
					t.Errorf("Repair from nothing = %+v, %v; %+v are left alone, %v", res, err, all, qerr)
				}
				if _, err := operator.Restart(t.Context(), 0); err != nil {
					t.Errorf("Restart = %v", err)
				}
			} else if err != nil || res.Lost == nil || !res.InboxLost {
				t.Errorf("Repair = %+v, %v", res, err)
			}
			w.crawlWith(t, o, from == "nothing", nil)
			if again := w.check(t); again != 0 && from == "files" {
				t.Errorf("%d pages were asked for twice", again)
			}
		})
	}
}

// Ensure that an operator hears of a stream that is lost while its partition is in use, that the files of its node have what was
// in it, and that the node can end.
func TestOperator_StreamIsLostInUse(t *testing.T) {
	t.Parallel()
	c, w := brokertest.Start(t, 1), newTree(8, 1000)
	o := joinOptions(c, "node", t.TempDir())
	o.Stream.Partitions = 1
	b, err := stream.Connect(t.Context(), o.Stream)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	nc, err := nats.Connect(c.URLs()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	w.crawlWith(t, o, true, func() bool {
		if w.sum() < 20 {
			return false
		}
		if err := js.DeleteStream(t.Context(), "CM_test_0000"); err != nil {
			t.Error(err)
		}
		operator, err := cluster.Operate(t.Context(), o)
		if err != nil {
			t.Error(err)
			return true
		}
		defer operator.Close()
		for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
			if all, err := operator.Quarantined(t.Context()); err == nil && len(all) > 0 {
				if all[0].Place == 0 {
					t.Error("the files of the node have nothing of what it knew")
				}
				return true
			}
		}
		t.Error("the partition is not left alone")
		return true
	})
}
