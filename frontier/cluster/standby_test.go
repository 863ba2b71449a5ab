package cluster_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
)

// Ensure that a node which stands by goes on with what it has followed when the owner is killed, though no snapshot can be read any
// more and the log was cut, and with its own partition in between.
func TestStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const partitions = 2
		w, b, s := newTree(12, 200), newBroker(partitions), newStore()
		owner := newNodeWith(t, withSnapshots(b, s, vfs.NewMem(), partitions))
		o := withSnapshots(b, s, vfs.NewMem(), partitions)
		o.Standby, o.StandbyEvery = true, 1
		next := newNodeWith(t, o)
		next.tenures.next <- []int{0, 1}
		var have []*given
		for p := range partitions {
			have = append(have, owner.tenures.give(b, p))
		}
		w.start(t, owner)
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		if err := w.crawl(ctx, t, owner); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Lease: %v, want %v: all is crawled too soon", err, context.DeadlineExceeded)
		}
		time.Sleep(time.Minute) // the other one has followed
		for p, h := range have {
			h.end()
			<-h.back
			if b.firstOf(p) <= 1 {
				t.Errorf("the log of partition %d was never cut", p)
			}
		}
		owner.Close()
		s.mu.Lock()
		clear(s.files)
		s.mu.Unlock()
		for p := range partitions {
			next.tenures.give(b, p)
		}
		if err := w.crawl(t.Context(), t, next); !errors.Is(err, frontier.ErrIdle) {
			t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
		}
		next.Close()
		if again := w.check(t); again > 12 {
			t.Errorf("%d pages were asked for twice, more than could be under way", again)
		}
	})
}
