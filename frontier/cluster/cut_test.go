package cluster_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/brokertest"
)

// A witness notes when a node asks for a page.
type witness struct {
	*cluster.Member

	mu   sync.Mutex
	last time.Time
	n    int
}

func (w *witness) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	l, err := w.Member.Lease(ctx, patience)
	if err != nil {
		return nil, err
	}
	return &witnessed{l, w}, nil
}

// asked returns when the node asked for a page last, and for how many it has.
func (w *witness) asked() (last time.Time, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, w.n
}

// epochs returns those of the partitions that the node owns.
func (w *witness) epochs(t *testing.T) map[int]uint64 {
	t.Helper()
	all, err := w.Owned(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	epochs := make(map[int]uint64)
	for _, o := range all {
		epochs[o.Partition] = o.Epoch
	}
	return epochs
}

type witnessed struct {
	frontier.Lease
	w *witness
}

func (l *witnessed) Permit(ctx context.Context, site string) (frontier.Grant, error) {
	g, err := l.Lease.Permit(ctx, site)
	if err == nil {
		l.w.mu.Lock()
		l.w.last = time.Now()
		l.w.n++
		l.w.mu.Unlock()
	}
	return g, err
}

// joinThrough lets nodes take part in a crawl, each at a server.
func (w *tree) joinThrough(t *testing.T, c *brokertest.Cluster, ttl time.Duration, servers ...string) (nodes []*witness) {
	t.Helper()
	for i, server := range servers {
		name := string(rune('a' + i))
		o := joinOptions(c, name, filepath.Join(t.TempDir(), name))
		o.Stream.Servers, o.Tenure.TTL = []string{server}, ttl
		m := w.joinWith(t, o)
		t.Cleanup(func() { m.Close() })
		nodes = append(nodes, &witness{Member: m})
	}
	w.start(t, nodes[0])
	return nodes
}

// crawlAll crawls with all nodes to the end. Who has come to it goes on asking until all have, or what it comes to own would wait.
func (w *tree) crawlAll(t *testing.T, nodes []*witness) (wait func()) {
	var running sync.WaitGroup
	var ended atomic.Int64
	for _, n := range nodes {
		running.Go(func() {
			for isFirst := true; isFirst || ended.Load() < int64(len(nodes)); isFirst = false {
				if err := w.crawl(t.Context(), t, n); !errors.Is(err, frontier.ErrIdle) {
					t.Errorf("Lease: %v, want %v", err, frontier.ErrIdle)
				}
				if isFirst {
					ended.Add(1)
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	return running.Wait
}

// until waits until something holds, for two minutes at most.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begin := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 2*time.Minute {
			t.Fatalf("it does not come to it that %s", what)
		}
	}
}

// Ensure that a node which is cut off from the brokers asks for nothing any more before another one owns what it had, that what it
// sent is refused when it arrives after that, and that it goes on then.
func TestJoin_CutOff(t *testing.T) {
	t.Parallel()
	c, w := brokertest.Start(t, 1), newTree(8, 100)
	w.beside, w.fan = 100, 20 // so it stops neither because a page cannot be settled, nor for want of links
	p := brokertest.StartProxy(t, c.Brokers[0])
	ttl := joinOptions(c, "", "").Tenure.TTL
	nodes := w.joinThrough(t, c, ttl, c.Brokers[0].URL(), p.URL())
	near, far := nodes[0], nodes[1]
	wait := w.crawlAll(t, nodes)
	until(t, "both own as much", func() bool { return len(near.epochs(t)) == 2 && len(far.epochs(t)) == 2 })
	_, before := far.asked()
	until(t, "the far one asks for some pages", func() bool { _, n := far.asked(); return n >= before+40 })
	p.Hold(true)
	cut := time.Now()
	until(t, "the near one owns all", func() bool { return len(near.epochs(t)) == 4 })
	owned := time.Now()
	switch last, _ := far.asked(); {
	case last.Before(cut):
		t.Error("it asks for nothing as soon as it is cut off")
	case last.After(owned), last.After(cut.Add(ttl)):
		t.Errorf("it asks %v after it was cut off, and others own what it had %v after", last.Sub(cut), owned.Sub(cut))
	default:
		t.Logf("it asked for %v, and others owned what it had after %v", last.Sub(cut), owned.Sub(cut))
	}
	_, before = far.asked()
	p.Hold(false)
	until(t, "the far one goes on", func() bool { _, n := far.asked(); return n > before })
	wait()
	t.Logf("%d pages were asked for again", w.check(t))
}

// Ensure that nodes to whom acknowledgements are lost keep their partitions, go on, and ask for nothing twice.
func TestJoin_LostAcknowledgements(t *testing.T) {
	t.Parallel()
	c, w := brokertest.Start(t, 1), newTree(16, 40)
	p := brokertest.StartProxy(t, c.Brokers[0])
	nodes := w.joinThrough(t, c, time.Minute, p.URL(), p.URL()) // a busy machine takes no tenure away
	wait := w.crawlAll(t, nodes)
	until(t, "both own as much", func() bool { return len(nodes[0].epochs(t)) == 2 && len(nodes[1].epochs(t)) == 2 })
	before := [...]map[int]uint64{nodes[0].epochs(t), nodes[1].epochs(t)}
	for i := range 3 {
		time.Sleep(1700 * time.Millisecond) // nodes connect again within a second
		p.Swallow(true)
		time.Sleep(time.Duration(50+100*i) * time.Millisecond)
		p.Swallow(false)
	}
	wait()
	for i, n := range nodes {
		if after := n.epochs(t); !maps.Equal(after, before[i]) {
			t.Errorf("node %s owns partitions %v after it has owned %v", n.Name(), after, before[i])
		}
	}
	if again := w.check(t); again != 0 {
		t.Errorf("%d pages were asked for twice", again)
	}
}
