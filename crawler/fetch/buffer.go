package fetch

import (
	"context"
	"errors"
	"io"
	"sync"
)

const (
	smallChunk = 64 << 10 // chunks of this size are pooled and not claimed; no body has more than two of them
	largeChunk = 4 << 20  // no chunk is larger
	exactSize  = 1 << 20  // up to here a body of known length gets one chunk of just that length
)

// errOverLimit says that there is more than the limit.
var errOverLimit = errors.New("over the limit")

// A chunkPool recycles small chunks.
type chunkPool struct{ sync.Pool }

func newChunkPool() *chunkPool {
	return &chunkPool{sync.Pool{New: func() any { return new([smallChunk]byte) }}}
}

// A buffer collects a body in chunks, each as large as all before it, without copying while it grows.
type buffer struct {
	pool    *chunkPool
	bodies  *bodyPool
	share   *share
	hurried bool // rather fails with errNoRoom than waits for room
	chunks  []chunk
	size    int64
}

type chunk struct {
	data   []byte // what is filled; its capacity is the chunk's size
	body   []byte // from the pool of bodies: what data is the start of; nil otherwise
	pooled *[smallChunk]byte
}

// readFrom reads src to its end or until it has limit bytes in all. It returns nil at the end of src, errOverLimit if src has more,
// and otherwise the error of src, of ctx, or errNoRoom; what was read before is there in any case.
func (b *buffer) readFrom(ctx context.Context, w *watch, src io.Reader, limit int64) error {
	for b.size <= limit {
		space, err := b.room(ctx, w, limit+1-b.size)
		if err != nil {
			return err
		}
		n, err := src.Read(space)
		b.filled(n)
		w.progress(n)
		if b.size > limit {
			break
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	b.filled(-1)
	return errOverLimit
}

// expect makes the first chunk just as large as the body is said to be, so that it need not be copied. It does nothing
// when the length is unknown (negative), zero, or too large to be believed.
func (b *buffer) expect(ctx context.Context, w *watch, length int64) error {
	if length <= 0 || length > exactSize {
		return nil
	}
	return b.add(ctx, w, length)
}

// room returns space for at least one and at most limit bytes, which is positive.
func (b *buffer) room(ctx context.Context, w *watch, limit int64) ([]byte, error) {
	if last := b.last(); last == nil || len(last.data) == cap(last.data) {
		if err := b.add(ctx, w, max(smallChunk, min(b.size, largeChunk, limit))); err != nil {
			return nil, err
		}
	}
	last := b.last()
	space := last.data[len(last.data):cap(last.data)]
	return space[:min(int64(len(space)), limit)], nil
}

// filled says that n more bytes of what room returned are data.
func (b *buffer) filled(n int) {
	last := b.last()
	last.data = last.data[:len(last.data)+n]
	b.size += int64(n)
}

func (b *buffer) last() *chunk {
	if len(b.chunks) == 0 {
		return nil
	}
	return &b.chunks[len(b.chunks)-1]
}

// add appends an empty chunk of this size.
func (b *buffer) add(ctx context.Context, w *watch, size int64) error {
	if size == smallChunk {
		c := b.pool.Get().(*[smallChunk]byte)
		b.chunks = append(b.chunks, chunk{data: c[:0], pooled: c})
		return nil
	}
	if size > smallChunk {
		if err := b.claim(ctx, w, size); err != nil {
			return err
		}
	}
	body := b.bodies.take(size)
	b.chunks = append(b.chunks, chunk{data: body[:0:size], body: body})
	return nil
}

func (b *buffer) claim(ctx context.Context, w *watch, n int64) error {
	if !b.hurried {
		return b.share.claim(ctx, w, n)
	}
	if !b.share.try(n) {
		return errNoRoom
	}
	return nil
}

// contiguous returns the data in one piece, which is good until reset.
func (b *buffer) contiguous(ctx context.Context) ([]byte, error) {
	if b.size == 0 {
		return nil, nil
	}
	if first := b.chunks[0].data; b.size == int64(len(first)) {
		return first, nil
	}
	data, err := b.join(ctx)
	if err != nil {
		return nil, err
	}
	b.reset()
	b.chunks, b.size = append(b.chunks, chunk{data: data[:len(data):len(data)], body: data}), int64(len(data))
	return data, nil
}

// bytes returns the data in a slice of its own and resets the buffer. A body that fills its first chunk is not copied.
func (b *buffer) bytes(ctx context.Context) ([]byte, error) {
	defer b.reset()
	if b.size == 0 {
		return nil, nil
	}
	if first := b.chunks[0]; b.size == int64(cap(first.data)) && first.pooled == nil {
		b.chunks[0].body = nil // not for others
		return first.body[:b.size], nil
	}
	return b.join(ctx)
}

// join copies the data into one slice.
func (b *buffer) join(ctx context.Context) ([]byte, error) {
	if b.size > smallChunk {
		if err := b.claim(ctx, nil, b.size); err != nil {
			return nil, err
		}
	}
	data := b.bodies.take(b.size)
	for _, c := range b.chunks {
		data = append(data, c.data...)
	}
	return data, nil
}

// reset empties the buffer and gives its pooled chunks back. The claims stay until the share is settled.
func (b *buffer) reset() {
	for _, c := range b.chunks {
		if c.pooled != nil {
			b.pool.Put(c.pooled)
		}
		b.bodies.give(c.body)
	}
	b.chunks, b.size = nil, 0
}
