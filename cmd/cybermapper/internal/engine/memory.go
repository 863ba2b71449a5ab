package engine

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A crawl allocates much and keeps little: page after page is read and dropped. Letting the heap grow further between two
// collections saves about a sixth of the CPU time; the limit keeps that from taking the machine. It follows what is kept, as a heap
// of the size of its limit is collected without end.
const (
	gcPercent   = 400
	memoryLimit = 128 << 20 // bytes; soft: what is needed beyond is still given
	limitEvery  = 200 * time.Millisecond
)

// relaxCollector sets the garbage collector up for a crawl, unless GOGC or GOMEMLIMIT say otherwise, and returns how to
// set it back.
func relaxCollector() (restore func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	debug.SetGCPercent(percent)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	done, ended := make(chan struct{}), make(chan struct{})
	if os.Getenv("GOMEMLIMIT") == "" {
		go func() {
			defer close(ended)
			limitMemory(done)
		}()
	} else {
		close(ended)
	}
	return func() {
		close(done)
		<-ended
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// limitMemory holds the limit until done is closed.
func limitMemory(done <-chan struct{}) {
	tick := time.NewTicker(limitEvery)
	defer tick.Stop()
	m := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
	for limit := int64(0); ; {
		metrics.Read(m)
		other := m[1].Value.Uint64()
		for _, part := range m[2:] {
			other -= part.Value.Uint64()
		}
		if next := limitFor(m[0].Value.Uint64(), other); next != limit {
			debug.SetMemoryLimit(next)
			limit = next
		}
		select {
		case <-tick.C:
		case <-done:
			return
		}
	}
}

// limitFor returns the limit for a heap of which so many bytes were in use after the last collection: a quarter of that, and 24 MB
// at least, may come to it before the next. Most of what is kept are blocks without pointers, which cost a collection nothing.
// other is what counts besides the heap, most of it stacks: while thousands of pages wait for a slow disk it is tens of megabytes.
// The limit moves in steps, as setting it stops the world.
func limitFor(live, other uint64) int64 {
	const room, step = 24 << 20, 8 << 20
	return max(memoryLimit, int64((live+max(room, live/4)+other+step-1)/step)*step)
}
