package robots

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	minDay  = len("2010 1 2")          // without the day of the week
	maxDay  = len("30 September 2010") // likewise
	maxDate = 80                       // the longest text that is taken for a date, as scripts write it with the name of the zone
)

var (
	basicTime = regexp.MustCompile(`^(\d{8})T(\d\d)(\d\d)(\d\d)?`)
	clockTime = regexp.MustCompile(`^(.+?)[T ](\d\d?:\d\d(?::\d\d)?)(?:\.\d+)?(?: ?([AP]M))?(.*)$`)
	yearLast  = regexp.MustCompile(`^(|.* )(\d{4})$`)
	zoneTime  = regexp.MustCompile(`^([A-Z]*)(?: ?([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?(?: ?\([^()]*\))?$`)
)

// dayLayouts are the forms of a day, with blanks for hyphens, slashes and commas. Days that are numbers only begin with the year:
// nobody knows whether 01/02 is in January.
var dayLayouts = []string{
	"2006 1 2", "20060102", "2 Jan 2006", "2 Jan 06", "Jan 2 2006", "2 January 2006", "2 January 06", "January 2 2006",
}

// zones are those of RFC 822 section 5.1, and of Europe.
var zones = map[string]time.Duration{
	"CEST": 2, "CET": 1, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8,
}

// parseDate reads a date of RFC 822, RFC 850, RFC 1123, ISO 8601 or asctime, or as scripts and databases write it: with or without
// day of the week, time, seconds and zone. A day without a time begins at midnight. A time without a zone is in UTC, and so is one
// in a zone that is not known.
func parseDate(s string) (time.Time, bool) {
	if len(s) > maxDate {
		return time.Time{}, false
	}
	s = strings.ToUpper(strings.Join(strings.Fields(strings.ReplaceAll(s, ",", " ")), " "))
	if m := basicTime.FindStringSubmatch(s); m != nil {
		s = m[1] + " " + m[2] + ":" + m[3] + ":" + (m[4] + "00")[:2] + s[len(m[0]):]
	}
	day, clock, layout, zone := s, "0:00", "15:04:05", ""
	if m := clockTime.FindStringSubmatch(s); m != nil {
		day, clock, zone = m[1], m[2]+m[3], strings.TrimSpace(m[4])
		if m[3] != "" {
			layout += "PM" // which changes no hour of an afternoon that is counted from midnight, as in 15:00 PM
		}
	}
	if strings.Count(clock, ":") == 1 {
		layout = strings.Replace(layout, ":05", "", 1)
	}
	if m := yearLast.FindStringSubmatch(zone); m != nil { // as in asctime
		day, zone = day+" "+m[2], strings.TrimSpace(m[1])
	}
	date, ok := parseDay(day)
	at, err := time.Parse(layout, clock)
	offset, known := parseZone(zone)
	if !ok || err != nil || !known {
		return time.Time{}, false
	}
	return date.Add(at.Sub(at.Truncate(24*time.Hour)) - offset), true
}

// parseDay reads a day, with or without that of the week.
func parseDay(s string) (day time.Time, ok bool) {
	if name, rest, found := strings.Cut(s, " "); found && isWeekday(name) {
		s = rest
	}
	if len(s) < minDay || len(s) > maxDay {
		return time.Time{}, false
	}
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(s, "-", " "), "/", " "), "SEPT ", "SEP ")
	for _, layout := range dayLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseZone reads a name of letters, an offset or both, as in "GMT+0100 (CET)".
func parseZone(s string) (offset time.Duration, ok bool) {
	m := zoneTime.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	if m[2] == "" {
		return zones[m[1]] * time.Hour, true
	}
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi(m[2][:1] + cmp.Or(m[3], "0"))
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute, true
}

func isWeekday(s string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); equalFold(s, name) || equalFold(s, name[:3]) {
			return true
		}
	}
	return false
}

// longestDate returns the date that value begins, with the parts behind it, which commas cut off, that belong to it: "Jun 25, 2010,
// 3:00 PM" is three. Where there is no date it is value alone.
func longestDate(value string, parts []string) (date string, left []string) {
	more := 0
	for more < min(len(parts), 3) && strings.ContainsAny(parts[more], "0123456789") {
		more++
	}
	for ; more > 0; more-- {
		date = value + ", " + strings.Join(parts[:more], ", ")
		if _, ok := parseDate(date); ok {
			return date, parts[more:]
		}
	}
	return value, parts
}
