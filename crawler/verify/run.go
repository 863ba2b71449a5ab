package verify

import (
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A run is what the ledger says of one run, and what must be owed in it.
type run struct {
	number    int
	began     ledger.Record
	start     time.Time
	product   string
	policy    *ledger.Policy // nil when not recorded
	overrides map[string]override
	ended     bool      // nothing of it is lost: it said that it ended, and no repair came after
	stopped   bool      // it said that it ended, and a repair had to cut off nothing behind that
	failed    bool      // it said that it ended as a store failed: what that was to keep last may be lost
	cut       time.Time // of the last record before the run named by killed
	killed    int       // number of the last run, up to this one, that began after one that was killed, or failed; 0 for none
	stamped   bootStamp // the last of its records that tells of the clock of the machine
	clock     moment    // the first request: when the clock of the run began, on the wall, and what it showed then
}

// An override is what the operator permits at a site.
type override struct {
	connections int
	gap         time.Duration
	ownGap      bool
	cookies     bool // that the site sets are sent back
}

// A moment is a time on two clocks. Those of one run are compared by the clock that nobody sets, others by the clock on the wall.
type moment struct {
	run   int
	clock time.Duration
	wall  time.Time
}

func (m moment) sub(o moment) time.Duration {
	if m.run == o.run {
		return m.clock - o.clock
	}
	return m.wall.Sub(o.wall)
}

// moments returns when a request left and when it ended. A ledger that lacks the clock of the run is read by the one on the wall.
func (r *run) moments(e *ledger.Entry) (start, end moment) {
	start = moment{r.number, time.Duration(e.Clock), e.Start}
	end = moment{r.number, time.Duration(e.Clock + e.Took), e.End}
	if e.Clock == 0 && e.Took == 0 {
		start.clock, end.clock = e.Start.Sub(r.start), e.End.Sub(r.start)
	}
	return start, end
}

// apart returns by how much the wall clock has moved against that of the run since the first request, if it is more than clocks do
// and than goes unnoticed when one is set. began is when the clock of the run did, by the wall clock of now.
func (r *run) apart(began time.Time, now time.Duration) time.Duration {
	if r.clock.wall.IsZero() {
		r.clock = moment{wall: began, clock: now}
	}
	off := began.Sub(r.clock.wall)
	if off.Abs() <= apartSlack+(now-r.clock.clock).Abs()/clockDrift {
		return 0
	}
	return off
}

// owed returns the least gap that must follow a request, by the facts on record: the floor, the response time, and crawlDelay,
// what robots.txt asks for. Only an override for the site stands above.
func (r *run) owed(e *ledger.Entry, crawlDelay time.Duration) (gap time.Duration, why string) {
	if o := r.overrides[e.Site]; o.ownGap {
		return o.gap, "the override for the site"
	}
	p := r.policy
	gap, why = time.Duration(p.Delay), "the floor"
	response := e.Took
	if response == 0 {
		response = ledger.Millis(e.End.Sub(e.Start))
	}
	if d := min(time.Duration(p.Factor*float64(response)), time.Duration(max(p.MaxDelay, p.Delay))); d > gap {
		gap, why = d, "the response time"
	}
	if crawlDelay > gap {
		gap, why = crawlDelay, "Crawl-delay"
	}
	return gap, why
}

// connections returns how many requests a site may have under way.
func (r *run) connections(site string) int {
	return max(r.overrides[site].connections, 1)
}

// underWay returns how many requests may have been, when the run was killed: to one site, or to all when none is named.
func (r *run) underWay(site string) (n int) {
	if site != "" {
		return r.connections(site)
	}
	if r.policy != nil {
		n = r.policy.Workers
	}
	for _, o := range r.overrides {
		n += max(o.connections-1, 0)
	}
	return n
}
