package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"net/netip"
	"strings"
	"sync/atomic"

	"golang.org/x/net/publicsuffix"

	"github.com/cybermapper/cybermapper/frontier"
)

// A placement says which partition a site falls into: that of its registrable domain, so that the hosts of one owner are asked by
// one node. The domain is hashed with a secret of the job, so that nobody can aim many sites at one partition.
type placement struct {
	secret     []byte
	partitions int
	recent     *recentSites
}

func newPlacement(secret []byte, partitions int) placement {
	return placement{secret, partitions, &recentSites{seed: maphash.MakeSeed()}}
}

// maxRecent is how many sites a placement remembers; a power of two.
const maxRecent = 4096

// recentSites are sites that were asked for of late, and their partitions. It takes ten times as long to work one out.
type recentSites struct {
	seed maphash.Seed
	at   [maxRecent]atomic.Pointer[placedSite]
}

type placedSite struct {
	site      string
	partition int
}

// of returns the partition of a site, by its key (frontier.URL.Site).
func (p placement) of(site string) int {
	at := &p.recent.at[maphash.String(p.recent.seed, site)%maxRecent]
	if s := at.Load(); s != nil && s.site == site {
		return s.partition
	}
	partition := p.compute(site)
	at.Store(&placedSite{strings.Clone(site), partition})
	return partition
}

func (p placement) compute(site string) int {
	h := sha256.New()
	h.Write(p.secret)
	h.Write([]byte(domainOf(site)))
	var sum [sha256.Size]byte
	return int(binary.BigEndian.Uint64(h.Sum(sum[:0])) % uint64(p.partitions))
}

// domainOf returns the registrable domain of a site, by the Public Suffix List with its private section; that of an address is the
// address, that of a name without one the name.
func domainOf(site string) string {
	host := site
	if i := strings.LastIndexByte(site, ':'); i > strings.LastIndexByte(site, ']') {
		host = site[:i]
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

// split sorts links by partition.
func (p placement) split(links []frontier.Link) map[int][]frontier.Link {
	by := make(map[int][]frontier.Link)
	site, at := "", -1
	for _, l := range links {
		if s := l.URL.Site(); s != site || at < 0 {
			site, at = s, p.of(s)
		}
		by[at] = append(by[at], l)
	}
	return by
}
