package engine

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

func TestHeadroom_Of(t *testing.T) {
	const none, all = 0, 1 << 40 // headroom that is wanted
	for _, tt := range []struct{ wanted, live, other, want uint64 }{
		{all, 0, 0, 24 << 20}, {all, 20 << 20, 8 << 20, 24 << 20}, {all, 64 << 20, 8 << 20, 48 << 20},
		{all, 90 << 20, 10 << 20, 28 << 20}, {all, 120 << 20, 0, 30 << 20}, {all, 80 << 20, 40 << 20, 24 << 20},
		{all, 1 << 30, 0, 1 << 28},
		{none, 0, 0, 8 << 20}, {none, 50 << 20, 11 << 20, 8 << 20}, {none, 1 << 30, 0, 8 << 20},
		{20 << 20, 40 << 20, 0, 20 << 20},
	} {
		h := headroom{bytes: tt.wanted}
		if got := h.of(tt.live, tt.other); got != tt.want {
			t.Errorf("%d and %d MB in use, %d MB wanted: room for %d MB, want %d MB",
				tt.live>>20, tt.other>>20, tt.wanted>>20, got>>20, tt.want>>20)
		}
	}
}

// The goal is reached by the percentage: the limit lies so far above that usual use never comes near it.
func TestPercentFor(t *testing.T) {
	for _, tt := range []struct {
		room, scanned uint64
		percent       int
		limit         int64
	}{
		{24 << 20, 0, 608, 40 << 20}, {24 << 20, 24 << 20, 104, 72 << 20}, {8 << 20, 40 << 20, 24, 72 << 20},
		{28 << 20, 90 << 20, 32, 184 << 20}, {8 << 20, 1 << 30, 8, 1552 << 20},
	} {
		if got := percentFor(tt.room, tt.scanned); got != tt.percent {
			t.Errorf("room of %d MB for %d MB: %d %%, want %d", tt.room>>20, tt.scanned>>20, got, tt.percent)
		}
		if got := limitFor(tt.room + tt.scanned); got != tt.limit {
			t.Errorf("room of %d MB for %d MB: a limit of %d MB, want %d", tt.room>>20, tt.scanned>>20, got>>20, tt.limit>>20)
		}
	}
}

// Ensure that collections that take much of the time get room at once, and lose it by and by when they do not.
func TestHeadroom_Adapt(t *testing.T) {
	const live = 40 << 20
	h := headroom{bytes: leastRoom}
	gc, user := 0., 0.
	spend := func(share float64) uint64 {
		gc, user = gc+share, user+1
		h.adapt(gc, user)
		h.adapt(gc, user) // no collection since
		return h.of(live, 0) >> 20
	}
	for i, step := range []struct {
		share float64
		times int
		want  uint64 // MB
	}{
		{0, 1, 8}, {0.05, 1, 16}, {0.05, 4, 30}, {0.015, 20, 30}, {0.001, 4, 17}, {0.001, 40, 8},
	} {
		var got uint64
		for range step.times {
			got = spend(step.share)
		}
		if got != step.want {
			t.Errorf("step %d: room of %d MB after %g of the time, want %d MB", i, got, step.share, step.want)
		}
	}
}

func TestRelaxCollector(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percent, limit := debug.SetGCPercent(70), debug.SetMemoryLimit(1<<40)
	defer debug.SetMemoryLimit(limit)
	defer debug.SetGCPercent(percent)
	restore := relaxCollector()
	for debug.SetMemoryLimit(-1) == 1<<40 {
	}
	restore()
	if got := debug.SetMemoryLimit(-1); got != 1<<40 {
		t.Errorf("the limit is %d afterwards", got)
	}
	if got := debug.SetGCPercent(70); got != 70 {
		t.Errorf("the percentage is %d afterwards", got)
	}
}

// Whoever says how often to collect is heard.
func TestRelaxCollector_Told(t *testing.T) {
	for _, tt := range []struct {
		percent, limit string
		want           int
	}{{"70", "", 70}, {"70", "1GiB", 70}, {"", "1GiB", gcPercent}} {
		t.Setenv("GOGC", tt.percent)
		t.Setenv("GOMEMLIMIT", tt.limit)
		before := debug.SetGCPercent(70) // as GOGC
		restore := relaxCollector()
		if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
			t.Errorf("%+v: the limit is %d", tt, limit)
		}
		got := debug.SetGCPercent(70)
		restore()
		if debug.SetGCPercent(before); got != tt.want {
			t.Errorf("%+v: the percentage is %d", tt, got)
		}
	}
}

func TestRelaxCollector_StaysBelowTheLimit(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	const most = 1 << 20 // less than any crawl would be given
	before := debug.SetMemoryLimit(most)
	defer debug.SetMemoryLimit(before)
	restore := relaxCollector()
	defer restore()
	if got := debug.SetMemoryLimit(-1); got != most {
		t.Errorf("the limit is %d, want %d", got, most)
	}
}

func TestFitMemory(t *testing.T) {
	for _, test := range []struct {
		most                       uint64
		queue, body, extract, slow config.Size
	}{
		{0, 64 << 20, 128 << 20, 64 << 20, 64 << 20},
		{640 << 20, 64 << 20, 128 << 20, 64 << 20, 64 << 20},
		{320 << 20, 32 << 20, 64 << 20, 32 << 20, 32 << 20},
		{64 << 20, 16 << 20, 16 << 20, 6 << 20, 6 << 20}, // whole ones, to be read
	} {
		c, said := config.Default(), strings.Builder{}
		fitMemory(&c, test.most, &said)
		f := [...]config.Size{c.Frontier.Memory, c.Fetch.BodyMemory, c.Extract.Memory, c.Crawl.SlowMemory}
		if want := [...]config.Size{test.queue, test.body, test.extract, test.slow}; f != want {
			t.Errorf("of %d: %v, want %v", test.most, f, want)
		}
		if changed := test.queue < 64<<20; changed != strings.Contains(said.String(), "control group") {
			t.Errorf("of %d: it says %q", test.most, &said)
		}
	}
}

// That bounds are lower is no warning: the crawl goes on with them. One that may be killed is.
func TestFitMemory_Warns(t *testing.T) {
	for most, want := range map[uint64]bool{0: false, 32 << 20: true, 64 << 20: false, 512 << 20: false} {
		c, said := config.Default(), strings.Builder{}
		fitMemory(&c, most, &said)
		if got := strings.Contains(said.String(), "warning"); got != want {
			t.Errorf("of %d: it says %q", most, &said)
		}
	}
}

// A crawl that keeps an index in too little memory is killed without a word: it is told before, and what to do.
func TestFitMemory_Index(t *testing.T) {
	for _, test := range []struct {
		most  uint64
		index bool
		want  bool
	}{{0, true, false}, {64 << 20, true, true}, {64 << 20, false, false}, {128 << 20, true, false}} {
		c, said := config.Default(), strings.Builder{}
		c.Search.Index = test.index
		fitMemory(&c, test.most, &said)
		if got := strings.Contains(said.String(), "cybermapper index"); got != test.want {
			t.Errorf("of %d, with an index %v: it says %q", test.most, test.index, &said)
		}
	}
}
