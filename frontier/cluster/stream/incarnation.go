package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// incarnations are when the stream of each partition was made, as this node knows it. A stream of another time is not that of the
// job, whatever its name: what the job has written is lost.
type incarnations struct {
	mu   sync.Mutex
	made []time.Time
}

func (i *incarnations) set(made []time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.made = made
}

// has reports whether the stream of a partition may be one that was made at a moment. Nothing is known of it while it is being made
// anew.
func (i *incarnations) has(partition int, made time.Time) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return partition < len(i.made) && (i.made[partition].IsZero() || i.made[partition].Equal(made))
}

// stream returns the stream of a partition. It must be the one that the job has made: of another, and of one that is not there, the
// error wraps ErrDamaged, and IsMissing reports it.
func (b *Brokers) stream(ctx context.Context, partition int) (jetstream.Stream, error) {
	s, err := b.js.Stream(ctx, b.streamName(partition))
	if IsMissing(err) {
		return nil, fmt.Errorf("%w: the stream is gone: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	made := s.CachedInfo().Created
	if b.incarnations.has(partition, made) {
		return s, nil
	}
	m, _, err := b.readMeta(ctx)
	if err != nil {
		return nil, err
	}
	b.incarnations.set(m.Streams)
	if b.incarnations.has(partition, made) {
		return s, nil
	}
	return nil, fmt.Errorf("%w: the stream was lost, and another made on %s: %w", ErrDamaged, made.UTC().Format(time.DateTime),
		jetstream.ErrStreamNotFound)
}

// A writer looks whether its stream is there when nobody has taken a message for lostAfter, within which brokers elect, and goes on
// after lostPatience if nobody answers that either.
const (
	lostAfter    = 10 * time.Second
	lostPatience = time.Second
)

// checkLost returns why a message that was first sent at a moment, and last met with an error, will never be taken: its stream is
// not there any more. It is nil when it may be.
func checkLost(ctx context.Context, open opener, first time.Time, err error) error {
	if time.Since(first) < lostAfter || !errors.Is(err, jetstream.ErrNoStreamResponse) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lostPatience)
	defer cancel()
	if _, err := open(ctx); errors.Is(err, ErrDamaged) {
		return err
	}
	return nil
}

func (b *Brokers) readMeta(ctx context.Context) (m meta, revision uint64, err error) {
	value, revision, err := b.Get(ctx, metaKey)
	if err == nil && revision != 0 {
		err = json.Unmarshal(value, &m)
	}
	return m, revision, err
}

// setMade tells all nodes when the stream of a partition was made; the zero time, that it is being made.
func (b *Brokers) setMade(ctx context.Context, partition int, made time.Time) error {
	for {
		m, revision, err := b.readMeta(ctx)
		if err != nil {
			return err
		}
		if partition >= len(m.Streams) {
			return errors.New("the register does not know it")
		}
		m.Streams = slices.Clone(m.Streams)
		m.Streams[partition] = made
		value, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if _, err = b.CompareAndSet(ctx, metaKey, value, revision); err == nil {
			b.incarnations.set(m.Streams)
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}
