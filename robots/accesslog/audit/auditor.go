package audit

import (
	"hash/maphash"
	"math"
	"strings"

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
	outside  int64
	total    sum
	others   sum
	timeline timeline
	all      *row
	agents   map[string]*agent
	more     map[Class]*agent // for User-Agents beyond MaxAgents
	hasAgent bool
	units    map[unitKey]*unit
	rest     unit // of robots beyond all bounds
	robots   []*robot
	clients  map[clientKey]*client
	lost     int64 // requests of clients beyond MaxClients
	urls     int
	star     rulebook
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

type clientKey struct {
	unit int32
	name string
}

// A client is what is kept of one address in one unit.
type client struct {
	name                              string
	agent                             *agent
	robot                             *robot // nil for people
	first, last, bytes                int64
	minute                            int64
	requests, documents, assets       int32
	inMinute, peak, asked, disallowed int32

	network *network // nil when it is no address
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
		more: map[Class]*agent{}, units: map[unitKey]*unit{}, clients: map[clientKey]*client{},
		star: rulebookFor(o.Copies, "", ""),
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
	a.first, a.last = min(a.first, at), max(a.last, at)
	a.total.count(e)
	a.timeline.reach(e.Time.Unix())
	a.timeline.count(a.all, e.Time.Unix(), e.Taken)
	a.hasAgent = a.hasAgent || e.HasAgent
	if len(a.files) == 0 || a.files[len(a.files)-1] != file {
		a.files = append(a.files, file)
	}
	p := place{int32(len(a.files) - 1), line}
	g := a.agent(e.Agent)
	r := a.addTo(g, e, p)
	if a.visitor != nil && a.visitor.isMeant(g, e) {
		a.visitor.add(a, g, r, e, p)
	} else if a.visitor != nil {
		return
	}
	if a.o.Keep != nil {
		a.o.Keep(file, line, text)
	}
}

// addTo counts the request for its robot, which is returned, or for people.
func (a *Auditor) addTo(g *agent, e *accesslog.Entry, p place) *robot {
	u := a.unit(g, e.Host)
	c := a.client(u, g, e)
	asset, isPerson := isAsset(e.Target), g.class == ClassBrowser || g.class == ClassUnnamed
	a.minutes.Count(e, g.class != ClassRobot)
	if c.network != nil {
		c.network.count(e, asset, a.o.Rapid)
	}
	if isPerson {
		c.addPerson(a, e, asset)
		return nil
	}
	r := c.robot
	if r == nil {
		r = a.robot(u, g, e.Host, Unchecked)
	}
	if r == nil {
		a.others.count(e)
		return nil
	}
	c.count(e)
	r.add(a, e, p)
	return r
}

// agent returns what is known of a User-Agent.
func (a *Auditor) agent(text []byte) *agent {
	text = text[:min(len(text), maxText)]
	if g := a.agents[string(text)]; g != nil {
		return g
	}
	g := &agent{text: clip(text), id: int32(len(a.agents))}
	g.token, g.class = Classify(g.text)
	g.lower = strings.ToLower(g.token)
	switch {
	case len(a.agents) < a.o.MaxAgents:
		a.agents[string(text)] = g
	case g.class == ClassBrowser:
		if a.more[g.class] == nil {
			a.more[g.class] = g
		}
		g = a.more[g.class]
	}
	return g
}

// unit returns the unit of a request.
func (a *Auditor) unit(g *agent, host []byte) *unit {
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
	if c := a.clients[clientKey{u.id, string(e.Client)}]; c != nil {
		return c
	}
	name := clip(e.Client)
	c := &client{name: name, agent: g, first: math.MaxInt64, network: a.networks.of(name, &a.o)}
	if len(a.clients) >= a.o.MaxClients {
		a.lost++
		return c
	}
	if g.class == ClassRobot || g.class == ClassUserTriggered {
		id := Unchecked
		if a.o.Identify != nil {
			id = a.o.Identify(g.token, name)
		}
		if c.robot = a.robot(u, g, e.Host, id); c.robot != nil {
			c.robot.clients++
		}
	}
	a.clients[clientKey{u.id, name}] = c
	return c
}

// count counts a request.
func (c *client) count(e *accesslog.Entry) {
	at := e.Time.UnixNano()
	c.first, c.last = min(c.first, at), max(c.last, at)
	c.requests++
	c.bytes += e.Bytes
	if isRobotsTxt(e.Target) {
		c.asked++
	}
}

// addPerson counts a request of a client that does not say that it is a robot.
func (c *client) addPerson(a *Auditor, e *accesslog.Entry, asset bool) {
	c.count(e)
	if asset {
		c.assets++
		return
	}
	c.documents++
	if minute := floorDiv(e.Time.Unix(), 60); minute != c.minute {
		c.minute, c.inMinute = minute, 0
	}
	c.inMinute++
	c.peak = max(c.peak, c.inMinute)
	if len(a.star.copies) > 0 && len(e.Target) > 0 {
		if v, _, excused := a.star.judge(string(e.Target), e.Time); !v.Allowed && !excused {
			c.disallowed++
		}
	}
}
