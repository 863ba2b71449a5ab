package tenure

import (
	"testing"
	"time"
)

func TestReading(t *testing.T) {
	for name, tt := range map[string]struct {
		later       reading
		most, least time.Duration
	}{
		"all go":              {reading{5, 5, 5}, 5, 5},
		"the machine sleeps":  {reading{1, 5, 5}, 5, 1},
		"set back meanwhile":  {reading{1, 5, -9}, 5, 1},
		"the wall is set":     {reading{5, 5, 99}, 99, 5},
		"the wall is back":    {reading{5, 5, -99}, 5, 5},
		"boot is left behind": {reading{5, 3, 5}, 5, 3},
	} {
		if most, least := (reading{}).most(tt.later), (reading{}).least(tt.later); most != tt.most || least != tt.least {
			t.Errorf("%s: most %d, least %d, want %d and %d", name, most, least, tt.most, tt.least)
		}
	}
}
