package tenure

import (
	"time"

	"github.com/cybermapper/cybermapper/storage/bootclock"
)

// A reading is what the clocks of this process show. Only what passes between two readings means anything.
type reading struct {
	mono time.Duration // the monotonic clock, which may stand still while the machine sleeps; timers follow it
	boot time.Duration // the boot-time clock, which does not
	wall time.Duration // the wall clock, which may be set
}

// most is the most that may have passed between two readings: who holds a right counts so.
func (r reading) most(now reading) time.Duration {
	return max(now.mono-r.mono, now.boot-r.boot, now.wall-r.wall)
}

// least is the least: who waits for the end of another's right counts so. The wall clock has no say, for it may have been set.
func (r reading) least(now reading) time.Duration {
	return min(now.mono-r.mono, now.boot-r.boot)
}

// readClocks returns what reads the clocks of this process. Where there is no boot-time clock the monotonic one stands in.
func readClocks() func() reading {
	start := time.Now()
	first, ok := bootclock.Since()
	return func() reading {
		now := time.Now()
		r := reading{mono: now.Sub(start), wall: now.Round(0).Sub(start.Round(0))}
		r.boot = r.mono
		if since, still := bootclock.Since(); ok && still {
			r.boot = max(r.mono, since-first)
		}
		return r
	}
}
