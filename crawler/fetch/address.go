package fetch

import (
	"fmt"
	"net/netip"
)

// special are the blocks of the IANA special-purpose address registries (RFC 6890) that are not globally reachable, or whose
// reach is not that of a public web server. First match wins.
var special = []struct {
	prefix netip.Prefix
	name   string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "an address of this network"},             // RFC 791
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},                     // RFC 1918
	{netip.MustParsePrefix("100.64.0.0/10"), "a shared (carrier NAT) address"},     // RFC 6598
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},                   // RFC 1122
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},              // RFC 3927
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},                  // RFC 1918
	{netip.MustParsePrefix("192.0.0.0/24"), "a protocol assignment"},               // RFC 6890
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"},             // RFC 5737
	{netip.MustParsePrefix("192.88.99.0/24"), "a 6to4 relay address"},              // RFC 7526
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},                 // RFC 1918
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address"},             // RFC 2544
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},          // RFC 5737
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},           // RFC 5737
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},                  // RFC 5771
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},                   // RFC 1112
	{netip.MustParsePrefix("::/128"), "the unspecified address"},                   // RFC 4291
	{netip.MustParsePrefix("::1/128"), "a loopback address"},                       // RFC 4291
	{netip.MustParsePrefix("fc00::/7"), "a unique-local address"},                  // RFC 4193
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},                   // RFC 4291
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},                     // RFC 4291
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},            // RFC 3849
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},                // RFC 9637
	{netip.MustParsePrefix("2001::/23"), "a protocol assignment (such as Teredo)"}, // RFC 2928
}

// Blocks that carry an IPv4 address, which decides.
var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052: the last four bytes
	sixToFour = netip.MustParsePrefix("2002::/16")    // RFC 3056: bytes 2 to 5
	global    = netip.MustParsePrefix("2000::/3")     // RFC 4291: all there is of global unicast
)

// whySpecial says what is special about a, or "" when a is an ordinary public address.
func whySpecial(a netip.Addr) string {
	a = a.Unmap()
	if !a.IsValid() {
		return "no address"
	}
	if e, kind := embedded(a); e.IsValid() {
		if why := whySpecial(e); why != "" {
			return fmt.Sprintf("%s for %s, %s", kind, e, why)
		}
		return ""
	}
	plain := a.WithZone("")
	for _, s := range special {
		if s.prefix.Contains(plain) {
			return s.name
		}
	}
	if a.Is6() && !global.Contains(plain) {
		return "a reserved address"
	}
	return ""
}

// embedded returns the IPv4 address inside a translated or tunnelled IPv6 address.
func embedded(a netip.Addr) (e netip.Addr, kind string) {
	b := a.As16()
	switch plain := a.WithZone(""); {
	case nat64.Contains(plain):
		return netip.AddrFrom4([4]byte(b[12:16])), "a NAT64 address"
	case sixToFour.Contains(plain):
		return netip.AddrFrom4([4]byte(b[2:6])), "a 6to4 address"
	}
	return netip.Addr{}, ""
}

// A ForbiddenError is the refusal to connect to a special-purpose address, which Options.AllowPrivate permits.
type ForbiddenError struct {
	Address netip.Addr
	Why     string // what is special about it: "a loopback address"
}

// Error says what the address is.
func (e *ForbiddenError) Error() string { return fmt.Sprintf("%s is %s", e.Address, e.Why) }

// checkAddress returns a *ForbiddenError unless a is an address that a public crawl may connect to.
func checkAddress(a netip.Addr) error {
	if why := whySpecial(a); why != "" {
		return &ForbiddenError{Address: a, Why: why}
	}
	return nil
}

// visibleAddress returns the address of this end of a connection if the other end sees it: behind a router that translates
// addresses a public server sees that of the router, and what ours is within is nobody's business.
func visibleAddress(local, remote netip.Addr) netip.Addr {
	if !local.IsValid() || checkAddress(local) != nil && checkAddress(remote) == nil {
		return netip.Addr{}
	}
	return local.WithZone("")
}

// optedOut asks OptedOut about an address, and about the IPv4 address that it carries.
func (o *Options) optedOut(a netip.Addr) (entry string, out bool) {
	if o.OptedOut == nil || !a.IsValid() {
		return "", false
	}
	if entry, out := o.OptedOut(a); out {
		return entry, true
	}
	if e, _ := embedded(a); e.IsValid() {
		return o.OptedOut(e)
	}
	return "", false
}
