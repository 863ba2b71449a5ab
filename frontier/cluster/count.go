package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// pieces is into how many what is left of a limit is cut.
const pieces = 16

// Take takes a piece of a limit that all nodes share, and returns its size: a sixteenth of what is left, at least as much as least
// says, and 0 when nothing is left. The name of the limit is a word of letters. After an error a piece may be lost.
func (f *Frontier) Take(ctx context.Context, name string, limit, least int64) (n int64, err error) {
	err = f.count(ctx, name, func(taken int64) int64 {
		left := max(limit-taken, 0)
		n = min(max(left/pieces, least, 1), left)
		return n
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// GiveBack gives back what was taken of a limit and not used.
func (f *Frontier) GiveBack(ctx context.Context, name string, n int64) error {
	return f.count(ctx, name, func(taken int64) int64 { return -min(n, taken) })
}

// count adds to a number in the register what by returns for it.
func (f *Frontier) count(ctx context.Context, name string, by func(now int64) int64) error {
	key, b := "taken."+name, f.opts.Brokers
	for {
		value, revision, err := b.Get(ctx, key)
		if err != nil {
			return fmt.Errorf("frontier: read how much of %s is taken: %w", name, err)
		}
		var now int64
		if len(value) == 8 {
			now = int64(binary.BigEndian.Uint64(value))
		}
		add := by(now)
		if add == 0 {
			return nil
		}
		if _, err = b.CompareAndSet(ctx, key, binary.BigEndian.AppendUint64(nil, uint64(now+add)), revision); err == nil {
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return fmt.Errorf("frontier: take of %s: %w", name, err)
		}
	}
}
