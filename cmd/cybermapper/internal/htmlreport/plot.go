package htmlreport

import (
	"math"
	"strconv"
	"time"
)

// A Plot shows one row of numbers: over time if it has a Start, by Labels otherwise.
type Plot struct {
	Title   string    `json:"title"`
	Summary string    `json:"-"`    // what the plot shows, in a sentence: its text alternative
	Name    string    `json:"name"` // of what is counted, with its unit
	Values  []float64 `json:"values"`

	Start   time.Time `json:"-"` // of the first interval
	Seconds float64   `json:"seconds,omitempty"`
	Labels  []string  `json:"labels,omitempty"`
}

// maxNumbers bounds the rows of the table beside a plot.
const maxNumbers = 24

// A Number is a row of that table.
type Number struct {
	Label string
	Value string
}

// Data returns what the script draws.
func (p Plot) Data() any {
	type plot Plot
	return struct {
		plot
		Start float64 `json:"start,omitempty"`
	}{plot(p), p.unixStart()}
}

func (p Plot) unixStart() float64 {
	if p.Start.IsZero() {
		return 0
	}
	return float64(p.Start.UnixMilli()) / 1e3
}

// First returns the name of the first column of the table.
func (p Plot) First() string {
	if len(p.Labels) > 0 {
		return "From – to"
	}
	return "From (UTC)"
}

// Numbers returns the rows of the table. Intervals of time are averaged when there are too many.
func (p Plot) Numbers() []Number {
	var rows []Number
	if len(p.Labels) > 0 {
		for i, v := range p.Values {
			rows = append(rows, Number{p.Labels[i], Short(v)})
		}
		return rows
	}
	group := (len(p.Values) + maxNumbers - 1) / maxNumbers
	for i := 0; i < len(p.Values); i += group {
		part := p.Values[i:min(i+group, len(p.Values))]
		sum := 0.0
		for _, v := range part {
			sum += v
		}
		at := p.Start.Add(time.Duration(float64(i) * p.Seconds * float64(time.Second)))
		rows = append(rows, Number{moment(at), Short(sum / float64(len(part)))})
	}
	return rows
}

// Short writes a number with three digits that count, and k, M or G for thousands, as the axes of the plots do.
func Short(v float64) string {
	unit := 0
	for math.Abs(v) >= 999.5 && unit < 4 {
		v /= 1000
		unit++
	}
	suffix := []string{"", " k", " M", " G", " T"}[unit]
	return strconv.FormatFloat(v, 'g', 3, 64) + suffix
}
