package audit

import (
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A Turn compares what a robot did before a moment with what it did since: did the block work?
type Turn struct {
	Before Period `json:"before"`
	Since  Period `json:"since"`
}

// A Period is one side of a Turn.
type Period struct {
	Requests int64   `json:"requests"`
	Refused  int64   `json:"refused"` // answered with 403 or 429
	PerDay   float64 `json:"requests_per_day"`
}

// count takes in a request.
func (t *Turn) count(e *accesslog.Entry, at time.Time) {
	p := &t.Since
	if e.Time.Before(at) {
		p = &t.Before
	}
	p.Requests++
	if e.Status == 403 || e.Status == 429 {
		p.Refused++
	}
}

// report works out how many there were each day of the log.
func (t Turn) report(s *span, at time.Time) *Turn {
	if at.IsZero() {
		return nil
	}
	days := func(from, to int64) float64 { return max(float64(to-from)/float64(24*time.Hour), 1.0/24) }
	turn := at.UnixNano()
	t.Before.PerDay = float64(t.Before.Requests) / days(s.first, min(max(turn, s.first), s.last))
	t.Since.PerDay = float64(t.Since.Requests) / days(max(min(turn, s.last), s.first), s.last)
	return &t
}
