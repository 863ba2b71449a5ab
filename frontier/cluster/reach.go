package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
)

// silencePatience is how long nothing may be written before an operator hears of it: brokers that elect who leads them take less.
const silencePatience = 5 * time.Second

// A reach tells an operator when the brokers take nothing more of what a node writes to the register, which it does all the time,
// and when they do again. It is safe for concurrent use; a nil one is silent.
type reach struct {
	logger *zap.Logger

	mu    sync.Mutex
	since time.Time // when the first write began of those that have failed since one succeeded; zero when none has
	told  bool
}

// note hears what became of a write.
func (r *reach) note(begun time.Time, err error) {
	if r == nil || errors.Is(err, context.Canceled) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil || errors.Is(err, stream.ErrConflict) { // which is an answer
		if r.told {
			r.logger.Warn("the brokers take what this node writes again", zap.Duration("after", time.Since(r.since)))
		}
		r.since, r.told = time.Time{}, false
		return
	}
	if r.since.IsZero() {
		r.since = begun
	}
	if time.Since(r.since) >= silencePatience && !r.told {
		r.told = true
		r.logger.Warn("the brokers take nothing of what this node writes; it waits for them", zap.Time("since", r.since),
			zap.Error(err))
	}
}
