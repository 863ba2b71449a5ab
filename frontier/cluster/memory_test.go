package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier/cluster"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
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
	last    uint64 // place of a record or a message
	records []placed
	inbox   []placed
	broken  uint64 // a message of the inbox that cannot be read
	full    bool   // it takes no message
	ids     map[string]bool
	answer  func(context.Context, []byte) []byte
}

// A placed is a record or a message, and where it is.
type placed struct {
	at   uint64
	data []byte
}

func (p *part) place(data []byte) placed {
	p.last++
	return placed{p.last, bytes.Clone(data)}
}

// from returns what of some comes at a place or later.
func from(some []placed, at uint64) []placed {
	i := 0
	for i < len(some) && some[i].at < at {
		i++
	}
	return some[i:]
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

var errFenced = stream.ErrFenced

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
	l.p.records = append(l.p.records, l.p.place(record))
	return l.p.last, nil
}

func (l *partLog) Replay(after uint64, f func(at uint64, record []byte) error) error {
	l.b.mu.Lock()
	records := slices.Clone(from(l.p.records, after+1))
	l.b.mu.Unlock()
	for _, r := range records {
		if err := f(r.at, r.data); err != nil {
			return err
		}
	}
	return nil
}

func (b *broker) Replay(_ context.Context, partition int, after uint64, f func(at uint64, record []byte) error) error {
	return (&partLog{b: b, p: b.parts[partition]}).Replay(after, f)
}

func (b *broker) Trim(_ context.Context, partition int, log, inbox uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.parts[partition]
	for some, at := range map[*[]placed]uint64{&p.records: log, &p.inbox: inbox} {
		if n := len(*some); n > 0 {
			*some = slices.Clone(from(*some, min(at, (*some)[n-1].at)))
		}
	}
	return nil
}

func (b *broker) Extent(_ context.Context, partition int) (first, last, size uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.parts[partition]
	first = p.last + 1
	for _, some := range [][]placed{p.records, p.inbox} {
		for _, m := range some {
			first = min(first, m.at)
			size += uint64(len(m.data))
		}
	}
	return first, p.last, size, nil
}

func (b *broker) Recreate(_ context.Context, partition int, after uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parts[partition].epoch = math.MaxUint64
	b.parts[partition] = &part{ids: make(map[string]bool), last: after}
	return nil
}

func (b *broker) Send(_ context.Context, partition int, id string, message []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(message) > 1<<20 {
		return errors.New("a message of more than a mebibyte")
	}
	p := b.parts[partition]
	if p.full {
		return stream.ErrFull
	}
	if !p.ids[id] {
		p.ids[id] = true
		p.inbox = append(p.inbox, p.place(message))
		b.wakeLocked()
	}
	return nil
}

func (b *broker) Receive(ctx context.Context, partition int, after uint64, f func(at uint64, message []byte) error) error {
	for {
		b.mu.Lock()
		inbox, broken, changed := from(b.parts[partition].inbox, after+1), b.parts[partition].broken, b.changed
		b.mu.Unlock()
		for _, m := range inbox {
			if m.at == broken {
				return stream.ErrDamaged
			}
			if err := f(m.at, m.data); err != nil {
				return err
			}
			after = m.at
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
	if inbox := b.parts[partition].inbox; len(inbox) > 0 {
		return inbox[len(inbox)-1].at, nil
	}
	return 0, nil
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
	next  chan []int
}

func newTenures() *tenures { return &tenures{make(chan *given, 64), make(chan []int, 1)} }

// Run implements cluster.Tenures.
func (t *tenures) Run(ctx context.Context, own func(cluster.Tenure), next func([]int)) error {
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
		case partitions := <-t.next:
			next(partitions)
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
func (t *given) Age() time.Duration       { return 0 }
func (t *given) Valid() bool              { return t.ctx.Err() == nil }
func (t *given) Asked() <-chan struct{}   { return t.asked }
func (t *given) ask()                     { t.once.Do(func() { close(t.asked) }) }

// A store keeps snapshots in memory.
type store struct {
	mu    sync.Mutex
	files map[string][]byte
}

func newStore() *store { return &store{files: make(map[string][]byte)} }

// Put implements cluster.Store. What could be read is there after an error, too.
func (s *store) Put(ctx context.Context, name string, r io.Reader) error {
	data, err := io.ReadAll(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files[name] != nil {
		return fs.ErrExist
	}
	s.files[name] = data
	return errors.Join(err, ctx.Err())
}

// Get implements cluster.Store.
func (s *store) Get(_ context.Context, name string, w io.Writer) error {
	s.mu.Lock()
	data, ok := s.files[name]
	s.mu.Unlock()
	if !ok {
		return fs.ErrNotExist
	}
	_, err := w.Write(data)
	return err
}

// List implements cluster.Store.
func (s *store) List(_ context.Context, prefix string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.Collect(maps.Keys(s.files))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) }), nil
}

// Delete implements cluster.Store.
func (s *store) Delete(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.files, name)
	return nil
}
