package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Place is an origin to be surveyed.
type Place struct {
	URL    frontier.URL        // any URL of the origin
	Policy frontier.SitePolicy // what is remembered of its site; of several places of one site the first counts
}

// A Prospect is what is known of an origin before any page of it is asked for.
type Prospect struct {
	Origin string
	Site   string
	Answer robots.Answer // its Rules are nil, which forbids everything, when Err is not
	Err    error         // why the origin could not be asked: its site rests, its address is private
}

// Survey finds out the rules of all places, as a Run does before its first page: what a Policy still knows is used, anything
// else is asked for under the same permits, and nothing but robots.txt is. tell hears of each origin once, one at a time. The
// error is ctx.Err(), or that of a store.
//
// The Frontier must be new, and is of no use afterwards. A Crawler is used for one Survey or one Run.
func (c *Crawler) Survey(ctx context.Context, places []Place, tell func(Prospect)) (err error) {
	s := &survey{Crawler: c, tell: tell}
	leases, err := s.lease(ctx, places)
	defer func() {
		for _, lease := range leases {
			err = errors.Join(err, lease.Close())
		}
	}()
	if err != nil {
		return err
	}
	hosts, ctx := errgroup.WithContext(ctx)
	hosts.SetLimit(c.Workers)
	for _, lease := range leases {
		hosts.Go(func() error { return s.host(ctx, newHost(c, lease)) })
	}
	return hosts.Wait()
}

// survey is the state of one Survey.
type survey struct {
	*Crawler
	mu   sync.Mutex // one call of tell at a time
	tell func(Prospect)
}

// lease leases the sites of all places and hands each what is remembered of it, before anything is asked for: a robots.txt
// may redirect to another of them, whose politeness counts too.
func (s *survey) lease(ctx context.Context, places []Place) (leases []frontier.Lease, err error) {
	policies := map[string]frontier.SitePolicy{}
	known := map[string]bool{}
	var links []frontier.Link
	for _, p := range places {
		if origin := p.URL.Origin(); !known[origin] {
			known[origin] = true
			links = append(links, frontier.Link{URL: p.URL})
		}
		if _, ok := policies[p.URL.Site()]; !ok {
			policies[p.URL.Site()] = p.Policy
		}
	}
	if _, err := s.Frontier.Add(ctx, links); err != nil {
		return nil, fmt.Errorf("survey: %w", err)
	}
	for range policies {
		lease, err := s.Frontier.Lease(ctx, s.Patience)
		if err != nil {
			return leases, fmt.Errorf("survey: lease a site: %w", err)
		}
		leases = append(leases, lease)
		if err := lease.SetPolicy(ctx, policies[lease.Site()]); err != nil {
			return leases, fmt.Errorf("survey: %w", err)
		}
	}
	return leases, nil
}

// host finds out the rules of all origins of one site.
func (s *survey) host(ctx context.Context, h *host) error {
	for {
		e, ok, err := h.lease.Next(ctx)
		if err != nil || !ok {
			return err
		}
		p := Prospect{Origin: e.URL.Origin(), Site: h.site}
		p.Answer, p.Err = h.rules(ctx, ctx, p.Origin)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.mu.Lock()
		s.tell(p)
		s.mu.Unlock()
	}
}

// KnownRobots returns what the policy of a site remembers of robots.txt, by origin; it is empty when that is nothing.
func KnownRobots(p frontier.SitePolicy) map[string]robots.State {
	var state siteState
	if len(p.State) > 0 && json.Unmarshal(p.State, &state) != nil {
		return nil
	}
	return state.Robots
}
