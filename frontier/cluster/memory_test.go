package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A broker is brokers in memory, which can be cut off, and who owns what, which a test decides.
type broker struct {
	mu       sync.Mutex
	parts    []*part
	values   map[string]value
	changed  chan struct{}
	revision uint64
}

type value struct {
	bytes    []byte
	revision uint64
}

// A part is what a broker keeps of one partition.
type part struct {
	epoch   uint64
	records [][]byte
	inbox   [][]byte
	ids     map[string]bool
	answer  func(context.Context, []byte) []byte
}

func newBroker(partitions int) *broker {
	b := &broker{values: make(map[string]value), changed: make(chan struct{})}
	for range partitions {
		b.parts = append(b.parts, &part{ids: make(map[string]bool)})
	}
	return b
}

func (b *broker) wakeLocked() {
	close(b.changed)
	b.changed = make(chan struct{})
}

var errFenced = errors.New("another owner has begun")

func (b *broker) Own(_ context.Context, partition int, epoch uint64) (disk.Log, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.parts[partition]
	if epoch < p.epoch {
		return nil, errFenced
	}
	p.epoch = epoch
	return &partLog{b, p, epoch}, nil
}

type partLog struct {
	b     *broker
	p     *part
	epoch uint64
}

func (l *partLog) Append(record []byte) (uint64, error) {
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	if l.p.epoch != l.epoch {
		return 0, errFenced
	}
	l.p.records = append(l.p.records, bytes.Clone(record))
	return uint64(len(l.p.records)), nil
}

func (l *partLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	l.b.mu.Lock()
	records := slices.Clone(l.p.records)
	l.b.mu.Unlock()
	for i, r := range records[after:] {
		if err := f(after+uint64(i)+1, r); err != nil {
			return err
		}
	}
	return nil
}

func (b *broker) Send(_ context.Context, partition int, id string, message []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.parts[partition]
	if !p.ids[id] {
		p.ids[id] = true
		p.inbox = append(p.inbox, bytes.Clone(message))
		b.wakeLocked()
	}
	return nil
}

func (b *broker) Receive(ctx context.Context, partition int, after uint64, f func(at uint64, message []byte) error) error {
	for {
		b.mu.Lock()
		inbox, changed := b.parts[partition].inbox, b.changed
		b.mu.Unlock()
		for ; after < uint64(len(inbox)); after++ {
			if err := f(after+1, inbox[after]); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *broker) Last(_ context.Context, partition int) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return uint64(len(b.parts[partition].inbox)), nil
}

func (b *broker) Get(_ context.Context, key string) ([]byte, uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v := b.values[key]
	return v.bytes, v.revision, nil
}

func (b *broker) CompareAndSet(_ context.Context, key string, val []byte, revision uint64) (uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.values[key].revision != revision {
		return 0, cluster.ErrConflict
	}
	b.revision++
	b.values[key] = value{bytes.Clone(val), b.revision}
	return b.revision, nil
}

func (b *broker) Serve(ctx context.Context, partition int, answer func(context.Context, []byte) []byte) error {
	b.mu.Lock()
	b.parts[partition].answer = answer
	b.mu.Unlock()
	<-ctx.Done()
	b.mu.Lock()
	b.parts[partition].answer = nil
	b.mu.Unlock()
	return ctx.Err()
}

func (b *broker) Call(ctx context.Context, partition int, call []byte) ([]byte, error) {
	b.mu.Lock()
	answer := b.parts[partition].answer
	b.mu.Unlock()
	if answer == nil {
		return nil, errors.New("nobody is there")
	}
	return answer(ctx, call), nil
}

// tenures are who owns what, as a test says, for one node.
type tenures struct {
	given chan *given
}

func newTenures() *tenures { return &tenures{make(chan *given, 64)} }

// Run implements cluster.Tenures.
func (t *tenures) Run(ctx context.Context, own func(cluster.Tenure)) error {
	var held sync.WaitGroup
	defer held.Wait()
	for {
		select {
		case have := <-t.given:
			held.Go(func() {
				defer close(have.back)
				defer context.AfterFunc(ctx, have.ask)()
				own(have)
			})
		case <-ctx.Done():
			return nil
		}
	}
}

// give lets the node own a partition.
func (t *tenures) give(b *broker, partition int) *given {
	b.mu.Lock()
	b.revision++
	epoch := b.revision
	b.mu.Unlock()
	ctx, end := context.WithCancel(context.Background())
	have := &given{partition: partition, epoch: epoch, ctx: ctx, end: end, asked: make(chan struct{}), back: make(chan struct{})}
	t.given <- have
	return have
}

type given struct {
	partition int
	epoch     uint64
	ctx       context.Context
	end       func() // the right expires
	once      sync.Once
	asked     chan struct{}
	back      chan struct{} // closed when the partition is given back
}

func (t *given) Partition() int           { return t.partition }
func (t *given) Epoch() uint64            { return t.epoch }
func (t *given) Context() context.Context { return t.ctx }
func (t *given) Valid() bool              { return t.ctx.Err() == nil }
func (t *given) Asked() <-chan struct{}   { return t.asked }
func (t *given) ask()                     { t.once.Do(func() { close(t.asked) }) }
