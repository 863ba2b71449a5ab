package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A Visitor is what the log tells of one client, or of all with one product token, visit by visit.
type Visitor struct {
	Name     string    `json:"name"`
	Requests int64     `json:"requests"`
	Sessions []Session `json:"sessions"`
	Cut      int64     `json:"requests_not_listed"` // beyond MaxSteps
}

// A Session is a visit: requests without a long pause between them.
type Session struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Requests  int       `json:"requests"`
	RobotsTxt int       `json:"robots_txt_status"` // what the first request for it got; 0 when there was none
	FirstPage string    `json:"first_page,omitempty"`
	LastPage  string    `json:"last_page,omitempty"`
	Shortest  float64   `json:"shortest_gap_seconds"`
	Median    float64   `json:"median_gap_seconds"`
	Longest   float64   `json:"longest_gap_seconds"`
	End       EndReason `json:"end"`
	Steps     []Step    `json:"steps"`
}

// An EndReason says why a visit may have ended. The log knows only what came before.
type EndReason string

// The reasons.
const (
	EndUnknown    EndReason = "unknown"
	EndRobotsOnly EndReason = "only robots.txt was asked for"
	EndForbidden  EndReason = "robots.txt forbids what it asked for last"
	EndNoRules    EndReason = "robots.txt could not be had, which forbids everything"
	EndSlowDown   EndReason = "it was told to slow down (429 or 503)"
	EndError      EndReason = "the last answer was an error"
	EndMoved      EndReason = "the last answer was a redirect"
	EndLog        EndReason = "the log ends"
)

// A Step is one request of a visit.
type Step struct {
	Evidence
	Method  string  `json:"method,omitempty"`
	Agent   string  `json:"agent,omitempty"`
	Bytes   int64   `json:"bytes"`
	Allowed bool    `json:"allowed"` // by robots.txt, if there is one
	Excused bool    `json:"excused,omitempty"`
	Seconds float64 `json:"response_seconds,omitempty"`
}

// visitor collects the steps of a Visitor.
type visitor struct {
	name     string
	most     int
	pause    time.Duration
	requests int64
	steps    []Step
}

func newVisitor(o Options) *visitor {
	return &visitor{name: clientName([]byte(o.Visitor)), most: o.MaxSteps, pause: o.Pause}
}

// isMeant reports whether a request is one of the visitor's.
func (v *visitor) isMeant(g *agent, e *accesslog.Entry) bool {
	return clientName(e.Client) == v.name || g.token != "" && strings.EqualFold(g.token, v.name)
}

func (v *visitor) add(a *Auditor, g *agent, r *robot, e *accesslog.Entry, p place) {
	v.requests++
	if len(v.steps) >= v.most {
		return
	}
	rules := g.rules
	if r != nil {
		rules = &r.rules
	}
	at := e.Time.UnixNano()
	verdict, name, excused := rules.judge(string(e.Target), at, a.span.began(at))
	excused = excused || rules.mayAllow(rules.at(at), verdict, e)
	s := Step{
		Evidence: a.evidence(e, p, verdict, name),
		Method:   clip(e.Method), Agent: g.text, Bytes: e.Bytes, Allowed: verdict.Allowed || e.IsIndex(), Excused: excused,
	}
	if e.Taken >= 0 {
		s.Seconds = e.Taken.Seconds()
	}
	v.steps = append(v.steps, s)
}

// report divides the steps into sessions. end is when the log ends.
func (v *visitor) report(end time.Time) *Visitor {
	slices.SortStableFunc(v.steps, func(a, b Step) int { return a.Time.Compare(b.Time) })
	w := &Visitor{Name: v.name, Requests: v.requests, Sessions: []Session{}, Cut: v.requests - int64(len(v.steps))}
	for from := 0; from < len(v.steps); {
		to := from + 1
		for to < len(v.steps) && v.steps[to].Time.Sub(v.steps[to-1].Time) < v.pause {
			v.steps[to].Gap = v.steps[to].Time.Sub(v.steps[to-1].Time).Seconds()
			to++
		}
		w.Sessions = append(w.Sessions, newSession(v.steps[from:to], end, v.pause))
		from = to
	}
	return w
}

// newSession sums up the steps of a visit.
func newSession(steps []Step, end time.Time, pause time.Duration) Session {
	s := Session{From: steps[0].Time, To: steps[len(steps)-1].Time, Requests: len(steps), Steps: steps}
	var gaps []float64
	for i, step := range steps {
		if i > 0 {
			gaps = append(gaps, step.Gap)
		}
		switch {
		case !isRobotsTxt([]byte(step.Path)):
			s.FirstPage = cmp.Or(s.FirstPage, step.Path)
			s.LastPage = step.Path
		case s.RobotsTxt == 0:
			s.RobotsTxt = step.Status
		}
	}
	if len(gaps) > 0 {
		slices.Sort(gaps)
		s.Shortest, s.Median, s.Longest = gaps[0], gaps[len(gaps)/2], gaps[len(gaps)-1]
	}
	s.End = endOf(s, steps[len(steps)-1], end.Sub(s.To) < pause)
	return s
}

// endOf says why a visit may have ended.
func endOf(s Session, last Step, logEnds bool) EndReason {
	switch {
	case last.Status == 429 || last.Status == 503 && s.LastPage != "":
		return EndSlowDown
	case s.LastPage == "" && s.RobotsTxt >= 500:
		return EndNoRules
	case logEnds:
		return EndLog
	case s.LastPage == "":
		return EndRobotsOnly
	case !last.Allowed:
		return EndForbidden
	case last.Status >= 400:
		return EndError
	case isRedirect(last.Status):
		return EndMoved
	}
	return EndUnknown
}

func isRedirect(status int) bool { return status >= 300 && status < 400 && status != 304 }
