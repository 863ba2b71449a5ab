package accesslog

import "time"

// clocks are those of the servers that a log is of: one, unless a log collector names several.
type clocks struct {
	of     map[string]*clock
	epochs int // that began
}

// maxServers is how many servers of a log have clocks of their own; what others say counts as of one.
const maxServers = 64

// epoch returns that of an entry of a server.
func (c *clocks) epoch(e *Entry, server []byte) int {
	own := c.of[string(server)]
	if own == nil && len(c.of) >= maxServers {
		own, server = c.of[""], nil
	}
	if own == nil {
		if c.of == nil {
			c.of = map[string]*clock{}
		}
		own = &clock{epoch: c.epochs}
		c.epochs++
		c.of[string(server)] = own
	}
	switch own.look(e) {
	case late:
		return Late
	case set:
		own.epoch = c.epochs
		c.epochs++
	}
	return own.epoch
}

// A clock finds out whether the times of a server go on as they should: they go back when its clock is set, and when other lines
// were put behind.
type clock struct {
	newest int64 // nanoseconds
	begun  bool
	epoch  int
	late   int // lines in a row
}

// A look is what the time of an entry says of a clock.
type look uint8

const (
	goesOn look = iota
	late
	set
)

// How much earlier a line is when it is late, and how many in a row are when the clock was set.
const (
	setBack  = 10 * time.Second
	manyLate = 20
)

// look takes in the time of an entry.
func (c *clock) look(e *Entry) look {
	at := e.Time.UnixNano()
	switch behind := time.Duration(c.newest - at); {
	case behind <= 0 || !c.begun:
		c.newest, c.begun, c.late = at, true, 0
	case behind-max(e.Taken, 0) <= setBack: // a log may have the time at which answers began, in order of their ends
		c.late = 0
	case c.late < manyLate:
		c.late++
		return late
	default:
		c.newest, c.late = at, 0
		return set
	}
	return goesOn
}
