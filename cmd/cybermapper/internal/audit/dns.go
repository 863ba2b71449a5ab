package audit

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A dnsCheck tells by DNS whose an address is: its name must be one that the record of the robot names, and lead back to the
// address.
type dnsCheck struct {
	ctx     context.Context // of the command; an Identify has none of its own
	list    *roster.List
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

func newDNSCheck(ctx context.Context, list *roster.List, before func(token, client string) audit.Identity) *dnsCheck {
	return &dnsCheck{ctx: ctx, list: list, lookup: net.DefaultResolver, timeout: 3 * time.Second, most: maxDNS, before: before}
}

// identify is an audit.Options.Identify. What DNS does not answer stays unchecked: that says nothing about the robot.
func (d *dnsCheck) identify(token, client string) audit.Identity {
	if d.before != nil {
		if id := d.before(token, client); id != audit.Unchecked {
			return id
		}
	}
	record := d.list.Find(token)
	_, known := record.MayComeFrom("")
	addr, err := netip.ParseAddr(client)
	if !known || err != nil || d.most <= 0 {
		return audit.Unchecked
	}
	d.most--
	ctx, cancel := context.WithTimeout(d.ctx, d.timeout)
	defer cancel()
	names, err := d.lookup.LookupAddr(ctx, client)
	if none, ok := errors.AsType[*net.DNSError](err); err != nil && (!ok || !none.IsNotFound) {
		return audit.Unchecked
	}
	for _, name := range names {
		if ok, _ := record.MayComeFrom(name); !ok {
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
