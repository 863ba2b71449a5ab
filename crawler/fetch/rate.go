package fetch

import (
	"context"
	"io"
	"sync"
	"time"
)

// A limiter lets bytes pass at a rate. A nil one lets all pass.
type limiter struct {
	perSecond float64

	mu   sync.Mutex // guards free
	free time.Time  // when what was let pass is paid for
}

// newLimiter returns nil for no limit.
func newLimiter(perSecond int64) *limiter {
	if perSecond <= 0 {
		return nil
	}
	return &limiter{perSecond: float64(perSecond)}
}

// take takes note of n bytes, and returns how long to wait before more are read.
func (l *limiter) take(n int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / l.perSecond * float64(time.Second)))
	return l.free.Sub(now)
}

// step is how much is read at once, so that nobody waits long for the bytes of another.
func (l *limiter) step() int { return int(min(max(l.perSecond/10, 512), 64<<10)) }

// limited returns body at the rate of the client. While it waits, the clock of the exchange stops: it is we who are slow.
func (x *exchange) limited(body io.Reader) io.Reader {
	if x.client.rate == nil {
		return body
	}
	return &limitedReader{x, body}
}

type limitedReader struct {
	exchange *exchange
	from     io.Reader
}

func (r *limitedReader) Read(p []byte) (int, error) {
	x := r.exchange
	n, err := r.from.Read(p[:min(len(p), x.client.rate.step())])
	if n == 0 {
		return n, err
	}
	x.watch.pause()
	defer x.watch.resume()
	if e := sleep(x.ctx, x.client.rate.take(n)); e != nil {
		return n, e
	}
	return n, err
}

// sleep waits until d has passed or ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
