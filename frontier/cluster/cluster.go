package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// Options configure the frontier of a node. What has a default may be zero.
type Options struct {
	// Dir is where this node keeps the partitions that it owns, each in a directory of its own.
	Dir string
	// Partitions is into how many the crawl is cut. It is the same on all nodes, for ever.
	Partitions int
	// Secret decides which site falls into which partition. It is the same on all nodes, for ever.
	Secret []byte
	// Brokers keep the logs; Tenures say who owns what.
	Brokers Brokers
	Tenures Tenures
	// Disk are the options of each partition; Memory and ActiveSites bound what all partitions of this node keep in memory,
	// together. Budget, Log, LogFrom, Foreign and Notify are set here.
	Disk disk.Options
	// Snapshots is where copies of the partitions are kept, from which a node without their files begins. Without it none are made,
	// and logs grow with the crawl. It is the same on all nodes.
	Snapshots Store
	// SnapshotEvery is how many bytes in the log and the inbox of a partition make a new snapshot due, if the last one has no more;
	// default 64 MiB. If it has, as many as it has do, up to SnapshotMost; default 256 MiB. Two snapshots are kept, and what came
	// after the older one: that must fit into the stream of the partition.
	SnapshotEvery, SnapshotMost int64
	// Standby lets this node follow the logs of the partitions that it would own if their owners went, with files of its own: it
	// goes on with one as soon as it owns it, without a snapshot to be read first. That takes a second time the disk, and reads
	// what is written once more from the brokers.
	Standby bool
	// StandbyEvery is how many bytes in the log and the inbox of a partition make who stands by read them; default 8 MiB.
	StandbyEvery int64
	// Node is what the node is called in what an operator sees.
	Node string
	// HandOver is how long requests under way may take when a partition is given back; default 1.5 s.
	HandOver time.Duration
	// Logger hears of what an operator should know; nil means silence.
	Logger *zap.Logger
}

func (o Options) withDefaults() Options {
	o.SnapshotEvery = cmp.Or(max(o.SnapshotEvery, 0), 64<<20)
	o.SnapshotMost = cmp.Or(max(o.SnapshotMost, 0), 256<<20)
	o.StandbyEvery = cmp.Or(max(o.StandbyEvery, 0), 8<<20)
	o.HandOver = cmp.Or(max(o.HandOver, 0), 1500*time.Millisecond)
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	return o
}

// A Frontier is a crawl that several nodes share, as one of them has it. It is safe for concurrent use.
type Frontier struct {
	opts  Options
	place placement

	ctx     context.Context // ends when Close begins
	cancel  context.CancelFunc
	running sync.WaitGroup
	kick    chan struct{} // asks watchEnd to look
	shelf   *shelf
	copying chan struct{} // holds a token while a snapshot is made
	budget  *disk.Budget
	standby *standby

	closeBudget sync.Once

	mu       sync.Mutex // never held while a partition is used
	owned    map[int]*partition
	err      error // why the node cannot go on
	changed  chan struct{}
	patience time.Duration // of the last Lease
	paused   bool          // no work is given out
	end      *verdict      // nil while there is something to do, or may be
	revived  int           // how often end was taken back; a verdict that was begun before does not hold
	turn     int           // which partition is leased from first

	totals totals // has a lock of its own
}

var _ frontier.Frontier = (*Frontier)(nil)

// Open begins to take part. Partitions come when the node is given some.
func Open(o Options) (*Frontier, error) {
	if o.Partitions < 1 {
		return nil, fmt.Errorf("frontier: %d partitions, want one at least", o.Partitions)
	}
	f := &Frontier{
		opts:    o.withDefaults(),
		place:   newPlacement(o.Secret, o.Partitions),
		kick:    make(chan struct{}, 1),
		shelf:   &shelf{brokers: o.Brokers, store: o.Snapshots, disk: o.Disk, node: o.Node},
		copying: make(chan struct{}, 1),
		budget:  disk.NewBudget(o.Disk.Memory, o.Partitions),
		owned:   make(map[int]*partition),
		standby: newStandby(o.Partitions),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	var next func([]int)
	if o.Standby {
		next = f.standby.isNext
		f.running.Go(f.standBy)
	}
	f.running.Go(func() {
		if err := o.Tenures.Run(f.ctx, f.own, next); err != nil && f.ctx.Err() == nil {
			f.fail(fmt.Errorf("frontier: who owns what cannot be told any more: %w", err))
		}
	})
	f.running.Go(f.watchEnd)
	f.running.Go(f.watchPause)
	f.running.Go(f.forward)
	return f, nil
}

// Close gives all partitions back, when the requests under way have ended or Options.HandOver is over, and returns when others can
// own them.
func (f *Frontier) Close() error {
	f.mu.Lock()
	f.cancel()
	f.wakeLocked()
	f.mu.Unlock()
	f.running.Wait()
	f.closeBudget.Do(f.budget.Close)
	return nil
}

// dir returns where a partition is kept.
func (f *Frontier) dir(id int) string { return filepath.Join(f.opts.Dir, fmt.Sprintf("%04d", id)) }

// fail notes the first reason why this node cannot go on.
func (f *Frontier) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		f.opts.Logger.Error(err.Error())
		f.wakeLocked()
	}
}

// begin returns why no operation may start.
func (f *Frontier) begin(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.ctx.Err() != nil:
		return frontier.ErrClosed
	case f.err != nil:
		return f.err
	}
	return ctx.Err()
}

// partition returns a partition if this node owns it and is not about to give it back.
func (f *Frontier) partition(id int) *partition {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.owned[id]; p != nil && !p.leaving {
		return p
	}
	return nil
}

// partitions returns those that this node owns and is not about to give back, another one first each time.
func (f *Frontier) partitions() []*partition {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.partitionsLocked(func(*partition) bool { return true })
}

func (f *Frontier) partitionsLocked(which func(*partition) bool) (all []*partition) {
	f.turn++
	for i := range f.opts.Partitions {
		if p := f.owned[(f.turn+i)%f.opts.Partitions]; p != nil && !p.leaving && which(p) {
			all = append(all, p)
		}
	}
	return all
}

func (f *Frontier) waitLocked() <-chan struct{} {
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return f.changed
}

// wakeLocked lets Lease look again.
func (f *Frontier) wakeLocked() {
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Add implements frontier.Frontier. Links for partitions of other nodes are durable on return, and known when those have read them.
func (f *Frontier) Add(ctx context.Context, links []frontier.Link) (res frontier.AddResult, err error) {
	if err := f.begin(ctx); err != nil {
		return res, err
	}
	for i := range links {
		if links[i].URL.IsZero() {
			return res, fmt.Errorf("frontier: add link %d of %d: no URL", i+1, len(links))
		}
	}
	var others map[int][]frontier.Link
	for id, some := range f.place.split(links) {
		r, done, err := f.addOwn(ctx, id, some)
		switch {
		case err != nil:
			return res, err
		case done:
			res.Known += r.Known
			res.New += r.New
			continue
		case others == nil:
			others = make(map[int][]frontier.Link)
		}
		others[id] = some
		res.Passed += len(some)
	}
	for to, why := range f.pass(ctx, others) {
		err = errors.Join(err, f.keep(ctx, to, others[to], why))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reviveLocked() // these links were not there for who looked before
	return res, err
}

// keep keeps links for a partition that takes none in one that this node owns, as soon as there is one: forward passes them on.
func (f *Frontier) keep(ctx context.Context, to int, links []frontier.Link, why error) error {
	for isFirst := true; ctx.Err() == nil && f.ctx.Err() == nil; isFirst = false {
		if isFirst {
			f.opts.Logger.Warn("a partition takes no links; those to it wait", zap.Int("partition", to), zap.Error(why))
		}
		for _, p := range f.partitions() {
			if _, done, err := f.addOwn(ctx, p.id, links); done || err != nil {
				return err
			}
		}
		if pause(ctx, retryEvery) != nil {
			break
		}
	}
	return why
}

// addOwn adds links to a partition of this node; done is false if it is not, or not any more.
func (f *Frontier) addOwn(ctx context.Context, id int, links []frontier.Link) (res frontier.AddResult, done bool, err error) {
	p := f.partition(id)
	if p == nil {
		return res, false, nil
	}
	defer p.change()() // before the mark is taken back: so it is not set again until then
	if err := p.wakeUp(ctx); err != nil {
		return res, false, ignoreLost(p, err)
	}
	if res, err = p.store.Add(ctx, links); err != nil {
		return res, false, ignoreLost(p, err)
	}
	return res, true, nil
}

// ignoreLost returns nil for an error of a partition that this node has lost.
func ignoreLost(p *partition, err error) error {
	if p.isLost() || errors.Is(err, frontier.ErrClosed) {
		return nil
	}
	return err
}
