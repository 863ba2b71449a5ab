package verify

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// The purposes of requests.
const (
	forPage      = "page"
	forRobots    = "robots"
	forSitemap   = "sitemap"
	forRequisite = "requisite"
	forProbe     = "probe"
	forWitness   = "witness"
	forTDM       = "tdmrep"
)

// isVisit reports whether what is asked for that purpose waits in the queue, and is settled.
func isVisit(purpose string) bool {
	return purpose == forPage || purpose == forSitemap || purpose == forRequisite
}

// A summary is what is counted of a ledger as a whole.
type summary struct {
	run         *run
	requests    int64
	killed      int
	inFlight    int    // requests that may be missing for that
	losses      []loss // when the end of the ledger may have been lost
	terms       []Terms
	foreign     int64  // records that are not understood
	rounds      int    // in which the operator had what was settled asked for once more
	repairs     int    // of a damaged job
	repaired    uint64 // the record of the last repair
	firstRepair uint64 // and of the first; 0 when there was none
	keyed       uint64 // record of the beginning of the last run that has ended and names a key that can sign; 0 for none
	lifted      int    // opt-outs that the operator lifted
	first, last time.Time
	lastTold    time.Time       // last, as it was written
	silence     silence         // the last long one
	set         time.Duration   // by how much the wall clock was set, in all
	stamp       bootStamp       // see steadyClock
	astray      time.Duration   // the most of it, either way
	clockSets   []time.Duration // by how much each time; only the first ones
	firstLost   *ledger.Entry   // the first outcome that says that a page was lost
}

// A loss is the time between the last record of a run that was killed, or of a ledger that was cut, and the next run or the
// repair. Only the first ones are kept.
type loss struct{ from, to time.Time }

const (
	maxLosses    = 10_000
	maxClockSets = 1_000
	maxLost      = 100_000
)

// A pass goes over the ledgers once and looks at part of the sites and URLs.
type pass struct {
	*book // of the record at hand
	books []*book
	nth   uint64 // record of all of them it is

	opts      Options
	urls      shard
	siteShard shard
	round     int32 // of visits: once in each a URL may be asked for
	files     files
	together  addresses // of all jobs
	optOuts   leftAlone
	tallies   map[Name]*tally

	sites     map[string]*site
	visits    visits
	open      map[openAt]uint64 // requests that another job's followed before their outcome, as of answers
	answers   map[uint64]uint64 // requests that others for the same page followed, and what their outcomes say of the list
	stored    map[uint64]uint64 // pages that must be in the list, likewise, and the records that say so
	purged    map[uint64]bool   // pages that were taken out of the list since they were stored, as of pass.listed
	full      bool              // memory does not suffice: begin anew with less
	lostPages map[pageOf]bool   // those that are lost and were not asked for since; only the first ones

	interrupted, unsettled, newer, asPages, handOvers, robotsAgain int64
}

// An openAt is a request of one job for the URL with that hash.
type openAt struct {
	job int
	url uint64
}

// A pageOf is a page in the list of one job.
type pageOf struct {
	job int
	url string
}

func (pr *prover) newPass(sites, urls shard) *pass {
	p := &pass{
		opts: pr.opts, siteShard: sites, urls: urls, tallies: map[Name]*tally{},
		files: files{most: pr.opts.Rules},
		sites: map[string]*site{}, visits: visits{at: map[uint64]int32{}}, answers: map[uint64]uint64{},
		stored:    map[uint64]uint64{},
		purged:    map[uint64]bool{},
		lostPages: map[pageOf]bool{},
		open:      map[openAt]uint64{},
	}
	newAddresses := func() addresses {
		return addresses{opts: &p.opts, byIP: map[netip.Addr]*window{}, tally: tally{most: p.opts.Findings}}
	}
	p.together = newAddresses()
	for i, w := range pr.witnesses {
		b := &book{
			job: w.job, index: i, of: len(pr.witnesses), shared: w.shared, list: w.list, listLines: w.lines,
			addresses: newAddresses(),
		}
		b.addresses.tally.job = w.job.Name
		if w.whole != nil {
			b.until = w.whole.chain.Records
		} else if w.job.Bundle == nil {
			b.trail = w.history.newTrail()
		}
		p.books = append(p.books, b)
		p.files.jobs = append(p.files.jobs, w.job)
	}
	p.book = p.books[0]
	return p
}

func (p *pass) tally(name Name) *tally {
	t := p.tallies[name]
	if t == nil {
		t = &tally{most: p.opts.Findings}
		p.tallies[name] = t
	}
	t.job, t.nth = p.job.Name, p.nth
	return t
}

// site returns what is known of a site, nil if this pass does not look at it.
func (p *pass) site(name string) *site {
	if !p.opts.judges(name) || !p.siteShard.has(p.siteShard.hash(name)) {
		return nil
	}
	s := p.sites[name]
	if s == nil {
		s = &site{origins: map[string]*origin{}, first: lane{job: p.index}}
		p.sites[name] = s
		p.full = p.full || len(p.sites) > p.opts.Sites
	}
	s.turnTo(p.index)
	return s
}

func (p *pass) ruleKey(digest, origin string) ruleKey {
	k := ruleKey{job: p.index, digest: digest, origin: origin, product: p.run.product}
	if p.run.policy != nil {
		k.dialect = p.run.policy.Dialect
	}
	return k
}

// record judges one record, whose time was told before it was steadied.
func (p *pass) record(e *ledger.Entry, told time.Time) error {
	if p.first.IsZero() {
		p.first = e.Time
	}
	p.listen(e)
	defer func() { p.last, p.lastTold = e.Time, told }()
	p.understand(e)
	if e.Type == ledger.Run {
		p.runRecord(e)
		p.boot(e)
		return nil
	}
	p.boot(e)
	if p.run == nil && e.Type == ledger.Seed {
		return nil // submitted before the first run
	}
	if p.run == nil {
		return fmt.Errorf("the ledger does not begin with a run, but with %s (record %d)", e.Type, e.Seq)
	}
	switch e.Type {
	case ledger.Request:
		p.request(e)
	case ledger.Rest:
		p.rest(e)
	case ledger.Outcome:
		if s := p.site(siteOf(e.URL)); s != nil {
			s.outlived(e, p.run.number)
			p.away(s, e)
		}
		p.outcome(e)
	case ledger.Refusal:
		p.refusal(e)
		p.forbidden(e)
	case ledger.Purge:
		p.purge(e)
	}
	return nil
}

// steady tells the times of a record as the wall clock would, had nobody set it since the first one.
func (p *pass) steady(e *ledger.Entry) {
	clock := steadyClock{p.set, p.last, p.stamp}
	p.stamp = p.stamp.after(e)
	if by := clock.setBefore(e); by != 0 {
		p.set += by
		if by.Abs() >= clockSlack && len(p.clockSets) < maxClockSets {
			p.clockSets = append(p.clockSets, by)
		}
		p.astray = max(p.astray, p.set.Abs())
	}
	if p.set == 0 {
		return
	}
	for _, t := range []*time.Time{&e.Time, &e.Start, &e.FirstByte, &e.End, &e.NotBefore, &e.Expires} {
		if !t.IsZero() {
			*t = t.Add(-p.set)
		}
	}
}

// runRecord takes note of an event of a run.
func (p *pass) runRecord(e *ledger.Entry) {
	switch e.Event {
	case ledger.EventStart:
		p.runBegins(e)
	case ledger.EventOverride:
		if p.run != nil {
			p.overrides(e)
		}
	case ledger.EventStop:
		if p.run != nil {
			p.runEnds(e)
		}
	case ledger.EventRepair: // what it could not find again may be asked for as after a kill
		if p.repairs == 0 || p.run != nil && p.repaired < p.run.began.Seq { // one may be on record by parts
			p.repairs++
		}
		p.repaired = e.Seq
		p.firstRepair = cmp.Or(p.firstRepair, e.Seq)
		p.noteLoss(e.Time)
		if p.run != nil {
			p.run.ended, p.run.stopped = false, p.run.stopped && e.Torn == 0
		}
	case ledger.EventAgain:
		p.round++
		p.rounds++
	case ledger.EventOptOut, ledger.EventLifted:
		if e.Event == ledger.EventLifted {
			p.lifted++
		}
		p.optOuts.note(e, p.index)
		if e.Rule == "" {
			p.tally(OptOut).lack(e, "does not name who is opted out")
		}
	}
}

func (p *pass) runBegins(e *ledger.Entry) {
	next := &run{began: e.Record, start: e.Time, product: e.Product, policy: e.Policy, overrides: map[string]override{}, number: 1}
	if last := p.run; last != nil {
		next.number, next.killed, next.cut = last.number+1, last.killed, last.cut
		if !last.ended || last.failed {
			next.killed, next.cut = next.number, p.last
		}
		if !last.ended {
			p.noteLoss(e.Time.Add(p.set))
		}
		if !last.stopped {
			p.killed++
			p.inFlight += last.underWay(p.opts.Site)
		}
	}
	p.run = next
	p.addresses.newRun()
	p.startTerms(e)
	if e.UserAgent != "" && !strings.Contains(strings.ToLower(e.UserAgent), strings.ToLower(e.Product)) {
		p.tally(Records).lack(e, "read robots.txt as %q and called itself %q", e.Product, e.UserAgent)
	}
}

// overrides takes note of a site at which the run may do other than its policy says.
func (p *pass) overrides(e *ledger.Entry) {
	p.run.overrides[e.Site] = override{
		e.Connections, time.Duration(e.Gap), e.GapWhy != "", strings.Contains(e.Why, ledger.TakenCookies),
	}
	p.overrideTerms(e)
	if e.GapWhy != "" && e.GapWhy != "override" {
		p.tally(Records).lack(e, "says that %q sets its pause, which is not understood", e.GapWhy)
	}
}

func (p *pass) runEnds(e *ledger.Entry) {
	p.run.ended, p.run.stopped, p.run.failed = true, true, e.Why == "failed"
	p.sameRun(e)
	if checkpoint.IsVerifier(p.run.began.Key) {
		p.keyed = p.run.began.Seq
	}
}

// sameRun judges whether the end of a run tells of the program that began it.
func (p *pass) sameRun(e *ledger.Entry) {
	other := func(now, then string) bool { return now != "" && now != then }
	if s := p.run.began; other(e.Product, s.Product) || other(e.Version, s.Version) || other(e.UserAgent, s.UserAgent) {
		p.tally(Records).refute(e, "is the end of a run of another program than record %d began", s.Seq)
	}
}

// noteLoss notes that records from before now on may have been lost.
func (p *pass) noteLoss(until time.Time) {
	if len(p.losses) < maxLosses {
		p.losses = append(p.losses, loss{p.lastTold, until})
	}
}

// recordLag is how long after a request its record may be written: the records of others, that ended later, may stand before it.
const recordLag = 2500 * time.Millisecond

// lost reports whether the record of a request that ended at that time may have been lost with its process.
func (p *pass) lost(end time.Time) bool {
	from := end.Add(recordLag)
	for _, l := range p.losses {
		if from.After(l.from) && end.Before(l.to) {
			return true
		}
	}
	cut := p.chain.Bad != nil || !p.run.ended && !p.job.Running
	return cut && from.After(p.lastTold)
}

// request judges a request.
func (p *pass) request(e *ledger.Entry) {
	p.requests++
	if p.run.ended {
		p.tally(Decided).refute(e, "a request outside of any run")
	}
	if s := p.site(e.Site); s != nil {
		p.told(s, e)
		p.gaps(s, e)
		p.witnessed(s, e)
		p.leftAlone(e)
	}
	if p.siteShard.part == 0 && p.opts.Site == "" { // in the first pass over the sites
		start, end := p.run.moments(e)
		p.addresses.tally.nth = p.nth
		p.addresses.add(e, p.run, span{start: start.clock, end: end.clock})
		p.addressAcross(e)
	}
	switch e.Purpose {
	case forRobots:
		if s := p.site(siteOf(e.Origin)); s != nil {
			p.robotsTxt(s.origin(e.Origin), e)
		}
	case forPage, forSitemap, forRequisite, forProbe, forWitness, forTDM:
		from, path := splitURL(e.URL)
		if s := p.site(siteOf(e.URL)); s != nil {
			p.page(s, s.origin(from), from, path, e)
			if e.Purpose == forTDM {
				p.askedTDM(s.origin(from), e)
			}
		}
		if isVisit(e.Purpose) {
			p.visit(e)
		}
	default:
		p.tally(Decided).refute(e, "a request for the purpose %q", e.Purpose)
	}
}
