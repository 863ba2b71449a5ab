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
