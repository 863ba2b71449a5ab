package main

import (
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/crawler"
)

func TestUserAgent(t *testing.T) {
	tests := []struct {
		agent           AgentConfig
		userAgent, from string
	}{
		{AgentConfig{Product: "cybermapper", Version: "1.0"}, "cybermapper/1.0", ""},
		{AgentConfig{Product: "cybermapper", Version: "1.0", Contact: "https://example.org/bot"}, "cybermapper/1.0 (+https://example.org/bot)", ""},
		{AgentConfig{Product: "cybermapper", Version: "1.0", Contact: "me@example.org"}, "cybermapper/1.0 (+me@example.org)", "me@example.org"},
		{AgentConfig{Product: "cybermapper", Version: "1.0", Contact: "mailto:me@example.org"}, "cybermapper/1.0 (+mailto:me@example.org)", "me@example.org"},
		{AgentConfig{Product: "x", Version: "2", Contact: "me@example.org", Purpose: "search research"}, "x/2 (search research; +me@example.org)", "me@example.org"},
	}
	for _, tt := range tests {
		if got := tt.agent.userAgent(); got != tt.userAgent {
			t.Errorf("User-Agent %q, want %q", got, tt.userAgent)
		}
		if got := tt.agent.from(); got != tt.from {
			t.Errorf("From %q, want %q", got, tt.from)
		}
	}
}

// Where the configuration says 0 for "none", the engine must not hear "default".
func TestZeroMeansNone(t *testing.T) {
	c := defaultConfig()
	c.Politeness.Delay, c.Politeness.DelayFactor, c.Politeness.Jitter = 0, 0, 0
	c.Traps.PathSegments, c.Crawl.Patience = 0, 0
	got := crawlerConfig(c)
	for name, negative := range map[string]bool{
		"Delay": got.Politeness.Delay < 0, "Factor": got.Politeness.Factor < 0, "Jitter": got.Politeness.Jitter < 0,
		"PathSegments": got.Traps.PathSegments < 0, "Patience": got.Patience < 0,
	} {
		if !negative {
			t.Errorf("%s: 0 in the configuration is not negative for the engine", name)
		}
	}
	if got.Retries != 2 || got.Limits.Depth != 20 || got.Limits.Pages != 0 {
		t.Errorf("limits changed on the way: retries %d, depth %d, pages %d", got.Retries, got.Limits.Depth, got.Limits.Pages)
	}
}

func TestOverrides(t *testing.T) {
	c := defaultConfig()
	none, short := Duration(0), Duration(time.Second)
	c.Hosts = map[string]HostConfig{"a.example": {Connections: 2}, "b.example": {Delay: &none}, "c.example": {Delay: &short}}
	got := overrides(c)
	want := map[string]crawler.Override{
		"a.example": {Connections: 2}, "b.example": {Delay: -1}, "c.example": {Delay: time.Second},
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("override of %s: %+v, want %+v", name, got[name], w)
		}
	}
}
