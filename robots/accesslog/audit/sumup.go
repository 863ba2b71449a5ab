package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// sporadic is how many requests a robot makes at most that has only dropped in: it is not called new.
const sporadic = 2

// Report sums up what was taken in. The Auditor must not be used any more.
func (a *Auditor) Report() *Report {
	a.load = strain.NewLoad(a.o.Load, moment(a.first), moment(a.last))
	r := &Report{
		Schema: Schema, Log: a.log, Outside: a.outside, HasAgents: a.hasAgent, HasTimes: a.total.timed > 0,
		HasRules: len(a.o.Copies) > 0, Total: a.total.total(), OtherRobots: a.others.total(), Untracked: a.lost,
		Robots: []Robot{}, UserTriggered: []Robot{}, Unusual: []Client{}, Suggestions: []Suggestion{}, Series: []int32{},
		Networks: []Network{}, UnusualNetworks: []Network{}, HasLoad: !a.load.IsEmpty(),
	}
	r.Log.Samples = append([]accesslog.BadLine{}, r.Log.Samples...)
	if a.total.requests > 0 {
		r.From, r.To = moment(a.first), moment(a.last)
		r.Start, r.Seconds, r.Series = a.timeline.start(), float64(a.timeline.width), a.all.requests()
	}
	addresses := a.addresses()
	for _, ro := range a.robots {
		if ro.sum.requests == 0 { // its first signature has shown it to be another
			continue
		}
		one := ro.report(a, addresses[ro])
		if ro.class == ClassUserTriggered {
			r.UserTriggered = append(r.UserTriggered, one)
			continue
		}
		r.Robots = append(r.Robots, one)
		for _, f := range one.Faults {
			r.Faults += f.Count
		}
	}
	sortRobots(r.Robots)
	sortRobots(r.UserTriggered)
	a.addNetworks(r)
	a.addPeople(r)
	a.addNewAgents(r)
	r.Bearing = a.minutes.Bearing(a.o.Slower, a.robotsAtOnce())
	r.Suggestions = suggest(r.Robots, r.Bearing)
	if a.visitor != nil {
		r.Visitor = a.visitor.report(moment(a.last))
	}
	return r
}

func moment(nano int64) time.Time { return time.Unix(0, nano).UTC() }

func sortRobots(list []Robot) {
	slices.SortFunc(list, func(x, y Robot) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(strings.ToLower(x.Token), strings.ToLower(y.Token)),
			cmp.Compare(x.Host, y.Host), cmp.Compare(x.Identity, y.Identity))
	})
}

func (r *row) requests() []int32 {
	n := make([]int32, len(r.slots))
	for i, s := range r.slots {
		n[i] = s.requests
	}
	return n
}

// addresses returns the clients of each robot, the busiest first.
func (a *Auditor) addresses() map[*robot][]*client {
	found := map[*robot][]*client{}
	for _, c := range a.clients.list {
		if c.robot != nil {
			found[c.robot] = append(found[c.robot], c)
		}
	}
	for _, c := range a.former {
		found[c.robot] = append(found[c.robot], c)
	}
	for r, list := range found {
		sortClients(list)
		found[r] = list[:min(len(list), a.o.MaxAddresses)]
	}
	return found
}

func sortClients(list []*client) {
	slices.SortFunc(list, func(x, y *client) int {
		return cmp.Or(cmp.Compare(y.requests, x.requests), cmp.Compare(x.name, y.name), cmp.Compare(x.agent.text, y.agent.text))
	})
}

// report sums up one robot.
func (r *robot) report(a *Auditor, clients []*client) Robot {
	r.order.flush(func(e event) { r.settle(a, e) })
	one := Robot{
		Token: r.token, Host: r.host, Identity: r.identity, Agent: r.agent, First: moment(r.first), Last: moment(r.last),
		About: aboutRobot(a.o.Roster.Find(r.token)), Claimed: claimedContact(r.agent), Sum: r.sum.total(), Clients: r.clients,
		Share: float64(r.sum.requests) / float64(a.total.requests), Addresses: []RobotAddress{}, Asking: r.asking(a),
		Disallowed: r.forbidden, Pace: r.pace.report(a), Repeats: r.repeats.report(), Effect: r.effect(a),
		Series: r.row.requests(), Hours: r.hours, Signatures: r.signed,
	}
	one.Known = one.About != nil && one.About.Owner != ""
	one.New = a.isNew(r.first, r.sum.requests)
	one.Disallowed.Evidence = append([]Evidence{}, one.Disallowed.Evidence...)
	for _, c := range clients {
		one.Addresses = append(one.Addresses, RobotAddress{
			Client: c.name, Requests: int64(c.requests), Bytes: c.bytes, Asked: int64(c.asked), First: moment(c.first), Last: moment(c.last),
			Holder: a.networkHolder(c.name),
		})
	}
	if n := len(r.rules.rules); n > 0 {
		for _, rule := range r.rules.rules[n-1].List() {
			one.group = append(one.group, rule.Text)
		}
	}
	one.Burden = r.burden(a, one)
	one.Faults, one.Notes = faults(one), notes(one)
	one.addWhois()
	return one
}

// faults lists the rules that were not kept.
func faults(r Robot) []Fault {
	list := []Fault{}
	for _, f := range []Fault{{FaultDisallowed, r.Disallowed.Count}, {FaultDelay, r.Pace.Broken}, {FaultUnasked, r.Asking.Unasked}} {
		if f.Count > 0 {
			list = append(list, f)
		}
	}
	return list
}

// notes says what may be worth a look, though no rule is broken.
func notes(r Robot) []string {
	list := []string{}
	add := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	bad := r.Signatures != nil && r.Signatures.Disproved > 0
	if bad {
		list = append(list, fmt.Sprintf("requests with a signature that is not of the key it names: %d; the name may be borrowed", r.Signatures.Disproved))
	}
	add(r.Identity == Disproved && !bad, "its addresses are not those that the maker of %s publishes: the name may be borrowed", r.Token)
	add(r.Pace.RapidSeconds > 0, "seconds with rapid fire: %d, up to %d requests in one", r.Pace.RapidSeconds, r.Pace.PeakSecond)
	add(r.Repeats.Requests > 0, "requests for what it had already: %d, %d bytes", r.Repeats.Requests, r.Repeats.Wasted)
	add(r.Asking.When == AskedNever && r.Asking.Unasked == 0 && r.Asking.BeforeLog,
		"it did not ask for robots.txt; it may have done so in the 24 hours before the log begins")
	add(r.Asking.When == AskedLater && r.Asking.Unasked == 0, "it asked for robots.txt only after its first page in the log")
	add(r.Asking.PerDay > 24, "it asks for robots.txt more often than once an hour")
	return list
}

// asking sums up what a robot did about robots.txt.
func (r *robot) asking(a *Auditor) Asking {
	k := r.asked
	s := Asking{Requests: k.requests, When: AskedNever, Unasked: k.unasked}
	if k.hasRequest {
		s.First, s.When = moment(k.first), AskedLater
		if !k.hasPage || k.first <= k.page {
			s.When = AskedFirst
		}
		s.PerDay = float64(k.requests) / max(1, time.Duration(r.last-r.first).Hours()/24)
	}
	s.BeforeLog = k.hasPage && k.page-a.began(k.page) <= int64(grace)
	if k.unasked > 0 {
		s.FirstLine = &Evidence{File: a.files[k.firstUnasked.file], Line: k.firstUnasked.line, Time: moment(k.firstUnasked.at)}
	}
	return s
}

// report sums up the pace.
func (p *pace) report(a *Auditor) Pace {
	s := Pace{
		PeakSecond: p.peakSecond, PeakMinute: p.peakMinute, Sustained: float64(p.peakMinute) / 60, RapidSeconds: p.rapid,
		Asked: p.asked.Seconds(), AskedLine: p.askedLine, Kept: p.kept, Broken: p.broken, ShortestGap: p.shortest.Seconds(),
		Evidence: []Evidence{}, Gaps: []GapClass{},
	}
	seen := int64(0)
	for i, n := range p.gaps {
		class := GapClass{Count: n}
		if i < len(gapBounds) {
			class.UpTo = gapBounds[i]
		}
		if seen += n; s.MedianGap == 0 && p.pauses > 0 && 2*seen >= p.pauses {
			s.MedianGap = gapBounds[min(i, len(gapBounds)-1)]
		}
		s.Gaps = append(s.Gaps, class)
	}
	for _, g := range p.evidence {
		s.Evidence = append(s.Evidence, Evidence{File: a.files[g.file], Line: g.line, Time: moment(g.at), Gap: g.gap.Seconds()})
	}
	return s
}

func (p *repeats) report() Repeats {
	s := Repeats{
		URLs: int64(len(p.urls)), Requests: p.requests, Wasted: p.wasted, NotModified: p.notModified, Untracked: p.untracked, Most: []Repeat{},
	}
	for _, m := range p.most {
		s.Most = append(s.Most, *m)
	}
	slices.SortFunc(s.Most, func(x, y Repeat) int {
		return cmp.Or(cmp.Compare(y.Wasted, x.Wasted), cmp.Compare(y.Times, x.Times), cmp.Compare(x.Path, y.Path))
	})
	s.Most = s.Most[:min(len(s.Most), maxShown)]
	return s
}

// effect compares the intervals with the robot to those without.
func (r *robot) effect(a *Auditor) *Effect {
	if a.total.timed == 0 {
		return nil
	}
	var with, without slot
	for i, all := range a.all.slots {
		own := slot{}
		if i < len(r.row.slots) {
			own = r.row.slots[i]
		}
		to := &without
		if own.requests > 0 {
			to = &with
		}
		to.timed += all.timed - own.timed
		to.taken += all.taken - own.taken
	}
	mean := func(s slot) float64 { return s.taken.Seconds() / float64(max(s.timed, 1)) }
	return &Effect{With: mean(with), WithCount: int64(with.timed), Without: mean(without), WithoutCount: int64(without.timed)}
}
