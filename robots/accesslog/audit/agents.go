package audit

import (
	"hash/maphash"
	"math"
	"strings"

	"github.com/cybermapper/cybermapper/robots/roster"
)

// agents are the User-Agents that were seen.
type agents struct {
	byText   map[string]*agent
	browsers *agent              // for User-Agents of browsers beyond most
	browsing map[uint64]struct{} // hashes of those
	seed     maphash.Seed
	most     int
	roster   *roster.List
}

// An agent is a User-Agent header.
type agent struct {
	id        int32
	text      string
	lowerText string // text in lower case, if it is remembered
	token     string
	lower     string // token in lower case
	class     Class
	host      string    // of its latest request
	unit      *unit     // of that
	rules     *rulebook // of that host, for those whom no group names

	first, requests int64
}

func newAgents(seed maphash.Seed, o *Options) agents {
	return agents{byText: map[string]*agent{}, browsing: map[uint64]struct{}{}, seed: seed, most: o.MaxAgents, roster: o.Roster}
}

// of returns what is known of a User-Agent.
func (a *agents) of(text []byte) *agent {
	text = text[:min(len(text), maxText)]
	if g := a.byText[string(text)]; g != nil {
		return g
	}
	full := len(a.byText) >= a.most
	var h uint64
	if full {
		h = maphash.Bytes(a.seed, text)
		if _, ok := a.browsing[h]; ok {
			return a.browsers
		}
	}
	g := &agent{text: clip(text), id: int32(len(a.byText)), first: math.MaxInt64}
	g.token, g.class = Classify(a.roster, g.text)
	g.lower = strings.ToLower(g.token)
	switch {
	case !full:
		g.lowerText = strings.ToLower(g.text)
		a.byText[string(text)] = g
	case g.class == ClassBrowser:
		g = a.otherBrowser(g, h)
	}
	return g
}

// otherBrowser returns the agent that stands for the browsers beyond the bound, one of which is g. That it is one is remembered,
// within bounds, for to classify an agent takes longer than all the rest of a line.
func (a *agents) otherBrowser(g *agent, hash uint64) *agent {
	if a.browsers == nil {
		a.browsers = g
	}
	if len(a.browsing) < browsersPerAgent*a.most {
		a.browsing[hash] = struct{}{}
	}
	return a.browsers
}
