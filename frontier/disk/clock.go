package disk

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// A clock is the time of a frontier, in nanoseconds since 1970. It goes as the monotonic clock does, from process to process, and
// not as the wall clock: when that is set, or the machine sleeps, no rest is cut short, and none is prolonged. By how much
// the wall clock is ahead is kept in the store, so that the times there mean the same to the next process; and what this clock
// showed, so that it does not go back when the wall clock was set back while no process ran, nor, as long as the machine is not
// started anew, ahead when that was set forward.
type clock struct {
	boot  func() bootclock.Reading
	start time.Time     // of the process
	lead  time.Duration // of the wall clock then
	kept  time.Duration // its lead as the store has it; for who writes there
	shown int64         // likewise
	roams bool          // the store may have been open on another machine
	skew  time.Duration // by how much the wall clocks of two machines may differ
	moved bool          // the store was last open on another machine, or before this one was started anew, or nobody knows
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

const (
	clockEvery = time.Second // how often the wall clock is looked at while nothing is written
	shownEvery = time.Minute // how old what the store says the clock showed may be then; a second while something is
)

// writeClock keeps by how much the wall clock is ahead and what the clock shows, unless the store says so.
func (s *step) writeClock() {
	c := &s.core.clock
	ahead, every := c.ahead(), shownEvery
	if !s.batch.Empty() {
		every = clockEvery
	}
	if (ahead-c.kept).Abs() >= leastStep || s.now >= later(c.shown, every) {
		s.keepClock()
	}
}

// A clockRecord is what the store says of the clock. Older ones lack its end.
type clockRecord struct {
	lead  time.Duration     // of the wall clock
	shown int64             // by the clock
	boot  bootclock.Reading // then
}

func (r clockRecord) append(b []byte) []byte {
	b = binary.AppendVarint(binary.AppendVarint(b, int64(r.lead)), r.shown)
	return append(binary.AppendVarint(b, int64(r.boot.Since)), r.boot.Boot...)
}

func decodeClock(v []byte) (r clockRecord, err error) {
	d := newDecoder(v)
	r.lead = time.Duration(d.varint())
	if len(d.b) > 0 {
		r.shown = d.varint()
	}
	if len(d.b) > 0 {
		r.boot.Since = time.Duration(d.varint())
		r.boot.Boot, d.b = string(d.b), nil
	}
	return r, d.end("clock record")
}

// rested returns for how long the store was not open until now, unless the machine was started anew meanwhile, or nobody knows.
func (r clockRecord) rested(now bootclock.Reading) (d time.Duration, ok bool) {
	d = now.Since - r.boot.Since
	if r.boot.Boot == "" || r.boot.Boot != now.Boot || d < 0 {
		return 0, false
	}
	return d, true
}

// takeUp goes on with what the store says.
func (c *clock) takeUp(r clockRecord) {
	c.lead, c.kept, c.shown = r.lead, r.lead, r.shown
	if c.roams {
		c.takeOver(r)
		return
	}
	boot := c.boot() // first: what reading it takes is to make no pause shorter
	passed := time.Duration(c.now() - r.shown)
	rested, ok := r.rested(boot)
	switch by := passed - rested; {
	case r.shown == 0: // not known
	case passed < 0, ok && by.Abs() >= leastStep: // the wall clock was set
		c.lead += by
	}
}

// watchClock keeps what writeClock does also when all sites rest: a process that is killed then leaves times that mean the same to
// the next one. A store that roams need not say what the clock showed: on the same machine its own clock tells how long it rested,
// and on another one the wall clocks do. It returns when the frontier is closed, or cannot be written.
func (f *Frontier) watchClock() {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	kept, written := f.core.clock.lead, time.Now()
	for {
		select {
		case <-tick.C:
		case <-f.closed:
			return
		case <-f.failed:
			return
		}
		ahead := f.core.clock.ahead()
		if (ahead-kept).Abs() < leastStep && (f.core.clock.roams || time.Since(written) <= shownEvery) {
			continue
		}
		if f.commit(newRequest(0)) != nil {
			return
		}
		kept, written = ahead, time.Now()
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

// wallTime is the inverse of nanos, in UTC.
func wallTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
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
