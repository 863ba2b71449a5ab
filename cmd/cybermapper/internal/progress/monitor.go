package progress

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
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

// A Monitor watches a crawl and tells how it stands: a line on the screen, and status.json for other processes.
// Its fields are set before Watch and not changed afterwards.
type Monitor struct {
	Screen   *Screen
	Quiet    bool               // nothing on the screen
	Language translate.Language // of the line on the screen
	Base     Report             // what does not change during the run
	Limits   crawler.Limits
	Status   func() crawler.Status
	Stats    func(context.Context) (frontier.Stats, error)
	Owned    func(context.Context) ([]Partition, error)                // partitions; nil of a crawl that is not shared
	Sites    func(context.Context) iter.Seq2[frontier.SiteInfo, error] // nil tells of no site how long it takes
	OptOut   func() *OptOut                                            // who is left alone; nil is nobody
	Pace     func(frontier.SiteInfo) time.Duration                     // of a site that was not measured; nil is none
	File     string                                                    // where the status goes

	mu      sync.Mutex // guards resting, paces and backlog
	resting map[string]WaitingSite
	paces   map[string]time.Duration
	backlog backlog  // as of the last look
	samples []sample // only the goroutine of Watch uses them
}

// A sample is the state of the counts at one moment.
type sample struct {
	at     time.Time
	pages  int64
	again  int64
	newly  int64
	closed int64 // by robots.txt: they leave the queue without a visit
}

// Rest hears that a site is left alone. It may be called at any time.
func (m *Monitor) Rest(r crawler.Rest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resting == nil {
		m.resting = map[string]WaitingSite{}
	}
	if _, known := m.resting[r.Site]; known || len(m.resting) < maxResting {
		m.resting[r.Site] = WaitingSite{Site: r.Site, Until: r.Until, Reason: string(r.Reason)}
	}
}

// restingSites lists the sites that still rest, as Waiting does, counts them, and forgets the others.
func (m *Monitor) restingSites(now time.Time) (sites []WaitingSite, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.resting, func(_ string, s WaitingSite) bool { return !s.Until.After(now) })
	for _, s := range m.resting {
		if sites = append(sites, s); len(sites) == 2*maxWaiting {
			sites = soonest(sites)
		}
	}
	return soonest(sites), len(m.resting)
}

// Save writes how the crawl stands to File, so that there is something to read from the beginning. It must not be called
// while Watch runs.
func (m *Monitor) Save(ctx context.Context) error {
	r, err := m.Snapshot(ctx, time.Now())
	if err != nil {
		return err
	}
	return r.Write(m.File)
}

// Watch tells how the crawl stands until ctx ends.
func (m *Monitor) Watch(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	var looking sync.WaitGroup
	looking.Go(func() { m.look(ctx) })
	defer looking.Wait()
	defer stop()
	tick := time.NewTicker(lineEvery)
	defer tick.Stop()
	var nextStatus, nextPlain time.Time
	nextPlain = time.Now().Add(plainEvery)
	for {
		now := time.Now()
		r, err := m.Snapshot(ctx, now)
		if err != nil {
			return // the frontier is closed: the crawl is over
		}
		if !now.Before(nextStatus) {
			nextStatus = now.Add(statusEvery)
			if err := r.Write(m.File); err != nil {
				fmt.Fprintf(m.Screen, "cybermapper: warning: %v\n", err)
			}
		}
		switch {
		case m.Quiet:
		case m.Screen.keepsLine():
			m.Screen.Keep(lineOf(r, m.Language))
		case !now.Before(nextPlain):
			nextPlain = now.Add(plainEvery)
			m.print(r)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			m.Screen.Keep("")
			return
		}
	}
}

// print writes one line of progress where there is no terminal, or where lines are JSON.
func (m *Monitor) print(r *Report) {
	m.Screen.Event("progress", lineOf(r, m.Language), r)
}

// Snapshot reports how the crawl stands now. It must not be called while Watch runs.
func (m *Monitor) Snapshot(ctx context.Context, now time.Time) (*Report, error) {
	stats, err := m.Stats(ctx)
	if err != nil {
		return nil, err
	}
	status := m.Status()
	r := m.Base
	if m.Owned != nil {
		if r.Partitions, err = m.Owned(ctx); err != nil {
			return nil, err
		}
	}
	r.State, r.Time, r.Process = Running, now.UTC(), os.Getpid()
	r.Started, r.Seconds = status.Started.UTC(), status.Elapsed.Seconds()
	r.Run, r.Total = status.Counts, TotalsOf(stats)
	r.Total.Parked = status.Parked
	if m.OptOut != nil {
		r.OptOut = m.OptOut()
	}
	r.Waiting, r.WaitingN = m.restingSites(now)
	r.Rate = m.rate(sample{now, status.Pages, status.Again, status.New, status.Reasons[crawler.ReasonDisallowed]})
	r.ETA = m.eta(&r, status.Elapsed, now)
	return &r, nil
}

// visits returns the pages that were asked for, whether or not they were known.
func (s sample) visits() int64 { return s.pages + s.again }

// rate returns the visits per second of late.
func (m *Monitor) rate(s sample) float64 {
	m.samples = append(m.samples, s)
	for len(m.samples) > 2 && s.at.Sub(m.samples[0].at) > rateWindow {
		m.samples = m.samples[1:]
	}
	first := m.samples[0]
	if d := s.at.Sub(first.at).Seconds(); d > 0 {
		return float64(s.visits()-first.visits()) / d
	}
	return 0
}

// lineOf puts a report into one line.
func lineOf(r *Report, in translate.Language) string {
	var b strings.Builder
	pages := in.Say("%d pages", r.Run.Pages)
	if r.Run.Again > 0 {
		pages = in.Say("%d new, %d visited again", r.Run.Pages, r.Run.Again)
	}
	b.WriteString(in.Say("%s  %.1f/s  %d queued on %s", pages, r.Rate,
		r.Total.Queued+r.Total.Retrying, in.Say("%d sites", r.Total.Active)))
	if time.Until(r.Run.RestsUntil) > 0 {
		b.WriteString("  " + in.Say("resting until %s (hours)", r.Run.RestsUntil.Local().Format("15:04")))
	}
	if r.WaitingN > 0 {
		b.WriteString("  " + in.Say("%d resting (%s)", r.WaitingN, reasonsOf(r.Waiting)))
	}
	if r.Run.Failed > 0 {
		b.WriteString("  " + in.Say("%d failed", r.Run.Failed))
	}
	if r.ETA.Why != "" {
		b.WriteString("  " + in.Say("ETA %s", r.ETA.text(in)))
	}
	return b.String()
}

// reasonsOf counts why sites rest, the most frequent reason first.
func reasonsOf(sites []WaitingSite) string {
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
