package fetch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A watch ends an exchange that takes too long. It has one timer, which looks after the response head first and then, once
// per window, after the progress of the body. A nil watch watches nothing.
type watch struct {
	cancel   context.CancelCauseFunc
	limits   pace
	received atomic.Int64 // bytes of the body

	mu       sync.Mutex // guards the fields below
	timer    *time.Timer
	reading  bool      // the head is there
	stopped  bool      // for good, or paused
	pausedAt time.Time // zero unless paused
	began    time.Time // the body, without pauses
	window   time.Time // end of the present window
	mark     int64     // received at its start
}

// pace is how fast a response must be.
type pace struct {
	header, body time.Duration
	bodyRate     int64 // bytes per second; a body that keeps it on the whole may take longer than body
	window       time.Duration
	perWindow    int64 // least bytes received in a window; 0 means any
}

func newWatch(p pace, cancel context.CancelCauseFunc) *watch {
	w := &watch{cancel: cancel, limits: p}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(p.header, w.fire)
	return w
}

// body says that the response head is there.
func (w *watch) body() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.reading = true
	w.began = now
	w.nextWindowLocked(now)
}

func (w *watch) nextWindowLocked(now time.Time) {
	w.mark = w.received.Load()
	w.window = now.Add(w.limits.window)
	w.timer.Reset(min(w.limits.window, w.deadlineLocked().Sub(now)))
}

// deadlineLocked returns when the body must have ended, as far as it has come now: what is large may take long.
func (w *watch) deadlineLocked() time.Time {
	earned := time.Duration(float64(w.received.Load()) / float64(w.limits.bodyRate) * float64(time.Second))
	return w.began.Add(max(w.limits.body, earned))
}

// progress says that n more bytes of the body have come.
func (w *watch) progress(n int) {
	if w != nil {
		w.received.Add(int64(n))
	}
}

// fire judges the exchange. It may come late, when the state that set the timer is over.
func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	switch {
	case w.stopped:
	case !w.reading:
		w.cancel(errHeaderTimeout)
	case !now.Before(w.deadlineLocked()):
		w.cancel(errBodyTimeout)
	case now.Before(w.window):
		w.timer.Reset(min(w.window.Sub(now), w.deadlineLocked().Sub(now)))
	case w.received.Load()-w.mark < w.limits.perWindow:
		w.cancel(errTooSlow)
	default:
		w.nextWindowLocked(now)
	}
}

// pause stops the clock while the body waits for us and not for the server.
func (w *watch) pause() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.pausedAt = time.Now()
	w.timer.Stop()
}

// resume starts the clock again, with a new window.
func (w *watch) resume() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = false
	now := time.Now()
	w.began = w.began.Add(now.Sub(w.pausedAt))
	w.nextWindowLocked(now)
}

// stop ends the watch.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}
