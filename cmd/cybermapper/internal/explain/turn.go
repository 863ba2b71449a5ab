package explain

import (
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// judgeNow says of a URL that waits in the queue what the gates of the operator say at its turn: the settings of the job may have
// changed since it was queued.
func (e *Explanation) judgeNow(v *job.View, c config.Config, u frontier.URL) error {
	if e.State != frontier.Queued.String() && e.State != frontier.Retrying.String() {
		return nil
	}
	engine := c.Crawler()
	domain := lastLabels(u)
	for s, err := range job.EachSeed(v.Dir) {
		if err != nil {
			return err
		}
		if lastLabels(s.URL) == domain { // no other seed brings it into the scope, and there may be millions
			engine.Scope.Seeds = append(engine.Scope.Seeds, s.URL)
		}
	}
	gates, err := crawler.NewGates(engine)
	if err != nil {
		return err
	}
	link := frontier.Link{URL: u}
	if e.Found != nil {
		link.Depth, link.Kind = e.Found.Depth, crawler.Purpose(e.Found.As).Kind()
		link.Via, _ = frontier.ParseURL(e.Found.Via) // zero for a seed
	}
	refusal, refused := gates.Judge(link)
	if !refused {
		return nil
	}
	e.Barred = true
	passed := true
	for i, g := range e.Gates {
		switch {
		case g.Gate == string(refusal.Gate):
			e.Gates[i] = Gate{Gate: g.Gate, Verdict: "refused", Reason: string(refusal.Reason), Rule: refusal.Rule}
			passed = false
		case !passed:
			e.Gates[i] = Gate{Gate: g.Gate, Verdict: "not reached"}
		}
	}
	return nil
}

// lastLabels returns the last two labels of the name of a host: URLs with other ones have no registrable domain in common.
func lastLabels(u frontier.URL) string {
	name := u.Hostname()
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[strings.LastIndexByte(name[:i], '.')+1:]
	}
	return name
}
