package progress

import (
	"time"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// maxPaces bounds the sites whose pace is measured: beyond, one takes the place of another.
const maxPaces = 10_000

// The pace is a mean of the last requests: of eight, or of as many as a site answers within paceWindow. A fast one answers dozens
// while a disk takes its time once, and the pace is none of those dozen alone.
const (
	paceRequests = 8
	paceWindow   = 10 * time.Second
)

// Request hears of a request, and measures the pace of its site: the time from the end of the request before to its own end. It
// may be called at any time.
func (m *Monitor) Request(r crawler.Request) {
	if r.LastEnd.IsZero() {
		return
	}
	const slack = time.Second // a longer pause than was owed is none of the site: nothing was queued, or nobody had time
	kept := min(r.Start.Sub(r.LastEnd), 2*r.Owed+slack)
	pace := max(kept, 0) + r.End.Sub(r.Start)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.paces == nil {
		m.paces = map[string]time.Duration{}
	}
	before, known := m.paces[r.Site]
	switch {
	case known:
		pace = before + (pace-before)/max(paceRequests, paceWindow/max(before, time.Millisecond)) // in which the last count most
	case len(m.paces) >= maxPaces:
		for site := range m.paces {
			delete(m.paces, site)
			break
		}
	}
	m.paces[r.Site] = pace
}

// pace returns the time that a page of a site takes: as measured, or as usual.
func (m *Monitor) pace(s frontier.SiteInfo) time.Duration {
	m.mu.Lock()
	pace, measured := m.paces[s.Site]
	m.mu.Unlock()
	if measured || m.Pace == nil {
		return pace
	}
	return m.Pace(s)
}
