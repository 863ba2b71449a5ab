package cli

import (
	"strings"
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                         {},
		"0s":                       now,
		"90m":                      now.Add(-90 * time.Minute),
		"7d":                       now.AddDate(0, 0, -7),
		"1.5d":                     now.Add(-36 * time.Hour),
		"2026":                     time.Date(2026, 1, 1, 0, 0, 0, 0, zone),
		"2026-11":                  time.Date(2026, 11, 1, 0, 0, 0, 0, zone),
		"2026-11-22":               time.Date(2026, 11, 22, 0, 0, 0, 0, zone),
		"2026-11-22 08:30":         time.Date(2026, 11, 22, 8, 30, 0, 0, zone),
		"2026-11-22T08:30":         time.Date(2026, 11, 22, 8, 30, 0, 0, zone),
		"2026-11-22 08:30:05":      time.Date(2026, 11, 22, 8, 30, 5, 0, zone),
		"2026-11-22T08:30:05":      time.Date(2026, 11, 22, 8, 30, 5, 0, zone),
		"2026-11-22T08:30:05Z":     time.Date(2026, 11, 22, 8, 30, 5, 0, time.UTC),
		"2026-11-22T08:30:05.5Z":   time.Date(2026, 11, 22, 8, 30, 5, 5e8, time.UTC),
		"2026-11-22T08:30Z":        time.Date(2026, 11, 22, 8, 30, 0, 0, time.UTC),
		"2026-11-22T08:30+01:00":   time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC),
		"2026-11-22T08:30:05+0700": time.Date(2026, 11, 22, 1, 30, 5, 0, time.UTC),
	} {
		if got, err := Moment("since", text, now, zone); err != nil || !got.Equal(want) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"yesterday", "-1h", "-7d", "7", "d", "2026-13", "2026-02-30", "22.11.2026", "1e9d", "NaNd", "2026-11-22T25:00",
	} {
		if got, err := Moment("since", text, now, zone); err == nil || !strings.HasPrefix(err.Error(), "--since: ") {
			t.Errorf("%q is %v, %v; want an error", text, got, err)
		}
	}
}
