package main

import (
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/chaos"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// withClock returns with which overlay the command is to be built, so that clocks of nodes can be set.
func withClock(r *chaos.Run) (overlay string, err error) {
	r.StepClock = func(in, by time.Duration) string {
		return frontiertest.ClockSteps(frontiertest.ClockStep{In: in, By: by})
	}
	return frontiertest.WriteClockOverlay(r.Work)
}
