package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// sitesOf returns a site of each partition.
func sitesOf(t *testing.T, n *node, partitions int) []string {
	t.Helper()
	sites := make([]string, partitions)
	for i := range 1000 {
		site := fmt.Sprintf("site%d.test", i)
		if p := n.PartitionOf(site); sites[p] == "" {
			sites[p] = site
		}
	}
	if slices.Contains(sites, "") {
		t.Fatalf("of all partitions there are %q", sites)
	}
	return sites
}

// settleOne settles a page of a site with links.
func settleOne(t *testing.T, n *node, page string, found ...string) frontier.AddResult {
	t.Helper()
	l := leaseOf(t, n, page)
	defer l.Close()
	e, ok, err := l.Next(t.Context())
	if err != nil || !ok || e.URL.String() != page {
		t.Fatalf("Next = %s, %v, %v, want %s", e.URL, ok, err, page)
	}
	res, err := l.Settle(t.Context(), frontier.Outcome{Entry: e, Status: frontier.Done, Links: frontiertest.Links(t, found...)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// wantInbox wants an inbox to have got links, each once, in any order.
func (b *broker) wantInbox(t *testing.T, partition int, want ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []string
	for _, m := range b.parts[partition].inbox {
		links, err := disk.DecodeLinks(m.data)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			got = append(got, l.URL.String())
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("partition %d got %q, want %q", partition, got, want)
	}
}

func (b *broker) setFull(partition int, full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts[partition].full = full
}

// Ensure that links to a partition that takes none, as its log is full or lost, do not keep those to others, and are passed on when
// it does, by whoever has the partition they were found in by then.
func TestForward_APartitionTakesNone(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed=%v", killed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBroker(3)
				n := newNode(t, b, vfs.NewMem(), 3)
				held := n.tenures.give(b, 0)
				sites := sitesOf(t, n, 3)
				at := func(partition int, path string) string { return "http://" + sites[partition] + path }
				b.setFull(1, true)
				settleOne(t, n, at(0, "/1"), at(1, "/a"), at(2, "/a"))
				time.Sleep(5 * time.Second)
				b.wantInbox(t, 2, at(2, "/a"))
				settleOne(t, n, at(0, "/2"), at(1, "/b"), at(2, "/b"))
				if res, err := n.Add(t.Context(), frontiertest.Links(t, at(1, "/x"))); err != nil || res.Passed != 1 {
					t.Errorf("Add = %+v, %v", res, err)
				}
				time.Sleep(time.Minute)
				b.wantInbox(t, 2, at(2, "/a"), at(2, "/b"))
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if l, err := n.Lease(ctx, time.Hour); ctx.Err() == nil {
					t.Errorf("Lease = %v, %v, while links wait", l, err)
				}
				if killed {
					held.end()
					<-held.back
					n.Close()
					n = newNode(t, b, vfs.NewMem(), 3)
					n.tenures.give(b, 0)
				}
				b.setFull(1, false)
				time.Sleep(10 * time.Second)
				b.wantInbox(t, 1, at(1, "/a"), at(1, "/b"), at(1, "/x"))
				settleOne(t, n, at(0, "/3"), at(1, "/c"))
				time.Sleep(10 * time.Second)
				b.wantInbox(t, 1, at(1, "/a"), at(1, "/b"), at(1, "/x"), at(1, "/c"))
				n.Close()
			})
		})
	}
}

// Ensure that a link which one partition of a node has passed on is not passed on by another, and is again when a partition was
// repaired, which may have lost it.
func TestForward_Once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker(3)
		n := newNode(t, b, vfs.NewMem(), 3)
		n.tenures.give(b, 0)
		n.tenures.give(b, 1)
		sites := sitesOf(t, n, 3)
		far := "http://" + sites[2] + "/"
		time.Sleep(5 * time.Second)
		if res := settleOne(t, n, "http://"+sites[0]+"/", far); res.Passed != 1 {
			t.Errorf("a page is settled with %+v", res)
		}
		time.Sleep(5 * time.Second)
		if res := settleOne(t, n, "http://"+sites[1]+"/", far); res.Passed != 0 || res.Known != 1 {
			t.Errorf("another page is settled with %+v", res)
		}
		time.Sleep(5 * time.Second)
		b.wantInbox(t, 2, far)
		b.touch("paused") // as a repair does
		time.Sleep(5 * time.Second)
		if res := settleOne(t, n, "http://"+sites[1]+"/2", far); res.Passed != 1 {
			t.Errorf("after a repair a page is settled with %+v", res)
		}
		time.Sleep(5 * time.Second)
		b.wantInbox(t, 2, far, far)
		n.Close()
	})
}

// touch writes a value anew.
func (b *broker) touch(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.revision++
	b.values[key] = value{b.values[key].bytes, b.revision}
}

// A stuckBroker does not answer who sends to one partition.
type stuckBroker struct {
	*broker
	stuck int
}

func (b *stuckBroker) Send(ctx context.Context, partition int, id string, message []byte) error {
	if partition == b.stuck {
		<-ctx.Done()
		return ctx.Err()
	}
	return b.broker.Send(ctx, partition, id, message)
}

// Ensure that links to a partition whose brokers do not answer do not keep those to others for long, however many partitions they
// were found in.
func TestForward_APartitionDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const partitions, stuck, other = 14, 12, 13
		b := newBroker(partitions)
		n := newNodeWith(t, optionsOf(&stuckBroker{b, stuck}, vfs.NewMem(), partitions))
		defer n.Close()
		sites := sitesOf(t, n, partitions)
		at := func(partition int, path string) string { return "http://" + sites[partition] + path }
		for p := range stuck {
			n.tenures.give(b, p)
		}
		for p := range stuck {
			settleOne(t, n, at(p, "/"), at(stuck, fmt.Sprint("/", p)), at(other, fmt.Sprint("/", p)))
		}
		time.Sleep(time.Minute)
		for i := range 5 {
			page := at(other, fmt.Sprint("/again/", i))
			settleOne(t, n, at(0, fmt.Sprint("/again/", i)), page)
			begun := time.Now()
			for !b.hasGot(t, other, page) {
				time.Sleep(time.Second)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("%s is passed on after %v", page, took)
			}
		}
	})
}

// Ensure that links to others are passed on though there are many before them that lead to a partition whose brokers do not answer,
// and to no other.
func TestForward_ManyAreForAPartitionThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stuck, other = 1, 2
		b := newBroker(3)
		n := newNodeWith(t, optionsOf(&stuckBroker{b, stuck}, vfs.NewMem(), 3))
		defer n.Close()
		sites := sitesOf(t, n, 3)
		at := func(partition int, path string) string { return "http://" + sites[partition] + path }
		n.tenures.give(b, 0)
		for i := range 200 {
			settleOne(t, n, at(0, fmt.Sprint("/", i)), at(stuck, fmt.Sprint("/", i)))
		}
		settleOne(t, n, at(0, "/last"), at(other, "/"))
		time.Sleep(2 * time.Minute)
		b.wantInbox(t, other, at(other, "/"))
	})
}

// hasGot reports whether an inbox has got a link.
func (b *broker) hasGot(t *testing.T, partition int, page string) bool {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.parts[partition].inbox, func(m placed) bool {
		links, err := disk.DecodeLinks(m.data)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(links, func(l frontier.Link) bool { return l.URL.String() == page })
	})
}
