package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A partition is one that this node owns.
type partition struct {
	id     int
	tenure Tenure
	store  *disk.Frontier
	log    *watchedLog
	node   *Frontier

	lend sync.Mutex // held while a lease is given out, or the partition is called quiet
	mark mark       // guarded by lend

	permits permits

	// Guarded by Frontier.mu.
	leaving bool
	changes int       // under way, that may make a site due
	stale   bool      // next is not known
	next    time.Time // when a site becomes due; zero for never
	leases  int
	idle    chan struct{} // closed when leases is 0; nil when nobody waits
}

// A watchedLog remembers whether a log has failed: then somebody else owns the partition, or the brokers cannot be reached.
type watchedLog struct {
	disk.Log
	failed atomic.Bool
	broken chan struct{} // closed when failed is set
}

// Append implements disk.Log.
func (l *watchedLog) Append(record []byte) (uint64, error) {
	at, err := l.Log.Append(record)
	if err != nil && !l.failed.Swap(true) {
		close(l.broken)
	}
	return at, err
}

// isLost reports whether the partition cannot be written any more for want of the right to.
func (p *partition) isLost() bool { return p.log.failed.Load() || !p.tenure.Valid() }

// own serves a partition from when it is given to this node until it is given back, or taken away.
func (f *Frontier) own(t Tenure) {
	p, err := f.open(t)
	if err != nil {
		f.cannotOpen(t, err)
		return
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	work, ctx := errgroup.WithContext(ctx)
	for _, run := range []func(context.Context) error{p.receive, p.forward, p.serve} {
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
	if err := work.Wait(); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, frontier.ErrClosed) && !p.isLost() {
		f.fail(fmt.Errorf("partition %d: %w", p.id, err))
	}
	if err := p.store.Close(); err != nil && !p.isLost() {
		f.fail(fmt.Errorf("partition %d: %w", p.id, err))
	}
	f.mu.Lock()
	delete(f.owned, p.id)
	f.wakeLocked()
	f.mu.Unlock()
}

// open takes a partition up where its log ends.
func (f *Frontier) open(t Tenure) (*partition, error) {
	log, err := f.opts.Brokers.Own(t.Context(), t.Partition(), t.Epoch())
	if err != nil {
		return nil, err
	}
	p := &partition{id: t.Partition(), tenure: t, node: f, stale: true,
		log: &watchedLog{Log: log, broken: make(chan struct{})}}
	o := f.opts.Disk
	o.Log = p.log
	o.Foreign = func(site string) bool { return f.place.of(site) != p.id }
	o.Notify = p.notify
	if p.store, err = disk.Open(filepath.Join(f.opts.Dir, fmt.Sprintf("%04d", p.id)), o); err != nil {
		return nil, err
	}
	return p, nil
}

// cannotOpen says why a partition is not served. One whose log was damaged is kept from all, so that an operator can decide.
func (f *Frontier) cannotOpen(t Tenure, err error) {
	switch {
	case !t.Valid():
	case errors.Is(err, disk.ErrDiverged), errors.Is(err, stream.ErrDamaged):
		f.opts.Logger.Error("a partition is left alone: its log is not what it was",
			zap.Int("partition", t.Partition()), zap.Error(err))
		select {
		case <-t.Context().Done():
		case <-t.Asked():
		}
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

// leave lets the leases of a partition end: none of them has another entry. What is still under way after Options.HandOver is cut
// off when the store is closed.
func (f *Frontier) leave(ctx context.Context, p *partition) {
	f.mu.Lock()
	p.leaving = true
	idle := make(chan struct{})
	if p.idle = idle; p.leases == 0 {
		close(idle)
	}
	f.wakeLocked()
	f.mu.Unlock()
	timer := time.NewTimer(f.opts.HandOver)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// change says that sites may become due until done is called.
func (p *partition) change() (done func()) {
	f := p.node
	f.mu.Lock()
	defer f.mu.Unlock()
	p.changes++
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
	takeAtOnce    = 5000             // links, about
	forwardAtOnce = 64               // commits
	forwardEvery  = time.Second      // how long links to other partitions wait for company
	maxMessage    = 5000             // links of a message
	retryEvery    = time.Second      // when the brokers cannot be reached
	callPatience  = 10 * time.Second // of who asks another node
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
			return p.node.opts.Brokers.Receive(ctx, p.id, last, func(at uint64, b []byte) error {
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

// forward passes links on to other partitions.
func (p *partition) forward(ctx context.Context) error {
	tick := time.NewTicker(forwardEvery)
	defer tick.Stop()
	for {
		links, upTo, err := p.store.Outgoing(ctx, forwardAtOnce)
		if err != nil {
			return err
		}
		if len(links) > 0 {
			id := fmt.Sprintf("%d-%d-%d", p.id, p.tenure.Epoch(), upTo)
			err := again(ctx, func() error { return p.node.pass(ctx, p.node.place.split(links), id) })
			if err == nil {
				err = p.store.Passed(ctx, upTo)
			}
			if err != nil {
				return err
			}
			p.node.look()
			continue
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// again calls f until it succeeds or ctx ends.
func again(ctx context.Context, f func() error) error {
	for {
		err := f()
		if err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(retryEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
