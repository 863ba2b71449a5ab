package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

const (
	lineEvery   = 500 * time.Millisecond // the live line on a terminal
	statusEvery = 2 * time.Second        // status.json
	plainEvery  = 10 * time.Second       // a line where there is no terminal
	rateWindow  = 20 * time.Second       // over which the rate is measured
	maxResting  = 10_000                 // sites whose rest is remembered for display
)

// A monitor watches a crawl and tells how it stands: a line on the screen, and status.json for other processes.
type monitor struct {
	screen   *screen
	quiet    bool
	asJSON   bool
	base     crawlReport // what does not change during the run
	limits   crawler.Limits
	status   func() crawler.Status
	stats    func(context.Context) (frontier.Stats, error)
	filename string // status.json

	mu      sync.Mutex // guards resting
	resting map[string]waitingSite
	samples []sample // only the goroutine of watch uses them
}

// A sample is the state of the counts at one moment.
type sample struct {
	at    time.Time
	pages int64
	newly int64
}

// rest hears that a site is left alone. It may be called at any time.
func (m *monitor) rest(r crawler.Rest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resting == nil {
		m.resting = map[string]waitingSite{}
	}
	if _, known := m.resting[r.Site]; known || len(m.resting) < maxResting {
		m.resting[r.Site] = waitingSite{Site: r.Site, Until: r.Until, Reason: string(r.Reason)}
	}
}

// restingSites returns the sites that still rest, and forgets the others.
func (m *monitor) restingSites(now time.Time) []waitingSite {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.resting, func(_ string, s waitingSite) bool { return !s.Until.After(now) })
	return slices.Collect(maps.Values(m.resting))
}

// watch tells how the crawl stands until ctx ends.
func (m *monitor) watch(ctx context.Context) {
	tick := time.NewTicker(lineEvery)
	defer tick.Stop()
	var nextStatus, nextPlain time.Time
	nextPlain = time.Now().Add(plainEvery)
	for {
		now := time.Now()
		r, err := m.snapshot(ctx, now)
		if err != nil {
			return // the frontier is closed: the crawl is over
		}
		if !now.Before(nextStatus) {
			nextStatus = now.Add(statusEvery)
			if err := r.write(m.filename); err != nil {
				fmt.Fprintf(m.screen, "cybermapper: warning: %v\n", err)
			}
		}
		switch {
		case m.quiet:
		case m.screen.isTerminal() && !m.asJSON:
			m.screen.keep(lineOf(r))
		case !now.Before(nextPlain):
			nextPlain = now.Add(plainEvery)
			m.print(r)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			m.screen.keep("")
			return
		}
	}
}

// print writes one line of progress where there is no terminal.
func (m *monitor) print(r *crawlReport) {
	if !m.asJSON {
		fmt.Fprintf(m.screen, "%s\n", lineOf(r))
		return
	}
	if data, err := json.Marshal(r); err == nil {
		fmt.Fprintf(m.screen, "%s\n", data)
	}
}

// snapshot reports how the crawl stands now.
func (m *monitor) snapshot(ctx context.Context, now time.Time) (*crawlReport, error) {
	stats, err := m.stats(ctx)
	if err != nil {
		return nil, err
	}
	status := m.status()
	r := m.base
	r.State, r.Time, r.Process = stateRunning, now.UTC(), os.Getpid()
	r.Started, r.Seconds = status.Started.UTC(), status.Elapsed.Seconds()
	r.Run, r.Total = countsOf(status), totalsOf(stats)
	resting := m.restingSites(now)
	r.WaitingN, r.Waiting = len(resting), soonest(resting)
	r.Rate = m.rate(sample{now, status.Pages, status.New})
	r.ETA = m.eta(&r, status.Elapsed).Seconds()
	return &r, nil
}

// rate returns the pages per second of late.
func (m *monitor) rate(s sample) float64 {
	m.samples = append(m.samples, s)
	for len(m.samples) > 2 && s.at.Sub(m.samples[0].at) > rateWindow {
		m.samples = m.samples[1:]
	}
	first := m.samples[0]
	if d := s.at.Sub(first.at).Seconds(); d > 0 {
		return float64(s.pages-first.pages) / d
	}
	return 0
}

// eta returns how long the run still takes, or 0 when nobody can know: it is known when a limit is near, or when pages have
// brought no new links for a while.
func (m *monitor) eta(r *crawlReport, elapsed time.Duration) time.Duration {
	var known []time.Duration
	if m.limits.Time > 0 {
		known = append(known, m.limits.Time-elapsed)
	}
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	if r.Rate > 0 {
		if m.limits.Pages > 0 {
			known = append(known, seconds(float64(m.limits.Pages-r.Total.Pages)/r.Rate))
		}
		if last.newly == first.newly && last.at.Sub(first.at) >= rateWindow/2 {
			known = append(known, seconds(float64(r.Total.Queued+r.Total.Retrying)/r.Rate))
		}
	}
	if len(known) == 0 {
		return 0
	}
	return max(slices.Min(known), 0)
}

// lineOf puts a report into one line.
func lineOf(r *crawlReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s pages  %.1f/s  %s queued  %d sites at work", count(r.Run.Pages), r.Rate, count(r.Total.Queued+r.Total.Retrying), r.Run.Serving)
	if r.WaitingN > 0 {
		fmt.Fprintf(&b, "  %d resting (%s)", r.WaitingN, reasonsOf(r.Waiting))
	}
	if r.Run.Failed > 0 {
		fmt.Fprintf(&b, "  %s failed", count(r.Run.Failed))
	}
	if r.ETA > 0 {
		fmt.Fprintf(&b, "  ETA %s", config.Duration(seconds(r.ETA).Round(time.Second)))
	}
	return b.String()
}

// reasonsOf counts why sites rest, the most frequent reason first.
func reasonsOf(sites []waitingSite) string {
	counts := map[string]int{}
	for _, s := range sites {
		counts[s.Reason]++
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, r := range reasons {
		if len(reasons) > 1 {
			reasons[i] = fmt.Sprintf("%s %d", r, counts[r])
		}
	}
	return strings.Join(reasons, ", ")
}
