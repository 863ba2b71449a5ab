package audit

import "net/netip"

// nat64 is the network in which translators of protocols put IPv4 addresses (RFC 6052 section 2.1): a server that has IPv6 only may
// see all of IPv4 in it.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// untranslated returns the address that a client has before translators: that of IPv4, if it stands in one of IPv6.
func untranslated(addr netip.Addr) netip.Addr {
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr.Unmap()
}

// isInside reports whether an address cannot be one of the Internet: who comes from it comes through a proxy, or is at home.
func isInside(addr netip.Addr) bool {
	addr = addr.Unmap()
	return addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast()
}

// identity says whether an address is one from which the robot of that name comes. One that is only claimed, as X-Forwarded-For has
// it, shows nothing: who borrows the name can write an address of its maker.
func (a *Auditor) identity(token, client string, isClaimed bool) Identity {
	if a.o.Identify == nil || isClaimed {
		return Unchecked
	}
	addr, err := netip.ParseAddr(client)
	switch {
	case err != nil:
		return a.o.Identify(token, client)
	case isInside(untranslated(addr)): // of a proxy
		return Unchecked
	}
	return a.o.Identify(token, untranslated(addr).String())
}

// someNames is how many names an address inside may have before somebody else is taken to be behind it.
const someNames = 8

// addProxies finds the addresses of proxies in front of the server, behind which everybody looks like one: inside, and with several
// names, or with nearly all requests. It returns the busiest; empty when there is none. Containers that are asked over IPv6 see
// part of their visitors so, behind the address of their gateway.
func (a *Auditor) addProxies(by *addresses) (busiest string) {
	most := int64(0)
	for i := range by.all {
		t := &by.all[i]
		name, n := by.name(t), int64(t.everybody.requests)
		if name == nobody {
			by.share(name)
			continue
		}
		isMost := n >= 100 && n*oneOfTen >= a.site.total.requests*(oneOfTen-1)
		if !isMost && int(t.names) <= someNames && a.visitors.crowded.nameCount(name) == 0 {
			continue
		}
		if addr, err := netip.ParseAddr(name); err != nil || !isInside(addr) {
			continue
		}
		by.share(name)
		if n > most {
			busiest, most = name, n
		}
	}
	return busiest
}

// nobody is the name of a client that cannot be told: those who have it are many.
const nobody = "-"

// share notes that many are behind an address, who are not to be blamed for what they do together.
func (a *addresses) share(name string) {
	if a.proxies == nil {
		a.proxies = map[string]bool{}
	}
	a.proxies[name] = true
}

// hasProxy reports whether a network has a proxy of ours.
func (a *addresses) hasProxy(p netip.Prefix) bool {
	for name := range a.proxies {
		if addr, err := netip.ParseAddr(name); err == nil && p.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}
