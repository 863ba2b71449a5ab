package audit

import "github.com/cybermapper/cybermapper/robots/accesslog/strain"

// worthShare of the requests, or of the time that answers took, makes a robot worth asking whether the site suffered from it.
const worthShare = 0.1

// burden says how the site fared while a robot was there; nil when that cannot be told, or the robot was neither fast nor a large
// part of the traffic.
func (r *robot) burden(a *Auditor, one Robot) *strain.Burden {
	time := float64(r.busiest.Taken()) / float64(max(a.site.minutes.Taken(), 1))
	fast := one.Pace.PeakMinute > int64(a.o.HumanPace) || one.Pace.RapidSeconds > 0 || one.Pace.Broken > 0
	if !r.class.mayCrawl() || r.sum.requests <= sporadic || !fast && one.Share < worthShare && time < worthShare {
		return nil
	}
	return a.site.minutes.Burden(&r.busiest, a.site.load, a.o.Slower)
}

// robotsAtOnce returns how many robots there were in one interval, at most, of those that did not only drop in.
func (a *Auditor) robotsAtOnce() (most int) {
	n := make([]int, len(a.site.all.slots))
	for _, r := range a.visitors.robots {
		if r.sum.requests <= sporadic || !r.class.mayCrawl() {
			continue
		}
		for i, s := range r.row.slots {
			if s.requests > 0 {
				n[i]++
				most = max(most, n[i])
			}
		}
	}
	return most
}
