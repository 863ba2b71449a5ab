package crawler

import (
	"context"
	"errors"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
)

// This file holds what a Survey does about sitemaps: it reads those of the sites that it looks at, and counts instead of
// queueing what they name.

// of returns what is known of the sitemaps of an origin. It is called with mu held, or when nobody else is left.
func (s *survey) of(origin string) *SitemapCount {
	l := s.listed[origin]
	if l == nil {
		l = &SitemapCount{}
		s.listed[origin] = l
	}
	return l
}

// count takes the place of the queue: sitemaps of sites that are being looked at are queued, pages are counted.
func (s *survey) count(ctx context.Context, links []frontier.Link) (frontier.AddResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []frontier.Link
	for _, l := range links {
		switch {
		case l.Kind == kindPage:
			s.of(l.URL.Origin()).URLs++
		case s.leased[l.URL.Site()]:
			files = append(files, l)
		default:
			s.of(l.Via.Origin()).Unread++
		}
	}
	return s.crawl.config.Frontier.Add(ctx, files)
}

// leave notes that nobody looks at a site any more: a sitemap there that is named from now on is not read.
func (s *survey) leave(site string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leased, site)
}

// sitemap reads a sitemap, if that may be.
func (s *survey) sitemap(ctx context.Context, h *host, e frontier.Entry) error {
	read, err := s.readSitemap(ctx, h, e)
	var blocked *frontier.BlockedError
	var rest *restError
	if errors.As(err, &blocked) || errors.As(err, &rest) || errors.As(err, new(*fetch.Error)) && ctx.Err() == nil {
		err = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if read {
		s.of(e.URL.Origin()).Files++
	} else {
		s.of(e.Via.Origin()).Unread++
	}
	return err
}

func (s *survey) readSitemap(ctx context.Context, h *host, e frontier.Entry) (read bool, err error) {
	answer, err := h.rules.of(ctx, ctx, e.URL.Origin())
	if err != nil {
		return false, err
	}
	verdict := answer.Rules.Test(e.URL.PathQuery())
	if !verdict.Allowed {
		return false, nil
	}
	if _, refused := h.crawl.sitemaps.admit(h.site, h.config.Sitemaps.PerSite); refused {
		return false, nil
	}
	x, err := h.askFor(ctx, ctx, e, basis{verdict: verdict, rules: answer.Rules})
	x.finish(answer.Rules, nothing)
	if err != nil {
		return false, err
	}
	defer x.response.Release()
	if asksForRest(x.response) {
		_, err := h.standing.asked(ctx, x.response)
		return false, err
	}
	if !IsPage(x.response.Status) {
		return false, nil
	}
	return true, newListing(h, e).read(ctx, ctx, x.response)
}
