package crawler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/robots"
)

// Hours are the times of the week at which requests may be made, by the clocks of a time zone. A change to or from summer time
// needs no care: what counts is what the clocks there show. Nil is at any time.
type Hours struct {
	text    string
	zone    *time.Location
	windows []hoursWindow
}

// An hoursWindow is a window on some days of the week: those on which it begins.
type hoursWindow struct {
	robots.Window
	days [7]bool // by time.Weekday
}

// ParseHours reads times such as "22:00-06:00 Europe/Berlin" and "Mon-Fri 20:00-07:00, Sat-Sun 00:00-24:00 America/New_York":
// windows, each on the days before it or else every day, and a time zone by its name in the IANA database; UTC without one. A
// window around midnight belongs to the day on which it begins. Of nothing it returns nil.
func ParseHours(text string) (*Hours, error) {
	h := &Hours{text: strings.Join(strings.Fields(text), " "), zone: time.UTC}
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, nil
	}
	last := fields[len(fields)-1]
	if _, isWindow := robots.ParseWindow(last); !isWindow {
		zone, err := time.LoadLocation(last)
		if err != nil {
			return nil, fmt.Errorf("%q is neither a time such as 22:00-06:00 nor a time zone such as Europe/Berlin", last)
		}
		h.zone, fields = zone, fields[:len(fields)-1]
	}
	for part := range strings.SplitSeq(strings.Join(fields, " "), ",") {
		w, err := parseHoursWindow(strings.Fields(part))
		if err != nil {
			return nil, err
		}
		h.windows = append(h.windows, w)
	}
	return h, nil
}

func parseHoursWindow(fields []string) (w hoursWindow, err error) {
	if len(fields) == 0 || len(fields) > 2 {
		return w, errors.New("a time is written as 22:00-06:00, or with days before it, as in Mon-Fri 22:00-06:00")
	}
	clock := fields[len(fields)-1]
	var ok bool
	if w.Window, ok = robots.ParseWindow(clock); !ok {
		return w, fmt.Errorf("%q is not a time of the day such as 22:00-06:00", clock)
	}
	if w.From == 24*time.Hour && w.To == 0 {
		return w, fmt.Errorf("%q never comes: all day is 00:00-24:00", clock)
	}
	if len(fields) == 1 {
		for day := range w.days {
			w.days[day] = true
		}
		return w, nil
	}
	from, to, isRange := strings.Cut(fields[0], "-")
	if !isRange {
		to = from
	}
	first, last := weekday(from), weekday(to)
	if first < 0 || last < 0 {
		return w, fmt.Errorf("%q is not a day or a range of days: Mon, Tue, Wed, Thu, Fri, Sat and Sun, as in Mon-Fri", fields[0])
	}
	for day := first; ; day = (day + 1) % 7 {
		w.days[day] = true
		if day == last {
			return w, nil
		}
	}
}

// weekday returns the number of a day, -1 for what is none.
func weekday(name string) int {
	return slices.IndexFunc([]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}, func(day string) bool {
		return strings.EqualFold(day, name)
	})
}

// String returns the hours as they are written.
func (h *Hours) String() string {
	if h == nil {
		return ""
	}
	return h.text
}

// hoursAhead is how far Opens looks: a window of one day of the week may fall into the hour that a change to summer time leaves
// out.
const hoursAhead = 15 * 24 * time.Hour

// Opens returns when requests may be made, from the time now on: now itself when they may, else when the next window opens.
func (h *Hours) Opens(now time.Time) time.Time {
	if h.contains(now) {
		return now
	}
	end := now.Add(hoursAhead)
	for at := h.nextEdge(now); at.Before(end); at = h.nextEdge(at) {
		if h.contains(at) {
			return at
		}
	}
	return end
}

// nextEdge returns the next moment after t at which a window may open: as one begins, at midnight, for windows are of days, or when
// the clocks change.
func (h *Hours) nextEdge(t time.Time) time.Time {
	t = t.In(h.zone)
	_, change := t.ZoneBounds()
	sinceMidnight := clockOf(t) + time.Duration(t.Nanosecond())
	next := t.Add(24*time.Hour - sinceMidnight)
	for _, w := range h.windows {
		until := w.From - sinceMidnight
		if until <= 0 {
			until += 24 * time.Hour
		}
		if at := t.Add(until); at.Before(next) {
			next = at
		}
	}
	if !change.IsZero() && change.Before(next) {
		return change
	}
	return next
}

// clockOf returns what a clock shows, in whole seconds since midnight.
func clockOf(t time.Time) time.Duration {
	hour, minute, second := t.Clock()
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
}

func (h *Hours) contains(t time.Time) bool {
	if h == nil {
		return true
	}
	t = t.In(h.zone)
	clock := clockOf(t)
	today, yesterday := t.Weekday(), (t.Weekday()+6)%7
	return slices.ContainsFunc(h.windows, func(w hoursWindow) bool {
		if w.From > w.To && clock < w.To {
			return w.days[yesterday]
		}
		return w.days[today] && w.Contains(clock)
	})
}

// Opens returns when a site may be asked by the Hours of the whole crawl and of the host, from now on, and those that keep it
// closed.
func (c *Config) Opens(site string, now time.Time) (at time.Time, by *Hours) {
	all, own := c.Hours, c.Hosts[site].Hours
	at = now
	for at.Before(now.Add(hoursAhead)) { // until both are open
		next := own.Opens(all.Opens(at))
		if by == nil && next.After(now) {
			by = own
			if all.Opens(now).After(now) {
				by = all
			}
		}
		if next.Equal(at) {
			break
		}
		at = next
	}
	return at, by
}

// closed returns a restError when the rules welcome no visit now (Visit-time). It is asked after the verdict on the URL itself, and
// again before the request leaves. Nil rules, as of a robots.txt that is asked for, welcome visits at any time.
func closed(rules *robots.Rules) error {
	if rules == nil {
		return nil
	}
	now := time.Now()
	if at, w := rules.Opens(now); at.After(now) {
		return &restError{until: at, reason: ReasonVisitTime, detail: fmt.Sprintf("robots.txt line %d: %s (UTC)", w.Line, w.Text)}
	}
	return nil
}

// outOfHours returns a restError when a site may not be asked now.
func (c *Config) outOfHours(site string) error {
	now := time.Now()
	if at, by := c.Opens(site, now); at.After(now) {
		return &restError{until: at, reason: ReasonHours, detail: by.String()}
	}
	return nil
}

// restOutside lets a site rest until its hours begin. Nothing of that is stored: the settings of the run in which its turn comes
// count.
func (h *host) restOutside(r *restError) {
	h.lease.Yield(r.until)
	h.mu.Lock()
	told := h.outside
	h.outside = true
	h.mu.Unlock()
	if !told {
		h.crawl.tellRest(Rest{Site: h.site, Until: r.until, Reason: r.reason, Detail: r.detail})
	}
}

// isOutside reports whether the site may not be asked now, by its hours, and lets it rest then.
func (h *host) isOutside() bool {
	r := (*restError)(nil)
	outside := errors.As(h.config.outOfHours(h.site), &r)
	if outside {
		h.restOutside(r)
	}
	return outside
}

// awaitHours waits until the hours of the whole crawl begin. It returns EndWaiting when that is not within the patience.
func (r *run) awaitHours(ctx context.Context) Reason {
	c := &r.crawl.config
	now := time.Now()
	at := c.Hours.Opens(now)
	if !at.After(now) {
		return ""
	}
	c.Log.Info("crawl rests", zap.String("reason", string(ReasonHours)), zap.String("detail", c.Hours.String()),
		zap.Time("until", at))
	r.crawl.stats.rests(at)
	if at.Sub(now) > c.Patience {
		return EndWaiting
	}
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ""
}
