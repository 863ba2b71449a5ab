package stream

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Objects are files that a job keeps at the brokers, in a bucket of JetStream's object store: others who know that can read them.
// They are for large files; what is written and read is not in memory. Its methods are safe for concurrent use.
type Objects struct {
	b      *Brokers
	bucket string

	mu     sync.Mutex // guards stream
	stream jetstream.Stream
}

// chunkSize is how large the messages are that an object is cut into. One is on its way at a time: the logs of partitions use the
// same connection, and come first.
const chunkSize = 256 << 10

// Objects returns the objects of the job.
func (b *Brokers) Objects() *Objects { return &Objects{b: b, bucket: "CM_" + b.o.Job + "_snap"} }

func (o *Objects) chunks(name string) string { return "$O." + o.bucket + ".C." + name }

func (o *Objects) meta(name string) string {
	return "$O." + o.bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

// open returns the stream of the bucket, and makes it if there is none. Unlike that of the client's own making it is read from the
// leader only, who misses nothing that was written.
func (o *Objects) open(ctx context.Context) (jetstream.Stream, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stream != nil {
		return o.stream, nil
	}
	err := o.b.retry(ctx, func(ctx context.Context) (err error) {
		o.stream, err = o.b.js.Stream(ctx, "OBJ_"+o.bucket)
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
		o.stream, err = o.b.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: "OBJ_" + o.bucket, Subjects: []string{o.chunks(">"), "$O." + o.bucket + ".M.>"}, Discard: jetstream.DiscardNew,
			AllowRollup: true, Replicas: o.b.o.Replicas, Storage: jetstream.FileStorage, Duplicates: duplicates,
			MaxMsgs: -1, MaxBytes: -1, MaxMsgSize: -1, MaxConsumers: -1, MaxMsgsPerSubject: -1,
		})
		return err
	})
	if err != nil {
		o.stream = nil
		return nil, fmt.Errorf("objects of %s: %w", o.b.o.Job, err)
	}
	return o.stream, nil
}

// Put makes an object of what r has, to its end, and returns when a quorum of the brokers has it all on stable storage. There must
// not have been one of that name, which consists of letters, digits and "-". After an error a part of it may be there.
func (o *Objects) Put(ctx context.Context, name string, r io.Reader) error {
	if err := o.put(ctx, name, r); err != nil {
		o.forget(err)
		return fmt.Errorf("keep object %s at the brokers: %w", name, err)
	}
	return nil
}

// find is an opener of the bucket, which is not made.
func (o *Objects) find(ctx context.Context) (jetstream.Stream, error) {
	s, err := o.b.js.Stream(ctx, "OBJ_"+o.bucket)
	if IsMissing(err) {
		return nil, fmt.Errorf("%w: the bucket is gone: %w", ErrDamaged, err)
	}
	return s, err
}

// forget lets the next call make the bucket anew if an error says that it was lost.
func (o *Objects) forget(err error) {
	if IsMissing(err) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.stream = nil
	}
}

func (o *Objects) put(ctx context.Context, name string, r io.Reader) error {
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	info := jetstream.ObjectInfo{Bucket: o.bucket, NUID: name, ObjectMeta: jetstream.ObjectMeta{
		Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkSize},
	}}
	hash, chunk := sha256.New(), make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(r, chunk)
		if n > 0 {
			m := &nats.Msg{Subject: o.chunks(name), Data: chunk[:n]}
			if err := o.publish(ctx, m, fmt.Sprint(name, "-", info.Chunks)); err != nil {
				return err
			}
			hash.Write(chunk[:n])
			info.Size += uint64(n)
			info.Chunks++
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if err := o.count(ctx, s, name, info.Chunks); err != nil {
		return err
	}
	info.Digest = jetstream.GetObjectDigestValue(hash)
	value, err := json.Marshal(info)
	if err != nil {
		return err
	}
	m := nats.NewMsg(o.meta(name))
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	m.Data = value
	return o.publish(ctx, m, name)
}

// publish sends one message until a quorum has it.
func (o *Objects) publish(ctx context.Context, m *nats.Msg, id string) error {
	for first := time.Now(); ; {
		begun := time.Now()
		one, cancel := context.WithTimeout(ctx, askPatience)
		_, err := o.b.js.PublishMsg(one, m, jetstream.WithMsgID(id), jetstream.WithRetryAttempts(0))
		cancel()
		switch err = o.b.denials.explain(err, begun, ""); {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isFull(err):
			return fmt.Errorf("%w: %w", ErrFull, err)
		case !isPassing(err):
			return err
		}
		if err := checkLost(ctx, o.find, first, err); err != nil {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// count checks that all messages of an object are there, each once: one that was on its way for longer than brokers remember ids
// would be there twice.
func (o *Objects) count(ctx context.Context, s jetstream.Stream, name string, want uint32) error {
	found, err := o.subjects(ctx, s, o.chunks(name))
	if err != nil {
		return err
	}
	if got := found[o.chunks(name)]; got != uint64(want) {
		return fmt.Errorf("%w: it has %d parts, not %d", ErrDamaged, got, want)
	}
	return nil
}

func (o *Objects) subjects(ctx context.Context, s jetstream.Stream, filter string) (found map[string]uint64, err error) {
	err = o.b.retry(ctx, func(ctx context.Context) error {
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(filter))
		if err == nil {
			found = info.State.Subjects
		}
		return err
	})
	return found, err
}

// Get writes an object to w. An error that wraps fs.ErrNotExist says that there is none. That it is whole the caller checks.
func (o *Objects) Get(ctx context.Context, name string, w io.Writer) error {
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	var last *jetstream.RawStreamMsg
	err = o.b.retry(ctx, func(ctx context.Context) (err error) {
		last, err = s.GetLastMsgForSubject(ctx, o.chunks(name))
		return err
	})
	if err == nil {
		open := func(context.Context) (jetstream.Stream, error) { return s, nil }
		err = o.b.read(ctx, open, o.chunks(name), 0, last.Sequence, func(_ uint64, m []byte) error {
			_, err := w.Write(m)
			return err
		})
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) || errors.Is(err, errGone) {
		err = fs.ErrNotExist
	}
	if err != nil {
		o.forget(err)
		return fmt.Errorf("read object %s at the brokers: %w", name, err)
	}
	return nil
}

// List returns the names of the objects that begin with a prefix, in no order. Some may be there in part only.
func (o *Objects) List(ctx context.Context, prefix string) (names []string, err error) {
	s, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	found, err := o.subjects(ctx, s, o.chunks(">"))
	if err != nil {
		return nil, fmt.Errorf("list objects at the brokers: %w", err)
	}
	for subject := range found {
		if name := strings.TrimPrefix(subject, o.chunks("")); strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Delete removes an object, or a part of one.
func (o *Objects) Delete(ctx context.Context, name string) error {
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	for _, subject := range []string{o.meta(name), o.chunks(name)} {
		err := o.b.retry(ctx, func(ctx context.Context) error { return s.Purge(ctx, jetstream.WithPurgeSubject(subject)) })
		if err != nil {
			return fmt.Errorf("remove object %s at the brokers: %w", name, err)
		}
	}
	return nil
}
