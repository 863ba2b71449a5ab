package crawler

import (
	"math"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

func TestGap_LargestWins(t *testing.T) {
	slow := robots.Parse([]byte("User-agent: *\nCrawl-delay: 60\n"), robots.Cautious).Rules("cybermapper")
	c := &Crawler{config: Config{
		Politeness: Politeness{Jitter: -1}.withDefaults(),
		Hosts:      map[string]Override{"mine.example": {Delay: time.Millisecond}},
	}}
	for _, tt := range []struct {
		name, site string
		response   time.Duration
		rules      *robots.Rules
		want       time.Duration
		why        string
	}{
		{"floor", "a.example", 100 * time.Millisecond, nil, 3 * time.Second, "floor"},
		{"slow answer", "a.example", 2 * time.Second, nil, 10 * time.Second, "response-time"},
		{"very slow answer", "a.example", time.Hour, nil, 30 * time.Second, "response-time"},
		{"Crawl-delay", "a.example", 2 * time.Second, slow, 60 * time.Second, "crawl-delay"},
		{"one's own host", "mine.example", time.Hour, slow, time.Millisecond, "override"},
	} {
		if got, why := c.gap(tt.site, tt.response, tt.rules); got != tt.want || why != tt.why {
			t.Errorf("%s: gap = %v (%s), want %v (%s)", tt.name, got, why, tt.want, tt.why)
		}
	}
}

// Without a bound the pause grows with the response, and never over what a Duration can say.
func TestGap_NoMaxDelay(t *testing.T) {
	c := &Crawler{config: Config{Politeness: Politeness{Jitter: -1, MaxDelay: -1}.withDefaults()}}
	for response, want := range map[time.Duration]time.Duration{time.Hour: 5 * time.Hour, math.MaxInt64: math.MaxInt64 / 2} {
		if got := c.Pace("a.example", response, nil).Gap; got < want || got > want+want/100 {
			t.Errorf("after a response of %v: gap %v, want %v", response, got, want)
		}
	}
}

func TestGap_JitterOnlyUpwards(t *testing.T) {
	c := &Crawler{config: Config{Politeness: Politeness{}.withDefaults()}}
	var least, most time.Duration = math.MaxInt64, 0
	for range 1000 {
		got, _ := c.gap("a.example", 0, nil)
		least, most = min(least, got), max(most, got)
	}
	if least < 3*time.Second || most > 3300*time.Millisecond || least > 3100*time.Millisecond || most < 3200*time.Millisecond {
		t.Errorf("gaps between %v and %v, want all between 3s and 3.3s", least, most)
	}
}

// A worker waits out a pause that is not worth giving it back.
func TestPace_Held(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{
		holdGap: time.Second + holdGap, holdGap + 1: time.Second, -1: time.Second, 3 * time.Second: time.Second,
	} {
		c := &Crawler{config: Config{Politeness: Politeness{Delay: delay, Factor: -1}.withDefaults()}}
		if got := c.Pace("a.example", time.Second, nil).Held; got != want {
			t.Errorf("a page of 1s and a pause of %v hold a worker for %v, want %v", delay, got, want)
		}
	}
}

func TestRest_DoublesUpToItsBound(t *testing.T) {
	p := Politeness{Rest: time.Minute, MaxRest: 5 * time.Minute}
	for failures, want := range []time.Duration{1, 1, 2, 4, 5, 5} {
		if got := p.rest(failures); got != want*time.Minute {
			t.Errorf("rest(%d) = %v, want %v", failures, got, want*time.Minute)
		}
	}
	if got := (&Politeness{Rest: time.Minute, MaxRest: time.Hour}).rest(1 << 30); got != time.Hour {
		t.Errorf("rest after very many failures = %v, want 1h", got)
	}
}

// What is known only from the ledger makes a site rest as it did then.
func TestPoliteness_Rests(t *testing.T) {
	end := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := Politeness{Rest: time.Minute, MaxRest: time.Hour, MaxRetryAfter: 24 * time.Hour}
	for _, tt := range []struct {
		request  Request
		failures int
		want     time.Duration
	}{
		{Request{Status: 200, RetryAfter: "90"}, 0, 0},
		{Request{Status: 404, RetryAfter: "90"}, 0, 0},
		{Request{Status: 429}, 0, time.Minute},
		{Request{Status: 503, RetryAfter: "90"}, 0, 90 * time.Second},
		{Request{Status: 503, RetryAfter: "Thu, 01 Jan 2099 00:00:00 GMT"}, 0, 24 * time.Hour},
		{Request{Status: 502}, 0, 0},
		{Request{Status: 502, RetryAfter: "90"}, 0, 90 * time.Second},
		{Request{Status: 502, RetryAfter: "90"}, 1, 2 * time.Minute},
		{Request{Status: 403}, 0, 0},
		{Request{Status: 403, RetryAfter: "90"}, 0, 90 * time.Second},
		{Request{RetryAfter: "90"}, 0, 0},
		{Request{Failure: ReasonDNS}, 0, time.Minute},
		{Request{Failure: ReasonRefused}, 0, time.Minute},
		{Request{Failure: ReasonTLS}, 1, 2 * time.Minute},
		{Request{Failure: ReasonReset}, 0, 0},
	} {
		tt.request.End = end
		if got := p.Rests(tt.request, tt.failures).Sub(end); got != tt.want {
			t.Errorf("%d %s, Retry-After %q, after %d failures: rests %v, want %v", tt.request.Status, tt.request.Failure,
				tt.request.RetryAfter, tt.failures, got, tt.want)
		}
	}
}
