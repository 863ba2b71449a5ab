package stream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// format is the version of all that a job keeps at the brokers.
const format = 1

// A meta is what is fixed when a job begins.
type meta struct {
	Format     int       `json:"format"`
	Partitions int       `json:"partitions"`
	Replicas   int       `json:"replicas"`
	Secret     []byte    `json:"secret"`
	Begun      time.Time `json:"begun"`
	// Lease is that of all nodes; 0 when nobody has written that down.
	Lease time.Duration `json:"lease,omitempty"`
	// Streams are when the stream of each partition was made: one that was lost and made anew is another.
	Streams []time.Time `json:"streams"`
	// MaxBytes is what the stream of each partition may have, at least; 0 when nobody has written that down.
	MaxBytes int64 `json:"max_bytes,omitempty"`
}

const (
	metaKey   = "meta"
	joinedKey = "joined" // who connected last
)

// begin finds what the job keeps at the brokers, or makes it.
func (b *Brokers) begin(ctx context.Context) (err error) {
	if b.js, err = jetstream.New(b.nc, jetstream.WithDefaultTimeout(askPatience)); err != nil {
		return err
	}
	if !b.o.Existing {
		if err := b.checkRights(ctx); err != nil {
			return b.inWords(err)
		}
	}
	if b.o.Probe {
		if b.kv, err = b.js.KeyValue(ctx, b.bucket()); err != nil {
			b.kv = nil
		}
		return nil
	}
	b.full = make([]watermark, b.o.Partitions)
	err = b.retry(ctx, func(ctx context.Context) error { return b.openRegister(ctx) })
	if err != nil {
		return b.inWords(err)
	}
	m, revision, err := b.readMeta(ctx)
	if err == nil && revision == 0 {
		if b.makesNone() {
			return b.notBegun()
		}
		m, err = b.makeJob(ctx)
	}
	if err != nil {
		return b.inWords(fmt.Errorf("crawl %s: %w", b.o.Job, err))
	}
	switch {
	case !b.o.Begun.IsZero() && !m.Begun.Equal(b.o.Begun):
		return fmt.Errorf("crawl: %s was begun at these brokers on %s, another than this node has taken part in, begun on %s",
			b.o.Job, m.Begun.Format(time.DateTime), b.o.Begun.Format(time.DateTime))
	case m.Format != format:
		return fmt.Errorf("crawl: %s has format %d, this version of cybermapper format %d", b.o.Job, m.Format, format)
	case m.Partitions != b.o.Partitions:
		return fmt.Errorf("partitions: %s was begun with %d, not %d", b.o.Job, m.Partitions, b.o.Partitions)
	case m.Replicas != b.o.Replicas && !b.o.Existing:
		return fmt.Errorf("replicas: %s was begun with %d, not %d", b.o.Job, m.Replicas, b.o.Replicas)
	case m.Lease != b.o.Lease && m.Lease != 0 && b.o.Lease != 0 && !b.o.Existing:
		return fmt.Errorf("lease: %s was begun with %v, not %v", b.o.Job, m.Lease, b.o.Lease)
	}
	b.secret, b.begun = m.Secret, m.Begun
	b.incarnations.set(m.Streams)
	if b.o.Existing {
		return nil
	}
	if err := b.showQuorum(ctx); err != nil {
		return b.inWords(err)
	}
	return b.inWords(b.makeRoom(ctx, m))
}

// showQuorum writes a value. That what the job keeps can be read does not show that there is a quorum: a leader that was left alone
// answers for some seconds.
func (b *Brokers) showQuorum(ctx context.Context) error {
	return b.retry(ctx, func(ctx context.Context) error {
		_, err := b.kv.Put(ctx, joinedKey, []byte(b.o.Node))
		return err
	})
}

func (b *Brokers) bucket() string { return "CM_" + b.o.Job + "_ctl" }

// makesNone reports whether a job that is not there is an error.
func (b *Brokers) makesNone() bool { return b.o.Existing || !b.o.Begun.IsZero() }

// notBegun says that there is no job.
func (b *Brokers) notBegun() error {
	if b.o.Begun.IsZero() {
		return fmt.Errorf("crawl: none of the name %s has begun at these brokers", b.o.Job)
	}
	return &lostError{fmt.Sprintf("crawl: none of the name %s has begun at these brokers, though this node has taken part in one, "+
		"begun on %s: they have lost it, or are others", b.o.Job, b.o.Begun.Format(time.DateTime))}
}

// A lostError says that a job is not there which was. Brokers that have just started may hear of it yet.
type lostError struct{ text string }

// Error implements error.
func (e *lostError) Error() string { return e.text }

// Is reports whether the error is the target.
func (e *lostError) Is(target error) bool { return target == errNotYet }

// openRegister opens the key-value bucket of the job, or makes it. Values are read from the leader, none older than what was
// written.
func (b *Brokers) openRegister(ctx context.Context) (err error) {
	bucket := b.bucket()
	if b.kv, err = b.js.KeyValue(ctx, bucket); !errors.Is(err, jetstream.ErrBucketNotFound) {
		return err
	}
	if b.makesNone() {
		return b.notBegun()
	}
	_, err = b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew,
		DenyDelete: true, AllowRollup: true, Replicas: b.o.Replicas, Storage: jetstream.FileStorage, Duplicates: duplicates,
		MaxMsgs: -1, MaxBytes: -1, MaxMsgSize: -1, MaxConsumers: -1,
	})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return err
	}
	b.kv, err = b.js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return errNotYet
	}
	return err
}

// errNotYet says that a stream was made, and that the broker which was asked for it has not heard of that yet.
var errNotYet = errors.New("brokers that have just started do not all know of a stream yet")

// makeJob makes the streams of the job, and then says that it has begun. Of nodes that do so at once one is first.
func (b *Brokers) makeJob(ctx context.Context) (m meta, err error) {
	m = meta{
		Format: format, Partitions: b.o.Partitions, Replicas: b.o.Replicas, Secret: make([]byte, 32), Begun: time.Now().UTC(),
		MaxBytes: b.o.MaxBytes, Lease: b.o.Lease,
	}
	if _, err := rand.Read(m.Secret); err != nil {
		return m, err
	}
	m.Streams = make([]time.Time, b.o.Partitions)
	work, wctx := errgroup.WithContext(ctx)
	work.SetLimit(4)
	for p := range b.o.Partitions {
		work.Go(func() error {
			return b.retry(wctx, func(ctx context.Context) error {
				made, err := b.makeStream(ctx, p)
				m.Streams[p] = made
				return err
			})
		})
	}
	if err = work.Wait(); err == nil {
		return b.writeMeta(ctx, m)
	}
	if theirs, revision, rerr := b.readMeta(ctx); rerr == nil && revision != 0 { // another node was first
		return theirs, nil
	}
	return m, err
}

// writeMeta says that the job has begun, if nobody has said so, and returns what was said. Brokers refuse a second value while the
// first is on its way: it cannot be read yet, and may get lost with who leads them.
func (b *Brokers) writeMeta(ctx context.Context, m meta) (meta, error) {
	value, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	for {
		if _, err = b.CompareAndSet(ctx, metaKey, value, 0); err == nil {
			return m, nil
		}
		if theirs, revision, rerr := b.readMeta(ctx); rerr == nil && revision != 0 {
			return theirs, nil
		}
		if !errors.Is(err, ErrConflict) || pause(ctx) != nil {
			return m, err
		}
	}
}

// errLostRegister says that streams have something in them, and nobody knows which site is in which.
var errLostRegister = errors.New("crawl: what was kept of it in the register is lost, its streams are still there")

// makeStream makes the stream of a partition if it is not there. When two nodes make it at once the brokers answer one of them
// only, so none waits for that long.
func (b *Brokers) makeStream(ctx context.Context, partition int) (made time.Time, err error) {
	s, err := b.js.Stream(ctx, b.streamName(partition))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = b.js.CreateStream(ctx, b.streamConfig(partition))
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			if s, err = b.js.Stream(ctx, b.streamName(partition)); errors.Is(err, jetstream.ErrStreamNotFound) {
				return made, errNotYet
			}
		}
	}
	if err != nil {
		return made, err
	}
	info := s.CachedInfo()
	switch {
	case info.State.LastSeq > 0:
		return made, errLostRegister
	case info.Config.Replicas != b.o.Replicas:
		return made, fmt.Errorf("replicas: %s was begun with %d, not %d", b.o.Job, info.Config.Replicas, b.o.Replicas)
	}
	return info.Created, nil
}

func (b *Brokers) streamConfig(partition int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: b.streamName(partition), Subjects: []string{b.subject(partition, "in"), b.subject(partition, "own")},
		Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, Replicas: b.o.Replicas, Discard: jetstream.DiscardNew,
		MaxBytes: b.o.MaxBytes, MaxMsgs: -1, MaxMsgSize: -1, MaxConsumers: -1, MaxMsgsPerSubject: -1,
		Duplicates: duplicates, DenyDelete: true,
	}
}

// retry asks the brokers again while they elect who leads, as long as ctx lasts. A question may get lost then: none is waited
// for long at first.
func (b *Brokers) retry(ctx context.Context, ask func(ctx context.Context) error) error {
	for patience := firstPatience; ; patience = min(2*patience, askPatience) {
		one, cancel := context.WithTimeout(ctx, patience)
		begun := time.Now()
		err := b.denials.explain(ask(one), begun, "")
		cancel()
		if err == nil || ctx.Err() != nil || !isPassing(err) {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return err
		}
	}
}

// inWords says which setting an error of the brokers is about.
func (b *Brokers) inWords(err error) error {
	var api *jetstream.APIError
	_ = errors.As(err, &api)
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("servers: the brokers run without JetStream: %w", err)
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("servers: the brokers run without JetStream, or none that has it can be reached: %w", err)
	case errors.Is(err, errDenied):
		return err
	case isWithoutRoom(err):
		return fmt.Errorf("log: the brokers, or the account, have not the room of %d partitions with %d MiB for each: %w",
			b.o.Partitions, b.o.MaxBytes>>20, err)
	case api != nil && api.ErrorCode == codeStreams:
		return fmt.Errorf("partitions: the account may not have the %d streams that are needed for %d: %w",
			b.o.Partitions+OtherStreams, b.o.Partitions, err)
	case api != nil && api.Code == 503, errors.Is(err, context.DeadlineExceeded), errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("servers: the brokers have no quorum, or are too few for the replicas asked for: %w", err)
	case api != nil && (api.ErrorCode == codeNoPeers || api.ErrorCode == codeNotClustered):
		return fmt.Errorf("replicas: %w", err)
	}
	return err
}

// OtherStreams is how many a job has besides those of its partitions: the register, and the snapshots.
const OtherStreams = 2

// isWithoutRoom reports whether brokers refuse to make a stream, or to make it larger, for want of room.
func isWithoutRoom(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == codeExceeded ||
		api.ErrorCode == codeNoPeers && strings.Contains(api.Description, "insufficient storage"))
}
