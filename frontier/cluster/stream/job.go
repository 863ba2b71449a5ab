package stream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"
)

// format is the version of all that a job keeps at the brokers.
const format = 1

// A meta is what is fixed when a job begins.
type meta struct {
	Format     int       `json:"format"`
	Partitions int       `json:"partitions"`
	Secret     []byte    `json:"secret"`
	Begun      time.Time `json:"begun"`
	// Streams are when the stream of each partition was made: one that was lost and made anew is another.
	Streams []time.Time `json:"streams"`
}

const metaKey = "meta"

// begin finds what the job keeps at the brokers, or makes it.
func (b *Brokers) begin(ctx context.Context) (err error) {
	if b.js, err = jetstream.New(b.nc, jetstream.WithDefaultTimeout(askPatience)); err != nil {
		return err
	}
	b.full = make([]watermark, b.o.Partitions)
	err = b.retry(ctx, func(ctx context.Context) error { return b.openRegister(ctx) })
	if err != nil {
		return inWords(err)
	}
	var m meta
	entry, err := b.kv.Get(ctx, metaKey)
	if err == nil {
		err = json.Unmarshal(entry.Value(), &m)
	} else if errors.Is(err, jetstream.ErrKeyNotFound) {
		m, err = b.makeJob(ctx)
	}
	if err != nil {
		return inWords(fmt.Errorf("crawl %s: %w", b.o.Job, err))
	}
	switch {
	case m.Format != format:
		return fmt.Errorf("crawl: %s has format %d, this version of cybermapper format %d", b.o.Job, m.Format, format)
	case m.Partitions != b.o.Partitions:
		return fmt.Errorf("partitions: %s was begun with %d, not %d", b.o.Job, m.Partitions, b.o.Partitions)
	}
	b.secret = m.Secret
	return nil
}

// openRegister opens the key-value bucket of the job, or makes it. Values are read from the leader, none older than what was
// written.
func (b *Brokers) openRegister(ctx context.Context) (err error) {
	bucket := "CM_" + b.o.Job + "_ctl"
	if b.kv, err = b.js.KeyValue(ctx, bucket); !errors.Is(err, jetstream.ErrBucketNotFound) {
		return err
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
	return err
}

// makeJob makes the streams of the job, and then says that it has begun. Of nodes that do so at once one is first.
func (b *Brokers) makeJob(ctx context.Context) (m meta, err error) {
	m = meta{Format: format, Partitions: b.o.Partitions, Secret: make([]byte, 32), Begun: time.Now().UTC()}
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
	if err := work.Wait(); err != nil {
		return m, err
	}
	value, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	if _, err = b.kv.Create(ctx, metaKey, value); errors.Is(err, jetstream.ErrKeyExists) {
		entry, err := b.kv.Get(ctx, metaKey)
		if err != nil {
			return m, err
		}
		m = meta{}
		return m, json.Unmarshal(entry.Value(), &m)
	}
	return m, err
}

func (b *Brokers) makeStream(ctx context.Context, partition int) (made time.Time, err error) {
	s, err := b.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: b.streamName(partition), Subjects: []string{b.subject(partition, "in"), b.subject(partition, "own")},
		Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, Replicas: b.o.Replicas, Discard: jetstream.DiscardNew,
		MaxBytes: b.o.MaxBytes, MaxMsgs: -1, MaxMsgSize: -1, MaxConsumers: -1, MaxMsgsPerSubject: -1,
		Duplicates: duplicates, DenyDelete: true,
	})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		s, err = b.js.Stream(ctx, b.streamName(partition))
	}
	if err != nil {
		return made, err
	}
	return s.CachedInfo().Created, nil
}

// retry asks the brokers again while they elect who leads, as long as ctx lasts.
func (b *Brokers) retry(ctx context.Context, ask func(ctx context.Context) error) error {
	for {
		one, cancel := context.WithTimeout(ctx, askPatience)
		err := ask(one)
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
func inWords(err error) error {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("servers: the brokers run without JetStream: %w", err)
	case errors.As(err, &api) && api.Code == 503, errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, jetstream.ErrNoStreamResponse):
		return fmt.Errorf("servers: the brokers have no quorum, or are too few for the replicas asked for: %w", err)
	case errors.As(err, &api) && (api.Code == 400 || api.ErrorCode == codeNotClustered):
		return fmt.Errorf("replicas: %w", err)
	}
	return err
}
