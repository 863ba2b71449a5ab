package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Pause is the arithmetic of the pause before a request: what the site was owed since the request before, why, and
// what it got.
type Pause struct {
	LastEnd    time.Time       `json:"last_end,omitzero"` // of the request before
	Owed       config.Duration `json:"owed"`
	Kept       config.Duration `json:"kept"`
	Why        string          `json:"why,omitempty"` // the term that was the largest
	Floor      config.Duration `json:"floor"`
	Response   config.Duration `json:"response"` // time that the request before took
	Factor     float64         `json:"factor"`
	Factored   config.Duration `json:"factored"` // Factor x Response, bounded
	CrawlDelay config.Duration `json:"crawl_delay"`
	DelayLine  int             `json:"crawl_delay_line,omitempty"` // of robots.txt
	Jitter     config.Duration `json:"jitter"`                     // what is left: added at random
	Late       bool            `json:"crawl_delay_late,omitempty"` // it was not known when the pause began
	Earlier    bool            `json:"earlier_settings,omitempty"` // the terms are of other settings than were in force
}

// Reasons for a pause that are not one of its terms.
const (
	whyOverride = "override" // the engine's word for hosts
	whyRestart  = "restart"  // nobody knew when the request before had ended
)

// newArithmetic works out how the pause before an attempt came about.
func newArithmetic(v *job.View, c config.Config, a attempt) Pause {
	p := Pause{Owed: config.Duration(a.Owed), Kept: config.Duration(a.Kept), Floor: c.Politeness.Delay,
		Factor: c.Politeness.DelayFactor}
	if a.Kept > 0 {
		p.LastEnd = a.Start.Add(-time.Duration(a.Kept))
	}
	if a.before == nil {
		return p
	}
	p.Why = a.before.GapWhy
	if difference := a.Owed - a.before.Gap; difference > ledger.Millis(time.Millisecond) ||
		difference < -ledger.Millis(time.Millisecond) {
		p.Why = whyRestart
	}
	p.Response = config.Duration(a.before.End.Sub(a.before.Start))
	p.Factored = min(config.Duration(p.Factor*float64(p.Response)), max(c.Politeness.MaxDelay, p.Floor))
	p.CrawlDelay, p.DelayLine = crawlDelay(v, c, a)
	largest := max(p.Floor, p.Factored, p.CrawlDelay)
	isTerm := p.Why != whyOverride && p.Why != whyRestart
	if isTerm && p.Owed > largest {
		p.Jitter = p.Owed - largest
	}
	most := config.Duration(float64(c.Politeness.Jitter)*float64(largest)) + config.Duration(time.Millisecond)
	p.Late = isTerm && p.Owed > 0 && p.Owed >= max(p.Floor, p.Factored) && p.Owed < p.CrawlDelay
	p.Earlier = p.Jitter > most || p.Owed > 0 && p.Owed < largest && p.Why != whyOverride && !p.Late
	return p
}

// crawlDelay reads what robots.txt says about the pause before the attempt: the one that the request before it brought, or that
// permitted that one; where there is none, the one that permitted the attempt.
func crawlDelay(v *job.View, c config.Config, a attempt) (config.Duration, int) {
	url, digest := a.URL, a.RobotsDigest
	switch b := a.before; {
	case b.Purpose == string(crawler.ForRobots) && b.Digest != "":
		url, digest = b.Origin, b.Digest
	case b.RobotsDigest != "":
		url, digest = b.URL, b.RobotsDigest
	}
	u, err := frontier.ParseURL(url)
	body, berr := robots.DirBodies(v.Path(job.RobotsDir)).Get(digest)
	dialect, derr := robots.ParseDialect(c.Robots.Dialect)
	if err != nil || berr != nil || derr != nil {
		return 0, 0
	}
	d, line := robots.Parse(body, dialect).RulesFor(u.Origin(), c.Agent.Product).Delay()
	return config.Duration(d), line
}

// lines says it in words.
func (p Pause) lines() []string {
	if p.LastEnd.IsZero() {
		return []string{"the first known request to the site: no pause was owed"}
	}
	text := fmt.Sprintf("pause: %s since the request before ended; %s was owed", say.Span(time.Duration(p.Kept)),
		say.Span(time.Duration(p.Owed)))
	switch p.Why {
	case "":
		return []string{text}
	case whyOverride:
		return []string{text + ": set by hosts in the configuration"}
	case whyRestart:
		return []string{text + ": the crawl was restarted, and the pause with it"}
	}
	if p.Late {
		return []string{text + ": " + p.Why,
			fmt.Sprintf("Crawl-delay %s (robots.txt line %d) was not known yet when it began", p.CrawlDelay, p.DelayLine)}
	}
	if p.Earlier {
		return []string{text + ": " + p.Why + ", by the settings of an earlier run"}
	}
	terms := []string{
		fmt.Sprintf("floor %s", p.Floor),
		fmt.Sprintf("%g x response %s = %s", p.Factor, say.Span(time.Duration(p.Response)), say.Span(time.Duration(p.Factored))),
	}
	if p.DelayLine > 0 {
		terms = append(terms, fmt.Sprintf("Crawl-delay %s (robots.txt line %d)", p.CrawlDelay, p.DelayLine))
	}
	return []string{text, fmt.Sprintf("the largest of %s; here %s, and %s of jitter", strings.Join(terms, ", "), p.Why,
		say.Span(time.Duration(p.Jitter)))}
}

// viewAttempt turns a record into what explain shows.
func viewAttempt(a attempt, p Pause) Attempt {
	text := cmp.Or(a.ErrorText, a.Error)
	return Attempt{
		Purpose: a.Purpose, Start: a.Start, End: a.End, Address: a.Address, Proxy: a.Proxy, Status: a.Status, Bytes: a.Bytes,
		Error: text, Cut: a.Truncated, Pause: p, Tenure: a.Tenure,
	}
}
