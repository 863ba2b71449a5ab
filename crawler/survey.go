package crawler

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Origin is an origin to be surveyed.
type Origin struct {
	URL    frontier.URL        // any URL of the origin
	Policy frontier.SitePolicy // what is remembered of its site; of several places of one site the first counts
}

// A SitemapCount is what the sitemaps of an origin are known to name. A URL that is named twice counts twice.
type SitemapCount struct {
	Files int `json:"files"` // read, of those that lie at the origin
	// named by robots.txt or an index of the origin, and not read: they are elsewhere, closed, or cannot be had
	Unread int   `json:"unread"`
	URLs   int64 `json:"urls"` // of the origin, wherever they were named, that the gates let pass
}

// Surveyed is what is known of an origin before any page of it is asked for.
type Surveyed struct {
	Origin string
	Site   string
	Answer robots.Answer // its Rules are nil, which forbids everything, when Err is not
	Err    error         // why the origin could not be asked: its site rests, its address is private
	Listed SitemapCount  // zero unless Config.Sitemaps says that they are read
}

// Survey finds out the rules of all places, as a Run does before its first page: what a Policy still knows is used, anything
// else is asked for under the same permits, and nothing but robots.txt and, if Config.Sitemaps says so, sitemaps is. tell hears
// of each origin once, at the end, one at a time. The error is ctx.Err(), or that of a store.
//
// The Frontier must be new, and is of no use afterwards. A Crawler is used for one Survey or one Run.
func (c *Crawler) Survey(ctx context.Context, places []Origin, tell func(Surveyed)) (err error) {
	if c.used.Swap(true) {
		return errUsed
	}
	s := &survey{crawl: c, leased: map[string]bool{}, listed: map[string]*SitemapCount{}}
	c.enqueue = s.count
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
	hosts.SetLimit(c.config.Workers)
	for _, lease := range leases {
		hosts.Go(func() error { return s.host(ctx, newHost(c, lease, nil)) })
	}
	err = hosts.Wait()
	for _, p := range s.surveyed {
		p.Listed = *s.of(p.Origin)
		tell(p)
	}
	return err
}

// survey is the state of one Survey.
type survey struct {
	crawl *Crawler

	mu       sync.Mutex // guards all below
	leased   map[string]bool
	surveyed []Surveyed
	listed   map[string]*SitemapCount // by origin
}

// lease leases the sites of all places and hands each what is remembered of it, before anything is asked for: a robots.txt
// may redirect to another of them, whose politeness counts too.
func (s *survey) lease(ctx context.Context, places []Origin) (leases []frontier.Lease, err error) {
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
	if _, err := s.crawl.config.Frontier.Add(ctx, links); err != nil {
		return nil, fmt.Errorf("survey: %w", err)
	}
	for range policies {
		lease, err := s.crawl.config.Frontier.Lease(ctx, s.crawl.config.Patience)
		if err != nil {
			return leases, fmt.Errorf("survey: lease a site: %w", err)
		}
		leases = append(leases, lease)
		s.leased[lease.Site()] = true
		if err := lease.SetPolicy(ctx, policies[lease.Site()]); err != nil {
			return leases, fmt.Errorf("survey: %w", err)
		}
	}
	return leases, nil
}

// host finds out the rules of all origins of one site, and what sitemaps there name.
func (s *survey) host(ctx context.Context, h *host) error {
	for {
		e, ok, err := h.lease.Next(ctx)
		if err != nil || !ok {
			s.leave(h.site)
			return err
		}
		if e.Kind != kindPage {
			if err := s.sitemap(ctx, h, e); err != nil {
				return err
			}
			continue
		}
		p := Surveyed{Origin: e.URL.Origin(), Site: h.site}
		p.Answer, p.Err = h.rules.of(ctx, ctx, p.Origin)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.mu.Lock()
		s.surveyed = append(s.surveyed, p)
		s.mu.Unlock()
	}
}
