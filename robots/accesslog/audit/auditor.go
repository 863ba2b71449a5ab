package audit

import (
	"hash/maphash"
	"math"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// An Auditor takes in the requests of a log and says in the end what they amount to. It is not safe for concurrent use.
type Auditor struct {
	o        Options
	seed     maphash.Seed
	log      accesslog.Tally
	files    []string
	first    int64 // nanoseconds since 1970; of all requests
	last     int64
	begins   []int64 // when the log begins, and begins again after holes
	outside  int64
	total    sum
	others   sum
	timeline timeline
	all      *row
	agents   map[string]*agent
	browsers *agent              // for User-Agents of browsers beyond MaxAgents
	browsing map[uint64]struct{} // hashes of those
	hasAgent bool
	units    map[unitKey]*unit
	rest     unit // of robots beyond all bounds
	robots   []*robot
	clients  clientTable
	former   []*client         // of addresses of which a signature told more; see identify
	signing  map[*client]int64 // signed requests of those that do not say that they are robots
	lost     int64             // requests of clients beyond MaxClients
	urls     int
	stars    map[string]*rulebook // of those that no group names, for hosts with copies; nil until the host is met
	strays   strays
	visitor  *visitor

	networks networks
	minutes  strain.Minutes
	load     *strain.Load // known in the end
}

// An agent is a User-Agent header.
type agent struct {
	id    int32
	text  string
	token string
	lower string // token in lower case
	class Class
	host  string    // of its latest request
	unit  *unit     // of that
	rules *rulebook // of that host, for those whom no group names

	first, requests int64
}

// A unit is what requests are grouped by: a product token on a host, or a User-Agent that is no robot's.
type unit struct {
	id     int32
	robots map[Identity]*robot // none for people
}

type unitKey struct {
	token, host string
	agent       int32 // of people
}

// place is where a request stands.
type place struct {
	file int32
	line int64
}

// New returns an Auditor.
func New(o Options) *Auditor {
	a := &Auditor{
		o: o.withDefaults(), seed: maphash.MakeSeed(), first: math.MaxInt64, last: math.MinInt64, agents: map[string]*agent{},
		browsing: map[uint64]struct{}{}, units: map[unitKey]*unit{}, stars: map[string]*rulebook{}, strays: strays{},
	}
	a.clients.seed = a.seed
	for _, c := range o.Copies {
		a.stars[c.Host] = nil
	}
	a.minutes.Max = a.o.MaxMinutes
	a.all = a.timeline.newRow()
	if o.Visitor != "" {
		a.visitor = newVisitor(a.o)
	}
	return a
}

// Read takes in a log; file is its name, for evidence. It returns what made reading fail, after everything before was taken in.
func (a *Auditor) Read(r *accesslog.Reader, file string) error {
	for r.Next() {
		a.Add(r.Entry(), file, r.Line(), r.Text())
	}
	a.addTally(r.Tally(), file)
	return r.Err()
}

// addTally takes in what a Reader has counted, at the end of its file.
func (a *Auditor) addTally(t accesslog.Tally, file string) {
	a.log.Lines += t.Lines
	a.log.Bytes += t.Bytes
	a.log.Malformed += t.Malformed
	a.log.ZoneChanges += t.ZoneChanges
	for _, s := range t.Samples {
		if len(a.log.Samples) < accesslog.MaxSamples {
			s.File = file
			a.log.Samples = append(a.log.Samples, s)
		}
	}
}

// Add takes in a request that stands in a line of a file. What it is given may be used again when it returns.
func (a *Auditor) Add(e *accesslog.Entry, file string, line int64, text []byte) {
	if !a.o.From.IsZero() && e.Time.Before(a.o.From) || !a.o.To.IsZero() && !e.Time.Before(a.o.To) {
		a.outside++
		return
	}
	at := e.Time.UnixNano()
	a.reach(at)
	a.total.count(e)
	a.timeline.reach(e.Time.Unix())
	a.timeline.count(a.all, e.Time.Unix(), e.Taken)
	a.hasAgent = a.hasAgent || e.HasAgent
	if len(a.files) == 0 || a.files[len(a.files)-1] != file {
		a.files = append(a.files, file)
	}
	p := place{int32(len(a.files) - 1), line}
	g := a.agent(e.Agent)
	g.first, g.requests = min(g.first, at), g.requests+1
	var s *checked
	if e.Signed {
		s = a.checkSignature(g, e, text)
	}
	r := a.addTo(g, e, p, s)
	if a.visitor != nil && a.visitor.isMeant(g, e) {
		a.visitor.add(a, g, r, e, p)
	} else if a.visitor != nil {
		return
	}
	if a.o.Keep != nil {
		a.o.Keep(file, line, text)
	}
}

// reach notes the moment of a request.
func (a *Auditor) reach(at int64) {
	switch {
	case a.total.requests == 0 || at-a.last > int64(hole):
		a.begins = append(a.begins, at)
	case at < a.begins[0]:
		a.begins[0] = at
	}
	a.first, a.last = min(a.first, at), max(a.last, at)
}

// hole is so long a silence of everybody that the log is taken to be incomplete: a clock was wrong, or a file is missing, and a robot may
// have asked for robots.txt in it.
const hole = 48 * time.Hour

// began returns since when the log tells all up to a moment.
func (a *Auditor) began(at int64) int64 {
	i := len(a.begins) - 1
	for i > 0 && a.begins[i] > at {
		i--
	}
	return a.begins[i]
}

// addTo counts the request for its robot, which is returned, or for people. s is what its signature came to; nil without one.
func (a *Auditor) addTo(g *agent, e *accesslog.Entry, p place, s *checked) *robot {
	u := a.unit(g, e.Host)
	c := a.client(u, g, e)
	if s != nil {
		a.identify(u, c, e, s)
	}
	asset, isPerson := isAsset(e.Target), g.class == ClassBrowser || g.class == ClassUnnamed
	a.minutes.Count(e, g.class != ClassRobot)
	if c.network != nil {
		c.network.count(e, asset, a.o.Rapid)
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
		a.others.count(e)
		return nil
	}
	c.count(e)
	r.add(a, e, p)
	if s != nil {
		r.addSigned(a, e, p, s)
	}
	return r
}

// rulesForAll returns the rules of a host for those whom no group names. Hosts without copies of their own have those for every host.
func (a *Auditor) rulesForAll(host []byte) *rulebook {
	rules, has := a.stars[string(host)]
	if !has && len(host) > 0 {
		return a.rulesForAll(nil)
	}
	if rules == nil {
		b := rulebookFor(a.o.Copies, string(host), "")
		rules = &b
		a.stars[string(host)] = rules
	}
	return rules
}

// evidence returns what a line shows that was judged.
func (a *Auditor) evidence(e *accesslog.Entry, p place, v robots.Verdict, robotsName string) Evidence {
	return Evidence{
		File: a.files[p.file], Line: p.line, Time: e.Time, Client: clip(e.Client), Path: clip(e.Target), Status: e.Status,
		Robots: robotsName, RuleLine: v.Line, Rule: v.Rule,
	}
}

// agent returns what is known of a User-Agent.
func (a *Auditor) agent(text []byte) *agent {
	text = text[:min(len(text), maxText)]
	if g := a.agents[string(text)]; g != nil {
		return g
	}
	full := len(a.agents) >= a.o.MaxAgents
	var h uint64
	if full {
		h = maphash.Bytes(a.seed, text)
		if _, ok := a.browsing[h]; ok {
			return a.browsers
		}
	}
	g := &agent{text: clip(text), id: int32(len(a.agents)), first: math.MaxInt64}
	g.token, g.class = Classify(a.o.Roster, g.text)
	g.lower = strings.ToLower(g.token)
	switch {
	case !full:
		a.agents[string(text)] = g
	case g.class == ClassBrowser:
		g = a.otherBrowser(g, h)
	}
	return g
}

// otherBrowser returns the agent that stands for the browsers beyond MaxAgents, one of which is g. That it is one is remembered, within
// bounds, for to classify an agent takes longer than all the rest of a line.
func (a *Auditor) otherBrowser(g *agent, hash uint64) *agent {
	if a.browsers == nil {
		a.browsers = g
	}
	if len(a.browsing) < browsersPerAgent*a.o.MaxAgents {
		a.browsing[hash] = struct{}{}
	}
	return a.browsers
}

// unit returns the unit of a request. Few agents go from host to host, so that the last answer mostly holds.
func (a *Auditor) unit(g *agent, host []byte) *unit {
	if g.unit == nil || g.host != string(host) {
		g.host, g.unit, g.rules = string(host), a.findUnit(g, host), a.rulesForAll(host)
	}
	return g.unit
}

func (a *Auditor) findUnit(g *agent, host []byte) *unit {
	key := unitKey{token: g.lower, host: string(host)}
	if g.token == "" {
		key = unitKey{agent: g.id + 1}
	}
	u := a.units[key]
	switch {
	case u != nil:
		return u
	case len(a.units) >= a.o.MaxAgents+a.o.MaxRobots && g.token != "":
		return &a.rest
	}
	u = &unit{id: int32(len(a.units) + 1)}
	a.units[key] = u
	return u
}

// robot returns the robot of a unit; nil when there are too many.
func (a *Auditor) robot(u *unit, g *agent, host []byte, id Identity) *robot {
	if r := u.robots[id]; r != nil {
		return r
	}
	if len(a.robots) >= a.o.MaxRobots || u == &a.rest {
		return nil
	}
	r := &robot{
		token: g.token, host: clip(host), agent: g.text, class: g.class, identity: id, row: a.timeline.newRow(),
	}
	r.rules = rulebookFor(a.o.Copies, r.host, r.token)
	if u.robots == nil {
		u.robots = map[Identity]*robot{}
	}
	u.robots[id] = r
	a.robots = append(a.robots, r)
	return r
}

// client returns the client of a request; one that is thrown away when there are too many.
func (a *Auditor) client(u *unit, g *agent, e *accesslog.Entry) *client {
	if c := a.clients.find(u.id, e.Client); c != nil {
		return c
	}
	name := clip(e.Client)
	if name != string(e.Client) {
		if c := a.clients.find(u.id, []byte(name)); c != nil {
			return c
		}
	}
	if len(a.clients.list) >= a.o.MaxClients {
		a.lost++
		lost := newClient(name, u, g)
		lost.network = a.networks.of(name, &a.o)
		return &lost
	}
	c := a.clients.add(name, u, g)
	c.network = a.networks.of(name, &a.o)
	if g.class == ClassRobot || g.class == ClassUserTriggered {
		id := Unchecked
		if a.o.Identify != nil {
			id = a.o.Identify(g.token, name)
		}
		if c.robot = a.robot(u, g, e.Host, id); c.robot != nil {
			c.robot.clients++
		}
	}
	return c
}
