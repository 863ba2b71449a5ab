package disk_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A memLog is a log in memory. It is that of whoever took it last.
type memLog struct {
	mu      sync.Mutex // guards what follows
	records []memRecord
	owner   int
}

type memRecord struct {
	at   uint64
	data []byte
}

// A memOwner is a memLog as somebody sees who took it.
type memOwner struct {
	log *memLog
	as  int

	before func(number int) error // if not nil: keeps a record, which is not there then, from being appended
	after  func(number int) error // if not nil: hides that a record was appended
}

var errTaken = fmt.Errorf("another one has the log: %w", frontier.ErrLost)

// take returns the log for its next owner.
func (l *memLog) take() *memOwner {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owner++
	return &memOwner{log: l, as: l.owner}
}

// copy returns a log of the same records.
func (l *memLog) copy() *memLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &memLog{records: slices.Clone(l.records)}
}

func (l *memLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.records)
}

// size returns how many bytes all records have.
func (l *memLog) size() (sum int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		sum += len(r.data)
	}
	return sum
}

// placeOf returns the place of the i-th record: they grow, with gaps.
func placeOf(i int) uint64 { return 7 + 3*uint64(i) }

// Append implements disk.Log.
func (o *memOwner) Append(record []byte) (uint64, error) {
	number := o.log.len() + 1
	if o.before != nil {
		if err := o.before(number); err != nil {
			return 0, err
		}
	}
	at, err := o.append(record)
	if err == nil && o.after != nil {
		err = o.after(number)
	}
	return at, err
}

func (o *memOwner) append(record []byte) (uint64, error) {
	l := o.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.as != l.owner {
		return 0, errTaken
	}
	at := placeOf(0)
	if last := len(l.records) - 1; last >= 0 {
		at = l.records[last].at + placeOf(1) - placeOf(0)
	}
	l.records = append(l.records, memRecord{at, bytes.Clone(record)})
	return at, nil
}

// Replay implements disk.Log.
func (o *memOwner) Replay(after uint64, f func(at uint64, record []byte) error) error {
	o.log.mu.Lock()
	records := o.log.records
	o.log.mu.Unlock()
	room := []byte{} // of one record only, as that of a connection may be
	for _, r := range records {
		if r.at <= after {
			continue
		}
		room = append(room[:0], r.data...)
		if err := f(r.at, room); err != nil {
			return err
		}
		clear(room)
	}
	return nil
}

var _ disk.Log = (*memOwner)(nil)
