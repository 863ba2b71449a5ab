package audit

import (
	"hash/maphash"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A robot is what is kept of one robot on one host while the log is read.
type robot struct {
	token, host, agent string
	class              Class
	identity           Identity
	rules              rulebook
	kin                *roster.Record // of a robot of whom nothing else is known; see Auditor.kin
	family             *family
	countsWindows      bool     // to it Crawl-delay is the length of windows of time, each of which has a page
	witness            *witness // of the host; nil unless the age of its robots.txt is presumed
	fetched            fetching
	habit              habit
	paths              paths
	turn               Turn // in requests, not by day
	sum                sum
	first, last        int64
	clients            int
	asked              asking
	eras               []judged // what it was judged for in each era of the witness
	open               []judged // likewise, if targets in absolute form are of this host
	unjudged           int64    // pages of times of which no robots.txt is known
	probes             int64
	latest             *Evidence   // of what is disallowed, if Options.Live is set
	signed             *Signatures // nil until a request is signed
	repeats            repeats
	pace               pace
	order              sorter
	row                *row
	busiest            strain.Own
	hours              [7][24]int64
}

// A sum is a Sum in the making.
type sum struct {
	requests, bytes, timed int64
	taken                  time.Duration
	status                 []statusCount // there are few
}

type statusCount struct {
	status int
	count  int64
}

func (s *sum) count(e *accesslog.Entry) {
	s.requests++
	s.bytes += e.Bytes
	if e.Taken >= 0 {
		s.timed++
		s.taken += e.Taken
	}
	for i := range s.status {
		if s.status[i].status == e.Status {
			s.status[i].count++
			return
		}
	}
	s.status = append(s.status, statusCount{e.Status, 1})
}

func (s *sum) total() Sum {
	t := Sum{Requests: s.requests, Bytes: s.bytes, Status: map[int]int64{}, Timed: s.timed}
	for _, c := range s.status {
		t.Status[c.status] = c.count
	}
	if s.timed > 0 {
		t.MeanTaken = s.taken.Seconds() / float64(s.timed)
	}
	return t
}

// asking follows the requests for robots.txt, in order.
type asking struct {
	requests, unasked   int64
	first, last, page   int64 // nanoseconds; first page
	hasPage, hasRequest bool
	isLong              bool  // it did not ask for so long, whatever the clock did, before it asked again
	without             event // the first page of which this seems to be so since it asked last
	isWithout           bool  // there is such a page
	firstUnasked        event
}

// isClear reports whether it is clear that it did not ask for so long.
func (k *asking) isClear() bool { return k.isLong || k.isWithout }

// ask takes in a request for robots.txt. If it comes soon after the page of which it was not clear, by another clock, it may have
// been first.
func (k *asking) ask(e event) {
	isSameClock := e.file == k.without.file && e.epoch == k.without.epoch && e.epoch >= 0
	if k.isWithout && (isSameClock || e.at-k.without.at > int64(clockStep)) {
		k.isLong = true
	}
	if !k.hasRequest {
		k.first = e.at
	}
	k.isWithout, k.hasRequest, k.last = false, true, e.at
	k.requests++
}

// isRobotsTxt reports whether a target is /robots.txt.
func isRobotsTxt(target []byte) bool {
	const name = "/robots.txt"
	return len(target) >= len(name) && string(target[:len(name)]) == name && (len(target) == len(name) || target[len(name)] == '?')
}

// add takes in a request of one of its clients.
func (r *robot) add(a *Auditor, c *client, e *accesslog.Entry, p place, asset bool) {
	at := e.Time.UnixNano()
	if r.sum.requests == 0 || at < r.first {
		r.first = at
	}
	r.last = max(r.last, at)
	r.sum.count(e)
	a.site.timeline.count(r.row, floorDiv(at, int64(time.Second)), e.Taken)
	r.busiest.Count(e)
	weekday, hour := hourOf(at)
	r.hours[weekday][hour]++
	if !a.o.Before.IsZero() {
		r.turn.count(e, a.o.Before)
	}
	if len(e.Target) == 0 || e.Target[0] != '/' || isElsewhere(e) {
		return
	}
	ev := event{
		at: at, line: p.line, file: p.file, epoch: int32(e.Epoch), coarse: !e.Fraction, taken: e.Taken, era: int16(r.witness.era()),
		unknown: int16(r.witness.unknown(at, c.fetched)),
		moved:   isRedirect(e.Status), told: r.family.wasToldNone(at), isAsset: asset, isPart: asset && len(e.Referrer) > 0,
	}
	if isRobotsTxt(e.Target) {
		ev.kind = kindRobots
		inForce := r.rules.at(at)
		got := r.rules.served(inForce, e)
		r.fetched.add(at, e.Status, got)
		if got == inForce && (e.Status == 200 || e.Status == 304) {
			c.fetched = at
		}
	} else {
		r.fetched.borrow(a.visitors.generics.of(c, r.host))
		r.judge(a, c, e, p, at)
		r.habit.add(a, e, asset)
		r.paths.add(e)
		r.repeats.add(a, e)
		if a.site.isProbing {
			r.probes++
		}
	}
	r.order.add(ev, a.o.Disorder, func(ev event) { r.settle(a, ev) })
}

// hourOf returns the day of the week, Sunday first, and the hour of a moment in UTC.
func hourOf(at int64) (weekday, hour int64) {
	const thursday = 4 // 1 January 1970
	hours := floorDiv(at, int64(time.Hour))
	days := floorDiv(hours, 24)
	return (days%7 + 7 + thursday) % 7, hours - 24*days
}

// judge asks the rules that were in force.
func (r *robot) judge(a *Auditor, c *client, e *accesslog.Entry, p place, at int64) {
	if len(r.rules.copies) == 0 || e.IsIndex() {
		return
	}
	i := r.rules.at(at)
	if i < 0 {
		r.unjudged++
		return
	}
	eras := &r.eras
	if isOpen(e) {
		eras = &r.open
	}
	j := judgedIn(eras, r.witness.era(), r.witness.unknown(at, c.fetched))
	j.pages++
	v, reading := r.rules.test(i, string(e.Target))
	switch {
	case v.Allowed:
	case reading != "", r.rules.mayAllow(i, v, e):
		j.Read++
	case r.excuses(string(e.Target), i, at, c.fetched, a.span.began(at)):
		j.Excused++
	default:
		d, count := &j.Disallowed, &c.disallowed
		if r.mayHaveGot(string(e.Target), i, at, c.fetched) {
			d, count = &j.unseen, &c.unseen
		}
		d.Count++
		*count++
		isShown := len(d.Evidence) < a.o.MaxEvidence
		if !isShown && a.present == nil {
			return
		}
		evidence := a.evidence(e, p, v, r.rules.copies[i].Name)
		evidence.Reading = said(r.rules.readings(i))
		if isShown {
			d.Evidence = append(d.Evidence, evidence)
		}
		if a.present != nil {
			r.latest = &evidence
		}
	}
}

// judgedIn returns what a robot was judged for in an era, in which it may have used what was there before the era unknown.
func judgedIn(eras *[]judged, era, unknown int) *judged {
	for i := len(*eras) - 1; i >= 0; i-- {
		if j := &(*eras)[i]; j.era == era && j.unknown == unknown {
			return j
		}
	}
	*eras = append(*eras, judged{era: era, unknown: unknown})
	return &(*eras)[len(*eras)-1]
}

// settle takes in a request when its turn has come.
func (r *robot) settle(a *Auditor, e event) {
	r.pace.countPeaks(e, a.o.Rapid)
	k := &r.asked
	if e.kind == kindRobots {
		k.ask(e)
		return
	}
	if !k.hasPage {
		k.hasPage, k.page = true, e.at
	}
	if since := max(k.last, a.span.began(e.at)); e.at-since > int64(grace) && e.at-r.family.lastAsked() > int64(grace) {
		if k.unasked == 0 {
			k.firstUnasked = e
		}
		k.unasked++
		if !k.isWithout && e.at-max(since, r.family.lastAsked()) > int64(grace+clockStep) {
			k.without, k.isWithout = e, true
		}
	}
	r.countGap(a, e)
}

// repeats follow what a robot gets more than once.
type repeats struct {
	urls                                     map[uint64]known
	requests, wasted, notModified, untracked int64
	most                                     map[uint64]*Repeat
}

// known is the last answer for a URL.
type known struct {
	size  int64
	times int32
}

// add looks whether an answer is one that the robot has had before.
func (p *repeats) add(a *Auditor, e *accesslog.Entry) {
	switch {
	case e.Status == 304:
		p.notModified++
		return
	case e.Status != 200:
		return
	}
	if p.urls == nil {
		p.urls, p.most = map[uint64]known{}, map[uint64]*Repeat{}
	}
	h := maphash.Bytes(a.seed, e.Target)
	before, ok := p.urls[h]
	if !ok && a.visitors.urls >= a.o.MaxURLs {
		p.untracked++
		return
	}
	if !ok {
		a.visitors.urls++
	}
	p.urls[h] = known{e.Bytes, before.times + 1}
	if ok && before.size == e.Bytes {
		p.again(h, e, int64(before.times)+1)
	}
}

// again counts an answer that the robot has had before.
func (p *repeats) again(h uint64, e *accesslog.Entry, times int64) {
	p.requests++
	p.wasted += e.Bytes
	m := p.most[h]
	if m == nil {
		if len(p.most) >= maxRepeated {
			return
		}
		m = &Repeat{Path: clip(e.Target)}
		p.most[h] = m
	}
	m.Times = times
	m.Wasted += e.Bytes
}
