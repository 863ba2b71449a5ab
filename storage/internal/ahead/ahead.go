package ahead

import (
	"cmp"
	"iter"
	"runtime"
	"sync"
)

const (
	batchItems = 128
	batchBytes = 256 << 10 // about
)

// A batch travels from who reads it to who understands it, and on to who uses it; then it is used again.
type batch[In, Out any] struct {
	in    []In
	out   []Out
	bytes []byte
	err   error         // that comes after the items
	done  chan struct{} // receives when out is there
}

// Map hands out what work makes of each item of a sequence, in order. An item is valid until the next only, so keep appends
// whatever of it must last to memory and returns the item with that instead. work is called from so many goroutines at once, as
// many as there are cores if that is 0; it fills out, which may have been used before, and which is valid until the next is asked
// for. An error is handed out in its place.
func Map[In, Out any](
	in iter.Seq2[In, error], workers int, keep func(item In, memory []byte) (In, []byte), work func(item In, out *Out),
) iter.Seq2[*Out, error] {
	return func(yield func(*Out, error) bool) {
		m := &mapping[In, Out]{keep: keep, work: work}
		m.start(in, cmp.Or(workers, runtime.GOMAXPROCS(0)))
		defer m.stop()
		for b := range m.ordered {
			<-b.done
			for i := range b.in {
				if !yield(&b.out[i], nil) {
					return
				}
			}
			if b.err != nil && !yield(nil, b.err) {
				return
			}
			m.free <- b
		}
	}
}

// A mapping is one Map under way.
type mapping[In, Out any] struct {
	keep func(In, []byte) (In, []byte)
	work func(In, *Out)

	free    chan *batch[In, Out]
	todo    chan *batch[In, Out]
	ordered chan *batch[In, Out]
	ended   chan struct{} // closed by stop
	running sync.WaitGroup
}

func (m *mapping[In, Out]) start(in iter.Seq2[In, error], workers int) {
	batches := 2*workers + 2
	m.free, m.todo, m.ordered = make(chan *batch[In, Out], batches), make(chan *batch[In, Out], batches),
		make(chan *batch[In, Out], batches)
	m.ended = make(chan struct{})
	for range batches {
		m.free <- &batch[In, Out]{done: make(chan struct{}, 1)}
	}
	m.running.Go(func() { m.read(in) })
	for range workers {
		m.running.Go(func() {
			for b := range m.todo {
				for i, item := range b.in {
					m.work(item, &b.out[i])
				}
				b.done <- struct{}{}
			}
		})
	}
}

// stop ends all goroutines.
func (m *mapping[In, Out]) stop() {
	close(m.ended)
	m.running.Wait()
}

// read fills batches.
func (m *mapping[In, Out]) read(in iter.Seq2[In, error]) {
	defer close(m.todo)
	defer close(m.ordered)
	b := m.next()
	for item, err := range in {
		if b == nil {
			return
		}
		if err == nil {
			item, b.bytes = m.keep(item, b.bytes)
			b.in = append(b.in, item)
		}
		if b.err = err; err != nil || len(b.in) == batchItems || len(b.bytes) >= batchBytes {
			m.send(b)
			b = m.next()
		}
	}
	if b != nil && len(b.in) > 0 {
		m.send(b)
	}
}

// next returns an empty batch; nil when the mapping has ended.
func (m *mapping[In, Out]) next() *batch[In, Out] {
	select {
	case b := <-m.free:
		b.in, b.bytes, b.err = b.in[:0], b.bytes[:0], nil
		return b
	case <-m.ended:
		return nil
	}
}

// send hands a batch on; there is room for all there are.
func (m *mapping[In, Out]) send(b *batch[In, Out]) {
	for len(b.out) < len(b.in) {
		b.out = append(b.out, *new(Out))
	}
	m.todo <- b
	m.ordered <- b
}
