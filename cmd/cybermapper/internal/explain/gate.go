package explain

import (
	"fmt"
	"path"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A Gate is the verdict of one gate.
type Gate struct {
	Gate    string    `json:"gate"`
	Verdict string    `json:"verdict"` // "passed", "refused", "not reached", "not yet"
	Reason  string    `json:"reason,omitempty"`
	Rule    string    `json:"rule,omitempty"`
	Line    int       `json:"line,omitempty"`
	File    string    `json:"file,omitempty"` // robots.txt in the job directory
	Time    time.Time `json:"time,omitzero"`
}

// gatesOf works out what each gate said: a URL passed all gates before the one that refused it.
func gatesOf(state string, h *history) []Gate {
	refusal := lastRefusal(h)
	if state != frontier.Refused.String() {
		refusal = nil // turned away from one page, let in from another
	}
	verdict := "passed"
	var gates []Gate
	for _, gate := range crawler.AllGates() {
		if gate == crawler.GateSitemap && (refusal == nil || refusal.Gate != string(gate)) {
			continue // most URLs never meet it
		}
		g := Gate{Gate: string(gate), Verdict: verdict}
		switch {
		case refusal != nil && refusal.Gate == g.Gate:
			g = refusedGate(g, refusal)
			verdict = "not reached"
		case state == frontier.Unknown.String():
			return []Gate{}
		case verdict == "passed" && len(h.attempts) == 0 && (gate == crawler.GateAddress || gate == crawler.GateRobots):
			g.Verdict = "not yet"
		case verdict == "passed" && gate == crawler.GateRobots:
			g = passedRobots(g, h)
		}
		gates = append(gates, g)
	}
	return gates
}

func lastRefusal(h *history) *ledger.Record {
	for i := len(h.refusals) - 1; i >= 0; i-- {
		if h.refusals[i].Reason != string(crawler.ReasonNoindex) {
			return &h.refusals[i]
		}
	}
	return nil
}

func refusedGate(g Gate, r *ledger.Record) Gate {
	g.Verdict, g.Reason, g.Rule, g.Line, g.Time = "refused", r.Reason, r.Rule, r.Line, r.Time
	g.File = job.RobotsFile(r.Digest)
	return g
}

func passedRobots(g Gate, h *history) Gate {
	a := h.attempts[len(h.attempts)-1]
	g.Rule, g.Line, g.File, g.Time = a.RobotsRule, a.RobotsLine, job.RobotsFile(a.RobotsDigest), a.Start
	if g.Line == 0 {
		g.Reason = say.Because(robots.Verdict{Reason: robots.Reason(a.RobotsReason)})
	}
	return g
}

// gateLines writes gates as lines, those that have nothing more to say than their verdict together.
func gateLines(gates []Gate) []string {
	var lines []string
	for i := 0; i < len(gates); {
		names := gates[i].Gate
		text := gates[i].String()
		j := i + 1
		for j < len(gates) && text == gates[i].Verdict && gates[j].String() == text {
			names += ", " + gates[j].Gate
			j++
		}
		lines = append(lines, names+": "+text)
		i = j
	}
	return lines
}

// String says what the gate decides, and by what rule.
func (g Gate) String() string {
	text := g.Verdict
	if g.Reason != "" {
		text += ": " + say.Reason(crawler.Reason(g.Reason))
	}
	if g.Line > 0 {
		text += fmt.Sprintf(": robots.txt line %d: %s", g.Line, g.Rule)
	} else if g.Rule != "" {
		text += ": " + g.Rule
	}
	if g.File != "" {
		text += " (" + shortDigest(g.File) + ")"
	}
	return text
}

// shortDigest shortens the digest at the end of a path to what tells it from others.
func shortDigest(file string) string {
	const enough = 12
	dir, name := path.Split(file)
	if len(name) <= enough {
		return file
	}
	return dir + name[:enough] + "..."
}
