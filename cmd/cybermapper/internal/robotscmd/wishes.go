package robotscmd

import (
	"fmt"
	"io"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// A wishesView is what a robots.txt says of a URL beyond Allow and Disallow.
type wishesView struct {
	VisitTimes []string `json:"visit_times,omitempty"` // lines that say when visits are welcome
	CountsAs   string   `json:"counts_as,omitempty"`   // path and query without what Clean-param names
	CleanLine  int      `json:"clean_line,omitempty"`
	useView
}

// viewWishes asks rules about a URL. What is closed may be used for nothing, so nothing is said of that.
func viewWishes(rules *robots.Rules, u frontier.URL) (v wishesView) {
	for _, w := range rules.VisitTimes() {
		v.VisitTimes = append(v.VisitTimes, fmt.Sprintf("line %d: %s", w.Line, w.Text))
	}
	if c := rules.Clean(u.PathQuery()); c.Line > 0 {
		v.CountsAs, v.CleanLine = c.PathQuery, c.Line
	}
	if rules.Test(u.PathQuery()).Allowed {
		v.useView = viewUses(preference.Read(&preference.Capture{PathQuery: u.PathQuery(), Rules: rules}))
	}
	return v
}

// print writes what there is to say, indented.
func (v *wishesView) print(w io.Writer) {
	for _, line := range v.VisitTimes {
		fmt.Fprintf(w, "            visits are welcome: %s\n", line)
	}
	if v.CleanLine > 0 {
		fmt.Fprintf(w, "            counts as %s: line %d\n", v.CountsAs, v.CleanLine)
	}
	v.useView.print(func(label, text string) { fmt.Fprintf(w, "            %-3s %s\n", label, text) })
}
