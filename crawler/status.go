package crawler

import (
	"maps"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// Status is a look at a run, under way or ended.
type Status struct {
	Started time.Time     `json:"started"`
	Elapsed time.Duration `json:"elapsed_ns"`
	Parked  int64         `json:"parked"` // URLs of places that look endless, put aside in all runs
	Counts
}

// Counts are what a run did; those of the whole job are the frontier's.
type Counts struct {
	Requests   int64            `json:"requests"`           // answered or not, robots.txt included
	Robots     int64            `json:"robots_requests"`    // of these, for robots.txt
	Sitemaps   int64            `json:"sitemap_requests"`   // of these, for sitemaps
	Listed     int64            `json:"sitemap_urls"`       // that sitemaps named; Links has them too
	Requisites int64            `json:"requisite_requests"` // of Requests, for what pages need
	Needed     int64            `json:"requisites"`         // of what pages need, stored
	Pages      int64            `json:"pages"`              // answered with a page, each counted once in a job
	Again      int64            `json:"visited_again"`      // pages that were counted when they were visited first
	Stored     int64            `json:"stored"`             // of Pages, and further versions of pages that changed
	Bytes      int64            `json:"bytes"`
	Links      int64            `json:"links"`     // found
	New        int64            `json:"new_links"` // of these, queued for the first time
	Failed     int64            `json:"failed"`
	Retried    int64            `json:"retried"`
	Serving    int              `json:"serving"`              // sites leased right now
	RestsUntil time.Time        `json:"rests_until,omitzero"` // when Config.Hours begin
	Codes      map[int]int64    `json:"codes"`                // answers to page requests by HTTP status
	Reasons    map[Reason]int64 `json:"reasons"`              // of refusals, failures and rests
}

// stats is the Status that a run keeps.
type stats struct {
	mu  sync.Mutex // guards now
	now Status
}

func newStats() *stats {
	return &stats{now: Status{Started: time.Now(), Counts: Counts{Codes: map[int]int64{}, Reasons: map[Reason]int64{}}}}
}

// Status returns a copy of the counts so far. It may be called at any time, also after Run.
func (c *Crawler) Status() Status {
	c.stats.mu.Lock()
	defer c.stats.mu.Unlock()
	s := c.stats.now
	s.Elapsed, s.Parked = time.Since(s.Started), c.Parked()
	s.Codes, s.Reasons = maps.Clone(s.Codes), maps.Clone(s.Reasons)
	return s
}

// rests notes until when the whole crawl rests.
func (s *stats) rests(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.RestsUntil = until
	s.now.Reasons[ReasonHours]++
}

func (s *stats) reason(r Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Reasons[r]++
}

// endOfHosts returns why a run ended that has nothing left: the limits of hosts may have kept it from asking for more.
func (s *stats) endOfHosts() Reason {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range hostEnds {
		if s.now.Reasons[of.refused] > 0 {
			return of.end
		}
	}
	return EndDone
}

func (s *stats) serving(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Serving += n
}

func (s *stats) request(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Requests++
	s.now.Bytes += r.Bytes
	switch {
	case r.Purpose == ForRobots:
		s.now.Robots++
	case r.Purpose == ForSitemap:
		s.now.Sitemaps++
	case r.Purpose == ForRequisite:
		s.now.Requisites++
	case r.Status != 0:
		s.now.Codes[r.Status]++
	}
}

func (s *stats) outcome(o Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := &s.now
	now.Links += int64(o.Links)
	now.New += int64(o.New)
	if o.Purpose == ForSitemap {
		now.Listed += int64(o.Links)
	}
	switch o.Reason {
	case "":
	case ReasonBusy, ReasonUnavailable, ReasonNetworkLogin: // counted with the rest of the site
	default:
		now.Reasons[o.Reason]++
	}
	switch {
	case o.Status == frontier.Failed:
		now.Failed++
	case o.Status == frontier.Retrying:
		now.Retried++
	case o.Page:
		now.Pages++
	case o.Purpose == ForPage && (o.Reason.IsAgain() || o.Stored): // unchanged, and stored as what was lost, or was not kept before
		now.Again++
	}
	switch {
	case o.Stored && o.Purpose == ForRequisite:
		now.Needed++
	case o.Stored:
		now.Stored++
	}
}
