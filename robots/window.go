package robots

import (
	"strings"
	"time"
)

// A Window is a time of the day in which visits are welcome, as a Visit-time line has it (Conner, 2002: "HHMM-HHMM" in UTC).
type Window struct {
	From, To time.Duration // since midnight; To is not part of it. From after To is a window around midnight, From = To all day
	Line     int
	Text     string // the line as written, as in a Verdict
}

const day = 24 * time.Hour

// Contains reports whether the window is open at a time of the day.
func (w Window) Contains(clock time.Duration) bool {
	switch {
	case w.From < w.To:
		return w.From <= clock && clock < w.To
	case w.From > w.To:
		return w.From <= clock || clock < w.To
	}
	return true
}

// VisitTimes returns the windows that Visit-time lines name, in file order: of the groups that name the product, else of those
// that name "*", else of what stands before all groups. It is nil when visits are welcome at any time. Lines whose value
// cannot be read are left out.
func (r *Rules) VisitTimes() []Window {
	if r == nil {
		return nil
	}
	return append([]Window(nil), r.wishes.windows...)
}

// Opens returns when visits are welcome, from the time now on: now itself when they are, else when the next window opens,
// and which that is. Of several windows it is enough that one is open. robots.txt itself may be asked for at any time.
func (r *Rules) Opens(now time.Time) (at time.Time, w Window) {
	if r == nil || len(r.wishes.windows) == 0 {
		return now, Window{}
	}
	now = now.UTC()
	midnight := now.Truncate(day)
	clock := now.Sub(midnight)
	for _, next := range r.wishes.windows {
		if next.Contains(clock) {
			return now, next
		}
		opens := midnight.Add(next.From)
		if next.From <= clock {
			opens = opens.Add(day)
		}
		if at.IsZero() || opens.Before(at) {
			at, w = opens, next
		}
	}
	return at, w
}

// ParseWindow reads "HHMM-HHMM", with or without blanks and colons or points; words behind it are ignored.
func ParseWindow(s string) (w Window, ok bool) {
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		return w, false
	}
	to = trimBlanks(to)
	if end := strings.IndexAny(to, " \t"); end >= 0 {
		to = to[:end]
	}
	var okFrom, okTo bool
	w.From, okFrom = parseClock(trimBlanks(from))
	w.To, okTo = parseClock(to)
	return w, okFrom && okTo
}

// parseClock reads "HHMM", "HH:MM" or "HH.MM", up to 2400.
func parseClock(s string) (time.Duration, bool) {
	if len(s) == 5 && (s[2] == ':' || s[2] == '.') {
		s = s[:2] + s[3:]
	}
	if len(s) != 4 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	hours := int(s[0]-'0')*10 + int(s[1]-'0')
	minutes := int(s[2]-'0')*10 + int(s[3]-'0')
	clock := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	return clock, minutes < 60 && clock <= day
}
