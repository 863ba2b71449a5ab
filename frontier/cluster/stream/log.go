package stream

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrFenced says that another owner of the partition has begun.
var ErrFenced = errors.New("stream: another owner has begun")

// ErrFull says that a stream has no room, or too little for links.
var ErrFull = errors.New("stream: the stream of the partition is full")

// ErrDamaged says that a stream is not what nodes wrote.
var ErrDamaged = errors.New("stream: damaged")

// What the messages of a log are.
const (
	kindEpoch  = 'E' // the first of an owner: its epoch
	kindRecord = 'R' // a part of a record: the epoch of its owner, the number of the part, how many there are, and bytes
)

const (
	messageVersion = 1
	// maxPart bounds the bytes of a message, below the 1 MiB that brokers take.
	maxPart = 512 << 10
	// maxRecord bounds a record, in bytes.
	maxRecord = 256 << 20
	// worthwhile is what it takes to compress.
	worthwhile = 512
)

// A Log is that of a partition, for one owner. It is not safe for concurrent use.
type Log struct {
	b         *Brokers
	ctx       context.Context
	partition int
	epoch     uint64
	stream    jetstream.Stream
	last      uint64 // sequence of the last message of any owner
	id        string // of messages, with a number
	n         uint64
	buf       []byte
}

// Own begins a log for the owner of an epoch. From its return on no earlier owner can append. ctx is that of the tenure.
func (b *Brokers) Own(ctx context.Context, partition int, epoch uint64) (*Log, error) {
	l := &Log{b: b, ctx: ctx, partition: partition, epoch: epoch, id: rand.Text()}
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		l.stream, err = b.stream(ctx, partition)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("own partition %d: %w", partition, err)
	}
	for {
		if err := l.readLast(); err != nil {
			return nil, fmt.Errorf("own partition %d: %w", partition, err)
		}
		err := l.publish(binary.AppendUvarint([]byte{messageVersion, kindEpoch}, epoch))
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, ErrFenced) { // the earlier owner has just appended
			return nil, fmt.Errorf("own partition %d: %w", partition, err)
		}
	}
}

// readLast finds the last message of any owner. If that is of a later epoch the log is not this owner's.
func (l *Log) readLast() error {
	last, err := l.lastMessage()
	if err != nil {
		return err
	}
	if last.Sequence == 0 {
		l.last = 0
		return nil
	}
	if len(last.Data) < 2 || last.Data[0] != messageVersion {
		return ErrDamaged
	}
	if theirs, _ := binary.Uvarint(last.Data[2:]); theirs > l.epoch {
		return ErrFenced
	}
	l.last = last.Sequence
	return nil
}

// Append implements disk.Log. It returns ErrFenced when another owner has begun. While nobody knows whether a message has arrived
// it is sent again, with the same id, until ctx ends. The place of a
// record is that of its first message.
func (l *Log) Append(record []byte) (at uint64, err error) {
	if len(record) > maxRecord {
		return 0, fmt.Errorf("append to the log of partition %d: a record of %d bytes, more than %d", l.partition, len(record),
			maxRecord)
	}
	parts := max(1, (len(record)+maxPart-1)/maxPart)
	for i := range parts {
		part := record[i*maxPart : min((i+1)*maxPart, len(record))]
		l.buf = binary.AppendUvarint(append(l.buf[:0], messageVersion, kindRecord), l.epoch)
		l.buf = binary.AppendUvarint(binary.AppendUvarint(l.buf, uint64(i)), uint64(parts))
		l.buf = appendPacked(l.buf, part)
		if err := l.publish(l.buf); err != nil {
			return 0, fmt.Errorf("append to the log of partition %d: %w", l.partition, err)
		}
		if i == 0 {
			at = l.last
		}
	}
	return at, nil
}

// appendPacked appends data, compressed if that helps.
func appendPacked(b, data []byte) []byte {
	if len(data) >= worthwhile {
		if packed := s2.Encode(nil, data); len(packed) < len(data) {
			return append(append(b, 1), packed...)
		}
	}
	return append(append(b, 0), data...)
}

// unpack is the inverse of appendPacked. It returns no more than most bytes.
func unpack(b []byte, most int) ([]byte, error) {
	if len(b) == 0 || b[0] > 1 {
		return nil, ErrDamaged
	}
	if b[0] == 0 {
		return b[1:], nil
	}
	n, err := s2.DecodedLen(b[1:])
	if err != nil || n > most {
		return nil, ErrDamaged
	}
	return s2.Decode(nil, b[1:])
}

// publish appends one message right after the last.
func (l *Log) publish(message []byte) error {
	l.n++
	id := fmt.Sprintf("%s-%d", l.id, l.n)
	subject := l.b.subject(l.partition, "own")
	for first := time.Now(); ; {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(l.ctx, askPatience)
		ack, err := l.b.js.PublishMsg(ctx, &nats.Msg{Subject: subject, Data: message},
			jetstream.WithMsgID(id), jetstream.WithExpectLastSequencePerSubject(l.last), jetstream.WithRetryAttempts(0))
		cancel()
		switch err = l.b.denials.explain(err, begun, subject); {
		case err == nil:
			l.last = ack.Sequence
			return nil
		case l.ctx.Err() != nil:
			return context.Cause(l.ctx)
		case isWrongLast(err):
			if isMine, err := l.findOut(id); isMine || err != nil {
				return err
			}
		case isFull(err):
			return fmt.Errorf("%w: %w", ErrFull, err)
		case !isPassing(err):
			return err
		}
		if err := checkLost(l.ctx, l.b.partition(l.partition), first, err); err != nil {
			return err
		}
		if err := pause(l.ctx); err != nil {
			return err
		}
	}
}

// findOut tells what an order of messages means that is not the one expected: the message is there, for its acknowledgement was
// lost; or it is not, for one that was sent before it has not found its place yet; or another owner has begun.
func (l *Log) findOut(id string) (isThere bool, err error) {
	last, err := l.lastMessage()
	switch {
	case err != nil:
		return false, err
	case last.Sequence == l.last:
		return false, nil
	case last.Header.Get(nats.MsgIdHdr) == id:
		l.last = last.Sequence
		return true, nil
	}
	return false, ErrFenced
}

// lastMessage returns the last message of any owner; its sequence is 0 when there is none.
func (l *Log) lastMessage() (last *jetstream.RawStreamMsg, err error) {
	err = l.b.retry(l.ctx, func(ctx context.Context) (err error) {
		last, err = l.stream.GetLastMsgForSubject(ctx, l.b.subject(l.partition, "own"))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return &jetstream.RawStreamMsg{}, nil
	}
	return last, err
}

// Replay calls f for the records that the log of a partition has after a place, as Log.Replay does, for who does not own it.
func (b *Brokers) Replay(ctx context.Context, partition int, after uint64, f func(at uint64, record []byte) error) error {
	l := &Log{b: b, ctx: ctx, partition: partition}
	err := b.retry(ctx, func(ctx context.Context) (err error) {
		l.stream, err = b.stream(ctx, partition)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the log of partition %d: %w", partition, err)
	}
	last, err := l.lastMessage()
	if err != nil {
		return fmt.Errorf("read the log of partition %d: %w", partition, err)
	}
	l.last = last.Sequence
	return l.Replay(after, f)
}

// Replay implements disk.Log. It reads what there is at the time of the call.
func (l *Log) Replay(after uint64, f func(at uint64, record []byte) error) error {
	if l.last == 0 || after >= l.last {
		return nil
	}
	var j joiner
	subject := l.b.subject(l.partition, "own")
	return l.b.read(l.ctx, l.b.partition(l.partition), subject, after, l.last, func(at uint64, m []byte) error {
		begin, record, ok, err := j.join(at, m)
		if err != nil {
			return fmt.Errorf("log of partition %d, message %d: %w", l.partition, at, err)
		}
		if !ok {
			return nil
		}
		return f(begin, record)
	})
}

// A joiner puts records together. One that an owner has not written to its end is left out.
type joiner struct {
	at     uint64 // of the first part
	record []byte
	next   uint64 // the part that is to come
	parts  uint64
	begun  bool // the beginning of a record, or of an epoch, was seen
}

// join takes in the message at a place; ok is true when it ends a record, which is valid until the next call.
func (j *joiner) join(at uint64, m []byte) (begin uint64, record []byte, ok bool, err error) {
	if len(m) < 2 || m[0] != messageVersion {
		return 0, nil, false, ErrDamaged
	}
	if m[1] == kindEpoch {
		j.record, j.next, j.parts, j.begun = j.record[:0], 0, 0, true
		return 0, nil, false, nil
	}
	m, isRecord := m[2:], m[1] == kindRecord
	var numbers [3]uint64 // epoch, part, parts
	for i := range numbers {
		v, n := binary.Uvarint(m)
		if n <= 0 {
			return 0, nil, false, ErrDamaged
		}
		numbers[i], m = v, m[n:]
	}
	part, parts := numbers[1], numbers[2]
	if !isRecord || part >= parts || parts > maxRecord/maxPart {
		return 0, nil, false, ErrDamaged
	}
	if part == 0 {
		j.at, j.record, j.next, j.parts, j.begun = at, j.record[:0], 0, parts, true
	}
	if !j.begun { // the rest of a record that was not asked for
		return 0, nil, false, nil
	}
	if part != j.next || parts != j.parts {
		return 0, nil, false, ErrDamaged
	}
	data, err := unpack(m, maxPart)
	if err != nil {
		return 0, nil, false, err
	}
	j.record = append(j.record, data...)
	if j.next++; j.next < j.parts {
		return 0, nil, false, nil
	}
	j.next, j.parts = 0, 0
	return j.at, j.record, true, nil
}
