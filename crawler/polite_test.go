package crawler

import (
	"math"
	"net/http"
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
	for range 1000 {
		got, _ := c.gap("a.example", 0, nil)
		if got < 3*time.Second || got > 3300*time.Millisecond {
			t.Fatalf("gap = %v, want between 3s and 3.3s", got)
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

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value string
		want  time.Duration
	}{
		{"", 0}, {"120", 2 * time.Minute}, {" 5 ", 5 * time.Second}, {"-1", 0}, {"soon", 0}, {"1.5", 2 * time.Second},
		{"99999999999999999999", 24 * time.Hour}, {"999999999", 24 * time.Hour}, {"3600 seconds", time.Hour}, {"60, 60", time.Minute},
		{"30s", 30 * time.Second}, {"500ms", 0}, {"2026 years", 2026 * time.Second}, {"2026-05-01", 0}, {".", 0},
		{"Fri, 01 May 2026 12:10:00 +0000", 10 * time.Minute}, {"Fri, 01 May 2026 14:10:00 +0200", 10 * time.Minute},
		{"2026-05-01T12:10:00Z", 10 * time.Minute},
		{"Fri, 01 May 2026 12:10:00 GMT", 10 * time.Minute},
		{"Fri, 01 May 2020 12:10:00 GMT", 0},
		{"Fri, 01 May 2099 12:10:00 GMT", 24 * time.Hour},
	} {
		if got := retryAfter(http.Header{"Retry-After": {tt.value}}, now, 24*time.Hour); got != tt.want {
			t.Errorf("retryAfter(%q) = %v, want %v", tt.value, got, tt.want)
		}
	}
	twice := http.Header{"Retry-After": {"5", "Fri, 01 May 2026 12:10:00 GMT"}}
	if got := retryAfter(twice, now, 24*time.Hour); got != 10*time.Minute {
		t.Errorf("of two headers %v counts, want the longer wait, 10m", got)
	}
}
