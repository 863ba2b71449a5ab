package crawler

import (
	"net/netip"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/frontier"
)

// An OptOut knows who asked the operator to be left alone. It is asked again and again, and may change its mind at any time:
// from then on no new request leaves for whoever it names, robots.txt included, and what waits in the queue for them is
// refused. It must be safe for concurrent use and quick. Give [fetch.Options].OptedOut its Address too: there it is asked
// about the address that is really dialled.
type OptOut interface {
	// Host tells whether the host of a URL is to be left alone, and which entry of the list says so.
	Host(host string) (entry string, out bool)
	// Address tells the same of an IP address.
	Address(a netip.Addr) (entry string, out bool)
}

// optedOut turns away what is at a host that is to be left alone, as far as that can be said without looking up its name.
func (c *Crawler) optedOut(u frontier.URL) (Refusal, bool) {
	if c.config.OptOut == nil {
		return Refusal{}, false
	}
	entry, out := c.config.OptOut.Host(u.Hostname())
	return Refusal{Gate: GateOptOut, Reason: ReasonOptedOut, Rule: entry}, out
}

// mayLeave returns an error if the host of a request, or one of its addresses, is opted out now: the permit for the request may
// have been waited for.
func (c *Crawler) mayLeave(r Request, addrs []netip.Addr) error {
	refusal, out := c.optedOut(r.URL)
	entry, list := refusal.Rule, c.config.OptOut
	for i := 0; list != nil && !out && i < len(addrs); i++ {
		entry, out = list.Address(addrs[i])
	}
	if !out {
		return nil
	}
	return &fetch.Error{Kind: fetch.KindOptedOut, Op: fetch.OpConnect, URL: r.URL.String(),
		Err: &fetch.OptOutError{Entry: entry}}
}
