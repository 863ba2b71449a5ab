package plan

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

// A Plan is what a crawl will be like.
type Plan struct {
	Format int      `json:"format"` // 1
	Job    string   `json:"job,omitempty"`
	Budget Budget   `json:"budget"`
	Total  Total    `json:"total"`
	Hosts  []*Host  `json:"hosts"` // those that take longest first
	Notes  []string `json:"notes,omitempty"`

	bySite map[string]*Host
}

// A Budget is what was asked for, and what bounds it. Zero limits nothing, except for Depth.
type Budget struct {
	MaxPages        int64           `json:"max_pages"`
	MaxPagesPerHost int64           `json:"max_pages_per_host"`
	MaxTime         config.Duration `json:"max_time"`
	Depth           int             `json:"depth"` // links from a seed; negative means no limit, 0 the seeds only
	Workers         int             `json:"workers"`
	PerAddress      int             `json:"per_address"`
	Done            int64           `json:"pages_done,omitempty"` // of MaxPages, by earlier runs of the job
}

// Unlimited is a number of pages that nothing bounds.
const Unlimited = -1

// A Total sums a plan up.
type Total struct {
	Hosts        int     `json:"hosts"`
	Refusing     int     `json:"refusing"`       // hosts of which nothing can be fetched now
	Unknown      int     `json:"unknown"`        // hosts whose rules are not known yet
	PagesPerHour float64 `json:"pages_per_hour"` // all hosts together, as long as all have pages
	Pages        int64   `json:"pages"`          // to be fetched; Unlimited when nothing bounds them
	Seconds      float64 `json:"seconds"`        // that they take; 0 when Pages is Unlimited or none
	AtLeast      bool    `json:"at_least"`       // links may be found that are not counted
	Why          string  `json:"why,omitempty"`  // what decides the time
	Fit          int64   `json:"pages_that_fit"` // into Budget.MaxTime; of Unlimited pages too
	Left         int64   `json:"pages_left"`     // that do not fit into Budget.MaxTime
	Slow         int     `json:"slow_hosts"`     // hosts that need longer than Budget.MaxTime
}

// New returns an empty plan.
func New(b Budget) *Plan {
	return &Plan{Format: 1, Budget: b, Hosts: []*Host{}, bySite: map[string]*Host{}}
}

// Host returns the host of that site, which is added if there is none.
func (p *Plan) Host(site string) *Host {
	h := p.bySite[site]
	if h == nil {
		h = &Host{Site: site, Origins: []*Origin{}}
		p.bySite[site] = h
		p.Hosts = append(p.Hosts, h)
	}
	return h
}

// Finish works everything out, once all hosts are complete.
func (p *Plan) Finish() {
	now := time.Now()
	for _, h := range p.Hosts {
		h.finish(p.Budget, p.Job != "", now)
	}
	slices.SortStableFunc(p.Hosts, func(a, b *Host) int {
		return cmp.Or(cmp.Compare(b.urgency(), a.urgency()), strings.Compare(a.Site, b.Site))
	})
	p.sumUp(now)
}

// urgency orders hosts: those that take longest first, those that refuse last.
func (h *Host) urgency() float64 {
	switch {
	case h.Refuses != "":
		return -1
	case h.Pages == Unlimited:
		return 1e12 + h.Pace.seconds()
	}
	return h.Seconds
}

// sumUp works out the Total.
func (p *Plan) sumUp(now time.Time) {
	t := &p.Total
	t.Hosts, t.AtLeast = len(p.Hosts), p.Job != ""
	e := newEstimate(p.Budget, p.Hosts, now)
	for _, h := range p.Hosts {
		switch {
		case h.Refuses != "":
			t.Refusing++
		case !h.known():
			t.Unknown++
		}
		if h.Slow {
			t.Slow++
		}
		t.AtLeast = t.AtLeast || h.listed() > 0
	}
	t.PagesPerHour = math.Floor(e.rate() * time.Hour.Seconds())
	wanted := e.wanted()
	if p.Budget.MaxPages > 0 {
		wanted = min(wanted, float64(max(p.Budget.MaxPages-p.Budget.Done, 0)))
	}
	t.Pages = Unlimited
	if !math.IsInf(wanted, 1) {
		t.Pages = int64(wanted)
		t.Seconds, t.Why = e.time(wanted)
	}
	if limit := time.Duration(p.Budget.MaxTime).Seconds(); limit > 0 {
		fit := min(e.pages(limit), wanted)
		t.Fit = int64(fit)
		if t.Pages != Unlimited {
			t.Left = t.Pages - t.Fit
		}
	}
}
