//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/chaos"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that no site is asked too soon, nor left alone, when the wall clocks of nodes are set, back or forward, while they run, and
// what one owes to a site goes to another whose clock shows another time.
func TestCluster_ClockSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with another package time")
	}
	t.Parallel()
	r := chaos.Run{
		Command: steppedCommand(t, "-gcflags=all=-N -l"), Work: t.TempDir(), Hosts: 15, Pages: 40, Nodes: 2, Partitions: 6, Lease: 6 * time.Second,
		Delay: 700 * time.Millisecond, Rest: 500 * time.Millisecond, Patience: 2 * time.Minute, Seed: 20, Out: t.Output(),
		StepClock: func(in, by time.Duration) string {
			return frontiertest.ClockSteps(frontiertest.ClockStep{In: in, By: by})
		},
		Faults: []chaos.Fault{chaos.StepClock, chaos.StepClock, chaos.Leave, chaos.StepClock},
	}
	v, err := r.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v.Print(t.Output())
	if v.Failed() {
		t.Error("the crawl did not survive")
	}
}
