package disk

import (
	"math"
	"time"
)

// What outlives the process is told in nanoseconds of the wall clock since 1970, and so is the schedule. But gaps between
// requests of this process are measured with the monotonic clock: when the wall clock is set forward, or the machine
// sleeps, no request leaves sooner, and when it is set back none later.

func now() int64 { return time.Now().UnixNano() }

// nanos returns t on the wall clock; the zero time is 0.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Unix() > math.MaxInt64/int64(time.Second)-1:
		return math.MaxInt64
	}
	return t.UnixNano()
}

// wallTime is the inverse of nanos.
func wallTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// moment returns when, on the wall clock as it goes now, a time of this process comes or came.
func moment(t time.Time) int64 {
	if wait := time.Until(t); wait > 0 {
		return later(now(), wait)
	}
	return min(nanos(t), now())
}

// later returns t + d without overflow.
func later(t int64, d time.Duration) int64 {
	if d > 0 && t > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return t + int64(d)
}
