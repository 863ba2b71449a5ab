package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// IsMissing reports whether an error says that the stream of a partition is not there.
func IsMissing(err error) bool { return errors.Is(err, jetstream.ErrStreamNotFound) }

// Trim removes the messages of the log of a partition before the record at a place, and those of its inbox before another. The last
// of each stays, whatever the places are: what an owner appends is refused unless it comes after that.
func (b *Brokers) Trim(ctx context.Context, partition int, log, inbox uint64) error {
	s, err := b.openStream(ctx, partition)
	if err != nil {
		return fmt.Errorf("trim the stream of partition %d: %w", partition, err)
	}
	for kind, before := range map[string]uint64{"own": log, "in": inbox} {
		err := b.retry(ctx, func(ctx context.Context) error { return b.trim(ctx, s, b.subject(partition, kind), before) })
		if err != nil {
			return fmt.Errorf("trim the stream of partition %d: %w", partition, err)
		}
	}
	return nil
}

func (b *Brokers) trim(ctx context.Context, s jetstream.Stream, subject string, before uint64) error {
	last, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if before = min(before, last.Sequence); before <= 1 { // 0 means all, and 1 did once
		return nil
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(before))
}

func (b *Brokers) openStream(ctx context.Context, partition int) (s jetstream.Stream, err error) {
	err = b.retry(ctx, func(ctx context.Context) (err error) {
		s, err = b.stream(ctx, partition)
		return err
	})
	return s, err
}

// Extent returns the places of the first and the last message of a partition's stream, and how many bytes it has.
func (b *Brokers) Extent(ctx context.Context, partition int) (first, last, bytes uint64, err error) {
	s, err := b.openStream(ctx, partition)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("look at the stream of partition %d: %w", partition, err)
	}
	state := s.CachedInfo().State
	return state.FirstSeq, state.LastSeq, state.Bytes, nil
}

// Recreate removes the stream of a partition, log and inbox, and makes an empty one, whose first place comes after another.
func (b *Brokers) Recreate(ctx context.Context, partition int, after uint64) error {
	var made time.Time
	err := b.setMade(ctx, partition, made)
	if err == nil {
		err = b.retry(ctx, func(ctx context.Context) error {
			if err := b.js.DeleteStream(ctx, b.streamName(partition)); err != nil && !IsMissing(err) {
				return err
			}
			c := b.streamConfig(partition)
			c.FirstSeq = after + 1
			s, err := b.js.CreateStream(ctx, c)
			if err == nil {
				made = s.CachedInfo().Created
			}
			return err
		})
	}
	if err == nil {
		err = b.setMade(ctx, partition, made)
	}
	if err != nil {
		return fmt.Errorf("make the stream of partition %d anew: %w", partition, err)
	}
	return nil
}
