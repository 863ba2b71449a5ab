package crawler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Pace is the arithmetic of the pause between two requests to a site.
type Pace struct {
	Floor      time.Duration // Politeness.Delay
	Factored   time.Duration // Politeness.Factor times the response, at most MaxDelay
	CrawlDelay time.Duration // what robots.txt asks for; zero when it does not
	Line       int           // of robots.txt with CrawlDelay
	Gap        time.Duration // the largest of these, or what an Override says
	Why        string        // which it is: "floor", "response-time", "crawl-delay" or "override"
	Jitter     time.Duration // the most that is added to Gap at random
	Held       time.Duration // how long a page keeps a worker busy
}

// Pace returns the pause owed to a site after a request that took response: the largest of the operator's floor, a multiple
// of the response time, and the site's own wish, plus jitter. Only an override that names the host replaces it. Nil rules
// wish for nothing.
func (c *Crawler) Pace(site string, response time.Duration, rules *robots.Rules) Pace {
	p := &c.config.Politeness
	pace := Pace{Floor: p.Delay, Factored: p.factored(response), Held: response}
	if rules != nil {
		pace.CrawlDelay, pace.Line = rules.Delay()
	}
	pace.Gap, pace.Why = pace.Floor, "floor"
	if pace.Factored > pace.Gap {
		pace.Gap, pace.Why = pace.Factored, "response-time"
	}
	if pace.CrawlDelay > pace.Gap {
		pace.Gap, pace.Why = pace.CrawlDelay, "crawl-delay"
	}
	pace.Jitter = time.Duration(p.Jitter * float64(pace.Gap))
	if o := c.config.Hosts[site]; o.Delay != 0 {
		pace.Gap, pace.Why, pace.Jitter = max(o.Delay, 0), "override", 0
	}
	if pace.Gap <= holdGap {
		pace.Held += pace.Gap
	}
	return pace
}

// factored returns the pause that a response of this length asks for.
func (p *Politeness) factored(response time.Duration) time.Duration {
	d := time.Duration(min(p.Factor*float64(response), math.MaxInt64/2))
	if p.MaxDelay == 0 {
		return d
	}
	return min(d, max(p.MaxDelay, p.Delay))
}

// gap returns a pause with its random part, and which rule asked for it.
func (c *Crawler) gap(site string, response time.Duration, rules *robots.Rules) (time.Duration, string) {
	p := c.Pace(site, response, rules)
	return p.Gap + time.Duration(rand.Float64()*float64(p.Jitter)), p.Why
}

// rest returns how long a host is left alone after failures in a row.
func (p *Politeness) rest(failures int) time.Duration {
	d := p.Rest
	for i := 1; i < failures && d < p.MaxRest; i++ {
		d *= 2
	}
	return min(d, p.MaxRest)
}

// Rests returns until when a site is left alone for the answer to a request, or the lack of one, after so many failures in a row
// before; the end of the request when it is not. It is for who knows of a request only what was told of it.
func (p *Politeness) Rests(r Request, failures int) time.Time {
	answer := &fetch.Response{Status: r.Status, Header: http.Header{"Retry-After": {r.RetryAfter}}, End: r.End}
	asked := time.Duration(0)
	switch {
	case r.Status != 0 && asksForRest(answer):
		asked = min(robots.RetryAfter(answer.Header, r.End), p.MaxRetryAfter)
	case r.Status == 0 && (r.Failure == ReasonDNS || r.Failure == ReasonRefused || r.Failure == ReasonTLS):
	default:
		return r.End
	}
	return r.End.Add(max(asked, p.rest(failures+1)))
}

// tooSlow turns away what is linked on a site that asks for very long pauses: at that pace only the seeds are worth its while. An
// override of the delay is about one's own host, and lifts this too.
func (c *Crawler) tooSlow(site string, l frontier.Link, rules *robots.Rules) (Refusal, bool) {
	if rules == nil {
		return Refusal{}, false // of another site, whose turn will tell
	}
	asked, line := rules.Delay()
	most := c.config.Politeness.LongDelay
	if most == 0 || asked <= most || l.Depth == 0 || c.config.Hosts[site].Delay != 0 {
		return Refusal{}, false
	}
	return Refusal{
		Gate: GateLimit, Reason: ReasonLongDelay, Verdict: robots.Verdict{Line: line},
		Rule: fmt.Sprintf("asks for %s between two requests; above %s only seeds are visited", asked, most),
	}, true
}
