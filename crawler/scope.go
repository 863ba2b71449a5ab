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
	Mode    ScopeMode // default ScopeHost
	Seeds   []frontier.URL
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

// refuse returns why u is not wanted and by which rule; an empty reason means it is.
func (s *scope) refuse(u frontier.URL) (Reason, string) {
	for _, re := range s.Exclude {
		if re.MatchString(u.String()) {
			return ReasonExcluded, re.String()
		}
	}
	if s.seeds[u] {
		return "", ""
	}
	if !s.contains(u) {
		return ReasonOutOfScope, string(s.Mode)
	}
	if len(s.Include) == 0 {
		return "", ""
	}
	for _, re := range s.Include {
		if re.MatchString(u.String()) {
			return "", ""
		}
	}
	return ReasonNotIncluded, "no include pattern matches"
}

// refuseSitemap is refuse for a sitemap: that its host is wanted is enough, since each page it names is judged by itself.
func (s *scope) refuseSitemap(u frontier.URL) (Reason, string) {
	for _, re := range s.Exclude {
		if re.MatchString(u.String()) {
			return ReasonExcluded, re.String()
		}
	}
	if s.contains(u) || s.Mode == ScopePrefix && len(s.prefixes[u.Site()]) > 0 {
		return "", ""
	}
	return ReasonOutOfScope, string(s.Mode)
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
