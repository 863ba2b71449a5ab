package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// makeRoom lets the streams of a job have as much as this node was told, if they may not yet. What others were told does not make
// that less.
func (b *Brokers) makeRoom(ctx context.Context, m meta) error {
	if m.MaxBytes >= b.o.MaxBytes {
		return nil
	}
	work, wctx := errgroup.WithContext(ctx)
	work.SetLimit(4)
	for p := range b.o.Partitions {
		work.Go(func() error {
			return b.retry(wctx, func(ctx context.Context) error { return b.enlarge(ctx, p) })
		})
	}
	if err := work.Wait(); err != nil {
		return fmt.Errorf("log: the streams of %s cannot be made larger: %w", b.o.Job, err)
	}
	for {
		m, revision, err := b.readMeta(ctx)
		if err != nil || m.MaxBytes >= b.o.MaxBytes {
			return err
		}
		m.MaxBytes = b.o.MaxBytes
		value, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if _, err = b.CompareAndSet(ctx, metaKey, value, revision); !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// enlarge lets the stream of a partition have more. One that is lost is the affair of its owner.
func (b *Brokers) enlarge(ctx context.Context, partition int) error {
	s, err := b.stream(ctx, partition)
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	c := s.CachedInfo().Config
	if c.MaxBytes >= b.o.MaxBytes {
		return nil
	}
	c.MaxBytes = b.o.MaxBytes
	_, err = b.js.UpdateStream(ctx, c)
	return err
}
