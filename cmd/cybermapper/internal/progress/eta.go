package progress

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// An ETA says how long a crawl still takes until its queue is empty or a limit ends it, and what makes it so long. It makes
// nothing up: when that cannot be known Seconds is 0 and Why says the reason.
type ETA struct {
	Seconds float64 `json:"eta_seconds,omitempty"`
	AtLeast bool    `json:"eta_at_least,omitempty"` // links are still being found
	Why     string  `json:"eta_why,omitempty"`
	Site    string  `json:"eta_site,omitempty"` // that decides, if one does
}

// text says it in words: in other languages than English, without the figures that it was worked out from.
func (e ETA) text(in translate.Language) string {
	why := e.Why
	if e.Site != "" && !in.IsEnglish() {
		why = e.Site
	}
	switch {
	case e.Why == "":
		return in.Say("none")
	case e.Seconds == 0:
		return in.Say("unknown: %s", in.Text(why))
	}
	text := config.Duration(e.rounded()).String() + " (" + in.Text(why) + ")"
	if e.AtLeast {
		return in.Say("at least %s", text)
	}
	return text
}

// rounded leaves out what nobody can foretell.
func (e ETA) rounded() time.Duration {
	d := seconds(e.Seconds)
	if d > time.Hour {
		return d.Round(time.Minute)
	}
	return max(d.Round(time.Second), time.Second)
}

// A backlog is what waits in a queue at one moment, as far as it decides how long that takes.
type backlog struct {
	urls    int64
	slowest slowSite
}

// A slowSite is the site whose queue takes longest.
type slowSite struct {
	site   string
	urls   int64
	pace   time.Duration // a page
	opens  time.Time     // its next request may leave
	reason string        // why not before
	closed float64       // part of its URLs that robots.txt closes, as of what left all queues of late
}

// end returns when its queue is empty.
func (s *slowSite) end() time.Time {
	return s.opens.Add(time.Duration(min(float64(s.urls)*(1-s.closed)*float64(s.pace), math.MaxInt64/2)))
}

// UsualPace returns the pace of a site that nothing has been measured of: the pause that the engine remembers, or that it owes
// to a site it has not visited, shared by the requests in flight.
func UsualPace(c *crawler.Config) func(frontier.SiteInfo) time.Duration {
	return func(s frontier.SiteInfo) time.Duration {
		pace := cmp.Or(s.Policy.Delay, max(c.Politeness.Delay, 0))
		if o := c.Hosts[s.Site]; o.Delay != 0 {
			pace = max(o.Delay, 0)
		}
		return pace / time.Duration(max(s.Policy.Connections, 1))
	}
}

// readBacklog looks through all sites.
func readBacklog(sites iter.Seq2[frontier.SiteInfo, error], pace func(frontier.SiteInfo) time.Duration,
	now time.Time) (b backlog, err error) {
	for s, err := range sites {
		if err != nil {
			return b, fmt.Errorf("list sites: %w", err)
		}
		n := s.Queued + s.Retrying
		if n == 0 {
			continue
		}
		b.urls += n
		slow := slowSite{site: s.Site, urls: n, pace: pace(s), opens: now}
		if s.Due.After(now) {
			slow.opens, slow.reason = s.Due, waitReason(s, now)
		}
		if slow.end().After(b.slowest.end()) {
			b.slowest = slow
		}
	}
	return b, nil
}

// why names the site and its pace.
func (s slowSite) why(now time.Time) string {
	queue := fmt.Sprintf("%s%s at %s a page", say.Plural(s.urls, "URL"), s.asideClosed(), say.Span(s.pace))
	if wait := s.opens.Sub(now); wait > UsualPause {
		return fmt.Sprintf("%s rests for %s (%s), then %s", s.site, config.Duration(wait.Round(time.Second)), s.reason, queue)
	}
	return s.site + ": " + queue
}

// asideClosed says which part of the URLs takes no time.
func (s slowSite) asideClosed() string {
	if percent := int(100 * s.closed); percent > 0 {
		return fmt.Sprintf(", %d %% of them closed by robots.txt,", percent)
	}
	return ""
}

// Left says how long it takes, once a crawl goes on, until the queue f is empty: at least, for nobody knows which links are still
// to be found.
func Left(ctx context.Context, f frontier.Frontier, pace func(frontier.SiteInfo) time.Duration, now time.Time) (ETA, error) {
	b, err := readBacklog(f.Sites(ctx), pace, now)
	if err != nil || b.urls == 0 {
		return ETA{}, err
	}
	s := b.slowest
	return ETA{Seconds: max(s.end().Sub(now).Seconds(), 1), AtLeast: true, Why: s.why(now), Site: s.site}, nil
}

// eta says how long the run still takes. The queue is empty when its slowest site is, and not before all of it was fetched at
// the rate of late; a limit may end the run first.
func (m *Monitor) eta(r *Report, elapsed time.Duration, now time.Time) ETA {
	e := m.untilEmpty(r, now)
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	if l := m.Limits.Pages; l > 0 && last.pages > first.pages {
		rate := float64(last.pages-first.pages) / last.at.Sub(first.at).Seconds()
		left := max(float64(l-r.Total.Pages)/rate, 1)
		if e.Seconds == 0 || e.Seconds > left {
			e = ETA{Seconds: left, Why: fmt.Sprintf("max-pages at %.1f pages/s", rate)}
		}
	}
	if l := m.Limits.Time; l > 0 {
		left := max((l - elapsed).Seconds(), 1)
		if e.Seconds == 0 || e.Seconds > left {
			e = ETA{Seconds: left, Why: "max-time"}
		}
	}
	return e
}

// untilEmpty says how long it takes until the queue is empty.
func (m *Monitor) untilEmpty(r *Report, now time.Time) ETA {
	waiting := r.Total.Queued + r.Total.Retrying
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	e := ETA{AtLeast: last.newly != first.newly || last.at.Sub(first.at) < rateWindow/2}
	if waiting == 0 {
		return ETA{Why: translate.Key("the queue is empty, and the last pages may bring links")}
	}
	closed := last.closed - first.closed
	left := last.visits() - first.visits() + closed // the queue, of late
	slowest := m.slowest()
	if left > 0 {
		slowest.closed = float64(closed) / float64(left)
		e.Seconds = max(float64(waiting)/float64(left)*last.at.Sub(first.at).Seconds(), 1)
		e.Why = fmt.Sprintf("%s%s at %.1f pages/s", say.Plural(waiting, "URL"), slowest.asideClosed(), r.Rate)
	}
	if left < fewPages || slowest.end().Sub(now).Seconds() > nearly*e.Seconds {
		e = e.bySite(slowest, now)
	}
	if e.Seconds == 0 {
		return ETA{Why: translate.Key("no page was fetched recently")}
	}
	return e
}

// A rate is measured by what came within its window. When that is few pages, or says about the same, the slowest site is the
// better witness.
const (
	fewPages = 20
	nearly   = 0.75
)

// bySite is e by the queue of the slowest site, if one is known that takes any time.
func (e ETA) bySite(s slowSite, now time.Time) ETA {
	if left := s.end().Sub(now).Seconds(); left > 0 {
		e.Seconds, e.Why, e.Site = max(left, 1), s.why(now), s.site
	}
	return e
}

// slowest returns the site whose queue takes longest, as of the last look.
func (m *Monitor) slowest() slowSite {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.backlog.slowest
}

// A look through all sites is taken every lookEvery, and less often when it takes long.
const (
	lookEvery = 5 * time.Second
	lookShare = 20 // part of the time that looking may take
)

// look keeps the backlog up to date until ctx ends.
func (m *Monitor) look(ctx context.Context) {
	for m.Sites != nil {
		begin := time.Now()
		b, err := readBacklog(m.Sites(ctx), m.pace, begin)
		if err != nil {
			return // ctx has ended, or the frontier is closed
		}
		m.mu.Lock()
		m.backlog = b
		m.mu.Unlock()
		wait := time.NewTimer(max(lookEvery, lookShare*time.Since(begin)))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return
		}
	}
}
