package pipe

import (
	"context"
	"fmt"
	"io"
)

// readAtOnce is how much is read in one go.
const readAtOnce = 64 << 10

// Until returns a reader of from that ends with ctx, also while from is silent: then the error wraps that of ctx. No call ends a
// read of standard input, so the one under way is left to itself, with the buffer that it fills.
func Until(ctx context.Context, from io.Reader) io.Reader {
	return &reader{ctx: ctx, from: from, buf: make([]byte, readAtOnce)}
}

type reader struct {
	ctx  context.Context
	from io.Reader
	buf  []byte
}

type result struct {
	n   int
	err error
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, fmt.Errorf("interrupted: %w", err)
	}
	done := make(chan result, 1)
	space := r.buf[:min(len(p), len(r.buf))]
	go func() {
		n, err := r.from.Read(space)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, space[:got.n]), got.err
	case <-r.ctx.Done():
		return 0, fmt.Errorf("interrupted: %w", r.ctx.Err())
	}
}
