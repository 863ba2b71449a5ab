package verify

import (
	"net/http"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// An absence is what a run has found out of a site that has one answer for whatever is asked for.
type absence struct {
	run    int
	shown  []witnessed // pages whose witness was answered, perhaps as they were
	rested []string    // those of them after which the site was left alone for that
	beside int         // how many pages may have been in flight over other connections when it was
	before int         // how many that were answered before it was may be asked for again
}

// witnessed is a page whose witness was answered, and when that ended.
type witnessed struct {
	url string
	end time.Time
}

// mostBefore is how many pages that were answered before a site turned out to be away may be asked for again.
const mostBefore = leastAlike << 2

// noteWitness notes a witness that may have had the answer of the page that it was asked for.
func (a *absence) noteWitness(e *ledger.Entry, r *run) {
	if a.run != r.number {
		*a = absence{run: r.number}
	}
	switch e.Status {
	case http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect:
	default:
		if e.Status/100 != 2 {
			return
		}
	}
	a.shown, a.beside = append(a.shown, witnessed{e.Via, e.End}), r.connections(e.Site)-1
	a.shown = a.shown[max(0, len(a.shown)-mostDoubted):]
}

// noteRest notes a rest, and reports whether it is one for that, and as long as promised since a witness was answered.
func (a *absence) noteRest(e *ledger.Entry, r *run) bool {
	if a.run != r.number || e.Reason != siteAway {
		return false
	}
	n := len(a.shown)
	a.shown = slices.DeleteFunc(a.shown, func(w witnessed) bool {
		isLong := r.policy == nil || !e.NotBefore.Before(w.end.Add(r.restAfter(max(e.Attempt, 1))))
		if isLong {
			a.rested = append(a.rested, w.url)
		}
		return isLong
	})
	if len(a.shown) == n {
		return false
	}
	a.before = mostBefore
	a.rested = a.rested[max(0, len(a.rested)-mostDoubted):]
	return true
}

// away judges an outcome that says of a site that it has one answer for whatever is asked for: a witness must have told so, and the
// site have been left alone. Those that come over other connections need no witness of their own, and may be on record first; nor
// do the last pages that were settled before. When the site is back, pages that were answered just before are asked for again, too.
func (p *pass) away(s *site, e *ledger.Entry) {
	a := &s.absent
	if e.Reason != siteAway || e.Outcome != "retrying" {
		return
	}
	if i := slices.Index(a.rested, e.URL); a.run == p.run.number && i >= 0 {
		a.rested = slices.Delete(a.rested, i, i+1)
		return
	}
	isIt := func(w witnessed) bool { return w.url == e.URL }
	if i := slices.IndexFunc(a.shown, isIt); a.run == p.run.number && i >= 0 && p.cameBack(s, e) {
		a.shown = slices.Delete(a.shown, i, i+1)
		return
	}
	if a.run == p.run.number && a.before > 0 && p.isSettled(e.URL) &&
		(slices.Contains(s.answered, e.URL) || slices.Contains(s.doubted, e.URL)) {
		a.before--
		return
	}
	if a.run == p.run.number && a.beside > 0 {
		a.beside--
		return
	}
	p.tally(Once).refute(e, "is to be asked for again as its site has one answer for all, which no witness before a rest has shown")
}

// cameBack judges an outcome of a page that may be the last one with that answer, as its witness has shown: after a rest there is
// one for each connection.
func (p *pass) cameBack(s *site, e *ledger.Entry) bool {
	switch {
	case s.back > 0:
		s.back--
	case s.epoch != 0:
		p.tally(Once).lack(e, "is to be asked for again as its site was away, which another node may have found out")
	default:
		return false
	}
	return true
}

// isSettled reports whether an outcome may have settled a URL, as far as this pass knows.
func (p *pass) isSettled(url string) bool {
	v := p.visits.of(p.urls.hash(url))
	return v == nil || v.outcome && v.state == settled
}
