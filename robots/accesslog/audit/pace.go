package audit

import (
	"cmp"
	"slices"
	"time"
)

// gapBounds divide the pauses, in seconds.
var gapBounds = [...]float64{0.1, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600}

// pace follows the requests for pages, in order.
type pace struct {
	second, minute     int64 // the present ones
	inSecond, inMinute int64
	peakSecond         int64
	peakMinute         int64
	rapid              int64
	last               event
	any                bool
	gaps               [len(gapBounds) + 1]int64
	pauses             int64
	shortest           time.Duration
	clocks             []event // the last by each clock, if there are several
	hops               int     // redirects in a row that were followed at once
	due                int64   // when the next page is due to one who gets one in each window of time
}

// mostHops is how many redirects in a row may be followed at once: http to https, and the name of the host with www.
const mostHops = 2

// maxClocks bounds the clocks that are told apart for a robot.
const maxClocks = 8

// judged is what a robot was judged for in one era of robots.txt, in which it may have used what was there before the era unknown.
type judged struct {
	era, unknown int
	pages        int64
	Disallowed
	unseen Disallowed // what was allowed by a copy replaced in the last 24 hours, which the log does not show that it got
	pauses
	sure      pauses // of them: between lines with the times of one clock
	asked     time.Duration
	askedLine int
	short     []shortGap
}

// pauses are counted by how they were kept.
type pauses struct{ kept, broken, clear int64 }

func (p *pauses) add(o pauses) {
	p.kept, p.broken, p.clear = p.kept+o.kept, p.broken+o.broken, p.clear+o.clear
}

// count takes in a pause, and reports whether it was long enough. isPacked says that too many pages were in one second for that.
func (p *pauses) count(seen pauseSeen, owed time.Duration, isPacked bool) bool {
	if seen.keeps(owed) && !isPacked {
		p.kept++
		return true
	}
	p.broken++
	if seen.isClear(owed) || isPacked {
		p.clear++
	}
	return false
}

// A shortGap is a request that came too early.
type shortGap struct {
	event
	gap time.Duration
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

// countGap measures the pause before a page.
func (r *robot) countGap(a *Auditor, e event) {
	p := &r.pace
	last, had := p.last, p.any
	if had && e.isPart && !last.isAsset && e.at-last.at <= int64(loading) {
		return
	}
	p.last, p.any = e, true
	if !had {
		return
	}
	gap := time.Duration(e.at - last.at)
	i := 0
	for seconds := gap.Seconds(); i < len(gapBounds) && seconds > gapBounds[i]; {
		i++
	}
	p.gaps[i]++
	if p.pauses == 0 || gap < p.shortest {
		p.shortest = gap
	}
	p.pauses++
	if len(r.rules.copies) == 0 || e.told {
		return
	}
	owed, line := r.rules.delay(e.at, a.span.began(e.at))
	if owed <= 0 {
		return
	}
	if p.follows(last, e, owed) {
		return
	}
	j := judgedIn(&r.eras, int(e.era), int(e.unknown))
	j.asked, j.askedLine = owed, line
	isPacked := e.coarse && packed(p.inSecond, owed)
	saved := time.Duration(0)
	if r.countsWindows {
		owed = min(owed, maxWindow)
		saved = p.saved(e.at, owed, gap)
	}
	isKept := j.count(pauseBetween(last, e).plus(saved), owed, isPacked)
	own, isSure := p.lastBy(e, last)
	if isSure {
		isKept = j.sure.count(pauseBetween(own, e).plus(saved), owed, isPacked && own.at == e.at)
	}
	if isSure && !isKept && len(j.short) < a.o.MaxEvidence {
		j.short = append(j.short, shortGap{e, time.Duration(e.at - own.at)})
	}
}

// saved returns how much shorter a pause may be than is owed to one who gets a page at any moment of each window of time that is as
// long as that: what the pauses before were longer, up to that. Three pages are never in one window's length.
func (p *pace) saved(at int64, owed, gap time.Duration) time.Duration {
	early := time.Duration(max(0, p.due-at))
	p.due = min(max(p.due, at)+int64(owed), at+2*int64(owed))
	return max(0, 2*owed-early-gap)
}

// follows reports whether a page that comes too soon after another may be what the server sent the robot on to: no pause is asked
// for there. A log does not say where to.
func (p *pace) follows(last, e event, owed time.Duration) bool {
	if !last.moved || p.hops >= mostHops || pauseBetween(last, e).keeps(owed) {
		p.hops = 0
		return false
	}
	p.hops++
	return true
}

// pauseBetween is what the log shows of the pause between two pages.
func pauseBetween(last, e event) pauseSeen {
	return pauseSeen{gap: time.Duration(e.at - last.at), coarse: last.coarse || e.coarse, before: last.taken, after: e.taken}
}

// lastBy returns the page before that has the time of the same clock; none if e is the first. Each log has a clock of its own, and
// another one when its times went back. last is the page before.
func (p *pace) lastBy(e, last event) (own event, ok bool) {
	if len(p.clocks) == 0 {
		if last.file == e.file && last.epoch == e.epoch && e.epoch >= 0 {
			return last, true
		}
		p.clocks = append(p.clocks, last)
	}
	if e.epoch < 0 {
		return own, false
	}
	oldest := 0
	for i, c := range p.clocks {
		if c.file == e.file && c.epoch == e.epoch {
			p.clocks[i] = e
			return c, true
		}
		if c.at < p.clocks[oldest].at {
			oldest = i
		}
	}
	if len(p.clocks) < maxClocks {
		p.clocks = append(p.clocks, e)
	} else {
		p.clocks[oldest] = e
	}
	return own, false
}

// report sums up the pace, and what was judged of it.
func (p *pace) report(a *Auditor, j *judged) Pace {
	counted := j.pauses
	if counted.tooShort() && !j.sure.tooShort() { // it is the clocks that do not agree
		counted = j.sure
	}
	s := Pace{
		PeakSecond: p.peakSecond, PeakMinute: p.peakMinute, Sustained: float64(p.peakMinute) / 60, RapidSeconds: p.rapid,
		Asked: j.asked.Seconds(), AskedLine: j.askedLine, Kept: counted.kept, Broken: counted.broken,
		Clear: counted.clear, sure: j.sure,
		ShortestGap: p.shortest.Seconds(), Evidence: []Evidence{}, Gaps: []GapClass{},
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
	for _, g := range j.short {
		s.Evidence = append(s.Evidence,
			Evidence{File: a.intake.files[g.file], Line: g.line, Time: moment(g.at), Gap: g.gap.Seconds()})
	}
	return s
}

// nothing is what a robot was judged for that was not judged.
func nothing() judged { return judged{Disallowed: Disallowed{Evidence: []Evidence{}}} }

// since sums up what was judged from an era on; what was before it is not judged, and what was there before it excuses.
func since(eras []judged, from int, hidesAsking bool, most int) (j judged, before int64) {
	j = nothing()
	for _, e := range eras {
		switch {
		case e.era < from:
			before += e.pages
		case e.unknown <= from:
			j.pages, j.Excused, j.Read = j.pages+e.pages, j.Excused+e.Count+e.unseen.Count+e.Excused, j.Read+e.Read
		case hidesAsking:
			e.Excused += e.unseen.Count
			j.take(e)
		default:
			e.Count += e.unseen.Count
			e.Evidence = slices.Concat(e.Evidence, e.unseen.Evidence)
			j.take(e)
		}
	}
	slices.SortStableFunc(j.short, func(x, y shortGap) int { return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.line, y.line)) })
	j.short = j.short[:min(len(j.short), most)]
	j.Evidence = earliest(j.Evidence, most)
	return j, before
}

// earliest puts evidence in order of time, and returns the first of it.
func earliest(list []Evidence, most int) []Evidence {
	slices.SortStableFunc(list, func(x, y Evidence) int { return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Line, y.Line)) })
	return list[:min(len(list), most)]
}

// take adds what was judged apart.
func (j *judged) take(e judged) {
	j.pages += e.pages
	j.Count, j.Excused, j.Read = j.Count+e.Count, j.Excused+e.Excused, j.Read+e.Read
	j.pauses.add(e.pauses)
	j.sure.add(e.sure)
	if e.asked > 0 {
		j.asked, j.askedLine = e.asked, e.askedLine
	}
	j.Evidence = append(j.Evidence, e.Evidence...)
	j.short = append(j.short, e.short...)
}
