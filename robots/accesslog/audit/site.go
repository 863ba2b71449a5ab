package audit

import (
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

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
	copies    copies
	named     authorities
	maxHosts  int   // that have a witness
	asked     int64 // requests for robots.txt, of anybody
	missing   missing
	hourglass hourglass
	glasses   []hourglass      // of each of the first logs
	hasAssets bool             // known in the end
	referred  map[string]int64 // documents of people whom an operator sent
	probes    Probes
	served    map[string]bool // places of what attackers look for that are the site's own
	isProbing bool            // what was counted last
	// the log does not show who asked for robots.txt, or does not seem to; known in the end, and when it is asked who is here
	hidesAsking bool
	unsaid      bool    // it does not say which of several hosts was asked; known in the end
	zone        int     // of the log, in seconds east of UTC
	people      float64 // seconds that answers to people took
}

func newSite(o *Options) site {
	s := site{
		stars: map[string]*rulebook{}, witnesses: map[string]*witness{}, referred: map[string]int64{}, named: authorities{},
		served: map[string]bool{}, copies: newCopies(o.Copies), maxHosts: o.MaxRobots,
	}
	for _, c := range o.Copies {
		s.stars[c.Host] = nil
		s.presumes = s.presumes || c.Presumed
	}
	s.minutes.Max = o.MaxMinutes
	s.all = s.timeline.newRow()
	return s
}

// count counts a request.
func (s *site) count(e *accesslog.Entry) {
	s.total.count(e)
	s.zone = e.Zone
	s.timeline.reach(e.Time.Unix())
	s.timeline.count(s.all, e.Time.Unix(), e.Taken)
	if isOpen(e) {
		s.named.add(e.Authority)
	}
	if isRobotsTxt(e.Target) && !isElsewhere(e) {
		s.asked++
		s.hear(e)
	}
	if s.isProbing = s.isProbe(e); s.isProbing {
		s.addProbe(e)
	}
}

// hear takes in what a host answered to a request for robots.txt.
func (s *site) hear(e *accesslog.Entry) {
	if !s.presumes {
		return
	}
	w := s.witnesses[string(e.Host)]
	if w == nil {
		if len(s.witnesses) >= s.maxHosts {
			return
		}
		w = s.witness(string(e.Host))
	}
	w.add(e)
}

// witness returns that of a host.
func (s *site) witness(host string) *witness {
	w := s.witnesses[host]
	if w == nil {
		w = &witness{}
		s.witnesses[host] = w
	}
	return w
}

// rulesForAll returns the rules of a host for those whom no group names. Hosts without copies of their own have those for every
// host.
func (s *site) rulesForAll(host []byte) *rulebook {
	rules, has := s.stars[string(host)]
	if !has && len(host) > 0 {
		return s.rulesForAll(nil)
	}
	if rules == nil {
		b := newRulebook(s.copies.of(string(host)), "", nil)
		rules = &b
		s.stars[string(host)] = rules
	}
	return rules
}
