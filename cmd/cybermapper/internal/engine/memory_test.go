package engine

import (
	"runtime/debug"
	"testing"
)

func TestLimitFor(t *testing.T) {
	for _, tt := range []struct{ live, other, want int64 }{
		{0, 0, 128 << 20}, {90 << 20, 10 << 20, 128 << 20}, {120 << 20, 0, 152 << 20}, {80 << 20, 40 << 20, 144 << 20}, {1 << 30, 0, 5 << 28},
	} {
		if got := limitFor(uint64(tt.live), uint64(tt.other)); got != tt.want {
			t.Errorf("%d and %d MB in use: a limit of %d MB, want %d MB", tt.live>>20, tt.other>>20, got>>20, tt.want>>20)
		}
	}
}

func TestRelaxCollector(t *testing.T) {
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
