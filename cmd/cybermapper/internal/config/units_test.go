package config

import (
	"encoding"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	type unit interface {
		encoding.TextUnmarshaler
		fmt.Stringer
	}
	tests := []struct {
		into unit
		in   string
		want string // how it is printed, or part of the error
	}{
		{new(Duration), "3s", "3s"},
		{new(Duration), "90s", "1m30s"},
		{new(Duration), "60m", "1h"},
		{new(Duration), "1h0m5s", "1h0m5s"},
		{new(Duration), "0", "0s"},
		{new(Duration), "876000h", "876000h"},
		{new(Duration), "2562047h", "longer than 100 years"},
		{new(Duration), "5", `"5" has no unit: write 5s, 5m or 5h`},
		{new(Duration), "-5s", "negative"},
		{new(Duration), "-5", `"-5" is negative`},
		{new(Duration), "soon", "not a duration"},
		{new(Duration), "", "not a duration"},
		{new(Size), "16MiB", "16MiB"},
		{new(Size), "16 mib", "16MiB"},
		{new(Size), "1.5GiB", "1536MiB"},
		{new(Size), "2GB", "2GB"},
		{new(Size), "1025B", "1025B"},
		{new(Size), "0", "0"},
		{new(Size), "5", `"5" has no unit: write 5KiB, 5MiB or 5GiB`},
		{new(Size), "-5", `"-5" is negative`},
		{new(Size), "-1MiB", `"-1MiB" is negative`},
		{new(Size), "0.5B", "not a size"},
		{new(Size), "1e30TiB", "not a size"},
		{new(Size), "NaNB", "not a size"},
		{new(Size), "MiB", "not a size"},
		{new(Percent), "10%", "10%"},
		{new(Percent), "12.5 %", "12.5%"},
		{new(Percent), "0", "0%"},
		{new(Percent), "10", `"10" has no unit: write 10%`},
		{new(Percent), "0.1", `"0.1" has no unit: write 10%, if that share of 1 is meant`},
		{new(Percent), "101%", "between 0% and 100%"},
		{new(Percent), "NaN%", "not a percentage"},
		{new(Percent), "%", "not a percentage"},
	}
	for _, tt := range tests {
		err := tt.into.UnmarshalText([]byte(tt.in))
		if got := fmt.Sprint(tt.into); err == nil && got != tt.want {
			t.Errorf("%T of %q = %s, want %s", tt.into, tt.in, got, tt.want)
		}
		if err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T of %q: error %q, want %q", tt.into, tt.in, err, tt.want)
		}
	}
}

func TestUnitsSurviveARoundTrip(t *testing.T) {
	for _, d := range []Duration{0, 1, Duration(time.Second), Duration(90 * time.Minute), Duration(100 * time.Hour)} {
		var back Duration
		if err := back.UnmarshalText([]byte(d.String())); err != nil || back != d {
			t.Errorf("Duration %d prints %s, which reads %d (%v)", d, d, back, err)
		}
	}
	for _, b := range []Size{0, 1, 1000, 1024, 1 << 20, 1<<20 + 1, 1<<53 - 1, 5e12} {
		var back Size
		if err := back.UnmarshalText([]byte(b.String())); err != nil || back != b {
			t.Errorf("Size %d prints %s, which reads %d (%v)", b, b, back, err)
		}
	}
}
