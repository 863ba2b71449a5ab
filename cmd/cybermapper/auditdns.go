package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// robotDomains are where the makers of robots say that the names of their addresses end, by product token in lower case.
var robotDomains = map[string][]string{
	"googlebot":   {"googlebot.com", "google.com"},
	"bingbot":     {"search.msn.com"},
	"yandexbot":   {"yandex.ru", "yandex.net", "yandex.com"},
	"applebot":    {"applebot.apple.com"},
	"baiduspider": {"baidu.com", "baidu.jp"},
	"petalbot":    {"petalsearch.com", "aspiegel.com"},
	"seznambot":   {"seznam.cz"},
	"mojeekbot":   {"mojeek.com"},
	"qwantbot":    {"qwant.com"},
	"ccbot":       {"crawl.commoncrawl.org"},
}

// A dnsCheck tells by DNS whose an address is: its name must be in a domain of the robot's maker, and lead back to the address.
type dnsCheck struct {
	ctx     context.Context // of the command; an Identify has none of its own
	lookup  dnsLookup
	timeout time.Duration                             // of one client; default 3s
	most    int                                       // clients looked up; the others stay unchecked
	before  func(token, client string) audit.Identity // asked first; may be nil
}

// A dnsLookup is the part of net.Resolver that is needed.
type dnsLookup interface {
	LookupAddr(ctx context.Context, addr string) ([]string, error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxDNS is how many clients are looked up.
const maxDNS = 1000

func newDNSCheck(ctx context.Context, before func(token, client string) audit.Identity) *dnsCheck {
	return &dnsCheck{ctx: ctx, lookup: net.DefaultResolver, timeout: 3 * time.Second, most: maxDNS, before: before}
}

// identify is an audit.Options.Identify. What DNS does not answer stays unchecked: that says nothing about the robot.
func (d *dnsCheck) identify(token, client string) audit.Identity {
	if d.before != nil {
		if id := d.before(token, client); id != audit.Unchecked {
			return id
		}
	}
	domains := robotDomains[strings.ToLower(token)]
	addr, err := netip.ParseAddr(client)
	if len(domains) == 0 || err != nil || d.most <= 0 {
		return audit.Unchecked
	}
	d.most--
	ctx, cancel := context.WithTimeout(d.ctx, d.timeout)
	defer cancel()
	names, err := d.lookup.LookupAddr(ctx, client)
	var none *net.DNSError
	if err != nil && (!errors.As(err, &none) || !none.IsNotFound) {
		return audit.Unchecked
	}
	for _, name := range names {
		if !inDomain(name, domains) {
			continue
		}
		back, err := d.lookup.LookupNetIP(ctx, "ip", name)
		if err != nil {
			return audit.Unchecked
		}
		if slices.ContainsFunc(back, func(a netip.Addr) bool { return a.Unmap() == addr.Unmap() }) {
			return audit.Confirmed
		}
	}
	return audit.Disproved
}

// inDomain reports whether a name is below one of the domains.
func inDomain(name string, domains []string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return slices.ContainsFunc(domains, func(d string) bool { return strings.HasSuffix(name, "."+d) })
}
