package crawler

import (
	"context"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// Sitemaps says whether the sitemaps are read that robots.txt files name, and bounds that. A sitemap is an entry of the queue
// like any page, under the same rules and pauses, and each URL in it meets the gates that a link meets; it is not stored.
// Zero fields mean the defaults, negative ones switch a bound off. The bounds of one file are those of sitemap.Options.
type Sitemaps struct {
	Read     bool // those of each origin that is visited; those that are queued are read in any case
	PerSite  int  // files of one site in one run; default 1,000
	Indexes  int  // an index may lead to an index, and so on, so many times in all; default 2
	Proofs   int  // other origins that one file may make us ask for robots.txt; default 100
	Refusals int  // URLs that one file is refused and that are told by name, for each reason; default 1,000
}

func (s Sitemaps) withDefaults() Sitemaps {
	s.PerSite = orDefault(s.PerSite, 1000)
	s.Indexes = orDefault(s.Indexes, 2)
	s.Proofs = orDefault(s.Proofs, 100)
	s.Refusals = orDefault(s.Refusals, 1000)
	return s
}

// The kinds of entries, in frontier.Link. A sitemap that an index names has one more than the index.
const (
	kindPage    = 0
	kindSitemap = 1 // named by a robots.txt
)

// sitemapBatch is how many links of a sitemap are queued in one step.
const sitemapBatch = 1000

// purpose returns what an entry is asked for.
func purpose(e frontier.Entry) Purpose {
	if e.Kind == kindPage {
		return ForPage
	}
	return ForSitemap
}

func acceptFor(e frontier.Entry) string {
	if e.Kind == kindPage {
		return accept
	}
	return "application/xml,text/xml,application/rss+xml,application/atom+xml,text/plain;q=0.9,*/*;q=0.5"
}

// sitemapCounters remembers what was done about sitemaps in this run.
type sitemapCounters struct {
	mu        sync.Mutex // guards all below
	read      boundedMap[int]
	announced boundedMap[struct{}]
}

// visit counts a sitemap of a site, and reports whether it may be read.
func (c *sitemapCounters) visit(site string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := xxhash.Sum64String(site)
	n, _ := c.read.get(key)
	c.read.put(key, n+1)
	return most <= 0 || n < most
}

// announce queues the sitemaps that a robots.txt names, once in a run for each version of it. It comes before the state of
// robots.txt is kept, so that a process which is killed in between asks for both again.
func (h *host) announce(work context.Context, a robots.Answer) error {
	if !h.Sitemaps.Read || a.File == nil {
		return nil
	}
	key := xxhash.Sum64String(a.State.Origin + " " + a.File.Digest())
	h.sitemaps.mu.Lock()
	_, done := h.sitemaps.announced.get(key)
	h.sitemaps.mu.Unlock()
	if done {
		return nil
	}
	links, err := h.announced(a)
	if err != nil {
		return err
	}
	if _, err := h.enqueue(work, links); err != nil {
		return fmt.Errorf("queue sitemaps: %w", err)
	}
	h.sitemaps.mu.Lock()
	h.sitemaps.announced.put(key, struct{}{})
	h.sitemaps.mu.Unlock()
	return nil
}

// announced returns the sitemaps of a robots.txt that may be queued, and tells of those that may not.
func (h *host) announced(a robots.Answer) ([]frontier.Link, error) {
	via, err := frontier.ParseURL(a.State.Origin + "/robots.txt")
	if err != nil {
		return nil, err
	}
	var links []frontier.Link
	for i, name := range a.File.Sitemaps() {
		l := frontier.Link{Via: via, Kind: kindSitemap}
		var gate, reason, rule = GateURL, ReasonBadURL, "a sitemap is named by its full URL"
		if l.URL, err = frontier.ParseURL(name); err == nil {
			name = l.URL.String()
			gate, reason, rule = h.admit(l)
		}
		if reason == "" && h.Sitemaps.PerSite > 0 && i >= h.Sitemaps.PerSite {
			gate, reason, rule = GateSitemap, ReasonSitemaps, fmt.Sprintf("at most %d sitemaps of a site in a run", h.Sitemaps.PerSite)
		}
		if reason != "" {
			h.refuseLink(Refusal{URL: name[:min(len(name), 200)], Via: via, Gate: gate, Reason: reason, Rule: rule})
			continue
		}
		links = append(links, l)
	}
	return links, nil
}

// sitemapNames are the sitemaps that a robots.txt names.
type sitemapNames struct {
	file *robots.File
	urls map[frontier.URL]bool
}

func newSitemapNames(file *robots.File) sitemapNames {
	n := sitemapNames{file, map[frontier.URL]bool{}}
	for _, name := range file.Sitemaps() {
		if u, err := frontier.ParseURL(name); err == nil {
			n.urls[u] = true
		}
	}
	return n
}

// isSitemap reports whether sitemaps are read and the robots.txt of its own origin names u as one.
func (h *host) isSitemap(a robots.Answer, u frontier.URL) bool {
	if !h.Sitemaps.Read || a.File == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n, ok := h.named[a.State.Origin]
	if !ok || n.file != a.File {
		n = newSitemapNames(a.File)
		h.named[a.State.Origin] = n
	}
	return n.urls[u]
}
