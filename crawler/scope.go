package crawler

import (
	"fmt"
	"hash/maphash"
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/cybermapper/cybermapper/crawler/internal/hashset"
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

// scope is a Scope prepared for many questions: what it remembers, a hash each, grows with the places that are wanted, and not with
// the seeds. It is safe for concurrent use.
type scope struct {
	Scope
	hash       maphash.Seed
	requisites []string // Requisites.Hosts

	mu          sync.RWMutex // guards the following
	wanted      hashset.Set  // sites or domains
	directories hashset.Set  // below which all is wanted, with their site
	seeds       hashset.Set  // what is wanted whatever Include says; empty without Include
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
	sc := &scope{Scope: s, hash: maphash.MakeSeed()}
	sc.extend(seeds)
	return sc, nil
}

// extend takes in seeds.
func (s *scope) extend(seeds []frontier.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range seeds {
		s.addLocked(u)
	}
}

func (s *scope) addLocked(u frontier.URL) {
	if len(s.Include) > 0 {
		s.seeds.Add(s.sum(u.String()))
	}
	switch s.Mode {
	case ScopeHost:
		s.wanted.Add(s.sum(u.Site()))
	case ScopeDomain:
		s.wanted.Add(s.sum(registrableDomain(u)))
	case ScopePrefix:
		if !s.belowLocked(u) {
			s.directories.Add(s.sum(u.Site() + directory(u)))
		}
		s.wanted.Add(s.sum(u.Site()))
	}
}

func (s *scope) sum(text string) uint64 { return maphash.String(s.hash, text) }

func (s *scope) has(places *hashset.Set, text string) bool {
	sum := s.sum(text)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return places.Has(sum)
}

func (s *scope) isSeed(u frontier.URL) bool { return s.has(&s.seeds, u.String()) }

// mayWant reports whether anything of a site can be wanted.
func (s *scope) mayWant(site string) bool {
	u, err := frontier.ParseURL("http://" + site + "/")
	switch {
	case err != nil || s.Mode == ScopeAny:
		return true
	case s.Mode == ScopeDomain:
		return s.has(&s.wanted, registrableDomain(u))
	}
	return s.has(&s.wanted, site)
}

// isEmpty reports whether nobody has said what is wanted.
func (s *scope) isEmpty() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.wanted.Len() == 0
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
	case isCheck(l.Kind):
		return Refusal{}, false
	case isRequisite(l.Kind):
		return s.judgeRequisite(u)
	case l.Kind != kindPage && (s.contains(u) || s.Mode == ScopePrefix && s.has(&s.wanted, u.Site())):
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
		return s.has(&s.wanted, registrableDomain(u))
	case ScopePrefix:
		s.mu.RLock()
		defer s.mu.RUnlock()
		return s.belowLocked(u)
	default:
		return s.has(&s.wanted, u.Site())
	}
}

// belowLocked reports whether u lies in or below one of the directories.
func (s *scope) belowLocked(u frontier.URL) bool {
	place := u.Site() + directory(u)
	if !s.wanted.Has(s.sum(u.Site())) {
		return false
	}
	for end := len(place); end > len(u.Site()); end = strings.LastIndexByte(place[:end-1], '/') + 1 {
		if s.directories.Has(s.sum(place[:end])) {
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
