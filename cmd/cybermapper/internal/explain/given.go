package explain

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A Given is one submission of a URL.
type Given struct {
	Time   time.Time `json:"time"`
	Result string    `json:"result"` // "queued", "known" or "refused"
	Gate   string    `json:"gate,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Note   string    `json:"note,omitempty"`
	Via    string    `json:"via,omitempty"` // the seed whose redirect made it a seed, instead of somebody who submitted it
}

// provenance says where a URL is from that an operator gave.
func (e *Explanation) provenance(v *job.View, h *history, u frontier.URL) error {
	for _, r := range h.given {
		e.Given = append(e.Given, Given{Time: r.Time, Result: r.Outcome, Gate: r.Gate, Reason: r.Reason, Note: r.Why, Via: r.Via})
	}
	if e.Found == nil || e.Found.Via != "" {
		return nil
	}
	e.Found.submitted = len(h.given) > 0
	for s, err := range job.EachSeed(v.Dir) {
		if err != nil {
			return err
		}
		if s.URL == u {
			e.Found.seed, e.Found.Note, e.Found.submitted, e.Found.unbidden = true, s.Note, false, false
		}
	}
	return nil
}

// printGiven says when the URL was submitted, and what became of that.
func (e *Explanation) printGiven(row rowFunc) {
	label := "submitted"
	for _, g := range e.Given {
		if g.Via != "" {
			row("seed", "since %s, because the seed %s redirects here", say.Clock(g.Time), g.Via)
			continue
		}
		text := fmt.Sprintf("%s: %s", say.Clock(g.Time), g.Result)
		if g.Reason != "" {
			text += ": " + reasonText(crawler.Reason(g.Reason))
		}
		if g.Note != "" {
			text += "; " + g.Note
		}
		row(label, "%s", text)
		label = ""
	}
}
