package cluster_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// A lossyBroker loses what one node asks another, once, or the answer to it.
type lossyBroker struct {
	*broker
	op            string // that is lost; empty for none
	losesQuestion bool
	lost          atomic.Bool
}

func (b *lossyBroker) Call(ctx context.Context, partition int, call []byte) ([]byte, error) {
	isLost := b.op != "" && strings.Contains(string(call), `"op":"`+b.op+`"`) && !b.lost.Swap(true)
	if isLost && b.losesQuestion {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	answer, err := b.broker.Call(ctx, partition, call)
	if isLost {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return answer, err
}

// A lateBroker hands a question on when the owner that is asked has given the partition back, once.
type lateBroker struct {
	*broker
	op    string
	asked chan struct{}   // closed when the question is there
	back  <-chan struct{} // closed when the partition was given back
	late  atomic.Bool     // it was done
}

func (b *lateBroker) Call(ctx context.Context, partition int, call []byte) (reply []byte, err error) {
	b.mu.Lock()
	answer := b.parts[partition].answer
	b.mu.Unlock()
	if answer == nil || !strings.Contains(string(call), `"op":"`+b.op+`"`) || b.late.Swap(true) {
		return b.broker.Call(ctx, partition, call)
	}
	close(b.asked)
	<-b.back
	return answer(ctx, call), nil
}

// Ensure that what an owner says that has given the partition back is no answer: the next one is asked.
func TestAsk_OwnerIsGone(t *testing.T) {
	for _, op := range []string{"lookup", "site", "permit"} {
		t.Run(op, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &lateBroker{broker: newBroker(2), op: op, asked: make(chan struct{})}
				asker := newNodeWith(t, optionsOf(b, vfs.NewMem(), 2))
				owner, next := newNode(t, b.broker, vfs.NewMem(), 2), newNode(t, b.broker, vfs.NewMem(), 2)
				defer next.Close()
				defer owner.Close()
				defer asker.Close()
				asker.tenures.give(b.broker, 0)
				have := owner.tenures.give(b.broker, 1)
				b.back = have.back
				sites := sitesOf(t, asker, 2)
				page := "http://" + sites[1] + "/"
				frontiertest.Queue(t, owner, page)
				l := leaseOf(t, asker, "http://"+sites[0]+"/")
				defer l.Close()
				awaitServed(t, owner)
				go func() {
					<-b.asked
					have.ask()
					<-have.back
					next.tenures.give(b.broker, 1)
				}()
				switch op {
				case "lookup":
					info, err := asker.Lookup(t.Context(), frontiertest.URL(t, page))
					if err != nil || info.Status != frontier.Queued {
						t.Errorf("Lookup = %+v, %v, want it queued", info, err)
					}
				case "site":
					if info, known, err := asker.Site(t.Context(), sites[1]); err != nil || info.Queued != 1 {
						t.Errorf("Site = %+v, %v, %v, want one URL queued", info, known, err)
					}
				case "permit":
					mustPermit(t, l, sites[1], time.Minute).Done(0)
				}
			})
		})
	}
}

// Ensure that a question ends when the node that asks closes, though nobody owns what it is about.
func TestAsk_NodeCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNode(t, newBroker(2), vfs.NewMem(), 2)
		site := sitesOf(t, n, 2)[1]
		go func() {
			time.Sleep(time.Minute)
			n.Close()
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := n.Lookup(ctx, frontiertest.URL(t, "http://"+site+"/")); !errors.Is(err, frontier.ErrClosed) {
			t.Errorf("Lookup: %v, want %v", err, frontier.ErrClosed)
		}
		synctest.Wait()
	})
}

// leaseOf returns a lease of a site, of a node that owns it.
func leaseOf(t *testing.T, n *node, page string) frontier.Lease {
	t.Helper()
	frontiertest.Queue(t, n, page)
	l := frontiertest.MustLease(t, n, time.Hour)
	return l
}

// mustPermit returns leave to make a request at a site, which must come in time.
func mustPermit(t *testing.T, l frontier.Lease, site string, within time.Duration) frontier.Grant {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	g, err := l.Permit(ctx, site)
	if err != nil {
		t.Fatalf("Permit of %s: %v", site, err)
	}
	return g
}

// Ensure that a site of another node does not stand still when something gets lost between the two.
func TestPermit_MessageIsLost(t *testing.T) {
	for name, lossy := range map[string]*lossyBroker{
		"leave is asked for": {op: "permit", losesQuestion: true},
		"leave is given":     {op: "permit"},
		"the end is told":    {op: "done", losesQuestion: true},
		"the end is heard":   {op: "done"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(2)
				lossy.broker = b
				o := optionsOf(lossy, vfs.NewMem(), 2)
				asker, owner := newNodeWith(t, o), newNode(t, b, vfs.NewMem(), 2)
				defer owner.Close()
				defer asker.Close()
				asker.tenures.give(b, 0)
				owner.tenures.give(b, 1)
				sites := sitesOf(t, asker, 2)
				l := leaseOf(t, asker, "http://"+sites[0]+"/")
				defer l.Close()
				for range 3 {
					mustPermit(t, l, sites[1], 30*time.Second).Done(time.Second)
				}
				if !lossy.lost.Load() {
					t.Error("nothing was lost")
				}
			})
		})
	}
}

// A permitAway is leave to make a request at a site of another node than that of the lease, whose partition is to change hands.
type permitAway struct {
	site  string
	lease frontier.Lease
	first frontier.Grant
	have  *given // of the owner of the site

	giveNext func() // gives the partition to the next owner
	close    func()
}

func newPermitAway(t *testing.T) *permitAway {
	t.Helper()
	b := newBroker(2)
	asker, owner, next := newNode(t, b, vfs.NewMem(), 2), newNode(t, b, vfs.NewMem(), 2), newNode(t, b, vfs.NewMem(), 2)
	asker.tenures.give(b, 0)
	sites := sitesOf(t, asker, 2)
	p := &permitAway{site: sites[1], have: owner.tenures.give(b, 1), giveNext: func() { next.tenures.give(b, 1) }}
	p.lease = leaseOf(t, asker, "http://"+sites[0]+"/")
	p.first = mustPermit(t, p.lease, p.site, time.Minute)
	p.close = func() {
		p.lease.Close()
		for _, n := range []*node{asker, owner, next} {
			n.Close()
		}
	}
	return p
}

// Ensure that the end of a request that a former owner gave leave for is not taken for that of one which is under way.
func TestPermit_OwnerChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPermitAway(t)
		defer p.close()
		p.have.ask()
		<-p.have.back
		p.giveNext()
		second := mustPermit(t, p.lease, p.site, time.Minute)
		p.first.Done(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if g, err := p.lease.Permit(ctx, p.site); err == nil {
			t.Error("two requests have leave at once")
			g.Done(0)
		}
		second.Done(0)
	})
}

// Ensure that a partition is not given back while another node makes a request at one of its sites, within reason, and that no
// other one begins then.
func TestPermit_IsOutWhenThePartitionIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPermitAway(t)
		defer p.close()
		p.have.ask()
		time.Sleep(time.Second)
		select {
		case <-p.have.back:
			t.Error("it is given back while a request is under way")
		default:
		}
		p.first.Done(0)
		begin := time.Now()
		second := make(chan frontier.Grant, 1)
		go func() { second <- mustPermit(t, p.lease, p.site, time.Minute) }()
		<-p.have.back
		if waited := time.Since(begin); waited > 0 {
			t.Errorf("it is given back %v after the request has ended", waited)
		}
		select {
		case <-second:
			t.Error("a request begins at a site that nobody owns")
		case <-time.After(10 * time.Second):
		}
		p.giveNext()
		(<-second).Done(0)
	})
}
