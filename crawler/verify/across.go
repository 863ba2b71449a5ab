package verify

import (
	"fmt"
	"iter"
	"net/netip"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// turnTo makes the job with that index the one at hand.
func (s *site) turnTo(job int) {
	if s.first.job == job {
		s.lane = &s.first
		return
	}
	for _, l := range s.more {
		if s.lane = l; l.job == job {
			return
		}
	}
	s.lane = &lane{job: job}
	s.more = append(s.more, s.lane)
}

// others yields what other jobs than the one at hand have asked of the site.
func (s *site) others() iter.Seq[*lane] {
	return func(yield func(*lane) bool) {
		if s.lane != &s.first && s.first.end.run != 0 && !yield(&s.first) {
			return
		}
		for _, l := range s.more {
			if l != s.lane && l.end.run != 0 && !yield(l) {
				return
			}
		}
	}
}

// askedSince reports whether another job has asked the site after the last request of the one at hand.
func (s *site) askedSince() bool {
	for l := range s.others() {
		if s.end.run == 0 || l.end.wall.After(s.end.wall) {
			return true
		}
	}
	return false
}

// turnTo makes the job with that index the one at hand.
func (o *origin) turnTo(job int) {
	if o.first.job == job {
		o.asker = &o.first
		return
	}
	for _, a := range o.more {
		if o.asker = a; a.job == job {
			return
		}
	}
	o.asker = &asker{job: job}
	o.more = append(o.more, o.asker)
}

// driftTo returns by how much the clock of another job may differ from that of the one at hand.
func (p *pass) driftTo(job int) time.Duration {
	if job == p.index {
		return 0
	}
	return p.opts.Drift
}

// ofJob names a job behind the number of a record, where there are several.
func (p *pass) ofJob(job int) string {
	if len(p.books) == 1 {
		return ""
	}
	return " of " + p.books[job].job.Name
}

// inJob says where something happened that was not in the job at hand.
func (p *pass) inJob(job int) string {
	if job == p.index {
		return ""
	}
	return " in " + p.books[job].job.Name
}

// across judges a request by those that other jobs made to the same site. Only the clocks on the wall tell of two jobs, and they
// may differ: what holds or fails whatever they differ by is certain, and all else is not shown.
func (p *pass) across(s *site, e *ledger.Entry) {
	if len(p.books) == 1 {
		return
	}
	if e.Start.IsZero() || e.End.IsZero() {
		p.tally(Gaps).lack(e, "does not say when it left or when it ended: what other jobs did then is not known")
		return
	}
	if s.askedSince() {
		p.handOvers++
	}
	for l := range s.others() {
		p.gapAcross(l, e)
		if p.run.connections(e.Site) == 1 {
			p.aloneAcross(l, e)
		}
	}
	p.crowdAcross(s, e)
}

// A silence is a time between two records of a job.
type silence struct{ from, to time.Time }

// leastSilence is how long it lasts if its job may have been frozen in it. Rights last longer.
const leastSilence = 2 * time.Second

// listen notes whether there was a silence before a record.
func (p *pass) listen(e *ledger.Entry) {
	if !p.last.IsZero() && e.Time.Sub(p.last) >= leastSilence {
		p.silence = silence{p.last, e.Time}
	}
}

// surelyUntil returns until when a request was under way for certain. A node that was frozen meanwhile, and wrote nothing, sees the
// end of its requests when it wakes.
func (p *pass) surelyUntil(e *ledger.Entry) time.Time {
	from, to := p.silence.from, p.silence.to
	if e.Start.After(from) {
		from = e.Start
	}
	if e.End.Before(to) {
		to = e.End
	}
	if e.Tenure == "" || to.Sub(from) < leastSilence {
		return e.End
	}
	return from
}

// thawed is what is said of a request that may have ended before its node saw that.
const thawed = "the node of the earlier right wrote nothing meanwhile, and one that was frozen sees an answer late"

// isThawed reports whether of a request and the last one of another job the one under the earlier right may have ended long before
// its node saw that, and the node of the later right have asked since. It could know nothing of that answer.
func (p *pass) isThawed(l *lane, e *ledger.Entry) bool {
	until, end, since := l.until, l.end.wall, e.Start
	switch epoch := epochOf(e.Tenure); {
	case l.epoch > epoch:
		until, end, since = p.surelyUntil(e), e.End, l.since
	case l.epoch == epoch || l.epoch == 0:
		return false
	}
	return until.Before(end) && since.Add(p.opts.Drift).After(until)
}

// gapAcross judges the pause between a request and the last one of another job.
func (p *pass) gapAcross(l *lane, e *ledger.Entry) {
	kept, owed, after := e.Start.Sub(l.end.wall), l.gap, "after"
	if l.start.wall.After(e.Start) {
		kept, owed, after = l.start.wall.Sub(e.End), time.Duration(e.Gap), "before"
	}
	if kept < 0 && p.run.connections(e.Site) > 1 {
		return // they may be under way together
	}
	t := p.tally(Gaps)
	t.near(kept-owed, e.Seq, func() string {
		return fmt.Sprintf("record %d, %s: %v kept to record %d%s, %v owed", e.Seq, e.URL, kept, l.seq, p.ofJob(l.job), owed)
	})
	switch d := p.opts.Drift; {
	case owed == 0: // as an override has it
	case kept < owed-d && p.isThawed(l, e):
		t.lack(e, "may have ended less than the %v owed %s record %d%s: "+thawed, owed, after, l.seq, p.ofJob(l.job))
	case kept < owed-d && kept < 0:
		t.refute(e, "was under way together with record %d%s, which owed %v", l.seq, p.ofJob(l.job), owed)
	case kept < owed-d:
		t.refute(e, "%v %s record %d%s, owed %v", kept, after, l.seq, p.ofJob(l.job), owed)
	case kept < owed+d:
		t.lack(e, "%v %s record %d%s, owed %v, by clocks that may differ by %v", kept, after, l.seq, p.ofJob(l.job), owed, d)
	}
}

// aloneAcross judges whether a request was under way together with the last one of another job.
func (p *pass) aloneAcross(l *lane, e *ledger.Entry) {
	d := p.opts.Drift
	overlap := func(d time.Duration) bool {
		return l.end.wall.Add(d).After(e.Start) && l.start.wall.Add(-d).Before(e.End)
	}
	switch {
	case overlap(-d) && p.isThawed(l, e):
		p.tally(Alone).lack(e, "may have been under way together with record %d%s: "+thawed, l.seq, p.ofJob(l.job))
	case overlap(-d):
		p.tally(Alone).refute(e, "was under way together with record %d%s", l.seq, p.ofJob(l.job))
	case overlap(d):
		p.tally(Alone).lack(e, "may have been under way together with record %d%s, by clocks that may differ by %v", l.seq,
			p.ofJob(l.job), d)
	}
}

// spanOf returns a request on the clock on the wall, which the jobs have in common but for the drift.
func (p *pass) spanOf(e *ledger.Entry) span {
	return span{start: time.Duration(e.Start.UnixNano()), end: time.Duration(e.End.UnixNano()),
		sure: time.Duration(p.surelyUntil(e).UnixNano()), job: p.index}
}

// crowdAcross judges how many requests of all jobs were under way at a site that may have several.
func (p *pass) crowdAcross(s *site, e *ledger.Entry) {
	most := p.run.connections(e.Site)
	if most == 1 && s.joint == nil {
		return
	}
	if s.joint == nil {
		s.joint = &window{}
	}
	p.crowd(p.tally(Alone), s.joint, e, most, "")
}

// addressAcross judges how many requests of all jobs were under way to an address.
func (p *pass) addressAcross(e *ledger.Entry) {
	addr, err := netip.ParseAddrPort(e.Address)
	if len(p.books) == 1 || err != nil || p.run.policy == nil || p.run.policy.PerAddress <= 0 {
		return
	}
	t := &p.together.tally
	t.job, t.nth = p.job.Name, p.nth
	w := p.together.of(addr.Addr(), time.Duration(e.End.UnixNano()))
	if w == nil {
		t.lack(e, "more than %d addresses were in use at once", p.opts.Addresses)
		return
	}
	p.crowd(t, w, e, p.run.policy.PerAddress, " to "+addr.Addr().String())
}

// crowd adds a request to those of a window, and judges how many were under way at once when there are some of other jobs.
func (p *pass) crowd(t *tally, w *window, e *ledger.Entry, most int, where string) {
	s := p.spanOf(e)
	surely, perhaps := w.overlap(s, -p.opts.Drift), w.overlap(s, p.opts.Drift)
	own, _ := w.add(s, horizon, p.opts.Window)
	switch {
	case own <= most && surely <= most && perhaps <= most:
	case surely > most:
		t.refute(e, "%d requests of all jobs in flight at once%s, %d allowed", surely, where, most)
	case perhaps > most:
		t.lack(e, "perhaps %d requests of all jobs in flight at once%s, by clocks that may differ by %v; %d are allowed", perhaps,
			where, p.opts.Drift, most)
	}
}

// restedAcross judges whether a site had the rest that it was owed by another job and of which there is no record: a rest on record
// counts as what the site asked for.
func (p *pass) restedAcross(s *site, e *ledger.Entry) {
	for l := range s.others() {
		g, d := l.signal, p.opts.Drift
		if g.seq == 0 || g.rested || e.Start.Before(g.from.Add(signalSlack+d)) {
			continue
		}
		early := g.until.Sub(e.Start)
		switch silent := p.books[l.job].last.Sub(g.from) <= restLost; {
		case early <= -d:
		case silent && !p.books[l.job].run.ended:
			p.interrupted++ // killed before it could write down the rest
		case early > d:
			p.tally(Rests).refute(e, "left %v before the rest was over that record %d%s made the site be owed", early, g.seq,
				p.ofJob(l.job))
		default:
			p.tally(Rests).lack(e, "left at the end of the rest that record %d%s made the site be owed, or up to %v before: "+
				"clocks may differ by so much", g.seq, p.ofJob(l.job), d)
		}
	}
}

// outcomeAcross notes an outcome of a request after which another job has made one for the same URL.
func (p *pass) outcomeAcross(e *ledger.Entry, h uint64, v *visit) {
	at := openAt{p.index, h}
	if key, ok := p.open[at]; ok {
		p.answers[key] = p.saysOf(e)
		delete(p.open, at)
	}
	if v.over {
		v.over = false
		p.interrupted-- // it was not
	}
	if e.Outcome != "retrying" && e.Status != 0 {
		p.tally(Once).refute(e, "was asked for by %s as well, before this was settled", p.books[p.jobOf(v.run)].job.Name)
	}
	if e.File != "" {
		key := p.listed(h, e.Digest, e.File)
		delete(p.purged, key)
		p.stored[key] = p.reference(e)
	}
}
