package progress

import (
	"fmt"
	"io"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
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

func printTwins(w io.Writer, r *Report) {
	label := "twins"
	for _, t := range r.Twins[:min(len(r.Twins), shownTwins)] {
		fmt.Fprintf(w, "%-10s %s and %s look like one site: %s at both; to visit one only: %s\n", label, t.Origin, t.Of,
			say.Plural(t.Pages, "page"), t.Setting)
		label = ""
	}
	if more := len(r.Twins) - shownTwins; more > 0 {
		fmt.Fprintf(w, "%-10s and %s more, see the report\n", "", say.Count(more))
	}
}
