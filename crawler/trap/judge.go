package trap

import "fmt"

// judge says what a place looks like by its pages, or by those of its scouts; empty when it looks finite.
func (o *Options) judge(c counts) Kind {
	switch {
	case 5*c.down >= 4*c.pages, c.isList():
		return ""
	case 10*(c.ends-c.lateSame) <= c.pages && float64(c.pages-c.same) < o.Yield*float64(c.pages):
		return SameText
	case c.isSequence() && float64(c.pages-c.said) < o.Yield*float64(c.pages):
		return SameText
	case 6*(c.ends-c.lateRegular) <= c.pages && 2*c.ends <= c.pages && 5*c.regular >= 3*(c.pages-c.ends):
		return Regular
	case 2*c.fresh < 3*c.pages:
		return ""
	case c.closure() <= unclosed, 20*c.ends <= c.pages && c.closureWithin() <= unclosedWithin:
		return Unclosed
	}
	return ""
}

// The sixth of Regular is no wider for a reason: with a fifth, a shop with facets is put aside in one order of four.

// unclosed is the closure of a place that looks endless, at most. What scouts saw of endless places has 0.00 (mazes, session ids)
// to 0.39 (a maze with dead ends); of honest ones in which half of the scouts or more went all the way 0.52 and more: a gallery of
// "next" links, then shops of related articles (0.56) and a wiki of 20,000 pages that lead to any other (0.62).
const unclosed = 0.45

// unclosedWithin is the closure of a place that looks endless by itself, at most, whatever of the rest of the site it leads to.
const unclosedWithin = 0.1

// closureWithin is closure when links that lead out of the place do not count.
func (c counts) closureWithin() float64 {
	return float64(c.ends)/float64(c.pages) + 2.5*float64(c.inside)/float64(max(c.inside+c.fresh, 1))
}

// closure says how much speaks for an end: the share of pages that bring nothing new, and, weighed more because a place without end
// can easily afford dead ends, the share of links that lead back into what is known.
func (c counts) closure() float64 {
	return float64(c.ends)/float64(c.pages) + 2.5*float64(c.back)/float64(max(c.back+c.fresh, 1))
}

// longestChain is how many pages may lead to one next page each before their end is doubted. Comics and newspapers have thousands.
const longestChain = 10_000

// chainNote begins the evidence against a chain.
const chainNote = "a chain without branches: "

// isLongChain reports whether page after page leads to the next one, which is all that tells nothing about an end, and for longer
// than is left alone: four times as long when nothing else was left to ask for.
func (l *lineage) isLongChain() bool {
	c := &l.all
	if c.pages < longestChain || l.was(heardTwice) && c.pages < 4*longestChain {
		return false
	}
	return 10*c.ends <= c.pages && 10*c.fresh <= 11*c.pages && 5*c.down < 4*c.pages && c.closure() <= unclosed
}

// judgedAgain is how many times as large as when it was acquitted a place must be to be judged again.
const judgedAgain = 4

// judgeLocked suspects the outermost of the lineages that end with l that looks endless, and sends scouts.
func (d *Detector) judgeLocked(l *lineage, domain string) {
	var suspect, chain *lineage
	for ; l != nil; l = l.parent {
		if l.trial != nil {
			if l.trial.done() {
				d.concludeLocked(l, domain)
			}
			suspect = nil
			break
		}
		if l.isLongChain() {
			chain = l
		}
		if l.all.isList() {
			suspect = nil // what lies in a list is a part of it
		}
		if int(l.all.pages) >= d.o.leastPages(l) && d.o.suspectsPlace(l) {
			suspect = l
		}
	}
	switch {
	case chain != nil:
		d.findChainLocked(chain, domain)
	case suspect != nil:
		suspect.part()
		suspect.marks |= tried
		suspect.trial = newTrial(suspect, d.o.Levels)
	}
}

// leastPages is how many pages a place must have to be suspected.
func (o *Options) leastPages(l *lineage) int {
	least := o.Pages
	if l.parent == nil {
		least *= 2
	}
	return max(least, judgedAgain*int(l.judged))
}

// suspectsPlace is judge of a place on first sight.
func (o *Options) suspectsPlace(l *lineage) bool { return o.suspects(l.all) || l.isTree() }

// findChainLocked notes that a chain looks endless.
func (d *Detector) findChainLocked(l *lineage, domain string) {
	f := Finding{Unclosed, l.String(), chainNote + l.all.String()}
	l.part()
	if l.was(heardTwice) {
		f.Evidence += heardNote + "it went on four times as long"
	}
	d.findLocked(l, domain, f)
}

// suspects is judge on first sight: a text may be the same for most pages only.
func (o *Options) suspects(c counts) bool {
	return o.judge(c) != "" || c.countsOn() || 2*c.same > c.pages && 10*(c.ends-c.lateSame) <= c.pages ||
		2*c.said > c.pages && c.isSequence()
}

// countsOn is Regular with up to a quarter of ends, of a place whose pages have few links, a new one or two among them, as those of
// lists have not: it is in doubt.
func (c counts) countsOn() bool {
	isNarrow := c.fresh <= 2*c.pages && c.fresh+c.back <= 5*c.pages
	return isNarrow && 4*c.ends <= c.pages && 5*c.regular >= 3*(c.pages-c.ends) && 5*c.down < 4*c.pages && !c.isList()
}

// isSequence reports whether each page has a new link or two, as pages have that one leafs through.
func (c counts) isSequence() bool { return 10*c.ends <= c.pages && c.fresh <= 2*c.pages }

// isList reports whether a place is a list in pages, of what other pages have led to before: it is over when that is. An endless
// place can lead to what is known on each of its pages, but not for long to more than it has brought itself and not led to again.
// Pages that show some of what nobody else has led to yet, and the last ones, lie between the others.
func (c counts) isList() bool {
	return c.lists > 0 && 3*c.lists >= 2*(c.pages-c.ends) && 2*c.listed >= 3*c.fresh
}

// isTree reports whether pages lead to several new ones or to none, and hardly any leads back: this has no end when it is deep
// enough.
func (l *lineage) isTree() bool {
	return l.all.isOneWay() && 6*uint32(l.forks) >= l.all.pages-l.all.ends
}

// isOneWay reports whether pages lead to new ones or to none, and hardly any leads back.
func (c counts) isOneWay() bool {
	return 10*c.ends <= 8*c.pages && 25*c.back <= c.back+c.fresh && c.fresh >= c.pages
}

// concludeLocked ends the trial of a place.
func (d *Detector) concludeLocked(l *lineage, domain string) {
	t := l.trial
	l.trial = nil
	if t.before != nil {
		d.trials++
		d.rehearLocked(l, t)
		return
	}
	k := t.verdict(&d.o)
	if k == Regular && 2*l.all.regular < l.all.pages-l.all.ends {
		k = "" // the scouts saw a part of it only
	}
	if k == "" && t.deepen() {
		l.trial = t
		return
	}
	d.trials++
	if k == "" {
		l.acquit(t)
		return
	}
	d.findLocked(l, domain, Finding{Kind: k, Place: l.String(), Evidence: t.String()})
}

// acquit ends the trial of a place that has an end. A list is judged again as soon as an eighth of it more does not go on as one.
func (l *lineage) acquit(t *trial) {
	judged := l.all.pages
	if t.c.isList() {
		l.all.lists, l.all.listed = l.all.pages*3/4+1, l.all.fresh*3/2+1
		judged /= judgedAgain
	}
	l.rejoin()
	l.judged = judged
}

// String tells the counts in words.
func (c counts) String() string {
	const words = "of %d pages %d bring no new link and %d have the text of another or say what others said; " +
		"%d links are new, %d lead back, %d of these into the place"
	return fmt.Sprintf(words, c.pages, c.ends, max(c.same, c.said), c.fresh, c.back, c.inside)
}
