package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/internal/bounded"
	"github.com/cybermapper/cybermapper/crawler/sitemap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// Sitemaps says whether the sitemaps are read that robots.txt files name, or that are seeds, and bounds that. A sitemap is an
// entry of the queue like any page, under the same rules and pauses, and each URL in it meets the gates that a link meets; it is
// not stored. The bounds of one file are those of sitemap.Options.
type Sitemaps struct {
	Read     bool // those of each origin that is visited, and of the seeds; those that are queued are read in any case
	PerSite  int  // files of one site in one run; default 1,000
	Indexes  int  // an index may lead to an index, and so on, so many times in all; default 2
	Proofs   int  // other origins that one file may make us ask for robots.txt; default 100
	Refusals int  // URLs that one file is refused and that are told by name, for each reason; default 1,000
}

func (s Sitemaps) withDefaults() Sitemaps {
	s.PerSite = max(cmp.Or(s.PerSite, 1000), 0)
	s.Indexes = max(cmp.Or(s.Indexes, 2), 0)
	s.Proofs = max(cmp.Or(s.Proofs, 100), 0)
	s.Refusals = max(cmp.Or(s.Refusals, 1000), 0)
	return s
}

// The kinds of entries, in frontier.Link: pages, links that are checked, requisites, and sitemaps by how many indexes lie between
// them and a robots.txt. The frontier keeps one byte of ours, so all is in it.
const (
	kindPage    uint8 = 0
	kindSitemap uint8 = 1 // named by a robots.txt

	kindCheck uint8 = math.MaxUint8 // a link that is asked for to see whether its page is there

	maxIndexes = int(kindCheckNeeded - 1 - kindSitemap)
)

// sitemapBehind is the kind of a sitemap behind so many indexes.
func sitemapBehind(indexes int) uint8 { return kindSitemap + uint8(indexes) }

// indexesBefore returns how many indexes led to a sitemap.
func indexesBefore(kind uint8) int { return int(kind - kindSitemap) }

// sitemapBatch is how many links of a sitemap are queued in one step.
const sitemapBatch = 1000

// sitemapCounters remembers what was done about sitemaps in this run.
type sitemapCounters struct {
	mu        sync.Mutex // guards all below
	read      bounded.Map[int]
	announced bounded.Map[struct{}]
}

// admit counts a sitemap of a site that is about to be read, if the site has had fewer than most.
func (c *sitemapCounters) admit(site string, most int) (Refusal, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := xxhash.Sum64String(site)
	n, _ := c.read.Get(key)
	if most > 0 && n >= most {
		return tooManySitemaps(most), true
	}
	c.read.Put(key, n+1)
	return Refusal{}, false
}

func tooManySitemaps(most int) Refusal {
	return Refusal{Gate: GateSitemap, Reason: ReasonSitemaps, Rule: fmt.Sprintf("at most %d sitemaps of a site in a run", most)}
}

// announce queues the sitemaps that a robots.txt names, once in a run for each version of it. It comes before the state of
// robots.txt is kept, so that a process which is killed in between asks for both again.
func (c *Crawler) announce(work context.Context, a robots.Answer) error {
	if !c.config.Sitemaps.Read || a.File == nil {
		return nil
	}
	key := xxhash.Sum64String(a.State.Origin + " " + a.File.Digest())
	c.sitemaps.mu.Lock()
	_, done := c.sitemaps.announced.Get(key)
	c.sitemaps.mu.Unlock()
	if done {
		return nil
	}
	links, err := c.announced(a)
	if err != nil {
		return err
	}
	if _, err := c.enqueue(work, links); err != nil {
		return fmt.Errorf("queue sitemaps: %w", err)
	}
	c.sitemaps.mu.Lock()
	c.sitemaps.announced.Put(key, struct{}{})
	c.sitemaps.mu.Unlock()
	return nil
}

// announced returns the sitemaps of a robots.txt that may be queued, and tells of those that may not.
func (c *Crawler) announced(a robots.Answer) ([]frontier.Link, error) {
	via, err := frontier.ParseURL(a.State.Origin + "/robots.txt")
	if err != nil {
		return nil, err
	}
	var links []frontier.Link
	for i, name := range a.File.Sitemaps() {
		l := frontier.Link{Via: via, Kind: kindSitemap}
		var err error
		l.URL, err = frontier.ParseURL(name)
		if r, refused := c.admitSitemap(l, i, err); refused {
			r = r.of(l)
			if err != nil {
				r.URL = shown(name)
			}
			c.tellRefusedLink(r)
			continue
		}
		links = append(links, l)
	}
	return links, nil
}

// admitSitemap is admit for the nth sitemap that a robots.txt names; err says why it is no URL.
func (c *Crawler) admitSitemap(l frontier.Link, nth int, err error) (Refusal, bool) {
	if err != nil {
		return Refusal{Gate: GateURL, Reason: ReasonBadURL, Rule: "a sitemap is named by its full URL"}, true
	}
	if r, refused := c.judge(l); refused {
		return r, true
	}
	if most := c.config.Sitemaps.PerSite; most > 0 && nth >= most {
		return tooManySitemaps(most), true
	}
	return c.count(l)
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

// isSitemap reports whether sitemaps are read and the robots.txt of its own origin names what a link led to as one.
func (s *siteRules) isSitemap(a robots.Answer, l frontier.Link) bool {
	if !s.requests.config.Sitemaps.Read || a.File == nil || l.Kind != kindPage || l.Via.IsZero() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.named[a.State.Origin]
	if !ok || n.file != a.File {
		n = newSitemapNames(a.File)
		s.named[a.State.Origin] = n
	}
	return n.urls[l.URL]
}

// mayBeSitemap reports whether sitemaps are read and an entry is a seed, or what it redirects to.
func (c *Crawler) mayBeSitemap(e frontier.Entry) bool {
	return c.config.Sitemaps.Read && e.Kind == kindPage && e.Depth == 0
}

// isSeedSitemap reports whether that is a sitemap by what it holds, whatever the server calls it. RSS and Atom are pages, whose
// entries are links in any case.
func (h *host) isSeedSitemap(e frontier.Entry, r *fetch.Response) bool {
	if !h.crawl.mayBeSitemap(e) || !IsPage(r.Status) {
		return false
	}
	s, _ := sitemap.Read(r.Open(), sitemap.Options{}, func(sitemap.Entry) error { return errFound })
	return s.Format == sitemap.URLSet || s.Format == sitemap.Index
}

// errFound ends a reading of which only the format is wanted.
var errFound = errors.New("an entry")
