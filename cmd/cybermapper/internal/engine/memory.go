package engine

import (
	"os"
	"runtime/debug"
)

// A crawl allocates much and keeps little: page after page is read and dropped. Letting the heap grow further between two
// collections saves about a sixth of the CPU time; the limit keeps that from taking the machine.
const (
	gcPercent   = 400
	memoryLimit = 128 << 20 // bytes; soft: what is needed beyond is still given
)

// relaxCollector sets the garbage collector up for a crawl, unless GOGC or GOMEMLIMIT say otherwise, and returns how to
// set it back.
func relaxCollector() (restore func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	debug.SetGCPercent(percent)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
