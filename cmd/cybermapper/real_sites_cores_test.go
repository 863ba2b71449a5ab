//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// A coreUse is what a run takes of the cores of the machine.
type coreUse struct {
	took, cpu time.Duration
	ready     time.Duration // that threads waited for a core which others had; zero where the system does not tell
}

// String tells how many cores were busy on average, or would have been if nothing else had run.
func (u coreUse) String() string {
	busy, wanted := u.cpu.Seconds()/u.took.Seconds(), (u.cpu+u.ready).Seconds()/u.took.Seconds()
	return fmt.Sprintf("%.2f of %d cores busy, %.2f wanted", busy, runtime.NumCPU(), wanted)
}

// readyTime returns how long the threads of a process have waited for a core, as Linux counts it.
func readyTime(pid int) (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range files {
		var run, ready, slices int64
		if text, err := os.ReadFile(name); err == nil {
			fmt.Sscan(string(text), &run, &ready, &slices)
		}
		sum += time.Duration(ready)
	}
	return sum
}

// watchReady follows readyTime of a process until stop is called, which returns the last of it.
func watchReady(pid int) (stop func() time.Duration) {
	end, last := make(chan struct{}), make(chan time.Duration)
	go func() {
		var ready time.Duration
		for {
			ready = max(ready, readyTime(pid))
			select {
			case <-time.After(100 * time.Millisecond):
			case <-end:
				last <- ready
				return
			}
		}
	}()
	return func() time.Duration {
		close(end)
		return <-last
	}
}
