package audit

import (
	"hash/maphash"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

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
	generics generics
	seed     maphash.Seed
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

func newVisitors(seed maphash.Seed) visitors {
	return visitors{units: map[unitKey]*unit{}, families: map[familyKey]*family{}, strays: strays{}, seed: seed}
}

// unit returns the unit of a request. Few agents go from host to host, so that the last answer mostly holds.
func (a *Auditor) unit(g *agent, host []byte) *unit {
	if g.unit == nil || g.host != string(host) {
		g.host, g.unit, g.rules = string(host), a.findUnit(g, host), a.site.rulesForAll(host)
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
	r.rules, r.countsWindows = newRulebook(a.site.copies.of(r.host), r.token, record), record.CountsWindows()
	if record == nil {
		if record = a.kin(g.text); record != nil {
			r.kin, r.rules.names.hearsAll = record, false
		}
	}
	if a.site.presumes {
		r.witness = a.site.witness(r.host)
	}
	a.visitors.join(r, record, a.o.Roster)
	if u.robots == nil {
		u.robots = map[Identity]*robot{}
	}
	u.robots[id] = r
	a.visitors.robots = append(a.visitors.robots, r)
	return r
}

// robotsShare is one part in so many of the clients that people leave to robots: in a log of months there are far more people, who
// would take all the room before a robot comes of which it matters where from.
const robotsShare = 10

// client returns the client of a request; one that is thrown away when there are too many.
func (a *Auditor) client(u *unit, g *agent, e *accesslog.Entry) *client {
	v := &a.visitors
	hash := v.hash(e.Client)
	if c := v.clients.find(u.id, hash); c != nil {
		return c
	}
	name := clientName(e.Client)
	if name != string(e.Client) {
		hash = v.hash([]byte(name))
		if c := v.clients.find(u.id, hash); c != nil {
			return c
		}
	}
	network := v.networks.of(name, &a.o)
	if network != nil && g.class.isPerson() {
		if network.pairs++; network.pairs > manyNames && v.crowded.came(hash, name, u.id) {
			u, g = &v.crowded.unit, &v.crowded.agent
			if c := v.clients.find(u.id, hash); c != nil {
				return c
			}
		}
	}
	most := a.o.MaxClients
	if g.class.isPerson() {
		most -= most / robotsShare
	}
	if len(v.clients.list) >= most {
		v.lost++
		lost := newClient(name, hash, u, g)
		lost.network = network
		return &lost
	}
	c := v.clients.add(name, hash, u, g)
	c.network = network
	if !g.class.isPerson() {
		if c.robot = a.robot(u, g, e.Host, a.identity(g.token, name, e.Forwarded)); c.robot != nil {
			c.robot.clients++
		}
	}
	return c
}

// hash returns the hash of the name of a client.
func (v *visitors) hash(name []byte) uint64 { return maphash.Bytes(v.seed, name) }
