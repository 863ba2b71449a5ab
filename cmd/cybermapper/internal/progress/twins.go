package progress

import (
	"io"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// A Twin is an origin that looks like one site with another: with and without www, by http and https.
type Twin struct {
	Origin  string `json:"origin"`
	Of      string `json:"of"`      // that is kept
	Pages   int64  `json:"pages"`   // that are at both
	Sample  string `json:"sample"`  // one of them
	Setting string `json:"setting"` // by which Origin is left out
}

// shownTwins is how many twins a summary names.
const shownTwins = 3

func printTwins(w io.Writer, r *Report, in translate.Language) {
	label := in.Say("twins")
	for _, t := range r.Twins[:min(len(r.Twins), shownTwins)] {
		printRow(w, label, in.Say("%s and %s look like one site: %s at both; to visit one only: %s", t.Origin, t.Of,
			in.Say("%d pages", t.Pages), t.Setting))
		label = ""
	}
	if more := len(r.Twins) - shownTwins; more > 0 {
		printRow(w, "", in.Say("and %d more, see %s", more, job.ReportFile))
	}
}
