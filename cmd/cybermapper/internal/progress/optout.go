package progress

import (
	"io"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
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
func printOptOut(w io.Writer, r *Report, in translate.Language) {
	o := r.OptOut
	if o == nil {
		return
	}
	from := in.Say("kept from earlier runs")
	if o.File != "" {
		from = in.Say("from %s", o.File)
	}
	printRow(w, in.Say("left alone"), in.Say("%s %s, since %s; %s refused in this run", in.Say("%d opt-outs", o.Entries),
		say.Printable(from), say.Clock(o.Since), in.Say("%d URLs", r.Run.Reasons[crawler.ReasonOptedOut])))
	for line := range strings.Lines(o.Problem) {
		printRow(w, "", in.Say("the file has a mistake, so nothing is lifted: %s", say.Printable(strings.TrimSpace(line))))
	}
}
