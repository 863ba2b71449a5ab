package cluster_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that a node which has lost its partitions, as when the brokers are away, and whom nobody tells more, counts what it
// knew of them last, not nothing.
func TestStats_OfWhatWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newTree(4, 10), newBroker(1)
		n := newNode(t, b, vfs.NewMem(), 1)
		defer n.Close()
		held := n.tenures.give(b, 0)
		for site := range 4 {
			frontiertest.MustAdd(t, n, frontier.Link{URL: w.url(t, site, 0)})
		}
		time.Sleep(time.Minute) // they are taken in
		before, err := n.Stats(t.Context())
		if err != nil || before.Queued != 4 || before.Sites != 4 {
			t.Fatalf("Stats = %+v, %v", before, err)
		}
		held.end()
		<-held.back
		time.Sleep(time.Minute)
		if after, err := n.Stats(t.Context()); err != nil || after.Queued != 4 || after.Sites != 4 || after.Known != before.Known {
			t.Errorf("Stats = %+v, %v, before %+v", after, err, before)
		}
	})
}

// A muteBroker answers no question for totals before who asks has lost patience.
type muteBroker struct{ *broker }

func (b muteBroker) Call(ctx context.Context, partition int, call []byte) ([]byte, error) {
	if strings.Contains(string(call), `"op":"stats"`) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return b.broker.Call(ctx, partition, call)
}

func (b muteBroker) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	return b.broker.Get(ctx, key)
}

// Ensure that what is left is exact when nothing is, also on a node whom others answer too late.
func TestStats_AtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, b := newTree(6, 20), newBroker(2)
		nodes := []*node{newNode(t, b, vfs.NewMem(), 2), newNodeWith(t, optionsOf(muteBroker{b}, vfs.NewMem(), 2))}
		var running sync.WaitGroup
		for p, n := range nodes {
			n.tenures.give(b, p)
			running.Go(func() {
				frontiertest.MustAdd(t, n, frontier.Link{URL: w.url(t, 0, 0)})
				if err := w.crawl(t.Context(), t, n); !errors.Is(err, frontier.ErrIdle) {
					t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
				}
			})
		}
		running.Wait()
		for _, n := range nodes {
			if s, err := n.Stats(t.Context()); err != nil || s.Done != 6*20 || s.Queued != 0 || s.Sites != 6 {
				t.Errorf("Stats = %+v, %v", s, err)
			}
			n.Close()
		}
	})
}
