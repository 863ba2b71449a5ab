package crawler_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

func TestHours_Opens(t *testing.T) {
	for _, tt := range []struct{ hours, now, want string }{
		{"", "2026-11-23T12:00:00Z", "2026-11-23T12:00:00Z"},
		{"22:00-06:00", "2026-11-23T05:59:59Z", "2026-11-23T05:59:59Z"},
		{"22:00-06:00", "2026-11-23T06:00:00Z", "2026-11-23T22:00:00Z"},
		{"2200-0600", "2026-11-23T12:34:56Z", "2026-11-23T22:00:00Z"},
		{"22:00-06:00 Europe/Berlin", "2026-11-23T12:00:00Z", "2026-11-23T21:00:00Z"},
		{"22:00-06:00 Europe/Berlin", "2026-07-23T12:00:00Z", "2026-07-23T20:00:00Z"},
		{"00:00-24:00 Asia/Kathmandu", "2026-11-23T12:00:00Z", "2026-11-23T12:00:00Z"},
		{"09:30-10:00 Asia/Kathmandu", "2026-11-23T12:00:00Z", "2026-11-24T03:45:00Z"},
		// The days are those on which a window begins: 2026-11-23 is a Monday.
		{"Fri 22:00-06:00", "2026-11-23T12:00:00Z", "2026-11-27T22:00:00Z"},
		{"Fri 22:00-06:00", "2026-11-28T05:00:00Z", "2026-11-28T05:00:00Z"},
		{"Fri 22:00-06:00", "2026-11-28T22:30:00Z", "2026-12-04T22:00:00Z"},
		{"Mon-Fri 20:00-07:00, sat-sun 00:00-24:00", "2026-11-28T12:00:00Z", "2026-11-28T12:00:00Z"},
		{"Mon-Fri 20:00-07:00, Sat-Sun 00:00-24:00", "2026-11-23T07:00:00Z", "2026-11-23T20:00:00Z"},
		{"Sat-Mon 10:00-11:00", "2026-11-23T11:00:00Z", "2026-11-28T10:00:00Z"},
		// Berlin, 29 March 2026: the clocks go from 02:00 (01:00 UTC) to 03:00; 25 October: from 03:00 (01:00 UTC) to 02:00.
		{"02:00-03:00 Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:00:00Z"},
		{"02:30-06:00 Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"},
		{"Sun 02:00-03:00 Europe/Berlin", "2026-03-28T12:00:00Z", "2026-04-05T00:00:00Z"},
		{"02:00-03:00 Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z"},
		{"02:00-03:00 Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T01:30:00Z"},
		{"02:00-03:00 Europe/Berlin", "2026-10-25T02:00:00Z", "2026-10-26T01:00:00Z"},
	} {
		h, err := crawler.ParseHours(tt.hours)
		if err != nil {
			t.Errorf("ParseHours(%q): %v", tt.hours, err)
			continue
		}
		now, _ := time.Parse(time.RFC3339, tt.now)
		if got := h.Opens(now).UTC().Format(time.RFC3339); got != tt.want {
			t.Errorf("%q opens from %s on at %s, want %s", tt.hours, tt.now, got, tt.want)
		}
	}
	for _, bad := range []string{"nights", "22:00", "25:00-26:00", "Mo-Fr 10:00-11:00", "22:00-06:00 Berlin", "22:00-06:00,", "UTC",
		"Mon Tue 10:00-11:00", "24:00-00:00"} {
		if h, err := crawler.ParseHours(bad); err == nil {
			t.Errorf("ParseHours(%q) = %v, want an error", bad, h)
		}
	}
}

// Hours open when a walk by minutes finds them open, in zones whose clocks change by an hour, by half of one, at midnight,
// and by a whole day.
func TestHours_OpensAsAWalkFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	zones := []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Asia/Kathmandu", "Pacific/Apia",
		"Africa/Cairo"}
	changes := []string{"2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z",
		"2026-03-08T05:00:00Z", "2026-11-01T05:00:00Z", "2011-12-30T10:00:00Z", "2026-04-23T22:00:00Z", "2026-07-01T00:00:00Z"}
	days := []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	for range 300 {
		var windows []string
		for range 1 + r.IntN(3) {
			day := []string{"", days[r.IntN(7)] + " ", days[r.IntN(7)] + "-" + days[r.IntN(7)] + " "}[r.IntN(3)]
			from, to := r.IntN(24*4+1), r.IntN(24*4+1)
			windows = append(windows, fmt.Sprintf("%s%02d%02d-%02d%02d", day, from/4, from%4*15, to/4, to%4*15))
		}
		text := strings.Join(windows, ", ") + " " + zones[r.IntN(len(zones))]
		h := hours(t, text)
		now, _ := time.Parse(time.RFC3339, changes[r.IntN(len(changes))])
		now = now.Add(time.Duration(r.Int64N(int64(72 * time.Hour)))).Add(-36 * time.Hour)
		want, end := now, now.Add(9*24*time.Hour)
		for h.Opens(want).After(want) && want.Before(end) {
			want = want.Truncate(time.Minute).Add(time.Minute)
		}
		if got := h.Opens(now); !got.Equal(want) && (got.Before(end) || want.Before(end)) {
			t.Errorf("%q opens from %s on at %s, want %s", text, now, got.UTC(), want.UTC())
		}
	}
}

func BenchmarkHours_Opens(b *testing.B) {
	h, err := crawler.ParseHours("Fri 22:00-06:00 Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	saturday := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for b.Loop() {
		h.Opens(saturday)
	}
}

func hours(t *testing.T, text string) *crawler.Hours {
	t.Helper()
	h, err := crawler.ParseHours(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Outside of its hours nothing of a host is asked for, while others are, and nothing of that is stored. Time in a bubble begins at
// midnight, UTC.
func TestHours_OfAHost(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		resting := web.Site(webtest.Pages{"/": page("/a", "/b"), "/a": page(), "/b": page()})
		other := web.Site(webtest.Pages{"/": page()})
		j := newJob(t, web)
		site := frontiertest.URL(t, resting.URL).Site()
		with := func(text string, patience time.Duration) func(*crawler.Config) {
			return func(c *crawler.Config) {
				c.Patience = patience
				c.Hosts = map[string]crawler.Override{site: {Hours: hours(t, text)}}
			}
		}
		end := j.run(t, t.Context(), with("02:00-03:00", time.Minute), resting.URL+"/", other.URL+"/")
		if end != crawler.EndWaiting {
			t.Errorf("Run ended with %q, want waiting", end)
		}
		if n := len(resting.Hits()); n > 0 || other.Hits().Count("/") != 1 {
			t.Errorf("%d requests, and %d for the other site; want none and one", n, other.Hits().Count("/"))
		}
		if len(j.rests) != 1 || j.rests[0].Reason != crawler.ReasonHours || j.rests[0].Detail != "02:00-03:00" ||
			j.rests[0].Until.UTC().Format("15:04:05") != "02:00:00" {
			t.Errorf("rests: %+v", j.rests)
		}
		info, _, err := j.frontier.Site(t.Context(), site)
		if err != nil || !info.Policy.BlockedUntil.IsZero() {
			t.Errorf("remembered: %+v, %v; want nothing", info.Policy, err)
		}
		if end := j.run(t, t.Context(), with("02:00-03:00", 3*time.Hour), resting.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run with more patience ended with %q, want done", end)
		}
		if n := resting.Hits().Count("/b"); n != 1 || resting.Hits()[0].Start.UTC().Hour() != 2 {
			t.Errorf("/b asked for %d times, first request at %v", n, resting.Hits()[0].Start)
		}
	})
}

// A crawl waits for its hours if its patience allows, stops within its site when they end, and keeps to the hours of both.
func TestHours_OfACrawl(t *testing.T) {
	bubble(t, func(t *testing.T, web *webtest.Web) {
		site := web.Site(webtest.Pages{"/": page("/a", "/b", "/c", "/d"), "/a": page(), "/b": page(), "/c": page(), "/d": page()})
		j := newJob(t, web)
		settings := func(c *crawler.Config) {
			c.Hours, c.Patience = hours(t, "01:00-03:00"), 25*time.Hour
			c.Politeness.Delay, c.Politeness.Jitter = 15*time.Minute, -1
			c.Hosts = map[string]crawler.Override{frontiertest.URL(t, site.URL).Site(): {Hours: hours(t, "02:00-04:00")}}
		}
		if end := j.run(t, t.Context(), settings, site.URL+"/"); end != crawler.EndDone {
			t.Errorf("Run ended with %q, want done", end)
		}
		days := map[int]int{}
		for _, h := range site.Hits() {
			days[h.Start.UTC().Day()]++
			if h.Start.UTC().Hour() != 2 {
				t.Errorf("%s asked for at %v", h.Path, h.Start.UTC())
			}
		}
		if len(days) != 2 || len(site.Hits()) != 7 {
			t.Errorf("%d requests on %d days, want 7 on 2, with robots.txt on each", len(site.Hits()), len(days))
		}
		j = newJob(t, web)
		impatient := func(c *crawler.Config) { settings(c); c.Patience = time.Minute }
		if end := j.run(t, t.Context(), impatient, site.URL+"/"); end != crawler.EndWaiting {
			t.Errorf("Run without patience ended with %q, want waiting", end)
		}
	})
}
