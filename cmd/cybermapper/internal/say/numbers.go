package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// Span writes a duration without what nobody wants to read.
func Span(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return config.Duration(d.Round(10 * time.Microsecond)).String()
	case d < time.Second:
		return config.Duration(d.Round(time.Millisecond)).String()
	case d < time.Minute:
		return config.Duration(d.Round(100 * time.Millisecond)).String()
	}
	return config.Duration(d.Round(time.Second)).String()
}

// Seconds writes a number of seconds as Span writes a duration.
func Seconds(s float64) string { return Span(time.Duration(s * float64(time.Second))) }

// Clock writes a moment for people of this place, with its zone where clocks that are set back show that time twice.
func Clock(t time.Time) string {
	const form = "2006-01-02 15:04:05.000"
	t = t.Local()
	text := t.Format(form)
	for _, back := range []time.Duration{time.Hour, time.Hour / 2} { // half an hour on Lord Howe Island
		if t.Add(back).Format(form) == text || t.Add(-back).Format(form) == text {
			return t.Format(form + " -0700")
		}
	}
	return text
}

// Count writes a number with its thousands apart.
func Count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number of things.
func Plural[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"): // address
		return Count(n) + " " + thing + "es"
	}
	return Count(n) + " " + thing + "s"
}

// Bytes writes a size roughly.
func Bytes(n int64) string {
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= u.bytes {
			return fmt.Sprintf("%.1f %s", float64(n)/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
