package pages

import (
	"context"
	"sync"
)

// claims is a keyed lock: it keeps two pages that concern each other, because they have the same name or the same digest, from
// being stored at once.
type claims struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the key is free again
}

// take waits until both keys are free and holds them until release is called.
func (c *claims) take(ctx context.Context, a, b string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mine := make(chan struct{})
	for {
		busy := c.try(a, b, mine)
		if busy == nil {
			return func() { c.free(a, b, mine) }, nil
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// try holds both keys, or returns a channel that is closed when one of them is free.
func (c *claims) try(a, b string, mine chan struct{}) (busy chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range []string{a, b} {
		if busy := c.held[key]; busy != nil {
			return busy
		}
	}
	if c.held == nil {
		c.held = map[string]chan struct{}{}
	}
	c.held[a], c.held[b] = mine, mine
	return nil
}

func (c *claims) free(a, b string, mine chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, a)
	delete(c.held, b)
	close(mine)
}
