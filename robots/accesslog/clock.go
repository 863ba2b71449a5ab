package accesslog

import "time"

// A clock finds out whether the times of a log go on as they should: they go back when its clock is set, and when other lines were
// put behind.
type clock struct {
	newest int64 // nanoseconds
	begun  bool
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
	at := e.Time.UnixNano()
	switch behind := time.Duration(c.newest - at); {
	case behind <= 0 || !c.begun:
		c.newest, c.begun, c.late = at, true, 0
	case behind-max(e.Taken, 0) <= setBack: // a log may have the time at which answers began, in order of their ends
		c.late = 0
	case c.late < manyLate:
		c.late++
		return Late
	default:
		c.newest, c.late = at, 0
		c.epochs++
	}
	return c.epochs
}
