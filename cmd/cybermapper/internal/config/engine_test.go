package config

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
)

// Where the configuration says 0 for "none", the engine must not hear "default".
func TestZeroMeansNone(t *testing.T) {
	c := Default()
	c.Politeness.Delay, c.Politeness.DelayFactor, c.Politeness.Jitter = 0, 0, 0
	c.Traps.PathSegments, c.Crawl.Patience = 0, 0
	got := c.Crawler()
	for name, negative := range map[string]bool{
		"Delay": got.Politeness.Delay < 0, "Factor": got.Politeness.Factor < 0, "Jitter": got.Politeness.Jitter < 0,
		"PathSegments": got.Traps.PathSegments < 0, "Patience": got.Patience < 0,
	} {
		if !negative {
			t.Errorf("%s: 0 in the configuration is not negative for the engine", name)
		}
	}
	c.Crawl.Retries, c.Crawl.Depth, c.Politeness.MaxDelay = 0, 0, 0
	if none := c.Crawler(); none.Retries >= 0 || !none.Limits.SeedsOnly || none.Politeness.MaxDelay != 1 {
		t.Errorf("0 retries, depth and max_delay reach the engine as %d, seeds only %v and %v; want none of each",
			none.Retries, none.Limits.SeedsOnly, none.Politeness.MaxDelay)
	}
	if got.Limits.SeedsOnly || got.Retries != 2 || got.Limits.Depth >= 0 || got.Limits.Pages != 0 {
		t.Errorf("limits changed on the way: retries %d, depth %d, pages %d", got.Retries, got.Limits.Depth, got.Limits.Pages)
	}
}

func TestOverrides(t *testing.T) {
	c := Default()
	none, short := Duration(0), Duration(time.Second)
	c.Hosts = map[string]Host{"a.example": {Connections: 2}, "b.example": {Delay: &none}, "c.example": {Delay: &short}}
	got := c.overrides()
	want := map[string]crawler.Override{
		"a.example": {Connections: 2}, "b.example": {Delay: -1}, "c.example": {Delay: time.Second},
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("override of %s: %+v, want %+v", name, got[name], w)
		}
	}
}

// What a host is owed after 429 and 503 is owed after such an answer for robots.txt, too.
func TestCacheOptions_HostRest(t *testing.T) {
	c := Default()
	c.Politeness.HostRest, c.Politeness.HostRestMax = Duration(time.Hour), Duration(24*time.Hour)
	if o := c.CacheOptions(); o.HostRest != time.Hour || o.MaxHostRest != 24*time.Hour {
		t.Errorf("a rest of %v up to %v, want 1h up to 24h", o.HostRest, o.MaxHostRest)
	}
}
