package accesslog

import "hash/maphash"

// An echo finds out whether a log has the lines from its beginning once more, as when it was put behind itself. Lines of the same
// second may be alike without that: the times must go back.
type echo struct {
	seed   maphash.Seed
	head   []uint64 // hashes of the first lines
	newest int64    // nanoseconds
	run    int      // lines of the head that have come again, in a row
	first  int64    // the line at which that began
	found  bool
}

// leastEcho is how many lines come again at least.
const leastEcho = 3

// add takes in a line.
func (c *echo) add(text []byte, at, line int64) {
	if c.head == nil {
		c.seed, c.head = maphash.MakeSeed(), make([]uint64, 0, headLines)
	}
	wentBack := at < c.newest
	c.newest = max(c.newest, at)
	switch {
	case c.found:
	case c.run > 0 && maphash.Bytes(c.seed, text) == c.head[c.run]:
		c.run++
		c.found = c.run == len(c.head)
	case wentBack && len(c.head) >= leastEcho && maphash.Bytes(c.seed, text) == c.head[0]:
		c.run, c.first = 1, line
	default:
		c.run = 0
		if len(c.head) < headLines {
			c.head = append(c.head, maphash.Bytes(c.seed, text))
		}
	}
}
