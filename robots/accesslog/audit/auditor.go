package audit

import (
	"hash/maphash"
	"math"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
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
	visitor  *visitor // whose visits are told; nil when nobody's are
}

// An intake is what was read, and from where.
type intake struct {
	log       accesslog.Tally
	files     []string
	numbers   map[string]int32 // of the files
	latest    string           // file
	number    int32            // of that
	outside   int64
	forwarded int64
	hasAgent  bool
}

// A span is the time of the log, in nanoseconds since 1970.
type span struct {
	first, last int64   // of all requests
	begins      []int64 // when the log begins, and begins again after holes
}

// A site is what all visitors together saw of it.
type site struct {
	total     sum
	timeline  timeline
	all       *row
	minutes   strain.Minutes
	load      *strain.Load         // known in the end
	stars     map[string]*rulebook // of those that no group names, for hosts with copies; nil until the host is met
	witnesses map[string]*witness  // of hosts with copies whose age is presumed
	presumes  bool                 // there are such copies
	asked     int64                // requests for robots.txt, of anybody
	referred  map[string]int64     // documents of people whom an operator sent
	probes    Probes
	people    float64 // seconds that answers to people took
}

// agents are the User-Agents that were seen.
type agents struct {
	byText   map[string]*agent
	browsers *agent              // for User-Agents of browsers beyond MaxAgents
	browsing map[uint64]struct{} // hashes of those
}

// visitors are those who came: robots by name and host, and clients, some of which are theirs.
type visitors struct {
	units    map[unitKey]*unit
	rest     unit // of robots beyond all bounds
	robots   []*robot
	families map[familyKey]*family
	others   sum
	clients  clientTable
	former   []*client         // of addresses of which a signature told more; see identify
	signing  map[*client]int64 // signed requests of those that do not say that they are robots
	lost     int64             // requests of clients beyond MaxClients
	urls     int
	strays   strays
	networks networks
	crowded  crowded
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
	a := &Auditor{o: o.withDefaults(), seed: maphash.MakeSeed()}
	a.intake.numbers = map[string]int32{}
	a.span.first, a.span.last = math.MaxInt64, math.MinInt64
	a.agents.byText, a.agents.browsing = map[string]*agent{}, map[uint64]struct{}{}
	a.visitors.units, a.visitors.families, a.visitors.strays = map[unitKey]*unit{}, map[familyKey]*family{}, strays{}
	a.visitors.clients.seed = a.seed
	a.site.stars, a.site.witnesses = map[string]*rulebook{}, map[string]*witness{}
	a.site.referred = map[string]int64{}
	for _, c := range o.Copies {
		a.site.stars[c.Host] = nil
		a.site.presumes = a.site.presumes || c.Presumed
	}
	a.site.minutes.Max = a.o.MaxMinutes
	a.site.all = a.site.timeline.newRow()
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

// ReadAll takes in several logs in order of time. The Auditor is made by fresh, and made again when it turns out that the lines have to be
// sorted before. It returns what made reading fail.
func ReadAll(m *accesslog.Merge, fresh func() *Auditor) (*Auditor, error) {
	var a *Auditor
	err := m.Each(func() { a = fresh() }, func(e *accesslog.Entry, file string, line int64, text []byte) { a.Add(e, file, line, text) })
	for i, s := range m.Sources() {
		a.addTally(m.Tally(i), s.Name)
	}
	return a, err
}

// addTally takes in what a Reader has counted, at the end of its file.
func (a *Auditor) addTally(t accesslog.Tally, file string) {
	a.intake.log.Lines += t.Lines
	a.intake.log.Bytes += t.Bytes
	a.intake.log.Malformed += t.Malformed
	a.intake.log.ZoneChanges += t.ZoneChanges
	for _, s := range t.Samples {
		if len(a.intake.log.Samples) < accesslog.MaxSamples {
			s.File = file
			a.intake.log.Samples = append(a.intake.log.Samples, s)
		}
	}
}

// Add takes in a request that stands in a line of a file. What it is given may be used again when it returns.
func (a *Auditor) Add(e *accesslog.Entry, file string, line int64, text []byte) {
	if !a.o.From.IsZero() && e.Time.Before(a.o.From) || !a.o.To.IsZero() && !e.Time.Before(a.o.To) {
		a.intake.outside++
		return
	}
	at := e.Time.UnixNano()
	a.span.reach(at)
	a.site.total.count(e)
	a.site.timeline.reach(e.Time.Unix())
	a.site.timeline.count(a.site.all, e.Time.Unix(), e.Taken)
	a.intake.hasAgent = a.intake.hasAgent || e.HasAgent
	p := place{a.intake.fileNumber(file), line}
	if e.Forwarded {
		a.intake.forwarded++
	}
	if e.Absolute { // a log without hosts is that of one host, however a target is written
		e.Host = nil
	}
	if isRobotsTxt(e.Target) {
		a.site.asked++
		a.hear(e)
	}
	if e.Status >= 400 && isProbe(e) {
		a.site.addProbe(e)
	}
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

// fileNumber returns the number of a file.
func (i *intake) fileNumber(name string) int32 {
	if name == i.latest && len(i.files) > 0 {
		return i.number
	}
	n, ok := i.numbers[name]
	if !ok {
		n = int32(len(i.files))
		i.files, i.numbers[name] = append(i.files, name), n
	}
	i.latest, i.number = name, n
	return n
}

// reach notes the moment of a request.
func (s *span) reach(at int64) {
	switch {
	case len(s.begins) == 0 || at-s.last > int64(hole):
		s.begins = append(s.begins, at)
	case at < s.begins[0]:
		s.begins[0] = at
	}
	s.first, s.last = min(s.first, at), max(s.last, at)
}

// began returns since when the log tells all up to a moment.
func (s *span) began(at int64) int64 {
	i := len(s.begins) - 1
	for i > 0 && s.begins[i] > at {
		i--
	}
	return s.begins[i]
}

// hear takes in what a host answered to a request for robots.txt.
func (a *Auditor) hear(e *accesslog.Entry) {
	if !a.site.presumes {
		return
	}
	w := a.site.witnesses[string(e.Host)]
	if w == nil {
		if len(a.site.witnesses) >= a.o.MaxRobots {
			return
		}
		w = a.witness(string(e.Host))
	}
	w.add(e)
}

// witness returns that of a host.
func (a *Auditor) witness(host string) *witness {
	w := a.site.witnesses[host]
	if w == nil {
		w = &witness{}
		a.site.witnesses[host] = w
	}
	return w
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
	r.add(a, c, e, p)
	if s != nil {
		r.addSigned(a, e, p, s)
	}
	return r
}

// rulesForAll returns the rules of a host for those whom no group names. Hosts without copies of their own have those for every host.
func (a *Auditor) rulesForAll(host []byte) *rulebook {
	rules, has := a.site.stars[string(host)]
	if !has && len(host) > 0 {
		return a.rulesForAll(nil)
	}
	if rules == nil {
		b := rulebookFor(a.o.Copies, string(host), "", nil)
		rules = &b
		a.site.stars[string(host)] = rules
	}
	return rules
}

// evidence returns what a line shows that was judged.
func (a *Auditor) evidence(e *accesslog.Entry, p place, v robots.Verdict, robotsName string) Evidence {
	return Evidence{
		File: a.intake.files[p.file], Line: p.line, Time: e.Time, Client: clip(e.Client), Path: clip(e.Target), Status: e.Status,
		Robots: robotsName, RuleLine: v.Line, Rule: v.Rule,
	}
}

// agent returns what is known of a User-Agent.
func (a *Auditor) agent(text []byte) *agent {
	text = text[:min(len(text), maxText)]
	if g := a.agents.byText[string(text)]; g != nil {
		return g
	}
	full := len(a.agents.byText) >= a.o.MaxAgents
	var h uint64
	if full {
		h = maphash.Bytes(a.seed, text)
		if _, ok := a.agents.browsing[h]; ok {
			return a.agents.browsers
		}
	}
	g := &agent{text: clip(text), id: int32(len(a.agents.byText)), first: math.MaxInt64}
	g.token, g.class = Classify(a.o.Roster, g.text)
	g.lower = strings.ToLower(g.token)
	switch {
	case !full:
		a.agents.byText[string(text)] = g
	case g.class == ClassBrowser:
		g = a.otherBrowser(g, h)
	}
	return g
}

// otherBrowser returns the agent that stands for the browsers beyond MaxAgents, one of which is g. That it is one is remembered, within
// bounds, for to classify an agent takes longer than all the rest of a line.
func (a *Auditor) otherBrowser(g *agent, hash uint64) *agent {
	if a.agents.browsers == nil {
		a.agents.browsers = g
	}
	if len(a.agents.browsing) < browsersPerAgent*a.o.MaxAgents {
		a.agents.browsing[hash] = struct{}{}
	}
	return a.agents.browsers
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
	u := a.visitors.units[key]
	switch {
	case u != nil:
		return u
	case len(a.visitors.units) >= a.o.MaxAgents+a.o.MaxRobots && g.token != "":
		return &a.visitors.rest
	}
	u = &unit{id: int32(len(a.visitors.units) + 1)}
	a.visitors.units[key] = u
	return u
}

// robot returns the robot of a unit; nil when there are too many.
func (a *Auditor) robot(u *unit, g *agent, host []byte, id Identity) *robot {
	if r := u.robots[id]; r != nil {
		return r
	}
	if len(a.visitors.robots) >= a.o.MaxRobots || u == &a.visitors.rest {
		return nil
	}
	r := &robot{
		token: g.token, host: clip(host), agent: g.text, class: g.class, identity: id, row: a.site.timeline.newRow(),
	}
	record := a.o.Roster.Find(r.token)
	r.rules = rulebookFor(a.o.Copies, r.host, r.token, record)
	if a.site.presumes {
		r.witness = a.witness(r.host)
	}
	a.visitors.join(r, record)
	if u.robots == nil {
		u.robots = map[Identity]*robot{}
	}
	u.robots[id] = r
	a.visitors.robots = append(a.visitors.robots, r)
	return r
}

// client returns the client of a request; one that is thrown away when there are too many.
func (a *Auditor) client(u *unit, g *agent, e *accesslog.Entry) *client {
	if c := a.visitors.clients.find(u.id, e.Client); c != nil {
		return c
	}
	name := clientName(e.Client)
	if name != string(e.Client) {
		if c := a.visitors.clients.find(u.id, []byte(name)); c != nil {
			return c
		}
	}
	network := a.visitors.networks.of(name, &a.o)
	if network != nil && g.class.isPerson() {
		if network.pairs++; network.pairs > manyNames {
			if a.visitors.crowded.of(maphash.String(a.seed, name), name, u.id).isMany() {
				u, g = &a.visitors.crowded.unit, &a.visitors.crowded.agent
				if c := a.visitors.clients.find(u.id, []byte(name)); c != nil {
					return c
				}
			}
		}
	}
	if len(a.visitors.clients.list) >= a.o.MaxClients {
		a.visitors.lost++
		lost := newClient(name, u, g)
		lost.network = network
		return &lost
	}
	c := a.visitors.clients.add(name, u, g)
	c.network = network
	if !g.class.isPerson() {
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
