package verify

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A site is what is known of one site while its requests go by.
type site struct {
	*lane               // of the job of the record at hand
	blocked   time.Time // asked to be left alone until then
	why       string    // who asked
	blockedBy int       // the job that was asked
	let       time.Time // until when what had its permit before that may have left, over other connections
	spared    int       // how many of these there were
	origins   map[string]*origin
	owner     owner    // of a shared crawl
	doubted   []string // URLs that failed, for which a witness may be asked
	answered  []string // likewise pages that were answered last,
	alike     int      // while so many that were answered may have had one body
	back      int      // how many may be asked for again when the site turns out to be away no longer

	first lane
	more  []*lane // of the other jobs that have asked it
	joint *window // of their requests together, where several may be under way
}

// A lane is what one job has asked of a site.
type lane struct {
	job    int
	seq    uint64 // of the record of the last request
	start  moment
	end    moment    // of the last request; run is 0 when there was none
	told   time.Time // when its record was written, before which its pause does not begin
	until  time.Time // when it was surely under way
	since  time.Time // when the first request under the tenure left
	epoch  uint64    // of the tenure that it left under; 0 in a crawl of one process
	gap    time.Duration
	most   time.Duration // the longest gap so far
	owed   time.Duration // before the request at hand, by the record before it
	signal signal        // that the site wants a rest, or cannot answer
	absent absence       // of all but one answer
	window *window       // of sites that may have several requests under way
}

func (s *site) origin(name string) *origin {
	o := s.origins[name]
	if o == nil {
		o = &origin{first: asker{job: s.job}}
		s.origins[name] = o
	}
	o.turnTo(s.job)
	return o
}

// wallSlack allows for two processes reading the clock on the wall, which is set a little all the time.
const wallSlack = 2 * time.Millisecond

// gaps judges the pause before a request, and notes what is owed after it.
func (p *pass) gaps(s *site, e *ledger.Entry) {
	if own := siteOf(e.URL); own != e.Site {
		p.tally(Gaps).refute(e, "counted against site %s, but belongs to %s", e.Site, own)
		return
	}
	start, end := p.run.moments(e)
	s.owed = s.gap
	p.rested(s, e)
	drift := p.driftTo(s.blockedBy)
	switch early := s.blocked.Sub(e.Start); {
	case p.run.policy == nil:
		p.tally(Gaps).lack(e, "the run does not say what it promised")
	case early > drift && !p.hadPermit(s, e):
		p.tally(Gaps).refute(e, "was sent %v before the site could be asked again, by %s", early, s.why)
	case early > -drift && early <= drift:
		p.tally(Gaps).lack(e, "was sent when the site could be asked again, by %s, or up to %v before: clocks may differ by so "+
			"much", s.why, drift)
	default:
		p.gap(s, e, start, end)
		p.demand(e)
	}
	p.alone(s, e, start, end)
	p.owned(s, e, start)
	p.across(s, e)
	if epoch := epochOf(e.Tenure); s.since.IsZero() || epoch != s.epoch {
		s.since = e.Start
	}
	if s.end.run != p.run.number || end.sub(s.end) >= 0 {
		s.seq, s.start, s.end, s.until, s.gap, s.epoch = e.Seq, start, end, p.surelyUntil(e), time.Duration(e.Gap),
			epochOf(e.Tenure)
		s.told, s.most = e.Time, max(s.most, s.gap)
	}
	p.signaled(s, e)
	if until := p.retryAfter(e); until.After(s.blocked) {
		s.blocked, s.blockedBy, s.why = until, p.index, fmt.Sprintf("Retry-After in record %d%s", e.Seq, p.ofJob(p.index))
		s.let, s.spared = e.End.Add(signalSlack), 0
	}
}

// mostDoubted is how many URLs are remembered of which it was doubtful whether they or their site failed: more than a site has
// connections.
const mostDoubted = 64

// leastAlike is of how many pages that were answered one body may make it doubtful whether the site is well, for each connection;
// once it has rested, of any.
const leastAlike = 3

// witnessed judges a request that finds out whether a site fails or a page of it: that page has failed just now, or led elsewhere,
// or was the last of those with one body.
func (p *pass) witnessed(s *site, e *ledger.Entry) {
	connections := p.run.connections(e.Site)
	switch {
	case e.Purpose == forPage && e.Status/100 == 2:
		s.answered = append(s.answered, e.URL)
		s.answered = s.answered[max(0, len(s.answered)-mostDoubted):]
		s.alike = min(s.alike+1, leastAlike*connections)
	case e.Purpose != forWitness, slices.Contains(s.doubted, e.Via):
	case slices.Contains(s.last(connections), e.Via) && s.alike >= leastAlike:
		if !p.mayRepeat(e) { // else it tells nothing, and the next page has a witness, too
			s.alike -= leastAlike
		}
	default:
		p.tally(Decided).refute(e, "is to tell whether the site fails, but %s had not failed", e.Via)
	}
	if e.Purpose == forWitness {
		s.absent.noteWitness(e, p.run)
	}
	switch e.Status {
	case 0, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusRequestTimeout, http.StatusTooEarly:
	default:
		if e.Status < http.StatusInternalServerError {
			return
		}
	}
	s.doubted = append(s.doubted, e.URL)
	s.doubted = s.doubted[max(0, len(s.doubted)-mostDoubted):]
}

// last returns the pages that were answered last: over other connections more may have come in between.
func (s *site) last(connections int) []string {
	if connections == 1 {
		return s.answered[max(0, len(s.answered)-1):]
	}
	return s.answered
}

// hadPermit reports whether a request may have left before the engine had heard that its site wants a rest: where an override
// allows several connections, one over each of the others.
func (p *pass) hadPermit(s *site, e *ledger.Entry) bool {
	if !e.Start.Before(s.let) || s.spared >= p.run.connections(e.Site)-1 {
		return false
	}
	s.spared++
	return true
}

// gap judges the pause since the request before.
func (p *pass) gap(s *site, e *ledger.Entry, start, end moment) {
	if s.end.run == 0 {
		p.tally(Gaps).ok()
		return
	}
	if s.window != nil && s.end.run == p.run.number { // each connection rests
		n, most := s.window.busy(span{start: start.clock, end: end.clock}), p.run.connections(e.Site)
		if n > most {
			p.tally(Gaps).refute(e, "%d requests were under way, or had ended less than was owed before; %d allowed by an override",
				n, most)
			return
		}
		p.tally(Gaps).ok()
		return
	}
	kept, slack := start.sub(s.end), time.Duration(0)
	if s.end.run != p.run.number {
		slack = wallSlack
	}
	p.tally(Gaps).near(kept-s.gap, e.Seq, func() string {
		return fmt.Sprintf("record %d, %s: %v kept, %v owed", e.Seq, e.URL, kept, s.gap)
	})
	if kept+slack < s.gap {
		p.tally(Gaps).refute(e, "%v after the request before, owed %v", kept, s.gap)
		return
	}
	p.tally(Gaps).ok()
}

// demand judges whether a request made the next one owe enough.
func (p *pass) demand(e *ledger.Entry) {
	digest, from := e.RobotsDigest, ""
	from, _ = splitURL(e.URL)
	if e.Purpose == forRobots {
		if digest, from = e.Digest, e.Origin; siteOf(from) != e.Site {
			digest = ""
		}
	}
	var crawlDelay time.Duration
	if digest != "" {
		rules := p.files.of(p.ruleKey(digest, from))
		if rules.bad {
			p.tally(Files).refute(e, "%s", rules.lack)
		}
		if rules.lack != "" {
			p.tally(Gaps).lack(e, "what gap was owed after it depends on a file: %s", rules.lack)
			return
		}
		crawlDelay, _ = rules.Delay()
	}
	if least, why := p.run.owed(e, crawlDelay); time.Duration(e.Gap)+time.Microsecond < least {
		p.tally(Gaps).refute(e, "made the next one owe %v, but %s demands %v", time.Duration(e.Gap), why, least)
	}
}

// alone judges how many requests were under way at once.
func (p *pass) alone(s *site, e *ledger.Entry, start, end moment) {
	most := p.run.connections(e.Site)
	if most == 1 {
		s.window = nil
		if kept := start.sub(s.end); s.end.run == p.run.number && kept < 0 {
			p.tally(Alone).refute(e, "left %v before the request before it had ended", -kept)
			return
		}
		p.tally(Alone).ok()
		return
	}
	if s.window == nil || s.end.run != p.run.number {
		s.window = &window{}
	}
	now := span{start: start.clock, end: end.clock, gap: time.Duration(e.Gap)}
	together, known := s.window.add(now, horizon, p.opts.Window)
	switch {
	case together > most:
		p.tally(Alone).refute(e, "%d in flight at once, %d allowed by an override", together, most)
	case !known:
		p.tally(Alone).lack(e, "it was in flight so long that what else was in flight is no longer known")
	default:
		p.tally(Alone).ok()
	}
}

// Reasons of rests that nobody is owed.
const (
	operatorsHours = "hours"           // the operator's own wish, who may change it
	privateAddress = "private-address" // nobody was asked: there is no connection to one
)

// rest notes that a site is to be left alone.
func (p *pass) rest(e *ledger.Entry) {
	if e.Reason == operatorsHours || e.Reason == privateAddress {
		return
	}
	s := p.site(e.Site)
	if s == nil {
		return
	}
	s.alike = leastAlike * p.run.connections(e.Site)
	if s.absent.noteRest(e, p.run) {
		s.back = p.run.connections(e.Site)
	}
	if s.end.run == 0 && len(s.more) == 0 {
		p.tally(Rests).lack(e, "is the rest of a site that was asked for nothing before")
	}
	if s.let = e.Time; s.signal.seq != 0 && s.signal.from.Add(signalSlack).Before(e.Time) {
		s.let = s.signal.from.Add(signalSlack)
	}
	if e.NotBefore.After(s.blocked) {
		s.spared = 0
		s.blocked, s.blockedBy, s.why = e.NotBefore, p.index, fmt.Sprintf("the rest in record %d%s", e.Seq, p.ofJob(p.index))
	}
	p.answersSignal(s, e)
}

// robotsTxt judges a request for robots.txt.
func (p *pass) robotsTxt(o *origin, e *ledger.Entry) {
	first := e.Origin + "/robots.txt"
	if o.hopRun != p.run.number || o.hops > 0 && e.URL == first && !sameURL(o.next, first) {
		o.hops, o.passed = 0, nil // a run that was killed on the way there, or may not go there; this request begins anew
	}
	switch {
	case o.hops == 0 && e.URL != first:
		p.tally(Decided).refute(e, "a request for the robots.txt of %s that is for something else", e.Origin)
	case e.RobotsReason != string(robots.ReasonRobotsTxt):
		p.tally(Decided).refute(e, "a request for robots.txt under the decision %q", e.RobotsReason)
	default:
		p.tally(Decided).ok()
		p.tally(Allowed).ok()
	}
	p.hop(o, e)
	if e.Outcome == string(robots.Found) {
		p.kept(e, e.Digest, e.Origin)
	}
	if o.hops == 0 {
		p.refetch(o, e)
		o.epoch = epochOf(e.Tenure)
	}
	if lack := p.holds(e); lack != "" {
		p.tally(Fresh).lack(e, "%s", lack)
	}
	if e.Status == http.StatusNotModified && e.Outcome == string(robots.Found) && e.Digest != o.good && e.Digest != o.ownGood {
		p.tally(Decided).lack(e, "says that the robots.txt is still %s, which no record before it has brought", e.Digest)
	}
	if to := o.unfollowed(e); to != "" && e.Outcome == string(robots.Unavailable) {
		p.tally(Decided).refute(e, "is said to have shown that there is no robots.txt, but led to %s", to)
	}
	if wrong := o.learn(e, p.run.number, p.set); wrong != "" {
		p.tally(Decided).refute(e, "%s, but was answered with %d", wrong, e.Status)
	}
}

// refetch judges whether a robots.txt was due to be asked for.
func (p *pass) refetch(o *origin, e *ledger.Entry) {
	due := o.own.due
	if policy := p.run.policy; policy != nil && o.own.run != p.run.number && !o.own.made.IsZero() { // settings may differ
		if oldest := o.own.made.Add(time.Duration(policy.MaxLife)); oldest.Before(due) {
			due = oldest
		}
	}
	early := due.Sub(e.Start)
	if o.own.run == 0 && o.now.due.After(e.Start) {
		p.robotsAgain++ // by another job, which has its own files
	}
	switch {
	case o.own.run == 0 || early <= 0 || o.own.set != p.set:
		p.tally(Once).ok() // it is due by the wall clock, and that may have been set
	case o.own.run == p.run.number:
		p.tally(Once).refute(e, "asked for %v before it was due", early)
	case o.own.run < p.run.killed: // the run that got it, or one since, may have been unable to keep it
		p.interrupted++
		p.tally(Once).ok()
	default:
		p.tally(Once).lack(e, "asked for %v before it was due, in another run", early)
	}
}

// page judges the decision behind a request for a page.
func (p *pass) page(s *site, o *origin, from, path string, e *ledger.Entry) {
	if e.RobotsReason == "" {
		p.tally(Decided).refute(e, "names no decision")
		return
	}
	waited := permitWait + min(time.Duration(e.Owed), s.owed)
	v, ok := o.decidedBy(e, e.Start, waited, p.run.policy)
	switch {
	case !ok && (o.isAskedElsewhere(e) || o.isGoodElsewhere(e, p.run.policy)):
		p.tally(Decided).lack(e, "was decided by %q %s, which is on record here in no request for the robots.txt of %s: %s",
			e.RobotsReason, e.RobotsDigest, from, atAnotherNode)
	case o.now.outcome == "":
		p.tally(Decided).refute(e, "the robots.txt of %s had not been asked for", from)
	case !ok:
		p.tally(Decided).refute(e, "was decided by %q %s; in force was %q %s", e.RobotsReason, e.RobotsDigest,
			o.now.outcome, o.now.digest)
	default:
		p.tally(Decided).ok()
		p.fresh(o, v, waited, e)
	}
	p.rule(from, path, e)
}

// atAnotherNode says where evidence may be that a job of a shared crawl lacks.
const atAnotherNode = "another node may have asked for it; verify takes the jobs of all together"

// fresh judges the age of the file behind a decision.
func (p *pass) fresh(o *origin, v version, waited time.Duration, e *ledger.Entry) {
	if p.run.policy == nil {
		p.tally(Fresh).lack(e, "the run does not say how old a robots.txt may be")
		return
	}
	age := e.Start.Sub(v.fetched)
	bound := time.Duration(p.run.policy.MaxLife)
	if promised := v.due.Sub(v.fetched); promised > 0 {
		bound = min(bound, promised)
	}
	p.tally(Fresh).near(bound-age, e.Seq, func() string {
		return fmt.Sprintf("record %d, %s: %v old, %v allowed", e.Seq, e.URL, age.Round(time.Millisecond),
			bound.Round(time.Millisecond))
	})
	late := age - bound
	if late > waited && o.isAskedElsewhere(e) {
		p.tally(Fresh).lack(e, "the robots.txt on record here was %v old, %v are allowed: %s", age, bound, atAnotherNode)
		return
	}
	if late > waited {
		p.tally(Fresh).refute(e, "the robots.txt was %v old, %v are allowed", age, bound)
		return
	}
	p.tally(Fresh).ok()
}

// rule asks the file that a decision names.
func (p *pass) rule(from, path string, e *ledger.Entry) {
	if e.RobotsDigest == "" {
		reason := robots.Reason(e.RobotsReason)
		if reason == robots.ReasonUnavailable || reason == robots.ReasonRobotsTxt && path == "/robots.txt" {
			p.tally(Allowed).ok()
			return
		}
		p.tally(Allowed).refute(e, "the decision %q allows nothing", e.RobotsReason)
		return
	}
	rules := p.files.of(p.ruleKey(e.RobotsDigest, from))
	switch {
	case rules.bad:
		p.tally(Files).refute(e, "%s", rules.lack)
	case rules.lack != "":
		p.tally(Files).lack(e, "%s", rules.lack)
	case e.RobotsLine > 0 && !rules.stands(e.RobotsRule, e.RobotsLine):
		p.tally(Files).refute(e, "line %d of %s is not %q", e.RobotsLine, e.RobotsDigest, e.RobotsRule)
	default:
		p.tally(Files).ok()
	}
	if rules.lack != "" {
		p.tally(Allowed).lack(e, "%s", rules.lack)
		return
	}
	v := rules.Test(path)
	if !v.Allowed {
		p.tally(Allowed).refute(e, "line %d of robots.txt %s disallows it: %s", v.Line, e.RobotsDigest, v.Rule)
		return
	}
	if reason := robots.Reason(e.RobotsReason); v.Reason != reason || v.Line != e.RobotsLine || !sameRule(e.RobotsRule, v.Rule) {
		p.tally(Decided).refute(e, "names %s; the file decides by %s", inWords(robots.Verdict{
			Allowed: true, Reason: reason, Line: e.RobotsLine, Rule: e.RobotsRule}), inWords(v))
	}
	p.tally(Allowed).ok()
	p.visitTime(rules.Rules, e)
}

// visitTime judges the time of day. A window may close in the moment between the decision and its request.
func (p *pass) visitTime(rules *robots.Rules, e *ledger.Entry) {
	opens, w := rules.Opens(e.Start)
	if before, _ := rules.Opens(e.Start.Add(-permitWait)); opens.After(e.Start) && before.After(e.Start.Add(-permitWait)) {
		p.tally(Gaps).refute(e, "left at %s, line %d of robots.txt %s: %s", stamp(e.Start), w.Line, e.RobotsDigest, w.Text)
	}
}
