package explain

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// A Stretch is a series of requests to a site after which about the same pause was owed, for the same reason.
type Stretch struct {
	From     time.Time       `json:"from"` // end of the first request
	To       time.Time       `json:"to"`   // end of the last one
	Requests int64           `json:"requests"`
	Why      string          `json:"why"` // which rule asked for the pause
	Least    config.Duration `json:"least"`
	Most     config.Duration `json:"most"`
}

// Stretches that are kept: the first ones and the last ones.
const (
	firstStretches = 8
	lastStretches  = 24
)

// stretches cuts the requests to a site into stretches.
type stretches struct {
	jitter float64 // random part of a pause, which makes no new stretch
	all    []Stretch
	left   int64 // stretches in the middle that were not kept
}

// add takes in a request that ended at and after which gap is owed.
func (s *stretches) add(at time.Time, gap time.Duration, why string) {
	if n := len(s.all); n > 0 && s.all[n-1].fits(gap, why, s.jitter) {
		last := &s.all[n-1]
		last.To, last.Requests = at, last.Requests+1
		last.Least, last.Most = min(last.Least, config.Duration(gap)), max(last.Most, config.Duration(gap))
		return
	}
	if len(s.all) == firstStretches+lastStretches {
		s.all = append(s.all[:firstStretches], s.all[firstStretches+1:]...)
		s.left++
	}
	s.all = append(s.all, Stretch{From: at, To: at, Requests: 1, Why: why, Least: config.Duration(gap), Most: config.Duration(gap)})
}

// fits reports whether a pause goes with the others. One that follows the response time may be any.
func (s *Stretch) fits(gap time.Duration, why string, jitter float64) bool {
	if s.Why != why {
		return false
	}
	const slack = time.Millisecond
	width := func(d config.Duration) time.Duration { return time.Duration(float64(d)*(1+jitter)) + slack }
	return why == "response-time" || gap <= width(s.Least) && time.Duration(s.Most) <= width(config.Duration(gap))
}

// String says from when how many requests kept which pause, and why.
func (s Stretch) String() string {
	pause := say.Span(time.Duration(s.Least))
	if most := say.Span(time.Duration(s.Most)); most != pause {
		pause += " to " + most
	}
	return fmt.Sprintf("%s, %s: %s, by %s", say.Clock(s.From), say.Plural(s.Requests, "request"), pause, s.Why)
}
