package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// pass sends links to the inboxes of their partitions and returns when they are durable there. Messages of the same links and the
// same id count once.
func (f *Frontier) pass(ctx context.Context, by map[int][]frontier.Link, id string) error {
	if id == "" {
		id = rand.Text()
	}
	work, ctx := errgroup.WithContext(ctx)
	for to, links := range by {
		work.Go(func() error {
			n := 0
			for some := range slices.Chunk(links, maxMessage) {
				message := disk.AppendLinks(nil, some)
				if err := f.opts.Brokers.Send(ctx, to, fmt.Sprintf("%s-%d-%d", id, to, n), message); err != nil {
					return fmt.Errorf("frontier: pass links on to partition %d: %w", to, err)
				}
				n++
			}
			return nil
		})
	}
	return work.Wait()
}
