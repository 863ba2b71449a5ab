package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrConflict says that a value of the register is not of the revision expected.
var ErrConflict = errors.New("stream: the value was changed by another node")

// Get returns a value of the register and its revision; revision 0 when there is none. While the brokers elect who leads it waits.
func (b *Brokers) Get(ctx context.Context, key string) (value []byte, revision uint64, err error) {
	var entry jetstream.KeyValueEntry
	err = b.retry(ctx, func(ctx context.Context) (err error) { entry, err = b.kv.Get(ctx, key); return err })
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", key, err)
	}
	return entry.Value(), entry.Revision(), nil
}

// CompareAndSet replaces a value if it is still of a revision, which is 0 when there shall be none, and returns its new revision.
// An error that wraps ErrConflict says that it is not. After another error nobody knows.
func (b *Brokers) CompareAndSet(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	var next uint64
	var err error
	begun := time.Now()
	if revision == 0 {
		next, err = b.kv.Create(ctx, key, value)
	} else {
		next, err = b.kv.Update(ctx, key, value, revision)
	}
	err = b.denials.explain(err, begun, "")
	return next, conflict(key, b.cutOff(err))
}

// cutOff says why nobody has answered, if that is for want of a connection.
func (b *Brokers) cutOff(err error) error {
	if err == nil || b.nc.IsConnected() {
		return err
	}
	if refusal := b.denials.refusal(); refusal != nil {
		return fmt.Errorf("%w: credentials: the brokers refuse them: %w", err, refusal)
	}
	return fmt.Errorf("%w: no broker can be reached", err)
}

// Delete removes a value that is of a revision; its errors are those of CompareAndSet.
func (b *Brokers) Delete(ctx context.Context, key string, revision uint64) error {
	return conflict(key, b.kv.Delete(ctx, key, jetstream.LastRevision(revision)))
}

func conflict(key string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrKeyExists), isWrongLast(err):
		return fmt.Errorf("write %s: %w", key, ErrConflict)
	}
	return fmt.Errorf("write %s: %w", key, err)
}

// Watch calls see for each value whose key begins with prefix, which ends in a dot, and then for each change, one call at a time;
// value is nil for one that was removed. It returns when ctx ends, or when it cannot go on.
func (b *Brokers) Watch(ctx context.Context, prefix string, see func(key string, value []byte, revision uint64)) error {
	w, err := b.kv.Watch(ctx, prefix+">")
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case entry, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.New("the brokers have ended it")
			case entry == nil: // all that was there has been seen
			case entry.Operation() != jetstream.KeyValuePut:
				see(entry.Key(), nil, entry.Revision())
			default:
				see(entry.Key(), entry.Value(), entry.Revision())
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
