package audit

import (
	"net/url"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A family is the robots of one owner on one host, which may share a copy of robots.txt.
type family struct {
	members []*robot
}

type familyKey struct{ name, host string }

// familyName returns what the robots of a family have in common: their owner, who is also that of the robot whose name theirs
// begins with, or else the first part of their names.
func familyName(token string, r *roster.Record, known *roster.List) string {
	name, _, _ := strings.Cut(strings.ToLower(token), "-")
	if r == nil {
		r = known.Find(name)
	}
	if r != nil && r.Owner() != "" && !r.IsAnybodys() {
		return "owner " + r.Owner()
	}
	return name
}

// kin returns a robot that has the page about it in common with one of which nothing is known, nil when there is none: they are of
// one owner. Large owners have robots besides their crawlers to which groups for all robots do not speak.
func (a *Auditor) kin(agent string) *roster.Record {
	page := pageOf(claimedContact(agent))
	if page == "" {
		return nil
	}
	if a.pages == nil {
		a.pages = map[string]*roster.Record{}
		for r := range a.o.Roster.All() {
			if at := pageOf(r.Value("robot-details-url")); at != "" && r.Owner() != "" && !r.IsAnybodys() {
				a.pages[at] = r
			}
		}
	}
	return a.pages[page]
}

// pageOf returns host and path of a URL as they are compared; empty when it is none.
func pageOf(text string) string {
	u, err := url.Parse(strings.ToLower(text))
	if err != nil || u.Host == "" {
		return ""
	}
	return strings.TrimPrefix(u.Host, "www.") + strings.TrimRight(u.Path, "/")
}

// join makes a robot a member of its family.
func (v *visitors) join(r *robot, record *roster.Record, known *roster.List) {
	key := familyKey{familyName(r.token, record, known), r.host}
	f := v.families[key]
	if f == nil {
		f = &family{}
		v.families[key] = f
	}
	f.members = append(f.members, r)
	r.family = f
}

// lastAsked returns when another of the family last asked for robots.txt, as far as the log was read.
func (f *family) lastAsked() (last int64) {
	for _, r := range f.members {
		last = max(last, r.fetched.last)
	}
	return last
}

// A fetching is what a robot got of robots.txt, as the lines came.
type fetching struct {
	last   int64         // request, in nanoseconds
	absent int64         // last time it was told that there is no file, which allows everything (RFC 9309 section 2.3.1.3)
	held   map[int]int64 // by copy: the last time at which it may have got it, or was kept from getting a newer one
	newest int           // copy that it may hold, counted from 1
}

// add takes in an answer to a request for robots.txt, while the copy of that index is in force.
func (f *fetching) add(at int64, status, inForce int) {
	f.last = max(f.last, at)
	switch {
	case status >= 400 && status < 500 && status != 408 && status != 429 && status != 499:
		f.absent = max(f.absent, at)
	case status >= 400 || status < 200: // it may go on with what it has
		if f.newest > 0 {
			f.hold(f.newest-1, at)
		}
	case inForce >= 0:
		f.hold(inForce, at)
		f.newest = max(f.newest, inForce+1)
	}
}

// borrow takes over what somebody else got.
func (f *fetching) borrow(o *fetching) {
	if o == nil || o.last <= f.last {
		return
	}
	f.last, f.absent, f.newest = o.last, max(f.absent, o.absent), max(f.newest, o.newest)
	for i, at := range o.held {
		f.hold(i, at)
	}
}

func (f *fetching) hold(i int, at int64) {
	if f.held == nil {
		f.held = map[int]int64{}
	}
	f.held[i] = max(f.held[i], at)
}

// generics are what was got of robots.txt from addresses under names that are nobody's: the library by which a robot gets it may
// give its own name, as Python's urllib.robotparser does, or none. The zero value is ready for use.
type generics struct {
	now, before map[genericKey]*fetching
}

type genericKey struct {
	client uint64 // hash of its name
	host   string
}

// maxGenerics is how many are remembered at least: those that asked last, and at most twice as many.
const maxGenerics = 10_000

// add takes in an answer to a request for robots.txt, if it came under such a name.
func (s *generics) add(c *client, g *agent, e *accesslog.Entry) {
	if g.class != ClassTool && !g.class.isPerson() {
		return
	}
	host := clip(e.Host)
	f := s.of(c, host)
	if f == nil {
		f = &fetching{}
	}
	if len(s.now) >= maxGenerics {
		s.now, s.before = nil, s.now
	}
	if s.now == nil {
		s.now = map[genericKey]*fetching{}
	}
	s.now[genericKey{c.hash, host}] = f
	at := e.Time.UnixNano()
	f.add(at, e.Status, g.rules.served(g.rules.at(at), e))
}

// of returns what was got of a host from the address of a client; nil if nothing was.
func (s *generics) of(c *client, host string) *fetching {
	if len(s.now) == 0 {
		return nil
	}
	key := genericKey{c.hash, host}
	if f := s.now[key]; f != nil {
		return f
	}
	return s.before[key]
}

// wasToldNone reports whether a robot of the family was told in the last 24 hours that there is no robots.txt.
func (f *family) wasToldNone(at int64) bool {
	for _, r := range f.members {
		if r.fetched.absent > 0 && at >= r.fetched.absent && at-r.fetched.absent < int64(grace) {
			return true
		}
	}
	return false
}

// hasGot reports whether a robot of the family has got a copy.
func (f *family) hasGot(i int) bool {
	return slices.ContainsFunc(f.members, func(r *robot) bool { return r.fetched.held[i] > 0 })
}

// mayHaveGot reports whether a copy allows a path that was replaced in the last 24 hours, which a robot may have got where the log
// does not show who asks; knows is as in excuses.
func (r *robot) mayHaveGot(path string, i int, at, knows int64) bool {
	for j := i - 1; j >= 0 && at-r.rules.until(j) < int64(grace) && knows < r.rules.until(j); j-- {
		if r.rules.allows(j, path) {
			return true
		}
	}
	return false
}

// excuses reports whether a robot may have used a copy that allows what the one in force, with that index, forbids. knows is the
// last moment at which the client itself got what was in force then.
func (r *robot) excuses(path string, i int, at, knows, began int64) bool {
	if r.family.wasToldNone(at) {
		return true
	}
	if (r.rules.mayBeNewer(i, at) || r.family.hasGot(i+1)) && r.rules.allows(i+1, path) {
		return true
	}
	known := -1
	if knows > 0 && knows < at {
		known = r.rules.at(knows)
	}
	if known == i {
		return false
	}
	// It may have got any copy before the log began.
	for j := i - 1; at-began < int64(grace) && j >= max(known, 0) && r.rules.until(j) > at-int64(grace); j-- {
		if r.rules.allows(j, path) {
			return true
		}
	}
	return r.mayUse(path, known, i, at) || known < 0 && r.rules.mayBeOlder(at, began)
}

// mayUse reports whether a copy allows a path that a robot of the family got in the last 24 hours, one from an index on and before
// another. There may be thousands of copies between these, and thousands that a robot has got: the fewer are gone through.
func (r *robot) mayUse(path string, from, before int, at int64) bool {
	from = max(from, 0)
	for _, sibling := range r.family.members {
		held := sibling.fetched.held
		allows := func(j int) bool {
			got, ok := held[j]
			return ok && j >= from && j < before && at-got < int64(grace) && r.rules.allows(j, path)
		}
		if before-from <= len(held) {
			for j := from; j < before; j++ {
				if allows(j) {
					return true
				}
			}
			continue
		}
		for j := range held {
			if allows(j) {
				return true
			}
		}
	}
	return false
}
