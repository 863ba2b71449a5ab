package progress

import (
	"fmt"
	"io"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A Seed says what became of a seed of a job that has no page.
type Seed struct {
	URL    string `json:"url"`
	State  string `json:"state"`            // of the last URL that it redirects to, as in explain
	Code   int    `json:"code,omitempty"`   // HTTP status of the answer
	Target string `json:"target,omitempty"` // where it redirects
	Gate   string `json:"gate,omitempty"`   // that refused the seed, or its target
	Reason string `json:"reason,omitempty"` // why it was refused, or failed, or its site is left alone
	Text   string `json:"text"`             // the same in words
	Hint   string `json:"hint,omitempty"`   // what would help
	Later  bool   `json:"later,omitempty"`  // its site asked to come back later, so that it is not lost
}

// shownSeeds is how many seeds a summary names.
const shownSeeds = 20

// PrintSeeds writes what became of the seeds, when none has given a page.
func (r *Report) PrintSeeds(w io.Writer) {
	if len(r.Seeds) == 0 {
		return
	}
	fmt.Fprintln(w, "cybermapper: no seed gave a page")
	for _, s := range r.Seeds[:min(len(r.Seeds), shownSeeds)] {
		fmt.Fprintf(w, "  %s\n    %s\n", s.URL, say.Printable(s.Text))
		if s.Hint != "" {
			fmt.Fprintf(w, "    try: %s\n", say.Printable(s.Hint))
		}
	}
	if more := r.SeedsN - min(len(r.Seeds), shownSeeds); more > 0 {
		fmt.Fprintf(w, "  and %s more, see %s\n", say.Count(more), job.ReportFile)
	}
}
