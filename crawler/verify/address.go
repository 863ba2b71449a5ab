package verify

import (
	"net/netip"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// addresses counts the requests under way per IP address.
type addresses struct {
	opts  *Options
	byIP  map[netip.Addr]*window
	tally tally
	most  int
}

// add judges one request.
func (a *addresses) add(e *ledger.Entry, r *run, s span) {
	if e.Address == "" {
		if e.Status != 0 && e.Proxy != "" {
			a.tally.lack(e, "went through %s, which looked the name up: only it knows from which address the answer is", e.Proxy)
		} else if e.Status != 0 {
			a.tally.lack(e, "was answered, but the ledger does not say from which address")
		}
		return // never connected
	}
	if r.policy == nil {
		a.tally.lack(e, "the run does not say how many requests an address may have in flight")
		return
	}
	bound := r.policy.PerAddress
	if bound <= 0 {
		return
	}
	addr, err := netip.ParseAddrPort(e.Address)
	if err != nil {
		a.tally.refute(e, "%q is no address", e.Address)
		return
	}
	w := a.of(addr.Addr(), s.end)
	if w == nil {
		a.tally.lack(e, "more than %d addresses were in use at once", a.opts.Addresses)
		return
	}
	together, known := w.add(s, horizon, a.opts.Window)
	if together > a.most {
		a.most = together
		a.tally.margin = time.Duration(-together) // among several jobs the worst counts
		a.tally.worst = plural(together, "request") + " at once to " + addr.Addr().String()
		if a.tally.job != "" {
			a.tally.worst = a.tally.job + ": " + a.tally.worst
		}
	}
	switch {
	case together > bound:
		a.tally.refute(e, "%d requests in flight at once to %s, %d allowed", together, addr.Addr(), bound)
	case !known:
		a.tally.lack(e, "it was in flight so long that what else was in flight is no longer known")
	default:
		a.tally.ok()
	}
}

// of returns the window of an address, nil when there is no room for another.
func (a *addresses) of(ip netip.Addr, now time.Duration) *window {
	if w, ok := a.byIP[ip]; ok {
		return w
	}
	if len(a.byIP) >= a.opts.Addresses {
		for ip, w := range a.byIP {
			if last := w.spans[len(w.spans)-1].end; last < now-horizon {
				delete(a.byIP, ip)
			}
		}
	}
	if len(a.byIP) >= a.opts.Addresses {
		return nil
	}
	w := &window{}
	a.byIP[ip] = w
	return w
}

// newRun forgets: nothing is under way when a process begins.
func (a *addresses) newRun() { a.byIP = map[netip.Addr]*window{} }
