package config

import (
	"slices"
	"testing"
)

// An operator who takes all bounds away is told what has none; one who keeps the defaults, or sets a limit, is not.
func TestUnbounded(t *testing.T) {
	c := Default()
	if got := c.Unbounded(); len(got) > 0 {
		t.Errorf("the defaults leave unbounded: %q", got)
	}
	c.Crawl.Depth, c.Crawl.Scope, c.Politeness.Delay, c.Politeness.DelayFactor, c.Traps = -1, "any", 0, 0, Traps{}
	want := []string{"crawl.scope (any)", "traps.url_length (0)", "traps.path_segments (0)", "traps.repeated_segments (0)",
		"traps.redirects (0)", "traps.queries_per_path (0)", "traps.pages_per_directory (0)",
		"traps.endless_sample (0)", "traps.hosts_per_domain (0)", "politeness.delay (0s)"}
	if got := c.Unbounded(); !slices.Equal(got, want) {
		t.Errorf("all bounds off leaves unbounded %q, want %q", got, want)
	}
	c.Crawl.MaxPages = 1000
	if got := c.Unbounded(); len(got) > 0 {
		t.Errorf("with a limit of pages: %q", got)
	}
}
