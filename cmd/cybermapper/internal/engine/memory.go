package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// A crawl allocates much and keeps little: page after page is read and dropped. Letting the heap grow further between two
// collections saves about a sixth of the CPU time of a crawl that is fast; one that waits for its sites, or takes in a list of
// seeds, saves nothing, and takes no more memory than it needs. So the heap is given a goal that follows what is kept.
const (
	gcPercent  = 400       // where GOMEMLIMIT bounds the heap
	memoryGoal = 128 << 20 // bytes; soft: what is needed beyond is still given
	goalEvery  = 200 * time.Millisecond
)

// relaxCollector sets the garbage collector up for a crawl, unless GOGC or GOMEMLIMIT say otherwise, and returns how to
// set it back.
func relaxCollector() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	percent, limit := debug.SetGCPercent(gcPercent), debug.SetMemoryLimit(-1)
	stop := func() {}
	if os.Getenv("GOMEMLIMIT") == "" {
		stop = followHeap(limit)
	}
	return func() {
		stop()
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// The least memory in which a crawl is known to come to its end, in bytes: one of 20,000 pages of manuals, as fast as they came,
// was killed with an index beside it in 64 MB, and was not in 128 MB, nor without an index in 64 MB.
const (
	leastMemory = 64 << 20
	indexBeside = 128 << 20 // with a search index, which has cli.IndexMemory
)

// fitMemory makes what a crawl may hold fit into the memory that it may take, 0 for any, and says so: the bounds together get half
// of it, and none of them more than it had.
func fitMemory(c *config.Config, most uint64, out io.Writer) {
	switch {
	case 0 < most && most < leastMemory:
		fmt.Fprintf(out, "cybermapper: warning: only %s of memory may be taken (control group), and a crawl wants %s: "+
			"it may be killed\n", config.Size(most), config.Size(leastMemory))
	case c.Search.Index && 0 < most && most < indexBeside:
		fmt.Fprintf(out, "cybermapper: warning: only %s of memory may be taken (control group), and search.index wants %s: "+
			"the crawl may be killed; leave the index to \"cybermapper index\" afterwards, which takes less\n",
			config.Size(most), config.Size(indexBeside))
	}
	const leastQueue, leastPages = 16 << 20, 1 << 20
	all := c.Frontier.Memory + c.Fetch.BodyMemory + c.Extract.Memory + c.Crawl.SlowMemory
	if most == 0 || uint64(all) <= most/2 {
		return
	}
	part := func(of config.Size, least config.Size) config.Size {
		share := config.Size(float64(of) / float64(all) * float64(most/2))
		return min(of, max(share>>20<<20, least))
	}
	c.Frontier.Memory = part(c.Frontier.Memory, leastQueue)
	c.Fetch.BodyMemory = part(c.Fetch.BodyMemory, c.Fetch.MaxBody)
	c.Extract.Memory = part(c.Extract.Memory, leastPages)
	c.Crawl.SlowMemory = part(c.Crawl.SlowMemory, 0)
	fmt.Fprintf(out, "cybermapper: to stay within the %s of memory that may be taken (control group), "+
		"frontier.memory is %s, fetch.body_memory %s, extract.memory %s, crawl.slow_memory %s\n",
		config.Size(most), c.Frontier.Memory, c.Fetch.BodyMemory, c.Extract.Memory, c.Crawl.SlowMemory)
}

// followHeap holds the goal of the heap, and a limit for all memory that is never above most, until stop is called, which waits.
//
// The goal is said as a percentage, and the limit lies well above it. A limit that is the goal as well would be reached time and
// again, and there the runtime gives memory back to the system for each piece that it takes, which cost a fast crawl 6 % of its
// time; and a heap of the size of its limit is collected without end. It is there for what grows much from one look to the next.
func followHeap(most int64) (stop func()) {
	m := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"},
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
	cpu := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
		{Name: "/cpu/classes/user:cpu-seconds"},
	}
	room, percent, limit := headroom{bytes: firstRoom}, 0, int64(0)
	adapt := func(context.Context) {
		metrics.Read(m)
		metrics.Read(cpu)
		live, scanned := m[0].Value.Uint64(), m[1].Value.Uint64()+m[2].Value.Uint64()
		other := m[3].Value.Uint64()
		for _, part := range m[4:] {
			other -= part.Value.Uint64()
		}
		room.adapt(cpu[0].Value.Float64()-cpu[1].Value.Float64(), cpu[2].Value.Float64())
		grows := room.of(live, other)
		if next := percentFor(grows, live+scanned); next != percent {
			debug.SetGCPercent(next)
			percent = next
		}
		if next := min(limitFor(live+other+grows), most); next != limit {
			debug.SetMemoryLimit(next)
			limit = next
		}
	}
	adapt(context.Background())
	return every(context.Background(), goalEvery, adapt)
}

// Both move in steps, as setting one stops the world.
const (
	percentStep = 8
	limitStep   = 8 << 20 // bytes
)

// percentFor returns the percentage by which what a collection looks at may grow to have so many bytes of room. The runtime takes
// it of 4 MB at least.
func percentFor(room, scanned uint64) int {
	scanned = max(scanned, 4<<20)
	return (int(room*100/scanned)/percentStep + 1) * percentStep
}

// limitFor returns the limit for a goal, both in bytes.
func limitFor(goal uint64) int64 { return int64((goal/2*3 + limitStep - 1) / limitStep * limitStep) }

// Collections may take a two-hundredth to a hundredth of the time of the crawl: above, they get more room, and below, less.
const (
	dearGC    = 1. / 100
	cheapGC   = 1. / 200
	firstRoom = 24 << 20 // bytes
	leastRoom = 8 << 20
)

// A headroom is how much may come to what is kept before the next collection.
type headroom struct {
	bytes    uint64
	gc, user float64 // CPU seconds up to when it was adapted last
}

// adapt hears how many CPU seconds were spent on collections and on all else. The runtime tells of both when a collection ends.
func (h *headroom) adapt(gc, user float64) {
	if user <= h.user {
		return
	}
	switch share := (gc - h.gc) / (user - h.user); {
	case share > dearGC:
		h.bytes *= 2
	case share < cheapGC:
		h.bytes -= h.bytes / 8
	}
	h.gc, h.user = gc, user
}

// of returns the room, in bytes, for a heap of which live bytes were in use after the last collection. other is what counts besides
// the heap, most of it stacks: while thousands of pages wait for a slow disk it is tens of megabytes. As the price of a collection
// is what it finds in use, three quarters of that may come to it, as long as all of it stays below memoryGoal; but a quarter, and
// 24 MB at least, in any case: most of what is kept are blocks without pointers, which cost a collection nothing.
func (h *headroom) of(live, other uint64) uint64 {
	const least = 24 << 20
	most := max(least, live/4)
	if live+other < memoryGoal {
		most = max(most, min(live/4*3, memoryGoal-live-other))
	}
	h.bytes = min(max(h.bytes, leastRoom), most)
	return h.bytes
}
