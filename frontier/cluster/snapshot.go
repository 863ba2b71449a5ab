package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A watchedLog remembers whether a log has failed, because somebody else owns the partition or the brokers cannot be reached; and
// how much was written since the last snapshot. While there is no room for more it waits.
type watchedLog struct {
	disk.Log
	tenure Tenure
	logger *zap.Logger
	failed atomic.Bool
	broken chan struct{} // closed when failed is set

	since atomic.Int64  // bytes in the log and the inbox that came after the last snapshot, about
	every atomic.Int64  // how many make another one due
	grown chan struct{} // has something in it when one may be due
}

func newWatchedLog(log disk.Log, t Tenure, every int64, logger *zap.Logger) *watchedLog {
	l := &watchedLog{Log: log, tenure: t, logger: logger, broken: make(chan struct{}), grown: make(chan struct{}, 1)}
	l.every.Store(every)
	return l
}

// Append implements disk.Log.
func (l *watchedLog) Append(record []byte) (uint64, error) {
	at, err := roomFor(l.tenure, l.logger, func() (uint64, error) { return l.Log.Append(record) })
	if err != nil && !l.failed.Swap(true) {
		close(l.broken)
	}
	if err != nil && !l.tenure.Valid() {
		err = fmt.Errorf("%w: %w", frontier.ErrLost, err)
	}
	l.grow(int64(len(record)))
	return at, err
}

// roomEvery is how often the owner of a partition tries to write that the brokers have no room for.
const roomEvery = time.Second

// roomFor returns what write does, when the brokers have room for that, or the owner is to give the partition back.
func roomFor[T any](t Tenure, logger *zap.Logger, write func() (T, error)) (v T, err error) {
	for isFirst := true; ; isFirst = false {
		if v, err = write(); !errors.Is(err, stream.ErrFull) {
			return v, err
		}
		if isFirst {
			logger.Error("the brokers have no room for the log of a partition; its sites wait", zap.Int("partition", t.Partition()),
				zap.Error(err))
		}
		select {
		case <-time.After(roomEvery):
		case <-t.Asked():
			return v, err
		case <-t.Context().Done():
			return v, err
		}
	}
}

// grow counts what was written.
func (l *watchedLog) grow(n int64) {
	if l.since.Add(n) < l.every.Load() {
		return
	}
	select {
	case l.grown <- struct{}{}:
	default:
	}
}

// snapshotRetry is how long after a snapshot that failed the next one is tried.
const snapshotRetry = 30 * time.Second

// snapshots makes snapshots of the partition as its log grows.
func (p *partition) snapshots(ctx context.Context) error {
	f := p.node
	if f.shelf.store == nil {
		return nil
	}
	p.measure(ctx)
	for {
		select {
		case <-p.log.grown:
		case <-ctx.Done():
			return ctx.Err()
		}
		if p.log.since.Load() < p.log.every.Load() {
			continue
		}
		select {
		case f.copying <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := p.snapshot(ctx)
		<-f.copying
		switch {
		case err == nil:
		case ctx.Err() != nil || p.isLost():
			return ctx.Err()
		case errors.Is(err, errSuperseded):
			return nil // and the log will say so
		default:
			f.opts.Logger.Warn("a snapshot of a partition cannot be made", zap.Int("partition", p.id), zap.Error(err))
			if err := pause(ctx, snapshotRetry); err != nil {
				return err
			}
			p.log.grow(0)
		}
	}
}

// measure finds out how much came after the last snapshot, before this node had the partition.
func (p *partition) measure(ctx context.Context) {
	var from uint64
	if len(p.restored.m.Kept) > 0 {
		from = p.restored.m.Kept[0].Place
		p.setEvery(p.restored.m.Kept[0].Size)
	}
	if n, err := bytesAfter(ctx, p.node.opts.Brokers, p.id, from); err == nil {
		p.log.grow(n)
	}
}

// bytesAfter returns how many bytes the log and the inbox of a partition have after a place, about.
func bytesAfter(ctx context.Context, b Brokers, id int, place uint64) (int64, error) {
	first, last, bytes, err := b.Extent(ctx, id)
	from := max(first, place)
	if err != nil || last <= from {
		return 0, err
	}
	return int64(float64(bytes) * float64(last-from) / float64(last-first+1)), nil
}

// setEvery says when the next snapshot is due: the larger they are the rarer, so that no more is copied than was written, within
// the bounds of the options.
func (p *partition) setEvery(size int64) {
	o := &p.node.opts
	p.log.every.Store(min(max(size, o.SnapshotEvery), max(o.SnapshotMost, o.SnapshotEvery)))
}

// snapshot makes one, and then lets the log forget what comes before the one that was made before it.
func (p *partition) snapshot(ctx context.Context) error {
	s, counted, epoch := p.node.shelf, p.log.since.Load(), p.tenure.Epoch()
	k, err := s.put(ctx, p.store, p.id, epoch, p.node.dir(p.id)+copySuffix)
	if err != nil {
		return err
	}
	m, err := s.add(ctx, p.id, epoch, k, p.restored.bad)
	if err != nil {
		return err
	}
	p.log.since.Add(-counted)
	p.setEvery(k.Size)
	p.node.opts.Logger.Info("a snapshot of a partition was made", zap.Int("partition", p.id), zap.Int64("bytes", k.Size))
	return s.tidy(ctx, p.id, m)
}
