package main

import (
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/chaos"
	"github.com/cybermapper/cybermapper/frontier/clocktest"
)

// withClock returns with which overlay the command is to be built, so that clocks of nodes can be set.
func withClock(r *chaos.Run) (overlay string, err error) {
	r.StepClock = func(in, by time.Duration) string {
		return clocktest.Steps(clocktest.Step{In: in, By: by})
	}
	return clocktest.WriteOverlay(r.Work)
}
