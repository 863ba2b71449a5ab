package auditpage

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

//go:embed page.html.tmpl
var content string

//go:embed owners.html.tmpl
var owners string

// MaxPlotted is how many robots get plots.
const MaxPlotted = 8

// Write writes the report as one HTML file.
func Write(w io.Writer, r *audit.Report) error {
	t, err := htmlreport.New(content+owners+burdenContent, template.FuncMap{
		"seconds": say.Seconds,
		"whole":   func(n int) int64 { return int64(n) },
		"number":  number,
		"faults": func(list []audit.Fault, code string) (n int64) {
			for _, f := range list {
				if string(f.Code) == code {
					n += f.Count
				}
			}
			return n
		},
		"part": func(s float64) string { return fmt.Sprintf("%.1f %%", 100*s) },
	})
	if err != nil {
		return err
	}
	return t.Execute(w, "Visitors: "+r.From.Format(time.DateOnly)+" to "+r.To.Format(time.DateOnly), view{r})
}

// A view is what the template shows: the report, and what only people need.
type view struct{ *audit.Report }

// Plotted are the robots that get plots.
func (v view) Plotted() []robot {
	var list []robot
	for _, r := range v.Robots[:min(len(v.Robots), MaxPlotted)] {
		list = append(list, robot{r, v.Report})
	}
	return list
}

// Rest is how many robots get none.
func (v view) Rest() int { return len(v.Robots) - len(v.Plotted()) }

// MaxStandings is how many visitors have a row in the verdict; the others cost less and broke nothing.
const MaxStandings = 20

// TopStandings are the rows of the verdict.
func (v view) TopStandings() []audit.Standing {
	return v.Standings[:min(len(v.Standings), MaxStandings)]
}

// MoreStandings is how many visitors have no row there.
func (v view) MoreStandings() int { return len(v.Standings) - len(v.TopStandings()) }

// maxSuggestions is how many suggestions are in sight.
const maxSuggestions = 8

// TopSuggestions are those in sight.
func (v view) TopSuggestions() []audit.Suggestion {
	return v.Suggestions[:min(len(v.Suggestions), maxSuggestions)]
}

// MoreSuggestions are the others.
func (v view) MoreSuggestions() []audit.Suggestion { return v.Suggestions[len(v.TopSuggestions()):] }

// maxReferrals is how many operators are set against what they took.
const maxReferrals = 6

// TopReferrals are those who sent most people, then those who took most.
func (v view) TopReferrals() []audit.Referral {
	return v.Referrals[:min(len(v.Referrals), maxReferrals)]
}

// Breakers is how many robots broke a rule.
func (v view) Breakers() int {
	n, _ := v.Broken()
	return n
}

// BrokenKinds is how often each kind of rule was broken.
func (v view) BrokenKinds() []audit.Fault {
	_, kinds := v.Broken()
	return kinds
}

// Kept is how many robots broke no rule.
func (v view) Kept() (n int) {
	for _, r := range v.Robots {
		if len(r.Faults) == 0 {
			n++
		}
	}
	return n
}

// Owned are all robots, those that act for a person last.
func (v view) Owned() []audit.Robot { return slices.Concat(v.Robots, v.UserTriggered) }

// Strayed is the evidence about clients that do not say that they are robots.
func (v view) Strayed() (list []audit.Evidence) {
	for _, c := range v.Unusual {
		list = append(list, c.Evidence...)
	}
	return list
}

// AllPlot shows the requests of all visitors over time.
func (v view) AllPlot() htmlreport.Plot {
	return overTime("Requests of all visitors", v.Report, v.Series)
}

// overTime plots a series.
func overTime(title string, r *audit.Report, series []int32) htmlreport.Plot {
	p := htmlreport.Plot{Title: title, Name: "requests/s", Start: r.Start, Seconds: r.Seconds, Values: []float64{}}
	most, sum := int32(0), int64(0)
	for i := range r.Series {
		n := int32(0)
		if i < len(series) {
			n = series[i]
		}
		most, sum = max(most, n), sum+int64(n)
		p.Values = append(p.Values, float64(n)/r.Seconds)
	}
	p.Summary = fmt.Sprintf("%s in %s of %s; at most %s in one of them.", say.Plural(sum, "request"),
		say.Plural(len(r.Series), "interval"), say.Seconds(r.Seconds), say.Count(int64(most)))
	return p
}

// A robot is one that gets plots.
type robot struct {
	audit.Robot
	report *audit.Report
}

// Name names the robot and its host.
func (r robot) Name() string {
	if r.Host == "" {
		return r.Token
	}
	return r.Token + " at " + r.Host
}

// TimePlot shows its requests over time.
func (r robot) TimePlot() htmlreport.Plot {
	return overTime("Requests of "+r.Name(), r.report, r.Series)
}

// GapPlot shows how its pauses are spread.
func (r robot) GapPlot() htmlreport.Plot {
	p := htmlreport.Plot{Title: "Pauses of " + r.Name(), Name: "pauses", Values: []float64{}}
	from, all := "0s", int64(0)
	for _, g := range r.Pace.Gaps {
		label := "over " + from
		if g.UpTo > 0 {
			to := say.Seconds(g.UpTo)
			label, from = "≤ "+to, to
		}
		p.Labels, p.Values = append(p.Labels, label), append(p.Values, float64(g.Count))
		all += g.Count
	}
	p.Summary = fmt.Sprintf("%s between its requests for pages, the shortest %s.", say.Plural(all, "pause"),
		say.Seconds(r.Pace.ShortestGap))
	if r.Pace.Asked > 0 {
		p.Summary += fmt.Sprintf(" robots.txt asks for %s: %s were too short.",
			say.Seconds(r.Pace.Asked), say.Count(r.Pace.Broken))
	}
	return p
}

// A Day is a row of a heat map.
type Day struct {
	Name  string
	Y     int
	Hours [24]Hour
}

// An Hour is a square of a heat map.
type Hour struct {
	X       int
	Opacity string // of the square, as its share of the busiest one
	Count   int64
}

// Days are the rows of the heat map, from Monday on.
func (r robot) Days() []Day {
	most := int64(1)
	for _, hours := range r.Hours {
		for _, n := range hours {
			most = max(most, n)
		}
	}
	var days []Day
	for i := range 7 {
		weekday := time.Weekday((i + 1) % 7)
		d := Day{Name: weekday.String()[:3], Y: 20 * i}
		for h, n := range r.Hours[weekday] {
			d.Hours[h] = Hour{X: 40 + 20*h, Count: n,
				Opacity: strconv.FormatFloat(0.06+0.94*float64(n)/float64(most), 'f', 2, 64)}
		}
		days = append(days, d)
	}
	return days
}
