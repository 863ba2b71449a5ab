package ledger

import (
	"bytes"
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// leastStep is by how much the wall clock must have been set to count as set.
const leastStep = time.Second

// A wallClock notices when the wall clock is set while the ledger is open. Times are written as the clock goes when the record is,
// those of before it was set too, so that those of one record can be compared, and EventClock says by how much later ones differ.
type wallClock struct {
	wall, began time.Time     // the same moment on the wall clock, and on the one that nobody sets
	set, last   time.Duration // in all since then, and the last time
}

// newWallClock returns the clock of a process that began when the wall clock had been set by so much.
func newWallClock(began time.Time, before time.Duration) wallClock {
	return wallClock{wall: began.Round(0).Add(-before), began: began}
}

// step returns by how much the clock was set since it was asked last.
func (c *wallClock) step(now time.Time) time.Duration {
	set := now.Round(0).Sub(c.wall) - now.Sub(c.began)
	by := set - c.set
	if by.Abs() < leastStep {
		return 0
	}
	c.set, c.last = set, by
	return by
}

// reframe tells the times of a record from before the clock was set as it went on after that.
func (c *wallClock) reframe(r *Record, now time.Time) {
	for _, t := range []*time.Time{&r.Time, &r.Start, &r.FirstByte, &r.End, &r.NotBefore, &r.Expires} {
		if *t == t.Round(0) {
			continue // it has no monotonic reading
		}
		if off := now.Add(t.Sub(now)).Round(0).Sub(t.Round(0)); off.Abs() >= leastStep {
			*t = t.Round(0).Add(c.last)
		}
	}
}

// stamp writes down what the clock of the machine showed, by the wall clock as it goes now, at the time of the record.
func (r *Record) stamp(read func() bootclock.Reading) {
	at, now := read(), time.Now() // in this order: to read may take long
	if at.Boot == "" {
		return
	}
	r.Boot, r.BootAt = at.Boot, Millis(at.Since-now.Round(0).Sub(r.Time.Round(0)))
}

// SetSince returns by how much the wall clock was set forward between the record and a moment of this process, which has a
// monotonic reading. It is 0 when that is less than a second, and when nobody knows: the record does not say what another clock
// showed (Boot), or the machine was started anew.
func (r *Record) SetSince(moment time.Time) time.Duration {
	now := bootclock.Read()
	now.Since -= time.Since(moment)
	by := bootclock.Reading{Boot: r.Boot, Since: time.Duration(r.BootAt)}.Excess(now, moment.Round(0).Sub(r.Time))
	if by < leastStep {
		return 0
	}
	return by
}

// setBefore returns by how much the wall clock was set forward between what the ledger in dir says of it last and the beginning of
// this process.
func setBefore(dir string, began time.Time) (by time.Duration) {
	stamped := func(line []byte) bool { return bytes.Contains(line, []byte(`"boot":`)) }
	for r, err := range Read(dir, ReadOptions{Match: stamped, Tail: 1}) {
		if err == nil && r.Boot != "" {
			by = r.SetSince(began)
		}
	}
	return by
}
