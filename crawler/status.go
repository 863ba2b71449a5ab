package crawler

import (
	"maps"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Status is a look at a run, under way or ended. The counts are of this run; those of the whole job are the frontier's.
type Status struct {
	Started  time.Time        `json:"started"`
	Elapsed  time.Duration    `json:"elapsed_ns"`
	Requests int64            `json:"requests"` // answered or not, robots.txt included
	Robots   int64            `json:"robots"`   // of these, for robots.txt
	Sitemaps int64            `json:"sitemaps"` // of these, for sitemaps
	Listed   int64            `json:"listed"`   // URLs that sitemaps named; Links has them too
	Pages    int64            `json:"pages"`    // answered with a page
	Stored   int64            `json:"stored"`
	Bytes    int64            `json:"bytes"`
	Links    int64            `json:"links"` // found
	New      int64            `json:"new"`   // of these, queued for the first time
	Failed   int64            `json:"failed"`
	Retried  int64            `json:"retried"`
	Codes    map[int]int64    `json:"codes"`   // answers to page requests by HTTP status
	Reasons  map[Reason]int64 `json:"reasons"` // why links and pages were refused, attempts failed and sites rested
	Serving  int              `json:"serving"` // sites leased right now
}

// stats is the Status that a run keeps.
type stats struct {
	mu     sync.Mutex
	status Status
}

func newStats() *stats {
	return &stats{status: Status{Started: time.Now(), Codes: map[int]int64{}, Reasons: map[Reason]int64{}}}
}

// Status returns a copy of the counts so far. It may be called at any time, also after Run.
func (c *Crawler) Status() Status {
	c.stats.mu.Lock()
	defer c.stats.mu.Unlock()
	s := c.stats.status
	s.Elapsed = time.Since(s.Started)
	s.Codes, s.Reasons = maps.Clone(s.Codes), maps.Clone(s.Reasons)
	return s
}

func (c *stats) reason(r Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Reasons[r]++
}

func (c *stats) serving(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Serving += n
}

func (c *stats) request(r Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Requests++
	c.status.Bytes += r.Bytes
	switch {
	case r.Purpose == ForRobots:
		c.status.Robots++
	case r.Purpose == ForSitemap:
		c.status.Sitemaps++
	case r.Status != 0:
		c.status.Codes[r.Status]++
	}
}

func (c *stats) outcome(o Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.status
	s.Links += int64(o.Links)
	s.New += int64(o.New)
	if o.Purpose == ForSitemap {
		s.Listed += int64(o.Links)
	}
	if o.Reason != "" {
		s.Reasons[o.Reason]++
	}
	switch {
	case o.Status == frontier.Failed:
		s.Failed++
	case o.Status == frontier.Retrying:
		s.Retried++
	case o.Page:
		s.Pages++
	}
	if o.Stored {
		s.Stored++
	}
}
