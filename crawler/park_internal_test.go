package crawler

import (
	"testing"

	"github.com/cybermapper/cybermapper/crawler/trap"
)

// A bound that is switched off is off in package trap as well, where zero would mean the default.
func TestTraps_Detection(t *testing.T) {
	for _, tt := range []struct {
		name  string
		traps Traps
		want  trap.Options
	}{
		{"defaults", Traps{},
			trap.Options{Pages: 40, Levels: 6, Yield: 0.1, Dates: 100, Variants: 4, Links: 200_000, Lineages: 20_000}},
		{"off", Traps{ScoutDepth: -1, PrefixSample: -1, PrefixYield: -1, Spellings: -1, Remembered: -1},
			trap.Options{Pages: 40, Levels: 6, Yield: -1, Dates: -1, Variants: -1, Links: 200_000, Lineages: 20_000}},
	} {
		traps := tt.traps.withDefaults()
		if got := traps.detection(); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
