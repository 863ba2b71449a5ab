package tenure

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// A memory is a registry in memory, as good as its requirements and no better where it is told to be bad.
type memory struct {
	mu       sync.Mutex // guards following
	rev      uint64
	vals     map[string]entry
	changed  chan struct{} // closed by the next change
	requests int
}

type entry struct {
	val []byte // nil when it was deleted
	rev uint64
}

func newMemory() *memory { return &memory{vals: map[string]entry{}, changed: make(chan struct{})} }

// count returns how many requests there have been.
func (m *memory) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

func (m *memory) Get(_ context.Context, key string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	e := m.vals[key]
	if e.val == nil {
		return nil, 0, nil
	}
	return e.val, e.rev, nil
}

func (m *memory) CompareAndSet(_ context.Context, key string, val []byte, rev uint64) (uint64, error) {
	return m.write(key, append([]byte{}, val...), rev)
}

func (m *memory) Delete(_ context.Context, key string, rev uint64) error {
	_, err := m.write(key, nil, rev)
	return err
}

func (m *memory) write(key string, val []byte, rev uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	if e := m.vals[key]; e.rev != rev && (e.val != nil || rev != 0) {
		return 0, ErrConflict
	}
	m.rev++
	m.vals[key] = entry{val, m.rev}
	close(m.changed)
	m.changed = make(chan struct{})
	return m.rev, nil
}

func (m *memory) Watch(ctx context.Context, prefix string, see func(string, []byte, uint64)) error {
	shown := uint64(0)
	for {
		m.mu.Lock()
		changed, upTo := m.changed, m.rev
		news := map[string]entry{}
		for key, e := range m.vals {
			if strings.HasPrefix(key, prefix) && e.rev > shown {
				news[key] = e
			}
		}
		m.mu.Unlock()
		for key, e := range news {
			see(key, e.val, e.rev)
		}
		shown = upTo
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A line is the way of one node to the registry: it takes time, may be cut, and loses what it is told to.
type line struct {
	to *memory

	mu     sync.Mutex // guards following
	cut    chan struct{}
	deaf   bool          // nothing that is watched is seen
	delay  time.Duration // at most, each way
	losses float64       // of requests, and of answers
	random *rand.Rand
}

func newLine(to *memory, seed uint64) *line {
	return &line{to: to, delay: 5 * time.Millisecond, random: rand.New(rand.NewPCG(seed, 1))}
}

// set changes what the line is like.
func (l *line) set(f func(l *line)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l)
}

// pass takes a message along the line, one way.
func (l *line) pass(ctx context.Context) error {
	l.mu.Lock()
	delay := time.Duration(l.random.Int64N(int64(l.delay) + 1))
	lost, cut := l.random.Float64() < l.losses, l.cut
	l.mu.Unlock()
	if !sleep(ctx, delay) {
		return ctx.Err()
	}
	if cut != nil || lost {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (l *line) Get(ctx context.Context, key string) (val []byte, rev uint64, err error) {
	if err = l.pass(ctx); err == nil {
		val, rev, _ = l.to.Get(ctx, key)
		err = l.pass(ctx)
	}
	return val, rev, err
}

func (l *line) CompareAndSet(ctx context.Context, key string, val []byte, rev uint64) (newRev uint64, err error) {
	if err = l.pass(ctx); err != nil {
		return 0, err
	}
	newRev, err = l.to.CompareAndSet(ctx, key, val, rev)
	return newRev, errors.Join(err, l.pass(ctx))
}

func (l *line) Delete(ctx context.Context, key string, rev uint64) error {
	if err := l.pass(ctx); err != nil {
		return err
	}
	return errors.Join(l.to.Delete(ctx, key, rev), l.pass(ctx))
}

func (l *line) Watch(ctx context.Context, prefix string, see func(string, []byte, uint64)) error {
	return l.to.Watch(ctx, prefix, func(key string, val []byte, rev uint64) {
		for {
			l.mu.Lock()
			delay, cut, deaf := l.delay/2, l.cut, l.deaf
			l.mu.Unlock()
			if !sleep(ctx, delay) || deaf {
				return
			}
			if cut == nil {
				break
			}
			select {
			case <-cut:
			case <-ctx.Done():
				return
			}
		}
		see(key, val, rev)
	})
}
