package disk

import (
	"math"
	"time"
)

// A clock tells the time in nanoseconds since 1970. It starts with the wall clock and then runs evenly: a step of the
// system's clock makes no gap shorter and no wait longer.
type clock struct{ start time.Time }

func newClock() clock { return clock{time.Now()} }

func (c clock) now() int64 { return c.at(time.Now()) }

// at converts a time of the caller; the zero time is 0.
func (c clock) at(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return later(c.start.UnixNano(), int64(t.Sub(c.start)))
}

// later returns t + d without overflow.
func later(t, d int64) int64 {
	if d > 0 && t > math.MaxInt64-d {
		return math.MaxInt64
	}
	return max(t+d, 0)
}
