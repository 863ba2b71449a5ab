package disk

import "time"

// takeOver goes on with what the store of a frontier with a log says, which may have been open on another machine. On the same
// one, not started anew since, its clock that nobody sets tells how much time has passed. Of another machine's wall clock is
// known that it shows the same as this one's, but for c.skew: so as much may have passed less than the two say, and none is taken
// to have passed if they say that time has gone back. Times in the store come later by that, and none earlier.
func (c *clock) takeOver(r clockRecord) {
	here := c.boot()
	said := time.Duration(c.now() - r.shown)
	passed, ok := r.rested(here)
	if c.moved = !ok; c.moved {
		passed = max(said-c.skew, 0)
	}
	c.lead += said - passed
}

// keepClock keeps what the clock shows, and on which machine.
func (s *step) keepClock() {
	c := &s.core.clock
	c.kept, c.shown = c.ahead(), s.now
	s.key, s.value = append(s.key[:0], kindClock), append(s.value[:0], recordVersion)
	boot := c.boot()
	boot.Since -= time.Duration(c.now() - s.now)
	s.value = clockRecord{c.kept, s.now, boot}.append(s.value)
	s.set()
}
