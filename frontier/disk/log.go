package disk

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// A Log is where a frontier keeps its write-ahead log instead of in its directory: whoever opens the frontier next, with that
// directory, a snapshot or an empty one, goes on where the log ends. All records are of one frontier. It is the log that sees to it
// that only one process appends: whoever opens the frontier takes it from all others, and what they append after that fails.
//
// Calls do not overlap. A record takes about a hundred bytes for each link that is new; how long it can get depends on how much
// callers do at once. A log that bounds its messages cuts it into pieces, and puts them together for Replay.
type Log interface {
	// Append makes a record durable after all those before it and returns its place. Places grow, and the first is not 0. The
	// record is the caller's again on return. After an error, when the record may be there or not, nothing more is appended. One
	// that wraps frontier.ErrLost says that another process goes on with the frontier: that is no more than a warning.
	Append(record []byte) (at uint64, err error)

	// Replay calls f for the records after a place, in their order; 0 is before the first. It returns when it has come to the
	// end as it was when it was called, or with the error of f, then at once. The record is not f's any more when f returns.
	Replay(after uint64, f func(at uint64, record []byte) error) error
}

// ErrDiverged says that a frontier and its log are not of one history: a record is missing, there twice, or not the one that was
// appended, or the log ends before what the frontier holds.
var ErrDiverged = errors.New("frontier: it and its log contradict each other")

func diverged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDiverged, fmt.Sprintf(format, args...))
}

// A tail is the last record of the log that the store holds; the zero value is none. The store keeps it in the batch of the record.
type tail struct {
	number uint64 // records up to it
	place  uint64 // in the log
	sum    chainSum
}

// A chainSum is a hash over all records up to one.
type chainSum [sha256.Size]byte

// next returns the tail after one more batch; where that is in the log is not known yet.
func (t tail) next(repr []byte) tail {
	t.number++
	h := sha256.New()
	h.Write(t.sum[:])
	h.Write(binary.BigEndian.AppendUint64(nil, t.number))
	h.Write(repr)
	h.Sum(t.sum[:0])
	return t
}

func (t tail) append(b []byte) []byte {
	b = binary.AppendUvarint(append(b, recordVersion), t.number)
	b = binary.AppendUvarint(b, t.place)
	return append(b, t.sum[:]...)
}

func decodeTail(b []byte) (t tail, err error) {
	d := newDecoder(b)
	t.number, t.place = d.uvarint(), d.uvarint()
	t.sum = d.sum()
	return t, d.end("record of the log's end")
}

func (d *decoder) sum() (s chainSum) {
	if len(d.b) < len(s) {
		d.bad, d.b = true, nil
		return s
	}
	d.b = d.b[copy(s[:], d.b):]
	return s
}

// A logRecord is a batch as it is in the log: its number, the hash over it and all before it, and what it does to the store.
type logRecord struct {
	number uint64
	sum    chainSum
	repr   []byte // of a pebble.Batch, without the tail
}

func (r logRecord) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(append(b, recordVersion), r.number)
	return append(append(b, r.sum[:]...), r.repr...)
}

func decodeLogRecord(b []byte) (r logRecord, err error) {
	d := newDecoder(b)
	if len(d.b) >= 8 {
		r.number, d.b = binary.BigEndian.Uint64(d.b), d.b[8:]
	}
	r.sum = d.sum()
	r.repr = d.b
	if d.bad || !isWhole(r.repr) {
		return r, errRecord
	}
	return r, nil
}

// log appends the batch to the log, and says in it where it is there. Only the leader calls it, and who opens or closes the
// frontier.
func (f *Frontier) log(b *pebble.Batch) (err error) {
	repr := b.Repr()
	t := f.tail.next(repr)
	f.record = logRecord{t.number, t.sum, repr}.append(f.record[:0])
	if t.place, err = f.opts.Log.Append(f.record); err != nil {
		return fmt.Errorf("append record %d to the log: %w", t.number, err)
	}
	if t.place <= f.tail.place {
		return fmt.Errorf("append record %d to the log: its place %d is not after %d", t.number, t.place, f.tail.place)
	}
	f.tail = t
	return b.Set([]byte{kindTail}, t.append(nil), nil)
}
