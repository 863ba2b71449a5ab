package crawler

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/frontier"
)

// A seed that moved is still what the operator asked for: people type example.org and mean what it redirects to, www.example.org.

// followSeed makes the target of a redirect a seed if the scope alone is against it, and it is the redirect of a seed within the
// registrable domain, or between the host with www and the one without.
func (c *Crawler) followSeed(e frontier.Entry, target frontier.Link, r Refusal) (moved bool, err error) {
	if r.Gate != GateScope || r.Reason == ReasonExcluded || r.Reason == ReasonMediaType || target.Kind != kindPage {
		return false, nil
	}
	seed, ok := seedOf(e)
	if !ok || registrableDomain(seed) != registrableDomain(target.URL) && !areTwins(seed.Hostname(), target.URL.Hostname()) {
		return false, nil
	}
	if c.config.SeedMoved != nil {
		if err := c.config.SeedMoved(seed, target.URL); err != nil {
			return false, fmt.Errorf("seed %s moved to %s: %w", seed, target.URL, err)
		}
	}
	c.Extend([]frontier.URL{target.URL})
	return true, nil
}

// seedOf returns the seed that an entry is, or that redirected to it: nothing else is no link away from a seed.
func seedOf(e frontier.Entry) (frontier.URL, bool) {
	if len(e.Hops) > 0 {
		return e.Hops[0], e.Depth == 0
	}
	return e.URL, e.Depth == 0 && e.Via.IsZero()
}

// areTwins reports whether two host names differ in nothing but www.
func areTwins(a, b string) bool {
	return strings.TrimPrefix(a, "www.") == strings.TrimPrefix(b, "www.")
}
