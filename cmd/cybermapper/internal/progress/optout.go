package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
)

// OptOut tells who is left alone because somebody asked the operator to.
type OptOut struct {
	File    string    `json:"file,omitempty"` // of the operator; empty when what holds is from an earlier run
	Entries int       `json:"entries"`
	Since   time.Time `json:"since"`             // when this came to hold
	Problem string    `json:"problem,omitempty"` // what is wrong with the file; nothing is lifted meanwhile
}

// printOptOut writes how the list stands, and how often it has refused something in this run.
func printOptOut(w io.Writer, r *Report) {
	o := r.OptOut
	if o == nil {
		return
	}
	from := "kept from earlier runs"
	if o.File != "" {
		from = "from " + o.File
	}
	fmt.Fprintf(w, "%-10s %s %s, since %s; %s refused in this run\n", "left alone", say.Plural(o.Entries, "opt-out"),
		say.Printable(from), say.Clock(o.Since), say.Plural(r.Run.Reasons[crawler.ReasonOptedOut], "URL"))
	for line := range strings.Lines(o.Problem) {
		fmt.Fprintf(w, "%-10s the file has a mistake, so nothing is lifted: %s\n", "", say.Printable(strings.TrimSpace(line)))
	}
}
