package audit

import (
	"net/netip"

	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
)

// networkHolder returns who holds the network of a client; nil when it is not known.
func (a *Auditor) networkHolder(client string) *owner.Owner {
	addr, err := netip.ParseAddr(client)
	if err != nil {
		return nil
	}
	o, ok := a.o.Owners.Of(untranslated(addr))
	if !ok {
		return nil
	}
	return &o
}

// HeldBy returns who holds the network of the busiest address whose owner is known, and that address.
func (r Robot) HeldBy() (o *owner.Owner, client string) {
	for _, a := range r.Addresses {
		if a.Holder != nil {
			return a.Holder, a.Client
		}
	}
	return nil, ""
}

// addWhois says whom to ask for the owner, if the robot has faults and nobody knows whose it is.
func (r *Robot) addWhois() {
	known := r.About != nil && r.About.Owner != "" && r.Identity != Disproved
	if o, _ := r.HeldBy(); o != nil || known || len(r.Faults) == 0 {
		return
	}
	for _, a := range r.Addresses {
		if r.Whois = whois(a.Client); r.Whois != "" {
			return
		}
	}
}

// whois returns the command that asks the registries whose an address is; empty for what they do not know.
func whois(client string) string {
	addr, err := netip.ParseAddr(client)
	if addr = untranslated(addr); err != nil || !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Zone() != "" {
		return ""
	}
	return "whois " + addr.String()
}
