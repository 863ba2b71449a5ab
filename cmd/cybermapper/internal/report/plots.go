package report

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// RequestsPlot, PagesPlot and BytesPlot show rates over time.
func (v view) RequestsPlot() htmlreport.Plot {
	return v.rate("Requests per second", "requests/s", func(b Bucket) int64 { return b.Requests })
}

func (v view) PagesPlot() htmlreport.Plot {
	return v.rate("Pages stored per second", "pages/s", func(b Bucket) int64 { return b.Pages })
}

func (v view) BytesPlot() htmlreport.Plot {
	return v.rate("Bytes received per second", "bytes/s", func(b Bucket) int64 { return b.Bytes })
}

// rate plots a count of each interval, divided by its width.
func (v view) rate(title, name string, count func(Bucket) int64) htmlreport.Plot {
	s := v.Series
	p := htmlreport.Plot{Title: title, Name: name, Start: s.Start, Seconds: s.Seconds, Values: []float64{}}
	best, sum := 0, 0.0
	for i, b := range s.Buckets {
		p.Values = append(p.Values, float64(count(b))/s.Seconds)
		sum += p.Values[i]
		if p.Values[i] > p.Values[best] {
			best = i
		}
	}
	p.Summary = "nothing happened yet"
	if n := len(p.Values); n > 0 {
		p.Summary = fmt.Sprintf("%s on average, at most %s, over %s of %s.", htmlreport.Short(sum/float64(n)),
			htmlreport.Short(p.Values[best]), say.Plural(n, "interval"), say.Seconds(s.Seconds))
	}
	return p
}

// TimesPlot shows how response times are spread.
func (v view) TimesPlot() htmlreport.Plot {
	r := v.Requests.Response
	return histogramPlot("Response times", v.Requests.Times,
		fmt.Sprintf("Half of the requests took at most %s, nine of ten at most %s, the longest %s.",
			say.Span(time.Duration(r.P50)), say.Span(time.Duration(r.P90)), say.Span(time.Duration(r.Max))))
}

// SlackPlot shows how much longer than owed pauses were.
func (v view) SlackPlot() htmlreport.Plot {
	p := v.Politeness
	summary := fmt.Sprintf("Of %s none was shorter than owed.", say.Plural(p.Measured, "pause"))
	if p.Early > 0 {
		summary = fmt.Sprintf("Of %s %s shorter than owed.", say.Plural(p.Measured, "pause"), wasWere(p.Early))
	}
	return histogramPlot("Pauses by how much longer than owed they were", p.Slack, summary)
}

func wasWere(n int64) string {
	if n == 1 {
		return "1 was"
	}
	return say.Count(n) + " were"
}

func histogramPlot(title string, list []Bar, summary string) htmlreport.Plot {
	p := htmlreport.Plot{Title: title, Name: "requests", Summary: summary, Values: []float64{}}
	for _, b := range list {
		p.Labels, p.Values = append(p.Labels, b.Label), append(p.Values, float64(b.Count))
	}
	return p
}
