package trap

import "fmt"

// judge says what a place looks like by the pages that lie deep in it, and by all; empty when it looks finite.
func (o *Options) judge(deep, all counts) Kind {
	grows := 2*deep.wide >= deep.pages // most pages lead to more than one other
	endless := 50*deep.ends <= deep.pages
	switch {
	case deep.pages >= o.Deep && grows && 5*deep.closed <= deep.pages:
		return Unclosed
	case deep.pages >= 3*o.Deep && grows && 20*deep.closed <= 9*deep.pages:
		return Unclosed
	case deep.pages >= 2*o.Deep && endless && deep.fresh >= 3*deep.pages && 5*deep.grown >= 4*deep.pages:
		return Growing
	case deep.pages >= o.Same && float64(all.pages-all.same) < o.Yield*float64(all.pages) && 10*deep.ends <= deep.pages:
		return SameText
	case deep.pages >= o.Long && endless && !grows && 2*all.fresh < 3*all.pages: // not an index of pages with one annex each
		return Chain
	case deep.pages >= o.Long && endless && 10*deep.again <= deep.fresh:
		return NoEnds
	}
	return ""
}

// judgeDirectory is judge for a folder, of which nobody knows how deep its pages lie.
func (o *Options) judgeDirectory(c counts) Kind {
	switch {
	case c.pages < o.Long || 10*c.ends > c.pages:
	case 20*c.closed <= c.pages && 2*c.fresh >= 3*c.pages:
		return Unclosed
	}
	return ""
}

// judgeLocked judges the lineages that end with l, the oldest first, because it holds the others.
func (d *Detector) judgeLocked(l *lineage) {
	var line [maxDepth + 1]*lineage
	n := len(line)
	for ; l != nil && n > 0; l = l.parent {
		n--
		line[n] = l
	}
	for i := n; i < len(line); i++ {
		l := line[i]
		k := d.o.judge(l.deep, l.all)
		if k == "" || l.seed && (l.deep.pages < 4*d.o.Deep || k == Unclosed && 20*l.deep.closed > l.deep.pages) {
			continue // all of a site is suspected on strong evidence only
		}
		for ; i+1 < len(line) && line[i].mixedWith(line[i+1], k); i++ { // the finite part of it is no trap
		}
		d.suspectLocked(line[i], k, line[i].deep)
		return
	}
}

// mixedWith reports whether a place without the part of it that begins with o looks finite.
func (l *lineage) mixedWith(o *lineage, k Kind) bool {
	rest := l.all
	rest.sub(o.all)
	finite := rest.ends
	if k == Unclosed {
		finite = rest.closed
	}
	return rest.pages >= 5 && 2*finite >= rest.pages
}

// suspectLocked marks a place, and lets those around it be judged without it.
func (d *Detector) suspectLocked(l *lineage, k Kind, c counts) {
	d.found++
	l.found = &Finding{Kind: k, Place: l.place, Evidence: c.String()}
	for p := l.parent; p != nil; p = p.parent {
		p.all.sub(l.all)
		p.deep.sub(l.all)
	}
}

// String tells the counts in words.
func (c counts) String() string {
	return fmt.Sprintf("of %d pages %d bring no new link and %d lead across; of %d new links %d were met again; %d have the text of another",
		c.pages, c.ends, c.closed-c.ends, c.fresh, c.again, c.same)
}
