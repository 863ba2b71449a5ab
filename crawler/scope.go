package crawler

import (
	"fmt"
	"hash/maphash"
	"maps"
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/cybermapper/cybermapper/frontier"
)

// ScopeMode says how far from the seeds a crawl may go.
type ScopeMode string

// The scope modes.
const (
	ScopeHost   ScopeMode = "host"   // the hosts (and ports) of the seeds
	ScopeDomain ScopeMode = "domain" // their registrable domains, by the public suffix list
	ScopePrefix ScopeMode = "prefix" // their hosts, below the directory of the seed
	ScopeAny    ScopeMode = "any"    // everywhere
)

// Scope says which links are wanted. A link must lie where Mode says, match one of Include (if there are any) and none
// of Exclude; the patterns are tried on the whole URL. Seeds are wanted unless Exclude says otherwise, and so is what a seed
// redirects to within its registrable domain: it becomes a seed (Config.SeedMoved).
type Scope struct {
	Mode    ScopeMode      // default ScopeHost
	Seeds   []frontier.URL // those that Run is not given, such as those of earlier runs
	Include []*regexp.Regexp
	Exclude []*regexp.Regexp
}

// scope is a Scope prepared for many questions: what it remembers grows with the places that are wanted, and not with the seeds.
// It is immutable.
type scope struct {
	Scope
	wanted      map[string]bool     // sites or domains
	directories map[string]bool     // below which all is wanted, with their site
	seeds       map[uint64]struct{} // hashes of what is wanted whatever Include says; empty without Include
	seed        maphash.Seed
}

func newScope(s Scope) (*scope, error) {
	switch s.Mode {
	case "":
		s.Mode = ScopeHost
	case ScopeHost, ScopeDomain, ScopePrefix, ScopeAny:
	default:
		return nil, fmt.Errorf("crawler: unknown scope %q: host, domain, prefix or any", s.Mode)
	}
	seeds := s.Seeds
	s.Seeds = nil
	sc := &scope{Scope: s, wanted: map[string]bool{}, directories: map[string]bool{}, seeds: map[uint64]struct{}{},
		seed: maphash.MakeSeed()}
	for _, u := range seeds {
		sc.add(u)
	}
	return sc, nil
}

// extended returns the scope of more seeds, which is the same one when nothing is wanted beyond.
func (s *scope) extended(seeds []frontier.URL) *scope {
	wider := s
	for _, u := range seeds {
		if wider.contains(u) && (len(s.Include) == 0 || wider.isSeed(u)) {
			continue
		}
		if wider == s {
			next := *s
			next.wanted, next.directories, next.seeds = maps.Clone(s.wanted), maps.Clone(s.directories), maps.Clone(s.seeds)
			wider = &next
		}
		wider.add(u)
	}
	return wider
}

// add takes in a seed, before anybody else knows the scope.
func (s *scope) add(u frontier.URL) {
	if len(s.Include) > 0 {
		s.seeds[maphash.String(s.seed, u.String())] = struct{}{}
	}
	switch s.Mode {
	case ScopeHost:
		s.wanted[u.Site()] = true
	case ScopeDomain:
		s.wanted[registrableDomain(u)] = true
	case ScopePrefix:
		s.wanted[u.Site()] = true
		if !s.contains(u) {
			s.directories[u.Site()+directory(u)] = true
		}
	}
}

func (s *scope) isSeed(u frontier.URL) bool {
	_, ok := s.seeds[maphash.String(s.seed, u.String())]
	return ok
}

// judge turns away what is not wanted. Of a sitemap it is enough that its host is, since each page it names is judged by itself.
func (s *scope) judge(l frontier.Link) (Refusal, bool) {
	u := l.URL
	for _, re := range s.Exclude {
		if re.MatchString(u.String()) {
			return s.refusal(ReasonExcluded, re.String()), true
		}
	}
	switch {
	case l.Kind != kindPage && (s.contains(u) || s.Mode == ScopePrefix && s.wanted[u.Site()]):
		return Refusal{}, false
	case !s.contains(u):
		return s.refusal(ReasonOutOfScope, string(s.Mode)), true
	case len(s.Include) == 0, l.Kind == kindPage && s.isSeed(u):
		return Refusal{}, false
	}
	for _, re := range s.Include {
		if re.MatchString(u.String()) {
			return Refusal{}, false
		}
	}
	return s.refusal(ReasonNotIncluded, "no include pattern matches"), true
}

func (s *scope) refusal(r Reason, rule string) Refusal {
	return Refusal{Gate: GateScope, Reason: r, Rule: rule}
}

func (s *scope) contains(u frontier.URL) bool {
	switch s.Mode {
	case ScopeAny:
		return true
	case ScopeDomain:
		return s.wanted[registrableDomain(u)]
	case ScopePrefix:
		return s.wanted[u.Site()] && s.below(u)
	default:
		return s.wanted[u.Site()]
	}
}

// below reports whether u lies in or below one of the directories.
func (s *scope) below(u frontier.URL) bool {
	place := u.Site() + directory(u)
	for end := len(place); end > len(u.Site()); end = strings.LastIndexByte(place[:end-1], '/') + 1 {
		if s.directories[place[:end]] {
			return true
		}
	}
	return false
}

// registrableDomain returns the part of the host name that somebody registered; an address or a bare name is its own.
func registrableDomain(u frontier.URL) string {
	host := u.Hostname()
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

// directory returns the path of u up to its last slash.
func directory(u frontier.URL) string {
	path, _, _ := strings.Cut(u.PathQuery(), "?")
	return path[:strings.LastIndexByte(path, '/')+1]
}
