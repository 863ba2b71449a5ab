package trap

import (
	"fmt"
	"strings"
)

// A place that looks endless is heard a second time when nothing else is left: more of the web around it is known then, and scouts
// that meet what is known show that it is finite after all.

const (
	hearingLevels = 3
	leastHearing  = lanes * hearingLevels // pages
	mostHearing   = 1000
	hearingShare  = 50 // one of so many pages of the domain is asked for in hearings besides
	longestDoubt  = 3  // times as many levels that a hearing takes while it is in doubt

	leastEvidence = 8 // pages with new links that scouts must have seen to acquit a place

	maxFound = 1000 // places that are heard again; of those beyond, the verdict stands

	wantedPerScout = 4 // URLs of a place that are taken up for each scout: most of them are the scouts' own brothers and sisters
)

// A suspect is a place that was found to look endless, and was not heard again.
type suspect struct {
	place  *lineage
	domain string
}

// heardNote begins what the evidence says of a second hearing.
const heardNote = "; asked last, "

func wasHeard(f Finding) bool { return strings.Contains(f.Evidence, heardNote) }

// findLocked notes that a place looks endless.
func (d *Detector) findLocked(l *lineage, domain string, f Finding) {
	l.found, l.trial = &f, nil
	if l.was(heardTwice) {
		return
	}
	if len(d.suspects) < maxFound {
		d.suspects = append(d.suspects, suspect{l, domain})
	}
}

// Rehear sends scouts once more into the places that look endless, each once: it is to be called when nothing else is left to
// visit. It reports whether any place is open again, on trial or because an earlier hearing acquitted it, so that what was put
// aside there, and is Wanted, should be visited.
func (d *Detector) Rehear() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	open := d.acquitted
	d.acquitted = false
	of := map[string]int{}
	for _, s := range d.suspects {
		of[s.domain]++
	}
	for _, s := range d.suspects {
		if s.place.found == nil || s.place.was(heardTwice) || s.place.trial != nil {
			continue
		}
		if strings.HasPrefix(s.place.found.Evidence, chainNote) {
			s.place.reopenChain()
			open = true
			continue
		}
		pages := 0
		if dom, ok := d.domains.Get(siteOf(URL{Domain: s.domain})); ok {
			pages = dom.pages / hearingShare / of[s.domain]
		}
		pages = min(max(pages, leastHearing), mostHearing)
		s.place.marks |= heardTwice
		s.place.trial = newHearing(s.place, hearingLevels, pages/(lanes*hearingLevels))
		s.place.trial.before, s.place.found = s.place.found, nil
		s.place.trial.wanted = wantedPerScout * pages
		open = true
	}
	d.suspects = nil
	return open
}

// reopenChain takes up a chain again: no scout can tell its end from afar, so it is followed until it is four times as long.
func (l *lineage) reopenChain() {
	l.found = nil
	for l.marks |= heardTwice; l.parent != nil && l.parent.isLongChain(); l = l.parent {
		l.parent.marks |= heardTwice
	}
}

// Wanted reports whether a URL that was put aside is to be visited after Rehear: its place is on trial, and scouts are wanted, or
// it is not suspected any more.
func (d *Detector) Wanted(u, via URL) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	parent := d.parentLocked(u, via)
	if parent.finding() != nil {
		return false
	}
	for l := parent; l != nil; l = l.parent {
		if t := l.trial; t != nil && t.before != nil {
			t.wanted--
			return t.wanted >= 0
		}
	}
	return true
}

// rehearLocked ends the second hearing of a place.
func (d *Detector) rehearLocked(l *lineage, t *trial) {
	if d.o.doubts(t.before.Kind, t.c) && t.resume() {
		l.trial = t
		return
	}
	if t.verdict(&d.o) == "" && t.c.pages-t.c.ends >= leastEvidence && d.o.clears(t.before.Kind, t.c) {
		l.acquit(t)
		d.acquitted = true
		return
	}
	f := *t.before
	f.Evidence += fmt.Sprintf("%s%d more pages came to no end either", heardNote, t.c.pages)
	d.findLocked(l, "", f)
}

// clears reports whether what scouts saw at last speaks clearly against what a place was taken for.
func (o *Options) clears(k Kind, c counts) bool {
	switch {
	case c.isList():
		return true
	case k == Regular: // between pages that count on lie some that bring nothing new
		return 2*c.regular < c.pages-c.ends
	case k == SameText:
		return float64(c.pages-c.same) > 3*o.Yield*float64(c.pages)
	}
	return float64(c.inside) > finiteBack*float64(c.inside+c.fresh)
}

// doubts reports whether what scouts saw at last speaks against what a place was taken for, but may do so, or fail to, by chance.
func (o *Options) doubts(k Kind, c counts) bool {
	return k == Unclosed && !o.clears(k, c) && 4*float64(c.inside) > finiteBack*float64(c.inside+c.fresh)
}

// finiteBack is the share of links that lead back above which a place is finite after all. Ends do not count here: a
// few scouts may come to many by chance.
const finiteBack = 0.24
