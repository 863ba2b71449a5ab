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
	a.site.load = strain.NewLoad(a.o.Load, a.o.ErrorLog.Overloads(a.site.zone), moment(a.span.first), moment(a.span.last))
	r := &Report{
		Schema: Schema, Log: a.intake.log, Outside: a.intake.outside, HasAgents: a.intake.hasAgent,
		HasTimes: a.site.total.timed > 0, HasRules: len(a.o.Copies) > 0, Total: a.site.total.total(),
		OtherRobots: a.visitors.others.total(), Untracked: a.visitors.lost, Robots: []Robot{}, UserTriggered: []Robot{},
		Others: []Robot{}, HasAsking: a.site.asked > 0, Claimed: a.intake.forwarded, Nobody: a.intake.nobody, Unusual: []Client{},
		Suggestions: []Suggestion{}, Series: []int32{}, Networks: []Network{}, UnusualNetworks: []Network{},
		HasLoad: a.site.load.IsMeasured(), ErrorLog: a.o.ErrorLog,
	}
	r.Log.Samples = append([]accesslog.BadLine{}, r.Log.Samples...)
	r.Log.From = append([]accesslog.Refused{}, r.Log.From...)
	if a.site.total.requests > 0 {
		r.From, r.To = moment(a.span.first), moment(a.span.last)
		r.Start, r.Seconds, r.Series = a.site.timeline.start(), float64(a.site.timeline.width), a.site.all.requests()
	}
	a.addRulesFrom(r)
	a.site.hasAssets = a.hasAssets()
	r.Missing, r.Sliced, r.Unsaid = a.missing(), a.sliced(), a.site.missing.unsaid()
	a.site.unsaid = len(r.Unsaid) > 0
	a.addRobots(r)
	by := byAddress(&a.visitors.clients)
	r.Behind = a.addProxies(&by)
	a.addNetworks(r, &by)
	a.addPeople(r, &by)
	a.addNewAgents(r)
	r.Bearing = a.site.minutes.Bearing(a.o.Slower, a.robotsAtOnce())
	a.addStandings(r)
	a.addReferrals(r)
	r.Suggestions = suggest(r.Robots, r.Bearing)
	a.addRemedy(r, &by)
	r.Addresses = by.busiest(a.o.TopNetworks, &a.visitors.crowded)
	if a.site.probes.Requests > 0 {
		r.Probes = &a.site.probes
	}
	if a.visitor != nil {
		r.Visitor = a.visitor.report(moment(a.span.last))
	}
	return r
}

// addRobots adds the robots of each kind, the busiest first, and their faults.
func (a *Auditor) addRobots(r *Report) {
	addresses := a.addresses()
	for _, ro := range a.visitors.robots {
		ro.order.flush(func(e event) { ro.settle(a, e) })
	}
	r.Stale = a.stale()
	a.site.hidesAsking = r.Stale > 0 || r.Missing > 0
	for _, ro := range a.visitors.robots {
		if ro.sum.requests == 0 { // its first signature has shown it to be another
			continue
		}
		one := ro.report(a, addresses[ro])
		switch {
		case ro.class.mayCrawl():
			r.Robots = append(r.Robots, one)
		case ro.class == ClassUserTriggered || ro.class == ClassPreview:
			r.UserTriggered = append(r.UserTriggered, one)
		default:
			r.Others = append(r.Others, one)
		}
	}
	shareNames(r.Robots)
	_, r.Faults = r.Broken()
	r.RulesHosts = a.sharers(r.Robots)
	sortRobots(r.Others)
	sortRobots(r.Robots)
	sortRobots(r.UserTriggered)
}

// shareNames divides a name on all hosts that is divided on one: what is pasted may be for all of them.
func shareNames(list []Robot) {
	divided := map[string]bool{}
	for _, r := range list {
		divided[strings.ToLower(r.Token)] = divided[strings.ToLower(r.Token)] || r.isDivided
	}
	for i := range list {
		list[i].isDivided = divided[strings.ToLower(list[i].Token)]
	}
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
	for _, c := range a.visitors.clients.list {
		if c.robot != nil {
			found[c.robot] = append(found[c.robot], c)
		}
	}
	for _, c := range a.visitors.former {
		found[c.robot] = append(found[c.robot], c)
	}
	for _, list := range found {
		sortClients(list)
	}
	return found
}

// broke reports whether a client of a robot asked for what is disallowed, and nothing excuses it.
func (c *client) broke(a *Auditor) bool {
	return c.disallowed > 0 || c.unseen > 0 && !a.site.hidesAsking
}

func sortClients(list []*client) {
	slices.SortFunc(list, func(x, y *client) int {
		return cmp.Or(cmp.Compare(y.requests, x.requests), cmp.Compare(x.name, y.name), cmp.Compare(x.agent.text, y.agent.text))
	})
}

// judgedSoFar sums up what a robot is and what it was judged for.
func (r *robot) judgedSoFar(a *Auditor) Robot {
	era, _ := r.since()
	hides := a.site.hidesAsking || a.site.asked == 0
	judged, before := since(r.eras, era, hides, a.o.MaxEvidence)
	open, openBefore := since(r.open, era, hides, a.o.MaxEvidence)
	if !a.site.named.isOwn() {
		judged.Open, openBefore = open.pages+openBefore, 0
	} else {
		judged.take(open)
		judged.Evidence = earliest(judged.Evidence, a.o.MaxEvidence)
	}
	if a.site.unsaid && r.host == "" {
		open := judged.Open
		before += judged.pages
		judged = nothing()
		judged.Open = open
	}
	judged.Unjudged = r.unjudged + before + openBefore
	one := Robot{
		Token: r.token, Class: r.class, Crawls: r.crawls(), Host: r.host, Identity: r.identity, Agent: r.agent,
		First: moment(r.first), Last: moment(r.last), About: aboutRobot(a.o.Roster.Find(r.token)), Claimed: claimedContact(r.agent),
		Sum: r.sum.total(), Clients: r.clients, Probes: r.probes,
		Asking: r.asking(a), Disallowed: judged.Disallowed, Pace: r.pace.report(a, &judged),
	}
	if record := cmp.Or(a.o.Roster.Find(r.token), r.kin); record != nil {
		one.provable = record.Value("robot-ranges-url") != "" || record.Value("robot-signature-keys-url") != ""
	}
	one.Known = one.About != nil && one.About.Owner != ""
	if one.Crawls != "" {
		one.Class = ClassRobot
	} else {
		one.Not = r.habit.isNoCrawler()
		goesAstray := one.Not == cameFromLinks && len(r.habit.urls) >= fewDistinct && one.Disallowed.Count > 0
		isBare := one.Not == "" && r.habit.isBare()
		one.unclear = r.class == ClassUnknown && (isBare || goesAstray)
		if one.unclear && isBare {
			one.Not = r.habit.bare() + ", as crawlers, apps and tools do"
		}
	}
	one.Faults = a.faults(r, one)
	return one
}

// report sums up one robot, whose clients are sorted.
func (r *robot) report(a *Auditor, clients []*client) Robot {
	one := r.judgedSoFar(a)
	one.Share = float64(r.sum.requests) / float64(a.site.total.requests)
	one.Addresses, one.Paths, one.Turn, one.Repeats = []RobotAddress{}, r.paths.report(), r.turn.report(&a.span, a.o.Before),
		r.repeats.report()
	one.Effect, one.Series, one.Hours, one.Signatures = r.effect(a), r.row.requests(), r.hours, r.signed
	one.New = a.isNew(r.first, r.sum.requests)
	isAnybodys := a.o.Roster.Find(r.token).IsAnybodys()
	for _, c := range clients { // who is not listed may keep the rules, too
		one.isDivided = one.isDivided || isAnybodys && c.asked > 0 && c.asked < c.requests && !c.broke(a)
	}
	clients = clients[:min(len(clients), a.o.MaxAddresses)]
	for _, c := range clients {
		one.Addresses = append(one.Addresses, RobotAddress{
			Client: c.name, Requests: int64(c.requests), Bytes: c.bytes, Asked: int64(c.asked), First: moment(c.first),
			Last: moment(c.last), Holder: a.networkHolder(c.name), broke: c.broke(a),
		})
	}
	if n := len(r.rules.copies); n > 0 {
		for _, rule := range r.rules.rules(n - 1).List() {
			one.group = append(one.group, rule.Text)
		}
	}
	one.Burden = r.burden(a, one)
	for _, c := range clients {
		one.Overloads += a.o.ErrorLog.Of(c.name)
	}
	one.Notes = notes(one)
	one.addWhois()
	return one
}

// faults lists the rules that were not kept. Only a crawler has any.
func (a *Auditor) faults(r *robot, one Robot) []Fault {
	list := []Fault{}
	if one.Crawls == "" {
		return list
	}
	if d := one.Disallowed; d.Count > 0 {
		list = append(list, Fault{FaultDisallowed, d.Count, d.Evidence[0].Reading})
	}
	if a.sliced() > 0 { // its times show nothing
		return list
	}
	record := cmp.Or(a.o.Roster.Find(r.token), r.kin)
	if one.Pace.sure.tooShort() && record.KeepsDelay() && (!record.IsAnybodys() || r.clients == 1) {
		list = append(list, Fault{FaultDelay, one.Pace.Broken, said(r.rules.readings(len(r.rules.copies) - 1))})
	}
	if r.asked.isClear() && a.site.asked > 0 && !a.site.hidesAsking {
		list = append(list, Fault{FaultUnasked, one.Asking.Unasked, "RFC 9309 section 2.4"})
	}
	return list
}

// Broken returns how many robots broke a rule, and how often each kind of rule was broken.
func (r *Report) Broken() (robots int, kinds []Fault) {
	kinds = []Fault{}
	for _, one := range r.Robots {
		if len(one.Faults) > 0 {
			robots++
		}
		for _, f := range one.Faults {
			kinds = addFault(kinds, Fault{Code: f.Code, Count: f.Count})
		}
	}
	slices.SortFunc(kinds, func(a, b Fault) int { return cmp.Compare(faultOrder[a.Code], faultOrder[b.Code]) })
	return robots, kinds
}

// addFault adds a fault to the one of its kind in a list.
func addFault(list []Fault, f Fault) []Fault {
	if i := slices.IndexFunc(list, func(o Fault) bool { return o.Code == f.Code }); i >= 0 {
		list[i].Count += f.Count
		return list
	}
	return append(list, f)
}

// faultOrder says which kind of fault is told first.
var faultOrder = map[FaultCode]int{FaultDisallowed: 0, FaultDelay: 1, FaultUnasked: 2}

// since returns from which era on the robot is judged, and when that began.
func (r *robot) since() (era int, at int64) {
	if n := len(r.rules.copies); n > 0 && r.rules.copies[n-1].Presumed {
		return r.witness.inForce(r.rules.copies[n-1].Size)
	}
	return 0, 0
}

// addRulesFrom says since when a robots.txt whose age is presumed may have been in force.
func (a *Auditor) addRulesFrom(r *Report) {
	for _, c := range a.o.Copies {
		if !c.Presumed {
			continue
		}
		from, why := c.From, "the file was written then"
		if _, at := a.site.witnesses[c.Host].inForce(c.Size); at > 0 && moment(at).After(from) {
			from, why = moment(at), "answers for /robots.txt had another size before, or said that there is none"
		}
		r.RulesFrom, r.RulesWhy = &from, why
	}
}

// sharers returns the hosts at which robots were judged by a robots.txt of no host in particular; none if there is only one, with
// or without "www.".
func (a *Auditor) sharers(list []Robot) (hosts []string) {
	if len(a.site.copies[""]) == 0 {
		return nil
	}
	sites := map[string]bool{}
	for _, r := range list {
		if r.Host != "" && len(a.site.copies[r.Host]) == 0 && !slices.Contains(hosts, r.Host) {
			hosts = append(hosts, r.Host)
			sites[strings.TrimPrefix(r.Host, "www.")] = true
		}
	}
	if len(sites) < 2 {
		return nil
	}
	slices.Sort(hosts)
	return hosts
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
		list = append(list, fmt.Sprintf("requests with a signature that is not of the key it names: %d; the name may be borrowed",
			r.Signatures.Disproved))
	}
	add(r.Identity == Disproved && !bad,
		"its addresses are not those that the maker of %s publishes: the name may be borrowed", r.Token)
	add(r.Pace.RapidSeconds > 0, "seconds with rapid fire: %d, up to %d requests in one", r.Pace.RapidSeconds, r.Pace.PeakSecond)
	add(r.Asking.When == AskedNever && r.Asking.Unasked == 0 && r.Asking.BeforeLog,
		"it did not ask for robots.txt; it may have done so in the 24 hours before the log begins")
	add(r.Asking.When == AskedLater && r.Asking.Unasked == 0, "it asked for robots.txt only after its first page in the log")
	add(r.Disallowed.Read > 0, "requests that RFC 9309 forbids and another reading of robots.txt allows: %d", r.Disallowed.Read)
	add(r.Disallowed.Unjudged > 0, "pages that are not judged, as it is not known what robots.txt said then: %d",
		r.Disallowed.Unjudged)
	add(r.Overloads > 0, "entries of the error log about an overload that name one of its addresses: %d", r.Overloads)
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
	s.BeforeLog = k.hasPage && k.page-a.span.began(k.page) <= int64(grace)
	if k.unasked > 0 {
		s.FirstLine = &Evidence{File: a.intake.files[k.firstUnasked.file], Line: k.firstUnasked.line,
			Time: moment(k.firstUnasked.at)}
	}
	return s
}

func (p *repeats) report() Repeats {
	s := Repeats{
		URLs: int64(len(p.urls)), Requests: p.requests, Wasted: p.wasted, NotModified: p.notModified, Untracked: p.untracked,
		Most: []Repeat{},
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
	if a.site.total.timed == 0 {
		return nil
	}
	var with, without slot
	for i, all := range a.site.all.slots {
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
