package explain

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/versions"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// A Ruling is what robots.txt said of a URL for a while.
type Ruling struct {
	From    time.Time `json:"from"` // the version that says so was first seen
	To      time.Time `json:"to"`   // and last
	Allowed bool      `json:"allowed"`
	Line    int       `json:"line,omitempty"`
	Rule    string    `json:"rule,omitempty"`
	Reason  string    `json:"reason,omitempty"` // when no line decided
	File    string    `json:"file,omitempty"`   // in the job directory
}

// rulings fills in what robots.txt said over time, if it has not always said the same.
func (e *Explanation) rulings(v *job.View, u frontier.URL) error {
	history, err := versions.Read(v, u.Site())
	if err != nil {
		return err
	}
	said, err := history.Verdicts(u.Origin(), u.PathQuery())
	if errors.Is(err, fs.ErrNotExist) {
		e.Notes = append(e.Notes, "an earlier robots.txt is not stored, or was changed, so what it said cannot be shown")
		return nil
	}
	if err != nil || len(said) < 2 {
		return err
	}
	for _, s := range said {
		r := Ruling{From: s.First, To: s.Last, Allowed: s.Verdict.Allowed, Line: s.Verdict.Line, Rule: s.Verdict.Rule, File: s.File}
		if r.Line == 0 {
			r.Reason = say.Because(robots.Verdict{Reason: s.Verdict.Reason})
		}
		e.Rules = append(e.Rules, r)
	}
	return nil
}

// printRulings says when the rules allowed the URL and when not.
func (e *Explanation) printRulings(row rowFunc) {
	label := "rules"
	for i, r := range e.Rules {
		when := fmt.Sprintf("%s to %s", say.Clock(r.From), say.Clock(r.To))
		if i == len(e.Rules)-1 {
			when = "since " + say.Clock(r.From)
		}
		row(label, "%s: %s", when, r)
		label = ""
	}
}

// String says what robots.txt decides, and by which line.
func (r Ruling) String() string {
	text := "forbidden"
	if r.Allowed {
		text = "allowed"
	}
	if r.Line > 0 {
		text += fmt.Sprintf(": robots.txt line %d: %s", r.Line, r.Rule)
	} else {
		text += ": " + r.Reason
	}
	if r.File != "" {
		text += " (" + shortDigest(r.File) + ")"
	}
	return text
}
