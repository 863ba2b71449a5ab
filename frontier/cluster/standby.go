package cluster

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A standby knows which partitions this node would own if their owners went, how far their files here have followed, and who uses
// the files.
type standby struct {
	used    []chan struct{} // by partition; holds a token while its files are used
	changed chan struct{}   // has something in it when next has changed

	mu     sync.Mutex
	next   []int
	places map[int]uint64 // in the log, up to which files have been brought
}

func newStandby(partitions int) *standby {
	s := &standby{used: make([]chan struct{}, partitions), changed: make(chan struct{}, 1), places: make(map[int]uint64)}
	for i := range s.used {
		s.used[i] = make(chan struct{}, 1)
	}
	return s
}

// isNext hears of which partitions this node would own if their owners went.
func (s *standby) isNext(partitions []int) {
	s.mu.Lock()
	s.next = partitions
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// claim waits until nobody follows a partition, whose owner is to use the files.
func (s *standby) claim(id int) (letGo func()) {
	s.used[id] <- struct{}{}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.places, id)
	return func() { <-s.used[id] }
}

func (s *standby) line() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

func (s *standby) place(id int) (at uint64, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known = s.places[id]
	return at, known
}

func (s *standby) setPlace(id int, at uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places[id] = at
}

// standbyEvery is how often who stands by looks how much has been written.
const standbyEvery = 15 * time.Second

// standBy follows partitions until the node ends.
func (f *Frontier) standBy() {
	for {
		for _, id := range f.standby.line() {
			if err := f.follow(f.ctx, id); err != nil && f.ctx.Err() == nil {
				f.opts.Logger.Warn("a partition cannot be followed now", zap.Int("partition", id), zap.Error(err))
			}
		}
		select {
		case <-f.standby.changed:
		case <-time.After(standbyEvery):
		case <-f.ctx.Done():
			return
		}
	}
}

// follow brings the files of a partition up to its log, if this node does not own it and enough has been written.
func (f *Frontier) follow(ctx context.Context, id int) error {
	select {
	case f.standby.used[id] <- struct{}{}:
		defer func() { <-f.standby.used[id] }()
	default:
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if at, known := f.standby.place(id); known {
		if n, err := bytesAfter(ctx, f.opts.Brokers, id, at); err != nil || n < f.opts.StandbyEvery {
			return err
		}
	}
	m, err := f.shelf.read(ctx, id)
	if err != nil {
		return err
	}
	r := restorer{shelf: f.shelf, logger: f.opts.Logger, id: id, dir: f.dir(id), m: m}
	r.take = func(dir string, o disk.Options) error {
		at, err := disk.CatchUp(dir, o)
		if err == nil {
			f.standby.setPlace(id, at)
		}
		return err
	}
	o := f.opts.Disk
	o.Log, o.Memory = followedLog{ctx, f.opts.Brokers, id}, standbyMemory
	return r.open(ctx, o)
}

// standbyMemory bounds what is in memory of a partition that is followed: one at a time is.
const standbyMemory = 16 << 20

// A followedLog is that of a partition of another node.
type followedLog struct {
	ctx     context.Context
	brokers Brokers
	id      int
}

// Append implements disk.Log.
func (followedLog) Append([]byte) (uint64, error) {
	return 0, errors.New("the log is another node's")
}

// Replay implements disk.Log.
func (l followedLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	return l.brokers.Replay(l.ctx, l.id, after, func(at uint64, record []byte) error {
		if l.ctx.Err() != nil {
			return l.ctx.Err()
		}
		return f(at, record)
	})
}
