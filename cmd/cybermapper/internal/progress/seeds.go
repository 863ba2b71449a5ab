package progress

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// A Seed says what became of a seed of a job that has no page.
type Seed struct {
	URL    string `json:"url"`
	State  string `json:"state"`            // of the last URL that it redirects to, as in explain
	Code   int    `json:"code,omitempty"`   // HTTP status of the answer
	Target string `json:"target,omitempty"` // where it redirects
	Gate   string `json:"gate,omitempty"`   // that refused the seed, or its target
	Reason string `json:"reason,omitempty"` // why it was refused, or failed, or its site is left alone
	Detail string `json:"detail,omitempty"` // the rule or error behind the reason
	Text   string `json:"text"`             // the same in words
	Hint   string `json:"hint,omitempty"`   // what would help
	Later  bool   `json:"later,omitempty"`  // its site asked to come back later, so that it is not lost
}

// shownSeeds is how many seeds a summary names.
const shownSeeds = 20

// PrintSeeds writes what became of the seeds when none has given a page, and of some of those that gave none when others have.
func (r *Report) PrintSeeds(w io.Writer, in translate.Language) {
	switch {
	case len(r.Seeds) > 0:
		fmt.Fprintln(w, "cybermapper: "+in.Say("no seed gave a page"))
		printFates(w, in, r.Seeds, r.SeedsN)
	case len(r.FailedSeeds) > 0:
		fmt.Fprintln(w, "cybermapper: "+in.Say("seeds that gave no page: %d", r.FailedSeedsN))
		printFates(w, in, r.FailedSeeds, r.FailedSeedsN)
	}
}

// printFates writes what became of the first of n seeds.
func printFates(w io.Writer, in translate.Language, seeds []Seed, n int) {
	for _, s := range seeds[:min(len(seeds), shownSeeds)] {
		fmt.Fprintf(w, "  %s\n    %s\n", s.URL, say.Printable(s.text(in)))
		if s.Hint != "" {
			fmt.Fprintf(w, "    %s\n", in.Say("try: %s", say.Printable(s.hint(in))))
		}
	}
	if more := n - min(len(seeds), shownSeeds); more > 0 {
		fmt.Fprintf(w, "  %s\n", in.Say("and %d more, see %s", more, job.ReportFile))
	}
}

// text says in words what became of the seed.
func (s *Seed) text(in translate.Language) string {
	if in.IsEnglish() {
		return s.Text
	}
	var text string
	because := in.Text(say.Reason(crawler.Reason(s.Reason)))
	switch {
	case s.State == "":
		return in.Say("redirects again and again, at last to %s", s.Target)
	case s.State == frontier.Done.String():
		text = in.Say("answered %d %s", s.Code, http.StatusText(s.Code))
	case s.State == frontier.Failed.String():
		text = in.Say("given up: %s", because)
	case s.State == frontier.Refused.String():
		text = in.Say("refused: %s", because)
	case s.State == frontier.Retrying.String():
		text = in.Say("to be tried again: %s", because)
	case s.Reason == "":
		text = in.Say("not asked for yet")
	default:
		text = in.Say("not asked for: %s", because)
	}
	if s.Detail != "" {
		text += " (" + s.Detail + ")"
	}
	if s.Target != "" {
		text = in.Say("redirects to %s: %s", s.Target, text)
	}
	return text
}

// hint says what would help.
func (s *Seed) hint(in translate.Language) string {
	switch {
	case in.IsEnglish():
		return s.Hint
	case s.State == frontier.Failed.String():
		return in.Say("look at it with: %s", strings.TrimPrefix(s.Hint, "look at it with: "))
	case s.Reason == string(crawler.ReasonOutOfScope) && s.Target != "":
		return in.Say("give %s as a seed, or --scope any", s.Target)
	}
	return in.Text(s.Hint)
}
