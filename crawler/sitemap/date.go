package sitemap

import (
	"strings"
	"time"
)

// parseDate reads a W3C datetime (https://www.w3.org/TR/NOTE-datetime), as sitemaps and Atom have it, or an RFC 822 date, as
// RSS has it. It is zero when there is none.
func parseDate(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range [...]string{
		time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01", "2006",
		time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST", time.RFC822Z, time.RFC822,
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 && t.Year() < 10_000 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// changefreq is the element that says how often a page changes.
const changefreq = "changefreq"

// frequencies are what it may say. What changes whenever it is asked for is nothing to come back for more often, and what never
// changes may be looked at in ten years.
var frequencies = map[string]time.Duration{
	"always": time.Hour, "hourly": time.Hour, "daily": 24 * time.Hour, "weekly": 7 * 24 * time.Hour, "monthly": 30 * 24 * time.Hour,
	"yearly": 365 * 24 * time.Hour, "never": 3650 * 24 * time.Hour,
}
