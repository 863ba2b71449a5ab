package cluster

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// pauseEvery is how often nodes look whether the crawl is paused.
const pauseEvery = 2 * time.Second

const pauseKey = "paused"

// SetPaused lets all nodes of a crawl give out no work from within a few seconds on, or lets them go on. What is under way ends.
func SetPaused(ctx context.Context, s *stream.Brokers, paused bool) error {
	value := "no"
	if paused {
		value = "yes"
	}
	for {
		_, revision, err := s.Get(ctx, pauseKey)
		if err == nil {
			_, err = s.CompareAndSet(ctx, pauseKey, []byte(value), revision)
		}
		if !errors.Is(err, stream.ErrConflict) {
			return err
		}
	}
}

// IsPaused reports whether a crawl is paused.
func IsPaused(ctx context.Context, s *stream.Brokers) (bool, error) {
	value, _, err := s.Get(ctx, pauseKey)
	return string(value) == "yes", err
}

// watchPause follows SetPaused, and Repair, which writes the same value anew: what this node has passed on may be lost then.
func (f *Frontier) watchPause() {
	tick := time.NewTicker(pauseEvery)
	defer tick.Stop()
	seen := uint64(0)
	for {
		value, revision, err := f.opts.Brokers.Get(f.ctx, pauseKey)
		if err == nil {
			f.setPaused(string(value) == "yes")
			if revision != seen {
				f.budget.ForgetPassed()
			}
			seen = revision
		}
		select {
		case <-tick.C:
		case <-f.ctx.Done():
			return
		}
	}
}

func (f *Frontier) setPaused(paused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused == paused {
		return
	}
	f.paused = paused
	f.opts.Logger.Warn("an operator has paused the crawl, or let it go on", zap.Bool("paused", paused))
	f.wakeLocked()
}
