package bootclock

import "time"

// A Reading is a moment on that clock.
type Reading struct {
	Boot  string        // which start of the machine; empty when the clock cannot be read
	Since time.Duration // that start, or what a container takes for it
}

// Excess returns by how much more time has passed between two readings according to another clock, which shows elapsed. It is 0
// when less has, and when nobody knows: on another machine, after the machine was started anew, or in a container that counts
// from another moment and would have time go backwards.
func (r Reading) Excess(now Reading, elapsed time.Duration) time.Duration {
	passed := now.Since - r.Since
	if r.Boot == "" || r.Boot != now.Boot || passed < 0 || elapsed < passed {
		return 0
	}
	return elapsed - passed
}
