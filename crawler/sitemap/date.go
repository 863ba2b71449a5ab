package sitemap

import (
	"net/mail"
	"strings"
	"time"
)

// parseDate reads a W3C datetime (https://www.w3.org/TR/NOTE-datetime), as sitemaps and Atom have it, or what many programs write
// for it: an offset without a colon, a blank in place of the T, or no zone at all, which is taken for UTC. It also reads the date
// of a mail, as RSS has it (RFC 822): the year may have two digits, the weekday and the seconds may be missing. It is zero when
// there is none.
func parseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, ' '); i >= 0 && zones[s[i+1:]] != "" {
		s = s[:i+1] + zones[s[i+1:]]
	}
	for _, layout := range [...]string{
		time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01", "2006",
		"2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 && t.Year() < 10_000 {
			return t.UTC()
		}
	}
	if t, err := mail.ParseDate(s); err == nil && t.Year() > 0 {
		return t.UTC()
	}
	return time.Time{}
}

// zones are those of RFC 822 section 5.1 that package time takes for UTC, and Z, which it does not read here.
var zones = map[string]string{
	"EST": "-0500", "EDT": "-0400", "CST": "-0600", "CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
	"Z": "+0000",
}

// changefreq is the element that says how often a page changes.
const changefreq = "changefreq"

// frequencies are what it may say. What changes whenever it is asked for is nothing to come back for more often, and what never
// changes may be looked at in ten years.
var frequencies = map[string]time.Duration{
	"always": time.Hour, "hourly": time.Hour, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour, "monthly": 30 * 24 * time.Hour,
	"yearly": 365 * 24 * time.Hour, "never": 3650 * 24 * time.Hour,
}
