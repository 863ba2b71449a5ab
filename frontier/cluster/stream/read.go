package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// How a reader asks for messages. One that hears nothing for two heartbeats asks again, so that it does not stand still for long
// when the broker that kept its place is gone.
const (
	atOnce       = 500             // messages on their way
	pullFor      = 4 * time.Second // one question
	heartbeat    = time.Second
	readerForget = time.Minute     // brokers forget a reader that is gone
	missedEvery  = 5 * time.Second // how often a reader asks, while it hears of no message, whether one was sent to it
)

// An opener finds a stream.
type opener func(ctx context.Context) (jetstream.Stream, error)

// partition opens the stream of a partition.
func (b *Brokers) partition(partition int) opener {
	return func(ctx context.Context) (jetstream.Stream, error) { return b.stream(ctx, partition) }
}

// read calls f for the messages of a subject of a stream after one sequence up to another, in order; until 0 waits for more until
// ctx ends. While the brokers cannot be reached it waits; for what was removed it does not.
func (b *Brokers) read(ctx context.Context, open opener, subject string, after, until uint64,
	f func(at uint64, m []byte) error) error {
	for {
		err := b.readSome(ctx, open, subject, &after, until, f)
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

// readSome is read until the brokers fail. It counts after on. Brokers do not keep for long where a reader is, and not safely: when
// they have lost it, or a message, this one begins again, and looks whether the stream is still the same.
func (b *Brokers) readSome(ctx context.Context, open opener, subject string, after *uint64, until uint64,
	f func(at uint64, m []byte) error) error {
	one, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	s, err := open(one)
	if err != nil {
		return err
	}
	c, err := s.CreateConsumer(one, jetstream.ConsumerConfig{
		FilterSubject: subject, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: *after + 1,
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: readerForget,
	})
	if IsMissing(err) { // since just now
		return fmt.Errorf("%w: the stream is gone: %w", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	messages, err := c.Messages(jetstream.PullMaxMessages(atOnce), jetstream.PullExpiry(pullFor),
		jetstream.PullHeartbeat(heartbeat))
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	isGone := func(ctx context.Context) (bool, error) { return isBefore(ctx, s, subject, until) }
	for n := uint64(1); ; n++ {
		m, err := nextMessage(ctx, c, messages, n, isGone)
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != n {
			return errMissed
		}
		if err := f(meta.Sequence.Stream, m.Data()); err != nil {
			return failure{err}
		}
		if *after = meta.Sequence.Stream; until > 0 && *after >= until {
			return nil
		}
	}
}

// nextMessage waits for the n-th message of a reader. A message that is lost on its way, as when a connection breaks, would be
// missed only when the next one arrives, and perhaps none does: so the brokers are asked how many they have sent, and whether there
// is anything to wait for.
func nextMessage(ctx context.Context, c jetstream.Consumer, messages jetstream.MessagesContext, n uint64,
	isGone func(context.Context) (bool, error)) (jetstream.Msg, error) {
	for sent := uint64(0); ; {
		m, err := messages.Next(jetstream.NextMaxWait(missedEvery))
		switch {
		case !errors.Is(err, nats.ErrTimeout):
			return m, err
		case sent >= n: // long ago
			return nil, errMissed
		}
		if sent, err = askSent(ctx, c, isGone); err != nil {
			return nil, err
		}
	}
}

// askSent asks how many messages were sent to a reader.
func askSent(ctx context.Context, c jetstream.Consumer, isGone func(context.Context) (bool, error)) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	gone, err := isGone(ctx)
	if gone {
		return 0, errGone
	}
	if err != nil {
		return 0, err
	}
	info, err := c.Info(ctx)
	if err != nil {
		return 0, err
	}
	return info.Delivered.Consumer, nil
}

// isBefore reports whether a subject of a stream ends before a sequence.
func isBefore(ctx context.Context, s jetstream.Stream, subject string, sequence uint64) (bool, error) {
	if sequence == 0 {
		return false, nil
	}
	last, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return true, nil
	}
	return err == nil && last.Sequence < sequence, err
}

// errMissed says that a message did not arrive.
var errMissed = errors.New("stream: a message got lost on its way")

// errGone says that messages which were there when a reader began are not there any more.
var errGone = fmt.Errorf("%w: what is to be read is gone", ErrDamaged)

// A failure is an error of whoever reads, not of the brokers.
type failure struct{ error }

// Unwrap returns it.
func (f failure) Unwrap() error { return f.error }

// mayComeYet reports whether brokers are missing that could keep a stream, of which the one that leads may not have heard yet: just
// after they have started it names no other reason, or that they are away.
func mayComeYet(api *jetstream.APIError) bool {
	return api.ErrorCode == codeNoPeers && (api.Description == noPeers || api.Description == noPeers+", peer offline")
}

const noPeers = "no suitable peers for placement" // and then the reasons that are known

// isPassing reports whether an error of the brokers may be gone soon: they elect who leads, or are out of reach.
func isPassing(err error) bool {
	var own failure
	var broken net.Error // a connection, while it was written to
	var api *jetstream.APIError
	switch {
	case errors.As(err, &own), errors.Is(err, ErrDamaged), errors.Is(err, errDenied), isWithoutRoom(err):
		return false
	case errors.As(err, &broken), errors.Is(err, jetstream.ErrConsumerNotFound):
		return true
	case !errors.As(err, &api):
	case api.ErrorCode == codeStoreFailed:
		return !isFull(err) && api.Description != "message too large"
	default:
		return api.ErrorCode == codeInProcess || api.Code == 503 || api.Code == 500 && api.ErrorCode != codeNotClustered ||
			mayComeYet(api)
	}
	for _, passing := range []error{
		errMissed, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrNoServers,
		nats.ErrReconnectBufExceeded, jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrConsumerDeleted,
		jetstream.ErrConsumerLeadershipChanged, jetstream.ErrMsgIteratorClosed, errNotYet,
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
	case codeAccount, codeExceeded, codeInsufficient:
		return true
	case codeStoreFailed:
		return strings.HasPrefix(api.Description, "maximum ") || strings.Contains(api.Description, "no space left")
	}
	return false
}

// Codes of errors of JetStream that its client has no name for.
const (
	codeAccount      = 10002 // the account has all that it may have
	codeNoPeers      = 10005 // that could keep a stream, of which the description says more
	codeInsufficient = 10023 // resources
	codeStreams      = 10027 // the account has as many as it may have
	codeExceeded     = 10047 // room, of the account or of a broker
	codeNotClustered = 10074 // replicas are asked for, and there is one broker
	codeStoreFailed  = 10077 // no room within the bounds of the stream, a message too large, or a broker that is about to stop
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
