package audit

import (
	"hash/maphash"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// gapBounds divide the pauses, in seconds.
var gapBounds = [...]float64{0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600}

// A robot is what is kept of one robot on one host while the log is read.
type robot struct {
	token, host, agent string
	class              Class
	identity           Identity
	rules              rulebook
	sum                sum
	first, last        int64
	clients            int
	asked              asking
	forbidden          Disallowed
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
	firstUnasked        event
}

// pace follows the requests for pages, in order.
type pace struct {
	second, minute     int64 // the present ones
	inSecond, inMinute int64
	peakSecond         int64
	peakMinute         int64
	rapid              int64
	last               int64
	coarse             bool // last is in whole seconds
	any                bool
	gaps               [len(gapBounds) + 1]int64
	pauses             int64
	kept, broken       int64
	shortest           time.Duration
	asked              time.Duration
	askedLine          int
	evidence           []shortGap
}

// jitter is the part of a pause that networks may take away on the way: one in twenty.
const jitter = 20

// A shortGap is a request that came too early.
type shortGap struct {
	event
	gap time.Duration
}

// isRobotsTxt reports whether a target is /robots.txt.
func isRobotsTxt(target []byte) bool {
	const name = "/robots.txt"
	return len(target) >= len(name) && string(target[:len(name)]) == name && (len(target) == len(name) || target[len(name)] == '?')
}

// add takes in a request.
func (r *robot) add(a *Auditor, e *accesslog.Entry, p place) {
	at := e.Time.UnixNano()
	if r.sum.requests == 0 || at < r.first {
		r.first = at
	}
	r.last = max(r.last, at)
	r.sum.count(e)
	a.timeline.count(r.row, e.Time.Unix(), e.Taken)
	r.busiest.Count(e)
	r.hours[e.Time.Weekday()][e.Time.Hour()]++
	if len(e.Target) == 0 {
		return
	}
	ev := event{at: at, line: p.line, file: p.file, coarse: !e.Fraction}
	if isRobotsTxt(e.Target) {
		ev.kind = kindRobots
	} else {
		r.judge(a, e, p)
		r.repeats.add(a, e)
	}
	r.order.add(ev, a.o.Disorder, func(ev event) { r.settle(a, ev) })
}

// judge asks the rules that were in force.
func (r *robot) judge(a *Auditor, e *accesslog.Entry, p place) {
	if len(r.rules.copies) == 0 {
		return
	}
	v, name, excused := r.rules.judge(string(e.Target), e.Time)
	switch {
	case v.Allowed:
		return
	case excused:
		r.forbidden.Excused++
		return
	}
	r.forbidden.Count++
	if len(r.forbidden.Evidence) < a.o.MaxEvidence {
		r.forbidden.Evidence = append(r.forbidden.Evidence, a.evidence(e, p, v, name))
	}
}

// settle takes in a request when its turn has come.
func (r *robot) settle(a *Auditor, e event) {
	r.pace.countPeaks(e, a.o.Rapid)
	k := &r.asked
	if e.kind == kindRobots {
		if !k.hasRequest {
			k.first = e.at
		}
		k.hasRequest, k.last = true, e.at
		k.requests++
		return
	}
	if !k.hasPage {
		k.hasPage, k.page = true, e.at
	}
	if since := max(k.last, a.began(e.at)); e.at-since > int64(grace) {
		if k.unasked == 0 {
			k.firstUnasked = e
		}
		k.unasked++
	}
	r.pace.countGap(a, r, e)
}

// countPeaks counts what came in one second and in one minute.
func (p *pace) countPeaks(e event, rapid int) {
	if second := floorDiv(e.at, int64(time.Second)); second != p.second {
		p.second, p.inSecond = second, 0
	}
	if minute := floorDiv(e.at, int64(time.Minute)); minute != p.minute {
		p.minute, p.inMinute = minute, 0
	}
	p.inSecond++
	p.inMinute++
	p.peakSecond = max(p.peakSecond, p.inSecond)
	p.peakMinute = max(p.peakMinute, p.inMinute)
	if p.inSecond == int64(rapid)+1 {
		p.rapid++
	}
}

// countGap measures the pause before a page. Where the log has whole seconds only, a pause may be almost a second longer than it says.
func (p *pace) countGap(a *Auditor, r *robot, e event) {
	last, coarse, had := p.last, p.coarse || e.coarse, p.any
	p.last, p.coarse, p.any = e.at, e.coarse, true
	if !had {
		return
	}
	gap := time.Duration(e.at - last)
	i := 0
	for i < len(gapBounds) && gap.Seconds() > gapBounds[i] {
		i++
	}
	p.gaps[i]++
	if p.pauses == 0 || gap < p.shortest {
		p.shortest = gap
	}
	p.pauses++
	owed, line := r.rules.delay(time.Unix(0, e.at))
	if owed <= 0 {
		return
	}
	p.asked, p.askedLine = owed, line
	if coarse && gap+time.Second > owed || !coarse && gap >= owed-owed/jitter {
		p.kept++
		return
	}
	p.broken++
	if len(p.evidence) < a.o.MaxEvidence {
		p.evidence = append(p.evidence, shortGap{e, gap})
	}
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
	if !ok && a.urls >= a.o.MaxURLs {
		p.untracked++
		return
	}
	if !ok {
		a.urls++
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
