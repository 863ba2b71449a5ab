package config

import "fmt"

// Unbounded names the settings that leave a crawl without an end, or a site without a pause. It is empty for a crawl that a limit
// of pages, bytes or time ends, unless that gives no pause either.
func (c Config) Unbounded() []string {
	var names []string
	ends := c.Crawl.MaxPages > 0 || c.Crawl.MaxBytes > 0 || c.Crawl.MaxTime > 0
	if !ends && c.Crawl.Depth < 0 && c.Crawl.Scope == "any" {
		names = append(names, "crawl.scope (any)")
	}
	for _, bound := range []struct {
		name string
		off  bool
	}{
		{"url_length", c.Traps.URLLength == 0}, {"path_segments", c.Traps.PathSegments == 0},
		{"repeated_segments", c.Traps.RepeatedSegments == 0}, {"redirects", c.Traps.Redirects == 0},
		{"queries_per_path", c.Traps.QueriesPerPath == 0}, {"pages_per_directory", c.Traps.PagesPerDirectory == 0},
		{"endless_sample", c.Traps.EndlessSample == 0}, {"hosts_per_domain", c.Traps.HostsPerDomain == 0},
	} {
		if !ends && bound.off {
			names = append(names, fmt.Sprintf("traps.%s (0)", bound.name))
		}
	}
	if len(names) > 0 && c.Politeness.Delay == 0 && c.Politeness.DelayFactor == 0 {
		names = append(names, "politeness.delay (0s)")
	}
	return names
}
