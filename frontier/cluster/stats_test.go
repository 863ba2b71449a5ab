package cluster_test

import (
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
