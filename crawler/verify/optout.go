package verify

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/optout"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// leftAlone is who is opted out, as the ledger goes by.
type leftAlone struct {
	since map[string]since // by entry
	list  *optout.List     // of the entries; nil when they have changed
}

// A since is when a job took down an entry.
type since struct {
	at  time.Time
	job int
}

// optOutSlack is how long after the record of an opt-out a request may have left that was let go before.
const optOutSlack = time.Second

// note takes down that an entry holds from now on, or no longer.
func (a *leftAlone) note(e *ledger.Entry, job int) {
	if a.since == nil {
		a.since = map[string]since{}
	}
	if e.Event == ledger.EventLifted {
		delete(a.since, e.Rule)
	} else {
		a.since[e.Rule] = since{e.Time, job}
	}
	a.list = nil
}

// names returns the entry that names the host or the address of a request.
func (a *leftAlone) names(e *ledger.Entry) (entry string, out bool) {
	if len(a.since) == 0 {
		return "", false
	}
	if a.list == nil {
		var all strings.Builder
		for entry := range a.since {
			all.WriteString(entry + "\n")
		}
		a.list, _, _ = optout.Parse(strings.NewReader(all.String())) // of a text in memory
	}
	if u, err := url.Parse(e.URL); err == nil {
		entry, out = a.list.Host(u.Hostname())
	}
	if at, err := netip.ParseAddrPort(e.Address); err == nil && !out {
		entry, out = a.list.Address(at.Addr())
	}
	return entry, out
}

// holds reports whether the rule of a record is an entry that holds, and names the host.
func (a *leftAlone) holds(e *ledger.Entry) bool {
	if _, ok := a.since[e.Rule]; !ok {
		return false
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	list, _, _ := optout.Parse(strings.NewReader(e.Rule + "\n")) // of a text in memory
	_, out := list.Host(u.Hostname())
	return out
}

// leftAlone judges whether a request went to somebody who had asked to be left alone.
func (p *pass) leftAlone(e *ledger.Entry) {
	entry, out := p.optOuts.names(e)
	since := p.optOuts.since[entry]
	late, drift := e.Start.Sub(since.at), p.driftTo(since.job)
	switch {
	case out && late > optOutSlack+drift:
		p.tally(OptOut).refute(e, "left %v after %s was opted out%s", late, entry, p.inJob(since.job))
	case out && late > optOutSlack-drift:
		p.tally(OptOut).lack(e, "left %v after %s was opted out%s, by clocks that may differ by %v", late, entry,
			p.inJob(since.job), drift)
	default:
		p.tally(OptOut).ok()
	}
}
