package stream

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// atOnce is how many messages are on their way to a reader.
const atOnce = 500

// read calls f for the messages of a subject after one sequence up to another, in order; until 0 waits for more until ctx ends.
// While the brokers cannot be reached it waits.
func (b *Brokers) read(ctx context.Context, s jetstream.Stream, subject string, after, until uint64,
	f func(at uint64, m []byte) error) error {
	for {
		err := b.readSome(ctx, s, subject, &after, until, f)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !isPassing(err):
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// readSome is read until the brokers fail. It counts after on.
func (b *Brokers) readSome(ctx context.Context, s jetstream.Stream, subject string, after *uint64, until uint64,
	f func(at uint64, m []byte) error) error {
	one, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	c, err := s.OrderedConsumer(one, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: *after + 1,
		InactiveThreshold: time.Minute,
	})
	if err != nil {
		return err
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(atOnce))
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if err := f(meta.Sequence.Stream, m.Data()); err != nil {
			return failure{err}
		}
		if *after = meta.Sequence.Stream; until > 0 && *after >= until {
			return nil
		}
	}
}

// A failure is an error of whoever reads, not of the brokers.
type failure struct{ error }

// Unwrap returns it.
func (f failure) Unwrap() error { return f.error }

// isPassing reports whether an error of the brokers may be gone soon: they elect who leads, or are out of reach.
func isPassing(err error) bool {
	var own failure
	if errors.As(err, &own) {
		return false
	}
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code == 503 || api.Code == 500 && api.ErrorCode != codeNotClustered || api.ErrorCode == codeInProcess
	}
	for _, passing := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrReconnectBufExceeded,
		nats.ErrNoServers, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrOrderedConsumerReset,
		jetstream.ErrConsumerDeleted, jetstream.ErrConsumerNotFound, jetstream.ErrMsgIteratorClosed,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

func isWrongLast(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// isFull reports whether a stream refuses a message for want of room, on the disk or within its bounds.
func isFull(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case codeStoreFailed, codeExceeded, codeInsufficient:
		return true
	}
	return false
}

// Codes of errors of JetStream that its client has no name for.
const (
	codeInsufficient = 10023 // resources
	codeExceeded     = 10047 // resources of the account
	codeNotClustered = 10074 // replicas are asked for, and there is one broker
	codeStoreFailed  = 10077 // no room on the disk, or within the bounds of the stream
	codeInProcess    = 10158 // a message of this id was sent before, and no quorum has it yet
)

// pause waits a moment before the brokers are asked again.
func pause(ctx context.Context) error {
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
