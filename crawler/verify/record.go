package verify

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Bounds of what honest clocks and processes do.
const (
	clockSlack  = time.Second           // two clocks may drift apart between two requests, and be set a little
	apartSlack  = 3 * time.Second       // likewise since the first one, of which a ledger tells if it was set by more than a second
	startSlack  = time.Minute           // a run may take to write down that it has begun
	pauseSlack  = 20 * time.Millisecond // a pause may be measured from a moment before the end on record
	probePrefix = "cybermapper-asks-for-a-page-that-does-not-exist-"
	tdmPath     = "/.well-known/tdmrep.json"
)

// understand judges what is true of records of every type: that it is one that is known, and its place in time.
func (p *pass) understand(e *ledger.Entry) {
	if p.siteShard.part != 0 { // in the first pass over the sites
		return
	}
	if e.Foreign || e.Format != 0 && e.Format != ledger.Format {
		p.foreign++
		p.tally(Records).lack(e, "has something that no record has, or something twice: it is not understood")
	}
	switch e.Type {
	case ledger.Run:
		switch e.Event {
		case ledger.EventStart, ledger.EventOverride, ledger.EventOptOut, ledger.EventLifted, ledger.EventRepair,
			ledger.EventAgain, ledger.EventClock, ledger.EventStop:
		default:
			p.foreign++
			p.tally(Records).lack(e, "the event %q is not understood", e.Event)
		}
	case ledger.Seed:
		if !slices.Contains([]string{"queued", "known", "refused"}, e.Outcome) {
			p.tally(Records).lack(e, "the outcome %q of a submission is not understood", e.Outcome)
		}
	case ledger.Request, ledger.Refusal, ledger.Outcome, ledger.Rest, ledger.Purge:
	default:
		p.foreign++
		p.tally(Records).lack(e, "a record of the type %q is not understood", e.Type)
	}
	for _, n := range []int64{
		int64(e.Depth), int64(e.Attempt), int64(e.Line), int64(e.RobotsLine), int64(e.LinksFound), int64(e.LinksNew),
		int64(e.Connections), int64(e.Repaired), e.Torn, e.Bytes, e.WireBytes,
	} {
		if n < 0 {
			p.tally(Records).refute(e, "has %d of something", n)
			break
		}
	}
	if back := p.last.Sub(e.Time); back > clockSlack {
		p.tally(Records).lack(e, "was written %v before the record before it: the clock was set, or one of them altered", back)
	}
}

// told judges what a request says of itself, against its clocks and the request before it at the site.
func (p *pass) told(s *site, e *ledger.Entry) {
	t := p.tally(Records)
	broken := t.broken + t.unknown
	start, _ := p.run.moments(e)
	switch {
	case e.Method == "":
		t.lack(e, "does not name its method")
	case e.Method != "GET":
		t.refute(e, "used the method %s; a crawl only gets", e.Method)
	case e.Clock < 0 || e.Took < 0 || e.Owed < 0 || e.Kept < 0 || e.Gap < 0:
		t.refute(e, "has a negative time")
	case e.Status != 0 && (e.Status < 100 || e.Status > 999): // above 599 is for no server to send, and some do: 999
		t.refute(e, "was answered with %d, which is no status of HTTP", e.Status)
	case e.Status != 0 && e.Error != "":
		t.refute(e, "was answered with %d and failed as well: %s", e.Status, e.Error)
	case e.Status == 0 && e.Error == "":
		t.lack(e, "was not answered, and does not say why")
	case e.Status != 0 && e.Address == "" && e.Proxy == "":
		t.lack(e, "was answered, but does not say from which address")
	case e.Attempt == 0 && isVisit(e.Purpose):
		t.lack(e, "does not say the how manieth attempt it was")
	}
	if why := otherName(e.URL); why != "" {
		t.lack(e, "asks for a URL that %s: what that stands for is not known", why)
	}
	if !leadsTo(e) {
		t.lack(e, "is said to have gone to %s, which has another port than its URL", e.Address)
	}
	if why := oddFrom(e); why != "" {
		t.lack(e, "is said to have come from %q: %s", e.From, why)
	}
	p.setBy(e)
	p.clocks(s, e, start)
	if p.run.connections(e.Site) == 1 {
		p.pause(s, e, start)
	}
	p.place(e)
	if t.broken+t.unknown == broken {
		t.ok()
	}
}

// oddFrom says why a request cannot have come from the address that it names, "" when it can or names none. Whether it did, the
// log of the site can tell.
func oddFrom(e *ledger.Entry) string {
	if e.From == "" {
		return ""
	}
	from, err := netip.ParseAddr(e.From)
	to, toErr := netip.ParseAddrPort(e.Address)
	switch {
	case err != nil:
		return "which is no address"
	case e.Proxy != "":
		return "but went through a proxy"
	case toErr != nil || from.Is4() != to.Addr().Is4():
		return "which has no way to the address asked"
	}
	return ""
}

// clocks compares the clock on the wall with the one that nobody sets.
func (p *pass) clocks(s *site, e *ledger.Entry, start moment) {
	t := p.tally(Records)
	switch {
	case e.Start.IsZero() || e.End.IsZero():
		t.lack(e, "does not say when it left or when it ended")
		return
	case !e.FirstByte.IsZero() && (e.FirstByte.Before(e.Start.Add(-clockSlack)) || e.FirstByte.After(e.End.Add(clockSlack))):
		t.lack(e, "was answered at %s, but lasted from %s to %s", stamp(e.FirstByte), stamp(e.Start), stamp(e.End))
	case e.End.After(e.Time.Add(clockSlack)):
		t.lack(e, "ended %v after its record was written: the clock was set, or the record altered", e.End.Sub(e.Time))
	}
	if e.Clock == 0 && e.Took == 0 {
		return // an older ledger, or one that was not written by a crawl
	}
	if e.Clock == 0 || e.Took == 0 {
		t.lack(e, "does not say when it left or how long it took by the clock of the run")
	}
	if off := e.End.Sub(e.Start) - time.Duration(e.Took); off.Abs() > clockSlack {
		t.lack(e, "took %v by the clock of the run, %v by that on the wall", time.Duration(e.Took), e.End.Sub(e.Start))
	}
	began := e.Start.Add(-start.clock)
	before, slack, what := p.run.start, startSlack, "the beginning of the run"
	if s.end.run == p.run.number {
		before, slack, what = s.end.wall.Add(-s.end.clock), clockSlack, "the request before it at the site"
	}
	apart := p.run.apart(began, start.clock)
	if off := began.Sub(before); off.Abs() > slack {
		apart = off
	} else {
		what = "the first request of the run"
	}
	if apart != 0 {
		t.lack(e, "the clock on the wall and that of the run differ by %v since %s: one was set, or the record altered", apart,
			what)
	}
}

// pause compares the pause that a request says was kept, and owed, with the records.
func (p *pass) pause(s *site, e *ledger.Entry, start moment) {
	t := p.tally(Records)
	kept, owed := time.Duration(e.Kept), time.Duration(e.Owed)
	if s.askedSince() {
		return // it may tell of the pause since a request of another job
	}
	if s.end.run == 0 {
		if kept > 0 || owed > 0 {
			t.lack(e, "tells of a pause since a request that is not on record")
		}
		return
	}
	same, lost := s.end.run == p.run.number, s.end.run < p.run.killed
	shown := max(start.sub(s.end), e.Start.Sub(s.end.wall))
	least := min(start.sub(s.end), e.Start.Sub(s.end.wall), e.Start.Sub(s.told))
	switch {
	case kept == 0 && isLater(e.Tenure, s.epoch): // another node may have asked meanwhile
	case lost: // a killed process may not have noted when its last request had ended, though that is on record here
	case kept > shown+pauseSlack:
		t.refute(e, "says that a pause of %v was kept; the clocks show %v", kept, shown)
	case kept == 0 && same && shown > pauseSlack:
		t.lack(e, "does not say which pause was kept")
	case same && owed > 0 && s.gap >= clockSlack && least-kept >= s.gap:
		t.lack(e, "tells of a pause of %v since the request before it; that on record ended %v before: one between them may be "+
			"missing", kept, shown)
	}
	most := s.gap
	if !same && p.run.policy != nil { // whoever does not know what was owed takes the usual pause for it, of older settings even
		most = 2 * max(s.most, time.Duration(p.run.policy.Delay))
	}
	if lost && p.run.policy != nil {
		most = max(most, time.Duration(p.run.policy.MaxDelay)) // as of a slow answer before that one
	}
	if owed > most+pauseSlack {
		t.lack(e, "says that a pause of %v was owed; the records show %v", owed, s.gap)
	}
}

// setBy judges what a request says set the pause after it.
func (p *pass) setBy(e *ledger.Entry) {
	if e.Gap > 0 && !slices.Contains([]string{"floor", "response-time", "crawl-delay", "override"}, e.GapWhy) {
		p.tally(Records).lack(e, "says that %q set the pause after it, which is not understood", e.GapWhy)
	}
	if own := p.run.overrides[e.Site].ownGap; own != (e.GapWhy == "override") && e.GapWhy != "" {
		p.tally(Records).lack(e, "says that %q set the pause after it, and an override for the site does: %v", e.GapWhy, own)
	}
}

// place judges whether a request went where its purpose leads.
func (p *pass) place(e *ledger.Entry) {
	_, path := splitURL(e.URL)
	switch e.Purpose {
	case forProbe:
		if i := strings.LastIndexByte(path, '/'); !strings.HasPrefix(path[i+1:], probePrefix) {
			p.tally(Decided).refute(e, "is called a probe for a page that does not exist, but asks for another")
		}
	case forTDM:
		if path != tdmPath {
			p.tally(Decided).refute(e, "is said to be for the TDM file, but asks for something else")
		}
	}
}
