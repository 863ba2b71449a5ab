package disk

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
)

// replay brings the store to where the log ends, before anything else is read. A store without write-ahead log holds, after a
// crash, what some number of the first batches did, each wholly: which, says its tail. The record of that batch is asked for as
// well: were it not there, the store would be ahead of the log.
func (f *Frontier) replay() (err error) {
	if f.tail, err = f.readTail(); err != nil {
		return err
	}
	if err := f.checkOrigin(); err != nil || f.opts.Log == nil {
		return err
	}
	if f.tail.place < f.opts.LogFrom {
		return fmt.Errorf("%w: at %d, and the log begins at %d", ErrBehind, f.tail.place, f.opts.LogFrom)
	}
	held, first := f.tail, true
	err = f.opts.Log.Replay(max(held.place, 1)-1, func(at uint64, record []byte) error {
		wasFirst := first
		first = false
		r, err := decodeLogRecord(record)
		switch {
		case err != nil:
			return diverged("at %d of the log is no record", at)
		case wasFirst && r.number == held.number && held.number > 0:
			if at != held.place || r.sum != held.sum {
				return diverged("record %d at %d of the log is another than that at %d which was applied", r.number, at, held.place)
			}
			return nil
		}
		return f.replayRecord(at, r)
	})
	switch {
	case err != nil:
		return f.salvage(fmt.Errorf("replay the log: %w", err))
	case first && held.number > 0:
		return f.salvage(diverged("the log ends before record %d at %d, which was applied", held.number, held.place))
	}
	return f.Err()
}

// checkOrigin refuses a store that was made with a log and is opened without, or the other way round: it would take a way of its
// own.
func (f *Frontier) checkOrigin() error {
	isLogged := f.tail.number > 0
	if f.opts.ReadOnly || isLogged == (f.opts.Log != nil) {
		return nil
	}
	if isLogged {
		return diverged("its log is kept elsewhere, and none was given")
	}
	r, err := f.core.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	if found, err := f.core.readMeta(r); err != nil || !found {
		return err
	}
	return diverged("it was made without a log")
}

func (f *Frontier) readTail() (t tail, err error) {
	r, err := f.core.reader()
	if err != nil {
		return t, err
	}
	defer r.Close()
	r.key = append(r.key[:0], kindTail)
	v, err := r.get()
	if err != nil || v == nil {
		return t, err
	}
	return decodeTail(v)
}

// replayRecord does to the store what the record after the tail did when it was appended.
func (f *Frontier) replayRecord(at uint64, r logRecord) error {
	if err := f.Err(); err != nil {
		return err
	}
	t := f.tail.next(r.repr)
	switch {
	case r.number != t.number:
		return diverged("record %d, at %d of the log, follows record %d", r.number, at, f.tail.number)
	case at <= f.tail.place:
		return diverged("record %d, at %d of the log, follows one at %d", r.number, at, f.tail.place)
	case r.sum != t.sum:
		return diverged("record %d, at %d of the log, is not what was appended after record %d", r.number, at, f.tail.number)
	}
	t.place = at
	value := t.append(nil)
	b := f.core.db.NewBatch()
	defer b.Close()
	// The record is the log's, and the store may keep a long batch for a while.
	if err := b.SetRepr(append(make([]byte, 0, len(r.repr)+2*len(value)), r.repr...)); err != nil {
		return diverged("record %d, at %d of the log: %v", r.number, at, err)
	}
	if err := b.Set([]byte{kindTail}, value, nil); err != nil {
		return err
	}
	if err := f.core.db.Apply(b, pebble.NoSync); err != nil {
		return fmt.Errorf("apply record %d of the log: %w", r.number, err)
	}
	f.tail = t
	return nil
}

// isWhole reports whether the store can apply a batch, and whether that does no more than batches of a frontier do. The store
// believes what it is given, and reads beyond the end of a batch that is cut off.
func isWhole(repr []byte) bool {
	h, ok := batchrepr.ReadHeader(repr)
	if !ok || h.SeqNum != 0 {
		return false
	}
	count := uint32(0)
	for rest := repr[batchrepr.HeaderLen:]; len(rest) > 0; count++ {
		kind := pebble.InternalKeyKind(rest[0])
		var key, value []byte
		if key, rest, ok = takeCounted(rest[1:]); !ok || len(key) == 0 || key[0] == kindTail {
			return false
		}
		switch kind {
		case pebble.InternalKeyKindDelete, pebble.InternalKeyKindSingleDelete:
			continue
		case pebble.InternalKeyKindSet, pebble.InternalKeyKindRangeDelete:
		default:
			return false
		}
		if value, rest, ok = takeCounted(rest); !ok {
			return false
		}
		if kind == pebble.InternalKeyKindRangeDelete && !isOutRange(key, value) {
			return false
		}
	}
	return count == h.Count
}

// isOutRange reports whether a range is one of links that were passed on: others are not deleted at once.
func isOutRange(from, to []byte) bool {
	return from[0] == kindOut && len(to) > 0 && to[0] == kindOut && bytes.Compare(from, to) < 0
}

// takeCounted takes bytes that their number comes before, in five bytes at most.
func takeCounted(b []byte) (counted, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || used > binary.MaxVarintLen32 || n > uint64(len(b)-used) {
		return nil, nil, false
	}
	b = b[used:]
	return b[:n], b[n:], true
}
