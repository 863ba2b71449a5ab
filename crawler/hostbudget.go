package crawler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/frontier"
)

// HostLimits bound what one host may cost, over all runs of a job. Zero and negative numbers are no limit.
type HostLimits struct {
	Pages int64
	Bytes int64         // received for pages and sitemaps
	Time  time.Duration // that its requests, and the pauses owed after them, have taken
}

// hostEnds say how a run ends that has nothing left but what a limit of its host refuses.
var hostEnds = []struct{ refused, end Reason }{
	{ReasonPagesPerHost, EndPagesOfHost}, {ReasonBytesPerHost, EndBytesOfHost}, {ReasonTimePerHost, EndTimeOfHost},
}

// EndFor returns how a run ends that has nothing left but pages refused for r: one of the limits of a host, or EndDone.
func EndFor(r Reason) Reason {
	for _, of := range hostEnds {
		if of.refused == r {
			return of.end
		}
	}
	return EndDone
}

// ofHost returns the limits of a host: what an override sets, negative for none, and otherwise those of all hosts.
func (c *Config) ofHost(site string) HostLimits {
	l, o := c.Limits, c.Hosts[site].Limits
	either := func(own, all int64) int64 {
		if own != 0 {
			return own
		}
		return all
	}
	return HostLimits{
		Pages: either(o.Pages, l.PagesPerHost), Bytes: either(o.Bytes, l.BytesPerHost),
		Time: time.Duration(either(int64(o.Time), int64(l.TimePerHost))),
	}
}

// judge turns an entry away when the host has cost as much as it may. isNew says that it may be a page that was not counted yet.
func (l HostLimits) judge(cost HostLimits, isNew bool) (Refusal, bool) {
	switch {
	case l.Pages > 0 && cost.Pages >= l.Pages && isNew:
		return Refusal{Gate: GateLimit, Reason: ReasonPagesPerHost, Rule: fmt.Sprintf("at most %d pages of a host", l.Pages)}, true
	case l.Bytes > 0 && cost.Bytes >= l.Bytes:
		return Refusal{Gate: GateLimit, Reason: ReasonBytesPerHost, Rule: fmt.Sprintf("at most %d bytes of a host", l.Bytes)}, true
	case l.Time > 0 && cost.Time >= l.Time:
		return Refusal{Gate: GateLimit, Reason: ReasonTimePerHost,
			Rule: fmt.Sprintf("at most %s of requests to a host and pauses after them", l.Time)}, true
	}
	return Refusal{}, false
}

// costOf returns what a site has cost so far.
func costOf(info frontier.SiteInfo) HostLimits {
	return HostLimits{Pages: info.Pages, Bytes: info.Bytes, Time: readState(info.Policy).Spent}
}

// A hostBudget is what is left of the limits of a leased site. A page is reserved before it is asked for, so that several
// connections together do not fetch one too many. It is safe for concurrent use.
type hostBudget struct {
	limits HostLimits

	mu      sync.Mutex
	cost    HostLimits
	asking  int64         // pages reserved
	changed chan struct{} // closed and replaced when one is given back
}

func newHostBudget(limits, cost HostLimits) *hostBudget {
	return &hostBudget{limits: limits, cost: cost, changed: make(chan struct{})}
}

// reserve takes room for an entry, or refuses; isNew says that it may be a page that was not counted yet. While the last of the
// room is reserved it waits for what becomes of that; the error is ctx.Err(). leave gives the room back, after what it was used for
// has been counted.
func (b *hostBudget) reserve(ctx context.Context, isNew bool) (leave func(), r Refusal, refused bool, err error) {
	for {
		leave, r, refused, changed := b.tryReserve(isNew)
		if leave != nil || refused {
			return leave, r, refused, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, Refusal{}, false, ctx.Err()
		}
	}
}

func (b *hostBudget) tryReserve(isNew bool) (leave func(), r Refusal, refused bool, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r, refused := b.limits.judge(b.cost, isNew); refused {
		return nil, r, true, nil
	}
	if !isNew || b.limits.Pages <= 0 {
		return func() {}, Refusal{}, false, nil
	}
	if b.cost.Pages+b.asking >= b.limits.Pages {
		return nil, Refusal{}, false, b.changed
	}
	b.asking++
	return b.giveBack, Refusal{}, false, nil
}

func (b *hostBudget) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asking--
	close(b.changed)
	b.changed = make(chan struct{})
}

// answered counts an answer.
func (b *hostBudget) answered(page bool, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cost.Bytes += bytes
	if page {
		b.cost.Pages++
	}
}

// took counts the time of a request and of the pause after it.
func (b *hostBudget) took(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cost.Time += d
}

// spent returns how long the site has taken, and whether that has to be remembered.
func (b *hostBudget) spent() (d time.Duration, matters bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cost.Time, b.limits.Time > 0
}
