package plan

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Host is one site of a plan: the unit of politeness.
type Host struct {
	Site    string    `json:"site"`
	Address string    `json:"address,omitempty"` // that answered
	Origins []*Origin `json:"origins"`           // none while its rules are not known
	Refuses string    `json:"refuses,omitempty"` // why nothing can be fetched now

	Priority   int       `json:"priority,omitempty"`
	Waiting    int64     `json:"waiting,omitempty"` // in the queue of the job
	Done       int64     `json:"done,omitempty"`    // pages of earlier runs
	RestsUntil time.Time `json:"rests_until,omitzero"`
	RestReason string    `json:"rest_reason,omitempty"`

	Pace         Pace    `json:"pace"`
	PagesPerHour float64 `json:"pages_per_hour"`
	Pages        int64   `json:"pages"`          // to be fetched; Unlimited when nothing bounds them
	Seconds      float64 `json:"seconds"`        // that they take
	Fit          int64   `json:"pages_that_fit"` // into Budget.MaxTime
	Slow         bool    `json:"slow,omitempty"` // needs longer than Budget.MaxTime
}

// An Origin is the robots.txt of one origin, and what it says of the seeds there.
type Origin struct {
	Origin     string               `json:"origin"`
	Outcome    robots.Outcome       `json:"outcome,omitempty"` // empty when nobody could be asked
	Status     int                  `json:"status,omitempty"`
	Detail     string               `json:"detail,omitempty"`    // why it is not as hoped for
	FinalURL   string               `json:"final_url,omitempty"` // where redirects led
	Digest     string               `json:"digest,omitempty"`
	Lines      int                  `json:"lines,omitempty"`
	Known      bool                 `json:"known"` // from the job; it was not asked for now
	FetchedAt  time.Time            `json:"fetched_at,omitzero"`
	NextTry    time.Time            `json:"next_try,omitzero"`
	Sitemaps   []string             `json:"sitemaps,omitempty"`    // as the file names them, at most maxShown
	Listed     crawler.SitemapCount `json:"listed,omitzero"`       // what they name, if they were read
	VisitTimes []string             `json:"visit_times,omitempty"` // lines that say when visits are welcome
	Allowed    int                  `json:"seeds_allowed"`
	Disallowed int                  `json:"seeds_disallowed"`
	Seeds      []Seed               `json:"seeds"` // at most maxShown of each kind

	rules   *robots.Rules
	resting bool // the site, which is why it was not asked
}

// A Seed is the verdict of robots.txt on one seed.
type Seed struct {
	URL     string `json:"url"`
	Allowed bool   `json:"allowed"`
	Why     string `json:"why"`
}

// maxShown bounds the seeds of an origin that are named, of each kind, and its sitemaps.
const maxShown = 10

// A Pace is the time that pages of a site take, with its arithmetic.
type Pace struct {
	Gap         config.Duration `json:"gap"` // between two requests: the largest of the following
	Why         string          `json:"why"` // which one it is
	Floor       config.Duration `json:"floor"`
	Factored    config.Duration `json:"factored"` // a multiple of Response
	Response    config.Duration `json:"response"` // of robots.txt; 0 when it was not asked for
	CrawlDelay  config.Duration `json:"crawl_delay"`
	DelayLine   int             `json:"crawl_delay_line,omitempty"`
	DelayText   string          `json:"crawl_delay_text,omitempty"` // that line
	Jitter      config.Duration `json:"jitter"`                     // the most that is added at random
	Connections int             `json:"connections"`

	held time.Duration
}

// SetPace notes what the engine says of the pace of the host, which answered within took. file is the robots.txt behind it, if
// there is one, and connections are the requests that may be in flight; 0 is 1. Of the paces of several origins the slowest
// counts.
func (h *Host) SetPace(p crawler.Pace, took time.Duration, connections int, file *robots.File) {
	if h.Pace.Connections > 0 && time.Duration(h.Pace.Gap) >= p.Gap {
		return
	}
	h.Pace = Pace{
		Gap: config.Duration(p.Gap), Why: p.Why, Floor: config.Duration(p.Floor), Factored: config.Duration(p.Factored),
		Response: config.Duration(took), CrawlDelay: config.Duration(p.CrawlDelay), DelayLine: p.Line,
		Jitter: config.Duration(p.Jitter), Connections: max(connections, 1), held: p.Held,
	}
	if lines := file.Lines(); p.Line > 0 && p.Line <= len(lines) {
		l := lines[p.Line-1]
		h.Pace.DelayText = l.Key + ": " + l.Value
	}
}

// seconds is the mean time from one page to the next.
func (p Pace) seconds() float64 {
	d := p.Gap + p.Jitter/2 + p.Response
	return max(time.Duration(d), time.Microsecond).Seconds() / float64(max(p.Connections, 1))
}

// Learn takes in what a survey found out about an origin of the host, and what that means for the seeds there.
func (h *Host) Learn(p crawler.Surveyed, seeds []frontier.URL) {
	s := p.Answer.State
	o := &Origin{
		Origin: p.Origin, Outcome: s.Outcome, Status: s.Status, Detail: s.Err, Digest: s.Digest, Lines: len(p.Answer.File.Lines()),
		Listed: p.Listed, Known: !p.Answer.Fetched && p.Err == nil, FetchedAt: s.FetchedAt, NextTry: s.NextTry, Seeds: []Seed{},
		rules: p.Answer.Rules,
	}
	if s.Hops > 0 {
		o.FinalURL = s.FinalURL
	}
	if p.Err != nil {
		o.Detail, o.resting = p.Err.Error(), errors.As(p.Err, new(*frontier.BlockedError))
	}
	if all := p.Answer.File.Sitemaps(); len(all) > 0 {
		o.Sitemaps = all[:min(len(all), maxShown)]
	}
	for _, w := range o.rules.VisitTimes() {
		o.VisitTimes = append(o.VisitTimes, fmt.Sprintf("line %d: %s (UTC)", w.Line, w.Text))
	}
	o.VisitTimes = o.VisitTimes[:min(len(o.VisitTimes), maxShown)]
	for _, u := range seeds {
		o.judge(u)
	}
	h.Origins = append(h.Origins, o)
}

// judge notes what the rules say of a seed.
func (o *Origin) judge(u frontier.URL) {
	v := o.rules.Test(u.PathQuery())
	n := &o.Disallowed
	if v.Allowed {
		n = &o.Allowed
	}
	if *n++; *n <= maxShown {
		o.Seeds = append(o.Seeds, Seed{URL: u.String(), Allowed: v.Allowed, Why: say.Because(v)})
	}
}

// closed says why nothing of the origin can be fetched now; it is empty when something can. waits says that more than the seeds is
// wanted.
func (o *Origin) closed(waits bool) string {
	switch {
	case o.resting:
		return "" // it will be asked
	case o.Outcome == "":
		return o.Detail
	case o.Outcome == robots.Unreachable && !o.rules.Test("/").Allowed:
		return fmt.Sprintf("robots.txt cannot be fetched (%s), so everything counts as disallowed until %s", o.Detail,
			say.Clock(o.NextTry))
	case o.Allowed == 0 && o.Disallowed > 0 && !waits:
		return "robots.txt allows none of the seeds"
	}
	return ""
}

// known reports whether the rules of the host are known.
func (h *Host) known() bool {
	return slices.ContainsFunc(h.Origins, func(o *Origin) bool { return o.Outcome != "" })
}

// finish works out what the host can give within a budget. Of a job that goes on the pages are those that wait.
func (h *Host) finish(b Budget, goesOn bool, now time.Time) {
	for _, o := range h.Origins {
		if h.Refuses = o.closed(h.Waiting > 0); h.Refuses == "" {
			break // one open origin is enough
		}
	}
	h.Pages = h.wanted(b, goesOn)
	l := newLoad(h, now)
	h.PagesPerHour = math.Floor(time.Hour.Seconds() / l.pace)
	if h.Pages > 0 {
		h.Seconds = l.time(l.wanted)
	}
	if limit := time.Duration(b.MaxTime).Seconds(); limit > 0 && h.Refuses == "" {
		h.Fit = int64(l.pages(limit))
		h.Slow = h.Pages != Unlimited && h.Fit < h.Pages
	}
}

// wanted returns how many pages of the host are to be fetched.
func (h *Host) wanted(b Budget, goesOn bool) int64 {
	pages := int64(Unlimited)
	switch {
	case h.Refuses != "":
		return 0
	case goesOn:
		pages = h.Waiting
	case h.listed() > 0:
		pages = h.listed()
	case b.Depth == 0:
		pages = 0
		for _, o := range h.Origins {
			pages += int64(o.Allowed)
		}
	}
	if most := max(b.MaxPagesPerHost-h.Done, 0); b.MaxPagesPerHost > 0 && (pages == Unlimited || pages > most) {
		pages = most
	}
	return pages
}

// listed returns how many URLs the sitemaps of the host name; its seeds may be among them.
func (h *Host) listed() (n int64) {
	for _, o := range h.Origins {
		n += o.Listed.URLs
	}
	return n
}

// SetAddress notes the address that answered.
func (h *Host) SetAddress(a netip.AddrPort) {
	if a.IsValid() {
		h.Address = a.Addr().String()
	}
}
