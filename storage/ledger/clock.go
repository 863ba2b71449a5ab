package ledger

import "time"

// leastStep is by how much the wall clock must have been set to count as set.
const leastStep = time.Second

// A wallClock notices when the wall clock is set while the ledger is open. Times are written as the clock goes when the record is,
// those of before it was set too, so that those of one record can be compared, and EventClock says by how much later ones differ.
type wallClock struct {
	wall, began time.Time     // the same moment on the wall clock, and on the one that nobody sets
	set, last   time.Duration // in all since then, and the last time
}

func newWallClock(began time.Time) wallClock { return wallClock{wall: began.Round(0), began: began} }

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
