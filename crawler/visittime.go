package crawler

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// This file holds what a robots.txt wishes beyond Allow and Disallow: when to come, and how little of a slow site to ask for.
// (Clean-param, which says what counts as the same, is in trap.go.) All of it is asked after the verdict on the URL itself,
// and none of it can make a page allowed.

// closed returns a restError when the rules welcome no visit now.
func closed(rules *robots.Rules) error {
	now := time.Now()
	if at, w := rules.Opens(now); at.After(now) {
		return &restError{until: at, reason: ReasonVisitTime, detail: fmt.Sprintf("robots.txt line %d: %s (UTC)", w.Line, w.Text)}
	}
	return nil
}

// stillOpen asks again when a permit has been waited for: the window may have closed meanwhile. robots.txt may be asked for
// at any time.
func (h *host) stillOpen(r Request) error {
	if r.Purpose == ForRobots {
		return nil
	}
	answer, _ := h.met(r.URL.Origin())
	return closed(answer.Rules)
}

// tooSlow refuses what is linked on a site that asks for very long pauses: at that pace only the seeds are worth its while. An
// override of the delay is about one's own host, and lifts this too.
func (h *host) tooSlow(l frontier.Link, rules *robots.Rules) (Refusal, bool) {
	if rules == nil {
		return Refusal{}, false // of another site, whose turn will tell
	}
	asked, line := rules.Delay()
	most := h.config.Politeness.LongDelay
	if most == 0 || asked <= most || l.Depth == 0 || h.config.Hosts[h.site].Delay != 0 {
		return Refusal{}, false
	}
	return Refusal{
		Gate: GateLimit, Reason: ReasonLongDelay, Verdict: robots.Verdict{Line: line},
		Rule: fmt.Sprintf("asks for %s between two requests; above %s only seeds are visited", asked, most),
	}, true
}
