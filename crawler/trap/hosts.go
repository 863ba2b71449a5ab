package trap

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// A domain is what is known of the hosts below one registrable domain.
type domain struct {
	pages    int              // visited, of all its hosts
	recalled int              // of these, the ones whose links are not known
	forgets  bool             // some of its links may be forgotten: then Page.New tells which are new
	hosts    map[uint64]*host // at most maxHosts
	found    int              // hosts that were found on another, and visited
	opens    int              // of these, the ones that lead to new hosts
	fresh    int              // hosts that were found on such
	again    int              // of these, the ones that a third host leads to
}

// maxHosts bounds the hosts that are remembered of a domain.
const maxHosts = 4096

// A host is one of them.
type host struct {
	by      *host // whose page led to it first; nil for a seed
	visited bool
	opens   bool
	met     bool // a third host leads to it
}

func (d *Detector) domainLocked(name string) *domain {
	h := xxhash.Sum64String(name)
	dom, ok := d.domains.Get(h)
	if !ok {
		dom = &domain{hosts: map[uint64]*host{}}
	}
	d.domains.Put(h, dom) // so that it is not forgotten while it is visited
	return dom
}

func (dom *domain) host(origin string, by *host) (h *host, fresh bool) {
	key := hashOf(origin, "")
	h, ok := dom.hosts[key]
	if !ok {
		h = &host{by: by}
		if len(dom.hosts) < maxHosts {
			dom.hosts[key] = h
		}
	}
	return h, !ok
}

// hostsLocked takes in the hosts that a page leads to.
func (d *Detector) hostsLocked(p Page) *domain {
	dom := d.domainLocked(p.URL.Domain)
	dom.pages++
	h, _ := dom.host(p.URL.Origin, nil)
	if !h.visited && h.by != nil {
		dom.found++
	}
	h.visited = true
	for _, u := range p.Links {
		if u.Domain != p.URL.Domain || u.Origin == p.URL.Origin {
			continue
		}
		to, fresh := dom.host(u.Origin, h)
		switch {
		case fresh && h.by != nil:
			dom.fresh++
			if !h.opens {
				h.opens = true
				dom.opens++
			}
		case !fresh && to.by != h && to != h.by && !to.met:
			to.met = true
			dom.again++
		}
	}
	return dom
}

// suspectHostLocked suspects a host that was not visited yet, of a domain whose hosts lead to ever new ones.
func (d *Detector) suspectHostLocked(u URL) (Finding, bool) {
	dom, ok := d.domains.Get(siteOf(u))
	if !ok || dom.found < d.o.Hosts || 10*dom.opens < 9*dom.found || 2*dom.fresh < 3*dom.found || 5*dom.again > dom.fresh {
		return Finding{}, false
	}
	if h, known := dom.hosts[hashOf(u.Origin, "")]; known && (h.visited || h.by == nil) {
		return Finding{}, false
	}
	evidence := fmt.Sprintf("of %d hosts found on others %d lead to new ones; of %d such %d were met again",
		dom.found, dom.opens, dom.fresh, dom.again)
	return Finding{WildHosts, "*." + u.Domain, evidence}, true
}
