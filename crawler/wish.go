package crawler

import (
	"context"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// This file holds what a robots.txt wishes beyond Allow and Disallow: when to come, and how little of a slow site to ask for.
// (Clean-param, which says what counts as the same, is in trap.go.) All of it is asked after the verdict on the URL itself,
// and none of it can make a page allowed.

// heedWishes asks what stands against a page that the rules allow, and for the TDM file that the page comes under. When it is
// not ready the entry was refused, or waits because a request was made just now.
func (h *host) heedWishes(ctx, work context.Context, e frontier.Entry, rules *robots.Rules, v robots.Verdict) (tdm *preference.TDMFile, ready bool, err error) {
	if err := closed(rules); err != nil {
		return nil, false, err
	}
	if e.Kind == kindPage {
		tdm, err = h.tdmFile(ctx, work, e.URL, rules)
	}
	if err != nil {
		return nil, false, h.failed(work, e, err)
	}
	if h.over() {
		return nil, false, nil
	}
	r, refused := h.tooSlow(e.Link, rules)
	if !refused {
		r, refused = h.trapped(e, rules)
	}
	if !refused {
		return tdm, true, nil
	}
	if r.Verdict.Line > 0 {
		r.Verdict.Digest = v.Digest
	}
	return nil, false, h.refuse(work, e, r)
}

// A closedError says that the site is not to be visited at this time of day.
type closedError struct {
	opens  time.Time
	window robots.Window
}

func (e *closedError) Error() string {
	return fmt.Sprintf("robots.txt line %d: %s (UTC)", e.window.Line, e.window.Text)
}

// closed returns a closedError when the rules welcome no visit now.
func closed(rules *robots.Rules) error {
	now := time.Now()
	if at, w := rules.Opens(now); at.After(now) {
		return &closedError{opens: at, window: w}
	}
	return nil
}

// stillOpen asks again when a permit has been waited for: the window may have closed meanwhile. robots.txt may be asked for
// at any time.
func (h *host) stillOpen(r Request) error {
	if r.Purpose == ForRobots {
		return nil
	}
	return closed(h.knownRules(r.URL).Rules)
}

// knownRules returns the rules of an origin as this lease has met them.
func (h *host) knownRules(u frontier.URL) robots.Answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.answers[u.Origin()]
}

// tooSlow refuses what is linked on a site that asks for very long pauses: at that pace only the seeds are worth its while. An
// override of the delay is about one's own host, and lifts this too.
func (h *host) tooSlow(l frontier.Link, rules *robots.Rules) (r Refusal, refused bool) {
	if rules == nil {
		return r, false // of another site, whose turn will tell
	}
	asked, line := rules.Delay()
	most := h.Politeness.LongDelay
	if most == 0 || asked <= most || l.Depth == 0 || h.Hosts[h.site].Delay != 0 {
		return r, false
	}
	return Refusal{
		Gate: GateLimit, Reason: ReasonLongDelay, Verdict: robots.Verdict{Line: line},
		Rule: fmt.Sprintf("asks for %s between two requests; above %s only seeds are visited", asked, most),
	}, true
}
