package verify

import (
	"net/http"

	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A refusal is why a URL that was visited may not be kept any more.
type refusal struct {
	why      uint64 // hash of reason and rule; 0 when it may
	byRobots bool
	now      bool // said since the last request
}

// The reasons for which a stored page is taken out of the list.
const (
	noindex    = "noindex"
	disallowed = "robots-disallow"
	optedOut   = "opted-out"
)

// forbidden notes that a URL may not be kept any more.
func (p *pass) forbidden(e *ledger.Entry) {
	if e.Reason != noindex && e.Reason != disallowed {
		return
	}
	h := p.urls.hash(e.URL)
	if v := p.visits.of(h); v != nil && p.urls.has(h) {
		v.refusal = refusal{why: p.whyPurged(e), byRobots: e.Reason == disallowed, now: true}
	}
}

func (p *pass) whyPurged(e *ledger.Entry) uint64 { return max(p.urls.hash(e.Reason+" "+e.Rule), 1) }

// outlive forgets a refusal that an outcome shows to be over. That a page has not changed (304) says nothing of what stands in it.
func (r *refusal) outlive(e *ledger.Entry) {
	isPage := e.Status >= 200 && e.Status < 300
	if e.File != "" || !r.now && (isPage || r.byRobots && e.Status == http.StatusNotModified) {
		*r = refusal{}
	}
}

// purge judges whether a page that was taken out of the list had been in it, and was forbidden by what refused its URL last, or its
// owner is left alone.
func (p *pass) purge(e *ledger.Entry) {
	h := p.urls.hash(e.URL)
	if !p.urls.has(h) || !p.opts.judges(siteOf(e.URL)) {
		return
	}
	t, v := p.tally(Pages), p.visits.of(h)
	key := p.listed(h, e.Digest, e.File)
	_, wasStored := p.stored[key]
	switch {
	case v == nil:
		t.refute(e, "a page was removed that nobody had asked for")
		return
	case e.Reason == optedOut && !p.optOuts.holds(e):
		t.refute(e, "a page was removed because %q is opted out, which does not hold, or is not its host", e.Rule)
	case e.Reason != optedOut && v.refusal.why != p.whyPurged(e):
		t.refute(e, "a page was removed for the reason %q by %q, which is not what refused it last", e.Reason, e.Rule)
	case v.listed == key, wasStored:
		t.ok()
	case p.purged[key], p.run.killed > 0, p.repairs > 0: // it is done once more, or what was stored then is in no outcome
	default:
		t.refute(e, "%q was removed, which no outcome says was stored", e.File)
	}
	if v.listed == key {
		v.listed = 0
	}
	delete(p.stored, key)
	p.purged[key] = true
}

// stillListed tells of a line of a page that is on record as removed.
func (p *pass) stillListed(url uint64, n int, l *pages.Line) {
	if !p.purged[p.listed(url, string(l.Digest), l.File)] {
		return
	}
	at := &ledger.Entry{InFile: "pages.jsonl", AtLine: n, Record: ledger.Record{URL: l.FinalURL}}
	p.tally(Pages).lack(at, "pages.jsonl line %d: the ledger says that the page was removed; the next run with --purge does it", n)
}
