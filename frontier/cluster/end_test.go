package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A slowBroker is slow when a mark that says quiet is written anew as it is, which is the end of a look at all of them, and after
// that when it is asked.
type slowBroker struct {
	*broker
	late  time.Duration
	first bool         // the first such mark is slow, too
	told  atomic.Int32 // marks that say quiet

	mu     sync.Mutex // guards all below
	last   []byte     // of these
	looked bool
}

func (b *slowBroker) CompareAndSet(ctx context.Context, key string, val []byte, revision uint64) (uint64, error) {
	revision, err := b.broker.CompareAndSet(ctx, key, val, revision)
	if bytes.Contains(val, []byte(`"quiet":true`)) {
		isFirst := b.told.Add(1) == 1
		if b.isFirstLook(val) || isFirst && b.first {
			time.Sleep(b.late)
		}
	}
	return revision, err
}

func (b *slowBroker) isFirstLook(val []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	isFirst := !b.looked && bytes.Equal(val, b.last)
	b.last, b.looked = bytes.Clone(val), b.looked || isFirst
	return isFirst
}

func (b *slowBroker) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	b.mu.Lock()
	isSlow := b.looked && b.late > 0
	b.mu.Unlock()
	if isSlow {
		time.Sleep(time.Second)
	}
	return b.broker.Get(ctx, key)
}

// fetchNext settles the first URL of the next site, and says when that was leased.
func fetchNext(t *testing.T, n *node) time.Time {
	t.Helper()
	l, err := n.Lease(t.Context(), 10*time.Hour)
	if err != nil {
		t.Fatalf("Lease: %v", err)
	}
	start := time.Now()
	settleFirst(t, l)
	return start
}

// settleFirst settles the next URL of a site that is leased, which rests for an hour.
func settleFirst(t *testing.T, l frontier.Lease) {
	t.Helper()
	defer l.Close()
	g, err := l.Permit(t.Context(), l.Site())
	if err != nil {
		t.Error(err)
		return
	}
	defer g.Done(time.Hour)
	e, ok, err := l.Next(t.Context())
	if err != nil || !ok {
		t.Errorf("Next: %v, %v", ok, err)
		return
	}
	if _, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done}); err != nil {
		t.Error(err)
	}
}

// Ensure that a crawl which was at its end when a node began to look, and is not any more when the node has looked, goes on,
// whether the broker is slow while the node looks or while it tells of itself.
func TestLease_LinkIsAddedMeanwhile(t *testing.T) {
	for _, first := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := &slowBroker{broker: newBroker(1), late: time.Minute, first: first}
			n := newNodeWith(t, optionsOf(b, vfs.NewMem(), 1))
			defer n.Close()
			n.tenures.give(b.broker, 0)
			added := make(chan error)
			go func() {
				time.Sleep(time.Second) // of the minute
				_, err := n.Add(t.Context(), frontiertest.Links(t, "http://site.test/1", "http://site.test/2"))
				added <- err
			}()
			first := fetchNext(t, n)
			if err := <-added; err != nil {
				t.Fatal(err)
			}
			if gap := fetchNext(t, n).Sub(first); gap < time.Hour {
				t.Errorf("the second URL was leased after %v, want an hour", gap)
			}
		})
	}
}

// Ensure that nodes which wait for a site ask the brokers for little, and that they learn of the end soon.
func TestLease_WaitsQuietly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const partitions = 16
		b := &slowBroker{broker: newBroker(partitions)}
		nodes := []*node{newNodeWith(t, optionsOf(b, vfs.NewMem(), partitions)), newNodeWith(t, optionsOf(b, vfs.NewMem(), partitions))}
		for _, n := range nodes {
			defer n.Close()
		}
		for id := range partitions {
			nodes[id%2].tenures.give(b.broker, id)
		}
		var addresses []string
		for i := range 20 {
			addresses = append(addresses, fmt.Sprintf("http://site%d.test/1", i), fmt.Sprintf("http://site%d.test/2", i))
		}
		if _, err := nodes[0].Add(t.Context(), frontiertest.Links(t, addresses...)); err != nil {
			t.Fatal(err)
		}
		ended := make(chan time.Time, len(nodes))
		for _, n := range nodes {
			go func() {
				for {
					l, err := n.Lease(t.Context(), 10*time.Hour)
					if err != nil {
						if !errors.Is(err, frontier.ErrIdle) {
							t.Error(err)
						}
						ended <- time.Now()
						return
					}
					settleFirst(t, l)
				}
			}()
		}
		time.Sleep(10 * time.Minute)
		before := b.told.Load()
		time.Sleep(10 * time.Minute)
		if told, most := b.told.Load()-before, int32((10*60/5+1)*2*partitions); told > most { // a round at either end
			t.Errorf("%d marks were written in ten minutes, want %d at most", told, most)
		}
		if between := (<-ended).Sub(<-ended).Abs(); between > 10*time.Second {
			t.Errorf("a node learnt of the end %v after the other", between)
		}
	})
}

// Ensure that a node which has added a link to a site of another one does not believe what it knew before.
func TestLease_LinkIsAddedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(2)
		nodes := []*node{newNode(t, b, vfs.NewMem(), 2), newNode(t, b, vfs.NewMem(), 2)}
		for id, n := range nodes {
			defer n.Close()
			n.tenures.give(b, id)
		}
		untilIdle(t, nodes, 0) // both own what they were given
		foreign := ""
		for i := 0; foreign == ""; i++ {
			site := fmt.Sprintf("http://%d.test/", i)
			if res, err := nodes[0].Add(t.Context(), frontiertest.Links(t, site)); err != nil {
				t.Fatal(err)
			} else if res.Passed == 1 {
				foreign = site
			}
		}
		untilIdle(t, nodes, time.Minute) // the other one was at the end, and is until the link arrives
		if _, err := nodes[0].Add(t.Context(), frontiertest.Links(t, foreign+"2")); err != nil {
			t.Fatal(err)
		}
		untilIdle(t, nodes, time.Minute)
	})
}

// untilIdle lets nodes fetch what there is; the second one begins late. The first one may not end before.
func untilIdle(t *testing.T, nodes []*node, late time.Duration) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		time.Sleep(late)
		fetchAll(t, nodes[1])
	}()
	start := time.Now()
	fetchAll(t, nodes[0])
	if after := time.Since(start); after < late {
		t.Errorf("the crawl ended %v before its last URL was fetched", late-after)
	}
	<-ended
}

// fetchAll settles every URL until there is none.
func fetchAll(t *testing.T, n *node) {
	for {
		l, err := n.Lease(t.Context(), time.Hour)
		if errors.Is(err, frontier.ErrIdle) {
			return
		} else if err != nil {
			t.Errorf("Lease: %v", err)
			return
		}
		e, ok, err := l.Next(t.Context())
		if err != nil || !ok {
			t.Errorf("Next: %v, %v", ok, err)
		} else if _, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done}); err != nil {
			t.Error(err)
		}
		l.Close()
	}
}
