package crawler

import (
	"fmt"
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
// of Exclude; the patterns are tried on the whole URL. Seeds are wanted unless Exclude says otherwise.
type Scope struct {
	Mode    ScopeMode      // default ScopeHost
	Seeds   []frontier.URL // those that Run is not given, such as those of earlier runs
	Include []*regexp.Regexp
	Exclude []*regexp.Regexp
}

// scope is a Scope prepared for many questions. It is immutable.
type scope struct {
	Scope
	seeds    map[frontier.URL]bool
	wanted   map[string]bool     // sites or domains
	prefixes map[string][]string // site -> directories
}

func newScope(s Scope) (*scope, error) {
	switch s.Mode {
	case "":
		s.Mode = ScopeHost
	case ScopeHost, ScopeDomain, ScopePrefix, ScopeAny:
	default:
		return nil, fmt.Errorf("crawler: unknown scope %q: host, domain, prefix or any", s.Mode)
	}
	sc := &scope{Scope: s, seeds: map[frontier.URL]bool{}, wanted: map[string]bool{}, prefixes: map[string][]string{}}
	for _, u := range s.Seeds {
		sc.seeds[u] = true
		switch s.Mode {
		case ScopeHost:
			sc.wanted[u.Site()] = true
		case ScopeDomain:
			sc.wanted[registrableDomain(u)] = true
		case ScopePrefix:
			sc.prefixes[u.Site()] = append(sc.prefixes[u.Site()], directory(u))
		}
	}
	return sc, nil
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
	case l.Kind != kindPage && (s.contains(u) || s.Mode == ScopePrefix && len(s.prefixes[u.Site()]) > 0):
		return Refusal{}, false
	case l.Kind == kindPage && s.seeds[u]:
		return Refusal{}, false
	case !s.contains(u):
		return s.refusal(ReasonOutOfScope, string(s.Mode)), true
	case len(s.Include) == 0:
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
		for _, p := range s.prefixes[u.Site()] {
			if strings.HasPrefix(u.PathQuery(), p) {
				return true
			}
		}
		return false
	default:
		return s.wanted[u.Site()]
	}
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
