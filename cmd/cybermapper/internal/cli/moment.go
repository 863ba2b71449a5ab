package cli

import (
	"strconv"
	"strings"
	"time"
)

// momentForms are the ways to write a time: a zone is that of RFC 3339, or as ISO 8601 has it without a colon.
var momentForms = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700",
	"2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04",
	time.DateOnly, "2006-01", "2006",
}

// Moment reads what a flag says of a time: a date, with or without the time of day, which is in zone unless it has one of its
// own; a month or a year, for its beginning; or how long before now it was: 36h or 7d. It is zero for nothing.
func Moment(flag, text string, now time.Time, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return now.Add(-time.Duration(n * float64(24*time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, form := range momentForms {
		if t, err := time.ParseInLocation(form, text, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, UsageError("a time is written 2026-11-22 or 2026-11-22T08:00:00Z, how long ago 36h or 7d",
		"--%s: %q is neither a time nor an age", flag, text)
}
