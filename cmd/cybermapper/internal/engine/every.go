package engine

import (
	"context"
	"sync"
	"time"
)

// every does something again and again, d apart, until ctx ends or stop is called, which ends what is under way and waits for it.
func every(ctx context.Context, d time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var doing sync.WaitGroup
	doing.Go(func() {
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				do(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); doing.Wait() }
}
