package auditpage

import (
	_ "embed"
	"fmt"
	"strconv"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

//go:embed burden.html.tmpl
var burdenContent string

// number writes a number with three digits that count.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// Told reports whether the log, or what was measured besides, tells whether anything was a problem.
func (v view) Told() bool { return v.HasTimes || v.HasLoad || v.ErrorLog != nil }

// Burdened are the robots of which it was asked whether they were a problem.
func (v view) Burdened() []robot {
	var list []robot
	for _, r := range v.Robots {
		if r.Burden != nil {
			list = append(list, robot{r, v.Report})
		}
	}
	return list
}

// A state is how the site was, and whether the table has columns for its load and its error log.
type state struct {
	strain.State
	ShowLoad, ShowErrors bool
}

// Busy is how the site was in the busiest minutes of a robot.
func (r robot) Busy() state { return state{r.Burden.Busy, r.report.HasLoad, r.report.ErrorLog != nil} }

// Rest is how it was otherwise.
func (r robot) Rest() state { return state{r.Burden.Rest, r.report.HasLoad, r.report.ErrorLog != nil} }

// BearingPlot shows how fast the site answered at which rate.
func (v view) BearingPlot() htmlreport.Plot {
	p := htmlreport.Plot{Title: "Response times by rate", Name: "mean response time (ms)", Values: []float64{}}
	minutes := int64(0)
	for _, c := range v.Bearing.Classes {
		p.Labels = append(p.Labels, c.String()+"/s")
		p.Values = append(p.Values, 1000*c.Mean)
		minutes += c.Minutes
	}
	p.Summary = fmt.Sprintf("%s, by the rate of requests in them.", say.Plural(minutes, "minute"))
	return p
}
