package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A partition is one that this node owns.
type partition struct {
	id     int
	name   string // of the tenure, as in frontier.Grant
	tenure Tenure
	store  *disk.Frontier
	log    *watchedLog
	node   *Frontier

	restored restorer // how it was opened

	// Held while a lease is given out, or the partition is called quiet, and so while brokers are asked: who waits for it goes with
	// the context.
	lend *semaphore.Weighted
	mark mark // guarded by lend

	permits permits
	pace    pace // of URLs settled
	out     backlog

	// Guarded by Frontier.mu.
	leaving bool
	changes int       // under way, that may make a site due
	stale   bool      // next is not known
	next    time.Time // when a site becomes due; zero for never
	leases  int
	idle    chan struct{} // closed when leases is 0; nil when nobody waits
}

// isLost reports whether the partition cannot be written any more for want of the right to.
func (p *partition) isLost() bool { return p.log.failed.Load() || !p.tenure.Valid() }

// own serves a partition from when it is given to this node until it is given back, or taken away.
func (f *Frontier) own(t Tenure) {
	letGo := f.standby.claim(t.Partition())
	defer letGo()
	p, err := f.open(t)
	if err != nil {
		f.cannotOpen(t, err)
		return
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	work, ctx := errgroup.WithContext(ctx)
	for _, run := range []func(context.Context) error{p.receive, p.serve, p.snapshots} {
		work.Go(func() error { return run(ctx) })
	}
	f.enter(p)
	select {
	case <-ctx.Done(): // the right is over, or the disk has failed
	case <-p.log.broken:
		stop()
	case <-t.Asked():
	}
	f.leave(ctx, p)
	stop()
	why := work.Wait()
	isDamaged := disk.IsDamaged(p.store.Err())
	isOver := isDamaged || why == nil || errors.Is(why, context.Canceled) || errors.Is(why, frontier.ErrClosed) || p.isLost()
	if !isOver && !isContradiction(why) {
		f.fail(fmt.Errorf("partition %d: %w", p.id, why))
	}
	if !isOver && isContradiction(why) {
		f.keepFiles(p)
	}
	if err := p.store.Close(); err != nil && !p.isLost() {
		f.fail(fmt.Errorf("partition %d: %w", p.id, err))
	}
	if isDamaged {
		p.restored.giveUp()
	}
	f.mu.Lock()
	delete(f.owned, p.id)
	f.wakeLocked()
	f.mu.Unlock()
	if !isOver && isContradiction(why) {
		f.quarantine(t, why)
		f.leaveAlone(t)
	}
}

// open takes a partition up where its log ends.
func (f *Frontier) open(t Tenure) (*partition, error) {
	ctx, id := t.Context(), t.Partition()
	var q Quarantine
	isAlone := false
	err := again(ctx, func() (err error) {
		q, isAlone, err = getQuarantine(ctx, f.opts.Brokers, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if isAlone {
		return nil, alone{q}
	}
	log, err := roomFor(t, f.opts.Logger, func() (disk.Log, error) { return f.opts.Brokers.Own(ctx, id, t.Epoch()) })
	if err != nil {
		return nil, err
	}
	m, err := f.shelf.write(ctx, id, t.Epoch(), nil)
	if err != nil {
		return nil, err
	}
	p := &partition{
		id: id, name: fmt.Sprintf("%s/%d/%d", f.opts.Node, id, t.Epoch()), tenure: t, node: f, stale: true,
		lend:     semaphore.NewWeighted(1),
		log:      newWatchedLog(log, t, f.opts.SnapshotEvery, f.opts.Logger),
		restored: restorer{shelf: f.shelf, logger: f.opts.Logger, id: id, dir: f.dir(id), m: m},
	}
	o := f.opts.Disk
	o.Log, o.Budget = p.log, f.budget
	o.Foreign = func(site string) bool { return f.place.of(site) != p.id }
	o.Notify = p.notify
	p.restored.take = func(dir string, o disk.Options) (err error) {
		p.store, err = disk.Open(dir, o)
		return err
	}
	if err := p.restored.open(ctx, o); err != nil {
		return nil, err
	}
	return p, nil
}

// cannotOpen says why a partition is not served. One whose log was damaged is kept from all, so that an operator can decide.
func (f *Frontier) cannotOpen(t Tenure, err error) {
	switch {
	case !t.Valid(), errors.Is(err, stream.ErrFenced), errors.Is(err, errSuperseded): // it is being repaired, or was
	case errors.Is(err, stream.ErrFull): // and it is to be given back
	case errors.As(err, new(alone)):
		f.opts.Logger.Warn("a partition is left alone", zap.Int("partition", t.Partition()), zap.Error(err))
		f.leaveAlone(t)
	case isContradiction(err):
		f.quarantine(t, err)
		f.leaveAlone(t)
	default:
		f.fail(fmt.Errorf("partition %d: %w", t.Partition(), err))
	}
}

func (f *Frontier) enter(p *partition) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.owned[p.id] = p
	f.wakeLocked()
}

// leave lets the leases of a partition end, none of which has another entry, and the requests that other nodes make at its sites.
// What is still under way after Options.HandOver is cut off when the store is closed, or, at other nodes, taken for ended.
func (f *Frontier) leave(ctx context.Context, p *partition) {
	f.mu.Lock()
	p.leaving = true
	idle := make(chan struct{})
	if p.leases == 0 {
		close(idle)
	} else {
		p.idle = idle
	}
	f.wakeLocked()
	f.mu.Unlock()
	timer := time.NewTimer(f.opts.HandOver)
	defer timer.Stop()
	for _, ended := range []<-chan struct{}{idle, p.permits.stop()} {
		select {
		case <-ended:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// change says that sites may become due until done is called.
func (p *partition) change() (done func()) {
	f := p.node
	f.mu.Lock()
	defer f.mu.Unlock()
	p.changes++
	f.reviveLocked()
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		p.changes--
		p.stale = true
		f.wakeLocked()
	}
}

// notify hears that a site may be due sooner than was said.
func (p *partition) notify() {
	f := p.node
	f.mu.Lock()
	defer f.mu.Unlock()
	if !p.stale {
		p.stale = true
		f.wakeLocked()
	}
}

// Bounds of what is done in one step.
const (
	takeAtOnce   = 5000             // links, about
	retryEvery   = time.Second      // when the brokers cannot be reached
	callPatience = 10 * time.Second // of who asks another node
)

// A message is one of the inbox.
type message struct {
	at    uint64
	links []frontier.Link
}

// receive takes in what other nodes have found for the partition.
func (p *partition) receive(ctx context.Context) error {
	incoming := make(chan message, 64)
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error { return p.takeAll(ctx, incoming) })
	work.Go(func() error {
		defer close(incoming)
		last := p.store.Taken()
		return again(ctx, func() error {
			err := p.node.opts.Brokers.Receive(ctx, p.id, last, func(at uint64, b []byte) error {
				p.log.grow(int64(len(b)))
				links, err := disk.DecodeLinks(b)
				if err != nil {
					p.node.opts.Logger.Error("links for a partition cannot be read", zap.Int("partition", p.id), zap.Error(err))
				}
				select {
				case incoming <- message{at, links}:
					last = at
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			if errors.Is(err, stream.ErrDamaged) {
				return badInbox{err}
			}
			return err
		})
	})
	return work.Wait()
}

// takeAll takes messages in, as many in one step as there are.
func (p *partition) takeAll(ctx context.Context, incoming <-chan message) error {
	for m := range incoming {
		for more := true; more && len(m.links) < takeAtOnce; {
			select {
			case next, ok := <-incoming:
				if more = ok; ok {
					m = message{next.at, append(m.links, next.links...)}
				}
			default:
				more = false
			}
		}
		done := p.change()
		_, err := p.store.Take(ctx, m.at, m.links)
		if done(); err != nil {
			return err
		}
	}
	return nil
}

// again calls f until it succeeds, ctx ends, or what it reads is damaged.
func again(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || ctx.Err() != nil || errors.As(err, new(badInbox)) {
			return err
		}
		if pause(ctx, retryEvery) != nil {
			return ctx.Err()
		}
	}
}
