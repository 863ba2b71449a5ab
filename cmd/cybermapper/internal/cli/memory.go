package cli

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
)

// IndexMemory returns what a search index may hold, as index.Options.Memory has it, where most bytes of memory may be taken in all:
// 0, the default, when most is 0 and nobody says. It is an eighth, as SQLite's allocator takes up to as much again, and a crawl may
// go on beside it.
func IndexMemory(most uint64) int64 { return int64(min(most, math.MaxInt64) / 8) }

// CacheSize returns the parameter of sqlfile.Open that says how much each connection keeps of a database: usual bytes, or a part of
// the most that may be taken in all, 0 for any number; SQLite's allocator takes twice as much.
func CacheSize(usual int64, most uint64) string {
	if most > 0 {
		usual = int64(min(uint64(usual), most/32))
	}
	return fmt.Sprintf("_pragma=cache_size(-%d)", usual>>10)
}

// LimitMemory makes the garbage collector work harder before the kernel kills the process, when most bytes are all that it may
// take, 0 for any number: it knows nothing of control groups by itself. A third is left to what it does not count, the buffers of
// the index and of the kernel among it. A limit that is set already, as by GOMEMLIMIT, stays.
func LimitMemory(most uint64) {
	if most > 0 && most < math.MaxInt64 && os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(int64(most / 3 * 2))
	}
}
