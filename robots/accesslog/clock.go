package accesslog

import "time"

// A clock finds out whether the times of a log go on as they should: they go back when its clock is set, and when other lines were
// put behind.
type clock struct {
	newest time.Time
	epochs int // that ended
	late   int // lines in a row
}

// How much earlier a line is when it is late, and how many in a row are when the clock was set.
const (
	setBack  = 10 * time.Second
	manyLate = 20
)

// epoch returns that of an entry.
func (c *clock) epoch(e *Entry) int {
	switch behind := c.newest.Sub(e.Time); {
	case behind <= 0:
		c.newest, c.late = e.Time, 0
	case behind-max(e.Taken, 0) <= setBack: // a log may have the time at which answers began, in order of their ends
		c.late = 0
	case c.late < manyLate:
		c.late++
		return Late
	default:
		c.newest, c.late = e.Time, 0
		c.epochs++
	}
	return c.epochs
}
