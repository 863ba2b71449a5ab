package verify

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// logTexts returns the promises that a log judges, in words.
func logTexts() []Promise {
	return []Promise{
		{Name: Written, Text: "every request of ours in the log of the site is on record"},
		{Name: Seen, Text: "every request on record that was answered is in the log of the site"},
		{Name: Agreed, Text: "log and record tell the same of each: what was answered, and when"},
	}
}

// announcedText returns the promise that a log judges in which requests tell what the ledger was, in words.
func announcedText() Promise {
	return Promise{Name: Announced, Text: "the ledger continues what requests in the log of the site say of it"}
}

// judge draws the conclusions.
func (c *comparer) judge() {
	o := &c.out
	o.Ours, o.Requests = len(c.logged), len(c.told)
	o.From, o.To = time.Unix(0, c.first).UTC(), time.Unix(0, c.last).UTC()
	tallies := map[Name]*tally{}
	for _, name := range []Name{Written, Seen, Agreed} {
		tallies[name] = &tally{most: c.most}
	}
	c.judgeLines(tallies[Written], tallies[Agreed])
	c.judgeRequests(tallies[Seen])
	c.judgeClocks(tallies[Agreed])
	c.note()
	for _, p := range logTexts() {
		t := tallies[p.Name]
		switch {
		case c.full:
			t.lack(nil, "there are more than %d requests: the rest was not compared", maxCompared)
		case o.Lines == 0:
			t.lack(nil, "%s", c.empty())
		case c.bare > 0 && p.Name != Agreed:
			t.lack(nil, "%s no User-Agent, so nobody can tell whose they are",
				plural(c.bare, "line of the log has", "lines of the log have"))
		}
		if c.unread > 0 && p.Name == Written {
			t.lack(nil, "%s our name and cannot be read: nobody can tell what was asked for, nor whether it is on record",
				plural(c.unread, "line of the log has", "lines of the log have"))
		}
		p.conclude(t)
		o.Promises = append(o.Promises, p)
	}
}

// empty says that the log has nothing about the site.
func (c *comparer) empty() string {
	what := "the log has no request to this site"
	if c.alias != "" {
		what += ": its lines with our name name " + c.alias
	}
	return what
}

// by returns by how much the clock of the server was ahead when most lines were written.
func (c *comparer) by() int64 {
	if len(c.out.Offsets) == 0 {
		return 0
	}
	return int64(c.out.Offsets[0].By)
}

// judgeLines judges the lines of the log.
func (c *comparer) judgeLines(written, agreed *tally) {
	familiar := map[int16]bool{} // addresses that asked for what is on record
	c.ports = map[uint16]bool{0: true}
	for i := range c.logged {
		if c.logged[i].found {
			familiar[c.logged[i].client], c.ports[c.logged[i].port] = true, true
		}
	}
	c.toldOf = map[uint64][]int{}
	if len(c.files) > 1 {
		for i := range c.told {
			c.toldOf[c.told[i].target] = append(c.toldOf[c.told[i].target], i)
		}
	}
	c.givenUp = map[uint64][]int{}
	for i := range c.told {
		if r := &c.told[i]; r.givenUp && !r.found {
			c.givenUp[r.target] = append(c.givenUp[r.target], i)
		}
	}
	before, after := c.around()
	for i := range c.logged {
		l := &c.logged[i]
		switch {
		case l.found:
			written.ok()
			c.judgePair(agreed, l)
		case c.bare == 0: // otherwise it may be anybody's
			within := before[l.at] > 0 && before[l.at] == after[l.at]
			ours := familiar[l.client] || len(familiar) == 0 && len(c.told) > 0
			c.judgeUnrecorded(written, l, within, ours)
		}
	}
	if c.out.Later > 0 && !c.running { // the log of a crawl that runs is always ahead
		written.lack(nil, "%s with our name later than the record goes, %s: ask for a bundle of today; the first is %s",
			plural(c.out.Later, "line is", "lines are"), stamp(time.Unix(0, c.made)), c.later)
		written.more(c.out.Later - 1)
	}
}

// mayBeAhead reports whether a line that is later than the record may be of a request that is not on record yet: of a crawl that
// runs, what was asked for a while ago is.
func (c *comparer) mayBeAhead(at int64) bool {
	ahead := int64(logAhead)
	return !c.running || at <= c.made+ahead || at >= time.Now().UnixNano()-ahead
}

// judgeUnrecorded judges a line that is of no request on record. within says that it stands among lines of one run, so that it is
// of that time, whatever its second says; ours that it came from where we ask from.
func (c *comparer) judgeUnrecorded(t *tally, l *compared, within, ours bool) {
	at := l.start - c.by()
	what := fmt.Sprintf("%s: %s at %s, status %d, from %s", c.where(l), c.name(l), stamp(time.Unix(0, l.start)),
		l.status, c.clients[l.client])
	switch {
	case at > c.made && c.mayBeAhead(at):
		if c.out.Later++; c.out.Later == 1 {
			c.later = what
		}
	case at > c.made:
		t.lack(nil, "%s is on no record, though the crawl runs and the last record is of %s: those since then may have been "+
			"cut off", what, stamp(time.Unix(0, c.made)))
	case l.elsewhere == elsewhere:
		c.out.Elsewhere++
		t.ok()
	case c.cutAt(at) > 0:
		t.lack(nil, "%s is of a time of which the ledger may have lost records: record %d says that the job was damaged "+
			"and put in order", what, c.cutAt(at))
	case c.interrupted(t, l, at, what):
	case c.isLate(t, l, at, what):
	case !c.covered(at) && !within:
		t.lack(nil, "%s is from when no crawl ran, says the record: of another crawl, or of a run that was struck out", what)
	case c.explain(t, l, what):
	case ours:
		t.refute(nil, "%s is not on record", what)
	default:
		t.lack(nil, "%s is not on record; nothing that is came from there, so it may be somebody who uses the name", what)
	}
}

// isLate reports whether a line may be of a request that we had given up, or that was under way when a process was killed, and that
// the server noted when it was done with it, and says so. Each request is taken for one line.
func (c *comparer) isLate(t *tally, l *compared, at int64, what string) bool {
	list := c.givenUp[l.target]
	behind := sort.Search(len(list), func(n int) bool { return c.told[list[n]].start > at })
	for _, i := range slices.Backward(list[max(behind-maxPairs, 0):behind]) {
		if r := &c.told[i]; !r.late && at >= r.end && at <= r.end+int64(logLate) {
			r.late = true
			t.lack(nil, "%s may be of the request in record %d, which was given up %v before: some servers note a request when "+
				"they are done with it", what, r.seq, time.Duration(at-r.end).Round(time.Second))
			return true
		}
	}
	if lost := c.lateOfKill(l, at); lost != nil {
		lost.left--
		t.lack(nil, "%s may be of what was under way when a process was killed: some servers note a request when "+
			"they are done with it", what)
		return true
	}
	return false
}

// explain says of a line that is on no record why it may be of a request that is all the same, if it may be.
func (c *comparer) explain(t *tally, l *compared, what string) bool {
	s := &c.surround[l.at]
	switch {
	case s.doubtful:
		t.lack(nil, "%s is in the log twice, and on record once: it was asked for twice in a moment, or the log was put together "+
			"of parts that overlap", what)
	case c.inAnother(l) != nil:
		t.lack(nil, "%s is on record once, and %s tells of it too: it was asked for twice in a moment, or one log is that of a "+
			"server behind the other; give one of each request", what, c.where(c.inAnother(l)))
	case l.otherwise, l.index && !c.isTold(l.target):
		t.lack(nil, "%s is not on record; the log may have what the server made of a target: let it log the request line, or "+
			"request_uri", what)
	case l.elsewhere == perhapsElsewhere:
		t.lack(nil, "%s is on record as asked of another site at that moment, at another address; the log does not say for which "+
			"site it was", what)
	case c.shared:
		t.lack(nil, "%s is not on record here; it may be on that of another node, for this crawl is shared", what)
	case !c.ports[l.port]:
		t.lack(nil, "%s is not on record; it names port %d, at which there may be another site", what, l.port)
	case c.alias != "":
		t.lack(nil, "%s is not on record; it names %s, which may be another site", what, c.alias)
	case l.hostless && c.neighbours != 0:
		c.out.Hostless++
		t.lack(nil, "%s is not on record for this site; it may be of another site of its server", what)
	case l.hostless && c.others > 0 && c.amidLoss(l.start-c.by()):
		t.lack(nil, "%s is not on record; it is of when a process was killed, with requests to other sites under way, and the log "+
			"does not say for which site a line is", what)
	default:
		return false
	}
	return true
}

// inAnother returns a line of another log that tells of the request on record that a line is of; nil if there is none.
func (c *comparer) inAnother(l *compared) *compared {
	if len(c.files) < 2 {
		return nil
	}
	told, slack := c.toldOf[l.target], int64(logSlack)
	for _, by := range c.ahead {
		behind := sort.Search(len(told), func(n int) bool { return c.told[told[n]].start > l.start-by+slack })
		for _, i := range told[max(behind-maxPairs, 0):behind] {
			if r := &c.told[i]; r.found && l.start-by <= r.end+slack && c.logged[r.other].file != l.file {
				return &c.logged[r.other]
			}
		}
	}
	return nil
}

// around returns for each place in the logs the run in which the nearest line before, and behind it in the same log was on record,
// counted from 1; 0 where there is none.
func (c *comparer) around() (before, after []int32) {
	before, after = make([]int32, len(c.surround)), make([]int32, len(c.surround))
	files := make([]int16, len(c.surround))
	for i := range c.logged {
		l := &c.logged[i]
		if files[l.at] = l.file + 1; !l.found {
			continue
		}
		start := c.told[l.other].start
		run := sort.Search(len(c.runs), func(i int) bool { return c.runs[i].from > start })
		if run > 0 && start <= c.runs[run-1].to {
			before[l.at], after[l.at] = int32(run), int32(run)
		}
	}
	spread := func(list []int32, at, beside int) {
		if list[at] == 0 && files[at] == files[beside] {
			list[at] = list[beside]
		}
	}
	for i := 1; i < len(before); i++ {
		spread(before, i, i-1)
	}
	for i := len(after) - 2; i >= 0; i-- {
		spread(after, i, i+1)
	}
	return before, after
}

// cutAt returns the record that says that those of that time may be lost; 0 if none does.
func (c *comparer) cutAt(at int64) uint64 {
	slack := int64(logSlack)
	for i := range c.cuts {
		if cut := &c.cuts[i]; at >= cut.from-slack && at <= cut.to+slack {
			return cut.seq
		}
	}
	return 0
}

// covered reports whether the record tells of that time for sure: a run that began a moment later may be on another record, but for
// one that goes on with a run that was killed.
func (c *comparer) covered(at int64) bool {
	rounded := int64(time.Second) // down
	if c.exact {
		rounded = 0
	}
	var on period
	return slices.ContainsFunc(c.runs, func(p period) bool {
		if p.from > on.to {
			on = p
		}
		on.to = max(on.to, p.to)
		return at >= on.from && at+rounded <= on.to
	})
}

// judgePair compares what log and record tell of a request.
func (c *comparer) judgePair(t *tally, l *compared) {
	r := &c.told[l.other]
	took := time.Duration(r.end - r.start)
	signal := l.status == http.StatusTooManyRequests || l.status == http.StatusServiceUnavailable
	switch {
	case signal && r.status == 0 && took < brokenOff:
		t.lack(&ledger.Entry{Record: ledger.Record{Seq: r.seq}}, "%s was answered with %d, which may say how long to stay "+
			"away, says %s; the record says that there was no answer, after %v", c.name(l), l.status, c.where(l), took)
	case agree(l.status, r.status):
		t.ok()
	default:
		t.refute(&ledger.Entry{Record: ledger.Record{Seq: r.seq}}, "%s was answered with %d, says %s; the record says %d",
			c.name(l), l.status, c.where(l), r.status)
	}
}

// agree reports whether a status in a log and one on record may be of the same request, which either side may have broken off.
func agree(logged, told int16) bool {
	return logged == told || logged == 0 || told == 0 || logged == 499 || logged == 408
}

// judgeRequests judges the requests on record. Those in a row that the log does not have are named together.
func (c *comparer) judgeRequests(t *tally) {
	slack, by := int64(logSlack), c.by()
	var missing []*compared
	flush := func() {
		if len(missing) > 0 {
			c.unseen(t, missing)
		}
		missing = nil
	}
	found := func(r compared) bool { return r.found }
	oldest := slices.IndexFunc(c.told, found)
	newest := oldest
	for i := range c.told {
		if c.told[i].found {
			newest = i
		}
	}
	for i := range c.told {
		r := &c.told[i]
		within := int64(0) // where the log begins and ends nobody knows to the second
		if oldest >= 0 && (i < oldest || i > newest) {
			within = slack
		}
		switch {
		case r.found || r.unnamed:
			flush()
			t.ok()
		case r.late:
			flush()
		case r.status == 0:
			c.out.Unanswered++
		case r.end+by < c.first+within || r.start+by > c.last+int64(time.Second)-within:
			c.out.Uncovered++
		default:
			missing = append(missing, r)
		}
	}
	flush()
}

// unseen says of requests in a row that the log does not have them, and whether it has anything of that time.
func (c *comparer) unseen(t *tally, missing []*compared) {
	first, last := missing[0], missing[len(missing)-1]
	silent := true
	for minute := (first.start + c.by()) / int64(time.Minute); silent && minute <= (last.end+c.by())/int64(time.Minute); minute++ {
		silent = !c.busy[minute]
	}
	why := "though it has other lines of that time"
	if silent {
		why = "which has no line at all of that time: part of it may be missing"
	}
	at := &ledger.Entry{Record: ledger.Record{Seq: first.seq}}
	if len(missing) == 1 {
		t.lack(at, "%s at %s is not in the log, %s", c.name(first), stamp(time.Unix(0, first.start)), why)
		return
	}
	t.lack(at, "%d requests in a row, from here to record %d, %s to %s, are not in the log, %s", len(missing), last.seq,
		stamp(time.Unix(0, first.start)), stamp(time.Unix(0, last.start)), why)
	t.more(len(missing) - 1)
}

// judgeClocks names how far the clocks differ, and whether they part again and again, as they do when the pauses on record are not
// those that were kept.
func (c *comparer) judgeClocks(t *tally) {
	sets := c.clockSets(func(r *compared) int64 { return r.start }, false)
	if steady := c.clockSets(func(r *compared) int64 { return r.steady }, true); steady.times > sets.times {
		sets = steady
	}
	if sets.times > mostSets {
		t.lack(&ledger.Entry{Record: ledger.Record{Seq: sets.last.seq}},
			"for log and record to agree, one of the clocks was set %d times until then; or the pauses on record are not those "+
				"that were kept: since record %d it is %s, says the record, and %s, says the log", sets.times, sets.first.seq,
			sets.told.Round(time.Second),
			time.Duration(c.logged[sets.last.other].start-c.logged[sets.first.other].start).Round(time.Second))
	}
	for _, o := range c.out.Offsets {
		if o.By.Abs() <= logClock {
			continue
		}
		zone := ""
		if rest := o.By % (15 * time.Minute); min(rest.Abs(), 15*time.Minute-rest.Abs()) <= logSlack {
			zone = ", as that of another time zone would be"
		}
		t.lack(nil, "%s: one of the two clocks was wrong%s, or the record of %s was moved", o.ahead(), zone,
			plural(o.Requests, "request"))
	}
}

// A setting is how often clocks must have been set for log and record to agree.
type setting struct {
	times       int
	first, last *compared     // the first request that is in both, and the last at which it showed
	told        time.Duration // from one to the other, by the record
}

// clockSets counts how often the clock of a log or that of the record must have been set for both to tell the same of the requests
// that are in both. All lines of a log allow some offset between the clocks, unless these part faster than clocks do. With back it
// counts how often the log fell behind: when the machine of the crawl sleeps, the clock that nobody sets does.
func (c *comparer) clockSets(at func(*compared) int64, back bool) (sets setting) {
	rounded := int64(time.Second) // down
	if c.exact {
		rounded = 0
	}
	type offsets struct{ least, most, at int64 }
	of := map[int16]*offsets{} // by log
	for _, r := range c.inBoth() {
		l, start := &c.logged[r.other], at(r)
		if sets.first == nil {
			sets.first = r
		}
		now := offsets{l.start - start - (r.end - r.start) - int64(logHaze), l.start + rounded - start + int64(logHaze), start}
		o := of[l.file]
		if o == nil {
			of[l.file] = &now
			continue
		}
		drift := max(start-o.at, 0) / clockDrift
		least, most := max(o.least-drift, now.least), min(o.most+drift, now.most)
		if least <= most {
			*o = offsets{least, most, start}
			continue
		}
		if isBehind := now.most < o.least; isBehind || !back {
			sets.times, sets.last, sets.told = sets.times+1, r, time.Duration(start-at(sets.first))
		}
		*o = now
	}
	return sets
}

// inBoth returns the requests that are in log and record, in the order of the record.
func (c *comparer) inBoth() (list []*compared) {
	for i := range c.told {
		if c.told[i].found {
			list = append(list, &c.told[i])
		}
	}
	slices.SortFunc(list, func(a, b *compared) int { return cmp.Compare(a.seq, b.seq) })
	return list
}
