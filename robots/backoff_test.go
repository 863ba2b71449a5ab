package robots_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// TestCache_BackOff: RFC 9309 section 2.3.1.4; the next try is in State, and nothing is asked before.
func TestCache_BackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(500, ""))
		c := newCache(robots.CacheOptions{})
		var state robots.State
		start := time.Now()
		for i, minutes := range []int{5, 10, 20, 40, 80, 160, 320, 360, 360} {
			a := rules(t, c, state, s)
			state = a.State
			if got := time.Until(state.NextTry); got != time.Duration(minutes)*time.Minute || state.Failures != i+1 || !state.FirstFailure.Equal(start) {
				t.Fatalf("failure %d: next try in %v, want %d minutes: %+v", i+1, got, minutes, state)
			}
			time.Sleep(time.Until(state.NextTry) - 1)
			if a := rules(t, c, state, s); a.Fetched || a.Rules.Test("/").Reason != robots.ReasonUnreachable {
				t.Fatalf("failure %d: asked before the time", i+1)
			}
			time.Sleep(time.Nanosecond)
		}
		s.reply = always(status(200, closed)).reply
		if a := rules(t, c, state, s); a.State.Failures != 0 || !a.State.FirstFailure.IsZero() || !a.Rules.Test("/").Allowed {
			t.Errorf("back again: %+v", a.State)
		}
	})
}

// TestCache_HostRest: 429 and 503 speak of the whole host, which is then left alone as long as one that says so of a page.
func TestCache_HostRest(t *testing.T) {
	o := robots.CacheOptions{BackOff: 5 * time.Second, MaxBackOff: time.Minute, HostRest: 30 * time.Minute, MaxHostRest: 2 * time.Hour}
	for code, want := range map[int][]time.Duration{
		429: {30 * time.Minute, time.Hour, 2 * time.Hour, 2 * time.Hour},
		503: {30 * time.Minute, time.Hour, 2 * time.Hour, 2 * time.Hour},
		500: {5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, state := newCache(o), robots.State{}
			for i, wait := range want {
				state = rules(t, c, state, always(status(code, ""))).State
				if got := time.Until(state.NextTry); got != wait {
					t.Errorf("%d for the %d. time: next try in %v, want %v", code, i+1, got, wait)
				}
				time.Sleep(time.Until(state.NextTry))
			}
		})
	}
}

// TestCache_RetryAfter: RFC 9110 section 10.2.3, when it is longer than our own back-off, up to a day.
func TestCache_RetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"3600":                          time.Hour,
		"10":                            5 * time.Minute,
		"999999999":                     24 * time.Hour,
		"-5":                            5 * time.Minute,
		"Sat, 01 Jan 2000 02:00:00 GMT": 2 * time.Hour,
		"Fri, 31 Dec 1999 02:00:00 GMT": 5 * time.Minute,
		"later":                         5 * time.Minute,
		"3600 seconds":                  time.Hour, "7200, 3600": 2 * time.Hour, "3600.5": time.Hour + 500*time.Millisecond, "2000-01-02": 5 * time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, code := range []int{429, 503} {
				a := rules(t, newCache(robots.CacheOptions{}), robots.State{}, always(status(code, "", "Retry-After", value)))
				if got := time.Until(a.State.NextTry); got != want {
					t.Errorf("%d with Retry-After %q: next try in %v, want %v", code, value, got, want)
				}
			}
		})
	}
}

// TestCache_LastGood: by option the last good file stays in force, and no more than it allows.
func TestCache_LastGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bodies := memoryBodies{}
		s := always(status(200, closed))
		strict, lax := newCache(robots.CacheOptions{Bodies: bodies}), newCache(robots.CacheOptions{Bodies: bodies, UseLastGood: true})
		good := rules(t, strict, robots.State{}, s).State
		time.Sleep(24 * time.Hour)
		s.reply = always(status(500, "")).reply
		if v := rules(t, strict, good, s).Rules.Test("/"); v.Allowed {
			t.Errorf("default: %+v, want forbidden", v)
		}
		a := rules(t, lax, good, s)
		if v := a.Rules.Test("/"); !v.Allowed || v.Digest != good.Digest || a.File == nil || a.State.Outcome != robots.Unreachable {
			t.Errorf("last good: %+v, %+v", v, a.State)
		}
		if v := a.Rules.Test("/private"); v.Allowed {
			t.Errorf("last good: %+v, want forbidden", v)
		}
		// Without the body, or when the last answer was that there is no file, there is nothing to go by.
		for digest := range bodies {
			delete(bodies, digest)
		}
		if v := rules(t, newCache(robots.CacheOptions{Bodies: bodies, UseLastGood: true}), a.State, s).Rules.Test("/"); v.Allowed {
			t.Errorf("body lost: %+v", v)
		}
		s.reply = always(status(404, "")).reply
		fresh := newCache(robots.CacheOptions{UseLastGood: true})
		gone := rules(t, fresh, robots.State{}, s).State
		time.Sleep(24 * time.Hour)
		s.reply = always(status(500, "")).reply
		if v := rules(t, fresh, gone, s).Rules.Test("/"); v.Allowed {
			t.Errorf("after 404 and 500: %+v", v)
		}
	})
}

// TestCache_ThirtyDays: RFC 9309 section 2.3.1.4 would let us in; we stay out.
func TestCache_ThirtyDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := always(status(500, ""))
		c := newCache(robots.CacheOptions{})
		var a robots.Answer
		for start := time.Now(); time.Since(start) <= 61*24*time.Hour; time.Sleep(time.Until(a.State.NextTry)) {
			if a = rules(t, c, a.State, s); a.Rules.Test("/").Allowed {
				t.Fatalf("allowed after %v", time.Since(start))
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0}, {"120", 2 * time.Minute}, {" 5 ", 5 * time.Second}, {"-1", 0}, {"soon", 0}, {"1.5", 1500 * time.Millisecond},
		{"99999999999999999999", 24 * time.Hour}, {"999999999", 24 * time.Hour}, {"3600 seconds", time.Hour}, {"60, 60", time.Minute},
		{"30s", 30 * time.Second}, {"500ms", 0}, {"2026 years", 2026 * time.Second}, {"2026-05-01", 0}, {".", 0},
		{"Fri, 01 May 2026 12:10:00 +0000", 10 * time.Minute}, {"Fri, 01 May 2026 14:10:00 +0200", 10 * time.Minute},
		{"2026-05-01T12:10:00Z", 10 * time.Minute},
		{"Fri, 01 May 2026 12:10:00 GMT", 10 * time.Minute},
		{"Fri, 01 May 2020 12:10:00 GMT", 0},
		{"Fri, 01 May 2099 12:10:00 GMT", 24 * time.Hour},
	} {
		if got := min(robots.RetryAfter(http.Header{"Retry-After": {tt.value}}, now), 24*time.Hour); got != tt.want {
			t.Errorf("RetryAfter(%q) = %v, want %v", tt.value, got, tt.want)
		}
	}
	twice := http.Header{"Retry-After": {"5", "Fri, 01 May 2026 12:10:00 GMT"}}
	if got := robots.RetryAfter(twice, now); got != 10*time.Minute {
		t.Errorf("of two headers %v counts, want the longer wait, 10m", got)
	}
}
