package disk

import (
	"encoding/binary"
	"math"
	"time"
)

// A clock is the time of a frontier, in nanoseconds since 1970. It goes as the monotonic clock does, from process to process, and
// not as the wall clock: when that is set, or the machine sleeps, no rest is cut short, and none is prolonged. By how much
// the wall clock is ahead is kept in the store, so that the times there mean the same to the next process.
type clock struct {
	start time.Time     // of the process
	lead  time.Duration // of the wall clock then
	kept  time.Duration // its lead as the store has it; for who writes there
}

// leastStep is by how much the wall clock must have been set to count as set.
const leastStep = time.Second

func (c *clock) now() int64 { return c.at(time.Now()) }

// at returns what the clock shows at a time of this process.
func (c *clock) at(t time.Time) int64 {
	return later(c.start.UnixNano()-int64(c.lead), t.Sub(c.start))
}

// ahead returns by how much the wall clock is ahead now.
func (c *clock) ahead() time.Duration {
	now := time.Now()
	step := now.Round(0).Sub(c.start.Round(0)) - now.Sub(c.start)
	if step.Abs() < leastStep {
		return c.lead
	}
	return c.lead + step
}

// when returns what the clock shows at t, which may come from elsewhere than this process; the zero time is 0.
func (c *clock) when(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t != t.Round(0): // it has a monotonic reading
		return c.at(t)
	}
	return later(nanos(t), -c.ahead())
}

// wall is the inverse of when, on the wall clock as it goes now.
func (c *clock) wall(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return wallTime(n).Add(c.ahead())
}

// moment is wall for times of this process and those just before it, with a monotonic reading.
func (c *clock) moment(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	now := time.Now()
	return now.Add(time.Duration(n - c.at(now)))
}

// writeClock keeps by how much the wall clock is ahead, if that is not what the store says.
func (s *step) writeClock() {
	c := &s.core.clock
	ahead := c.ahead()
	if (ahead - c.kept).Abs() < leastStep {
		return
	}
	c.kept = ahead
	s.key, s.value = append(s.key[:0], kindClock), binary.AppendVarint(append(s.value[:0], recordVersion), int64(ahead))
	s.set()
}

// clockEvery is how often the wall clock is looked at while nothing is written.
const clockEvery = time.Second

// watchClock keeps by how much the wall clock is ahead also when all sites rest: a process that is killed then leaves times that
// mean the same to the next one. It returns when the frontier is closed, or cannot be written.
func (f *Frontier) watchClock() {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for kept := f.core.clock.lead; ; {
		select {
		case <-tick.C:
		case <-f.closed:
			return
		case <-f.failed:
			return
		}
		ahead := f.core.clock.ahead()
		if (ahead - kept).Abs() < leastStep {
			continue
		}
		if f.commit(newRequest(0)) != nil {
			return
		}
		kept = ahead
	}
}

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

// later returns t + d without overflow.
func later(t int64, d time.Duration) int64 {
	switch {
	case d > 0 && t > math.MaxInt64-int64(d):
		return math.MaxInt64
	case d < 0 && t < math.MinInt64-int64(d):
		return math.MinInt64
	}
	return t + int64(d)
}
