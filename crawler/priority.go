package crawler

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// A PriorityRule gives URLs that match a pattern a priority; see frontier.MaxPriority for what it means.
type PriorityRule struct {
	Priority int
	Pattern  *regexp.Regexp
}

// A Priority is the priority of a URL, and where it comes from.
type Priority struct {
	Total int           // within frontier.MaxPriority
	Host  int           // by Override.Priority of its host
	Rule  *PriorityRule // the first that matches; nil when none does
}

// PriorityOf returns the priority of a URL by Hosts and Priorities of c: the sum of what its host and the first rule that matches
// give it.
func (c *Config) PriorityOf(u frontier.URL) Priority {
	p := Priority{Host: c.Hosts[u.Site()].Priority}
	p.Total = p.Host
	for i := range c.Priorities {
		if r := &c.Priorities[i]; r.Pattern.MatchString(u.String()) {
			p.Rule = r
			p.Total += r.Priority
			break
		}
	}
	p.Total = min(max(p.Total, -frontier.MaxPriority), frontier.MaxPriority)
	return p
}

// hasPriorities reports whether any URL may have a priority other than 0.
func (c *Config) hasPriorities() bool {
	if len(c.Priorities) > 0 {
		return true
	}
	for _, o := range c.Hosts {
		if o.Priority != 0 {
			return true
		}
	}
	return false
}

// prioritized is a frontier that gives each link its priority as it comes in, besides the one that it has.
type prioritized struct {
	frontier.Frontier
	config *Config
}

// Add implements frontier.Frontier.
func (p prioritized) Add(ctx context.Context, links []frontier.Link) (frontier.AddResult, error) {
	return p.Frontier.Add(ctx, p.rank(links))
}

// Lease implements frontier.Frontier.
func (p prioritized) Lease(ctx context.Context, patience time.Duration) (frontier.Lease, error) {
	l, err := p.Frontier.Lease(ctx, patience)
	if err != nil {
		return nil, err
	}
	return prioritizedLease{l, p}, nil
}

func (p prioritized) rank(links []frontier.Link) []frontier.Link {
	links = slices.Clone(links)
	for i := range links {
		total := int(links[i].Priority) + p.config.PriorityOf(links[i].URL).Total
		links[i].Priority = int8(min(max(total, -frontier.MaxPriority), frontier.MaxPriority))
	}
	return links
}

// prioritizedLease is a lease of a prioritized frontier.
type prioritizedLease struct {
	frontier.Lease
	of prioritized
}

// Settle implements frontier.Lease.
func (l prioritizedLease) Settle(ctx context.Context, outcomes ...frontier.Outcome) (frontier.AddResult, error) {
	outcomes = slices.Clone(outcomes)
	for i := range outcomes {
		outcomes[i].Links = l.of.rank(outcomes[i].Links)
	}
	return l.Lease.Settle(ctx, outcomes...)
}
