package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// Bounds of a message of links.
const (
	maxMessage      = 5000      // links
	maxMessageBytes = 768 << 10 // brokers take 1 MiB, and more than that never
)

// pass sends links to the inboxes of their partitions and returns when they are durable there, but for those of partitions that
// took none, and why. What one does not take the others do.
func (f *Frontier) pass(ctx context.Context, by map[int][]frontier.Link) (failed map[int]error) {
	var mu sync.Mutex
	var work sync.WaitGroup
	for to, links := range by {
		work.Go(func() {
			if err := f.passTo(ctx, to, links); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if failed == nil {
					failed = make(map[int]error)
				}
				failed[to] = err
			}
		})
	}
	work.Wait()
	return failed
}

func (f *Frontier) passTo(ctx context.Context, to int, links []frontier.Link) error {
	for len(links) > 0 {
		message, some := packed(links)
		if err := f.opts.Brokers.Send(ctx, to, rand.Text(), message); err != nil {
			return fmt.Errorf("frontier: pass links on to partition %d: %w", to, err)
		}
		links = links[some:]
	}
	return nil
}

// packed returns a message of as many of the first links, one at least, as its bounds allow, and their number.
func packed(links []frontier.Link) (message []byte, n int) {
	for n = min(len(links), maxMessage); ; n /= 2 {
		if message = disk.AppendLinks(message[:0], links[:n]); len(message) <= maxMessageBytes || n == 1 {
			return message, n
		}
	}
}
