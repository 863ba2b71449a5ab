package audit

import (
	"hash/maphash"
	"math"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// An Auditor takes in the requests of a log and says in the end what they amount to. It is not safe for concurrent use.
type Auditor struct {
	o        Options
	seed     maphash.Seed
	intake   intake
	span     span
	site     site
	agents   agents
	visitors visitors
	present  *present                  // who is here; nil unless that may be asked
	visitor  *visitor                  // whose visits are told; nil when nobody's are
	pages    map[string]*roster.Record // robots by the page about them; nil until one is looked for
}

// New returns an Auditor.
func New(o Options) *Auditor {
	a := &Auditor{o: o.withDefaults(), seed: maphash.MakeSeed()}
	a.intake.numbers = map[string]int32{}
	a.span.first, a.span.last = math.MaxInt64, math.MinInt64
	a.agents = newAgents(a.seed, &a.o)
	a.visitors = newVisitors(a.seed)
	a.site = newSite(&a.o)
	a.present = newPresent(o.Live)
	if o.Visitor != "" {
		a.visitor = newVisitor(a.o)
	}
	return a
}

// Add takes in a request that stands in a line of a file. What it is given may be used again when it returns.
func (a *Auditor) Add(e *accesslog.Entry, file string, line int64, text []byte) {
	if !a.o.From.IsZero() && e.Time.Before(a.o.From) || !a.o.To.IsZero() && !e.Time.Before(a.o.To) {
		a.intake.outside++
		return
	}
	at := e.Time.UnixNano()
	a.span.reach(at)
	a.intake.hasAgent = a.intake.hasAgent || e.HasAgent
	p := place{a.intake.fileNumber(file), line}
	if e.Forwarded {
		a.intake.forwarded++
	}
	if e.Proxied {
		a.intake.proxied++
	}
	if string(e.Client) == nobody {
		a.intake.nobody++
	}
	a.site.count(e)
	a.site.turn(p.file, e.Time.Unix())
	g := a.agents.of(e.Agent)
	g.first, g.requests = min(g.first, at), g.requests+1
	var s *checked
	if e.Signed {
		s = a.checkSignature(g, e, text)
	}
	r := a.addTo(g, e, p, s)
	a.present.count(r, e)
	if a.visitor != nil && a.visitor.isMeant(g, e) {
		a.visitor.add(a, g, r, e, p)
	} else if a.visitor != nil {
		return
	}
	if a.o.Keep != nil {
		a.o.Keep(file, line, text)
	}
}

// addTo counts the request for its robot, which is returned, or for people. s is what its signature came to; nil without one.
func (a *Auditor) addTo(g *agent, e *accesslog.Entry, p place, s *checked) *robot {
	u := a.unit(g, e.Host)
	c := a.client(u, g, e)
	if s != nil {
		a.identify(u, c, e, s)
	}
	asset, isPerson := isAsset(e.Target), g.class.isPerson()
	a.site.minutes.Count(e, !g.class.mayCrawl())
	if c.network != nil {
		c.network.count(e, asset, a.o.Rapid)
	}
	if isRobotsTxt(e.Target) && !isElsewhere(e) {
		a.visitors.generics.add(c, g, e)
	}
	if isPerson {
		c.addPerson(a, g.rules, e, p, asset)
		return nil
	}
	r := c.robot
	if r == nil {
		r = a.robot(u, g, e.Host, proven(Unchecked, s))
	}
	if r == nil {
		a.visitors.others.count(e)
		return nil
	}
	c.count(e)
	if asset {
		c.assets++
	} else {
		c.documents++
	}
	r.add(a, c, e, p, asset)
	if s != nil {
		r.addSigned(a, e, p, s)
	}
	return r
}

// evidence returns what a line shows that was judged.
func (a *Auditor) evidence(e *accesslog.Entry, p place, v robots.Verdict, robotsName string) Evidence {
	return Evidence{
		File: a.intake.files[p.file], Line: p.line, Time: e.Time, Client: clip(e.Client), Path: clip(e.Target), Status: e.Status,
		Robots: robotsName, RuleLine: v.Line, Rule: v.Rule,
	}
}
