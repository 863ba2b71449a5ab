package stream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Send puts a message into the inbox of a partition and returns when a quorum of the brokers has it on stable storage. Of two with
// one id, which is not empty, sent within two minutes, one is kept. It tries until ctx ends. ErrFull says that the owner has to
// catch up first.
func (b *Brokers) Send(ctx context.Context, partition int, id string, message []byte) error {
	if err := b.checkRoom(ctx, partition); err != nil {
		return err
	}
	packed, subject := appendPacked([]byte{messageVersion}, message), b.subject(partition, "in")
	for first := time.Now(); ; {
		begun := time.Now()
		one, cancel := context.WithTimeout(ctx, askPatience)
		_, err := b.js.PublishMsg(one, &nats.Msg{Subject: subject, Data: packed}, jetstream.WithMsgID(id),
			jetstream.WithRetryAttempts(0))
		cancel()
		switch err = b.denials.explain(err, begun, subject); {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case isFull(err):
			return fmt.Errorf("%w: %w", ErrFull, err)
		case !isPassing(err):
			return err
		}
		if err := checkLost(ctx, b.partition(partition), first, err); err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// A watermark remembers for a while whether a stream has room for links.
type watermark struct {
	mu     sync.Mutex
	looked time.Time // when somebody began to look last
	err    error     // of that look
}

// lookEvery is how old what a watermark says may be.
const lookEvery = 5 * time.Second

// checkRoom returns ErrFull when nine tenths of a stream are full: the rest is its owner's. One caller at a time looks, the others
// go by what is known.
func (b *Brokers) checkRoom(ctx context.Context, partition int) error {
	w := &b.full[partition]
	w.mu.Lock()
	err, isOld := w.err, time.Since(w.looked) > lookEvery
	if isOld {
		w.looked = time.Now()
	}
	w.mu.Unlock()
	if !isOld {
		return err
	}
	one, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	s, err := b.stream(one, partition)
	switch {
	case err == nil:
		if info := s.CachedInfo(); info.State.Bytes > uint64(info.Config.MaxBytes)/10*9 {
			err = ErrFull
		}
	case !errors.Is(err, ErrDamaged):
		return nil // the message will say what is wrong
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	return err
}

// Receive calls f for the messages of the inbox of a partition after a place, in order, and waits for more, until ctx ends or f
// fails, whose error it returns.
func (b *Brokers) Receive(ctx context.Context, partition int, after uint64, f func(at uint64, message []byte) error) error {
	return b.read(ctx, b.partition(partition), b.subject(partition, "in"), after, 0, func(at uint64, m []byte) error {
		if len(m) == 0 || m[0] != messageVersion {
			return fmt.Errorf("inbox of partition %d, message %d: %w", partition, at, ErrDamaged)
		}
		message, err := unpack(m[1:], maxRecord)
		if err != nil {
			return fmt.Errorf("inbox of partition %d, message %d: %w", partition, at, err)
		}
		return f(at, message)
	})
}

// Last returns the place of the last message that the inbox of a partition has got; 0 when it got none. It asks the leader of the
// stream, and misses none whose Send has returned.
func (b *Brokers) Last(ctx context.Context, partition int) (at uint64, err error) {
	s, err := b.stream(ctx, partition)
	if err != nil {
		return 0, err
	}
	last, err := s.GetLastMsgForSubject(ctx, b.subject(partition, "in"))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return last.Sequence, nil
}

// Serve answers the calls to a partition until ctx ends, sixteen at a time.
func (b *Brokers) Serve(ctx context.Context, partition int, answer func(ctx context.Context, call []byte) []byte) error {
	var answering sync.WaitGroup
	defer answering.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make(chan struct{}, callsAtOnce)
	sub, err := b.nc.Subscribe(b.subject(partition, "call"), func(m *nats.Msg) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		answering.Go(func() {
			defer func() { <-slots }()
			_ = m.Respond(answer(ctx, m.Data)) // who asked asks again
		})
	})
	if err != nil {
		return err
	}
	<-ctx.Done()
	done := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(done) })
	if err := sub.Unsubscribe(); err == nil {
		select {
		case <-done:
		case <-time.After(askPatience):
		}
	}
	return ctx.Err()
}

// callsAtOnce is how many calls an owner answers at a time.
const callsAtOnce = 16

// Call asks the owner of a partition. It fails when none is there, or does not answer before ctx ends.
func (b *Brokers) Call(ctx context.Context, partition int, call []byte) ([]byte, error) {
	m, err := b.nc.RequestWithContext(ctx, b.subject(partition, "call"), call)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}
