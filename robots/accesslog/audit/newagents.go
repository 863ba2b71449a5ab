package audit

import (
	"cmp"
	"slices"
)

// isNew reports whether something was first seen in the last tenth of the log, and more often than what only drops in.
func (a *Auditor) isNew(first, requests int64) bool {
	return requests > sporadic && first-a.span.first > (a.span.last-a.span.first)/10*9
}

// addNewAgents lists the User-Agents that are new. Browsers have a new one every few weeks, so that theirs are counted only.
func (a *Auditor) addNewAgents(r *Report) {
	r.NewAgents = []NewAgent{}
	for _, g := range a.agents.byText {
		switch {
		case g.class == ClassUnnamed || g == &a.visitors.crowded.agent || !a.isNew(g.first, g.requests):
		case g.class == ClassBrowser:
			r.NewBrowsers++
		default:
			r.NewAgents = append(r.NewAgents, NewAgent{Agent: g.text, Token: g.token, First: moment(g.first), Requests: g.requests})
		}
	}
	slices.SortFunc(r.NewAgents, func(x, y NewAgent) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Agent, y.Agent))
	})
	r.NewAgentCount = len(r.NewAgents)
	r.NewAgents = r.NewAgents[:min(len(r.NewAgents), a.o.MaxAddresses)]
}
