package trap

// maxDepth is how many generations a lineage goes back. What lies deeper counts with the last one.
const maxDepth = 128

// A lineage is what was found by way of one page: the place that begins there.
type lineage struct {
	place  string
	url    uint64   // hash of place
	parent *lineage // of the page that this one was found on
	all    counts
	judged uint32 // pages that it had when it was acquitted
	depth  uint16
	leads  uint8    // pages found by way of its first one alone that lead on, at most two
	heard  bool     // that it looks endless was judged for the second time
	trial  *trial   // while scouts are under way
	found  *Finding // when it seems to have no end
}

// counts are what is known of the pages of a place.
type counts struct {
	pages   uint32
	ends    uint32 // that brought no new link
	regular uint32 // whose new links are the page's own address with more added, or with the next numbers
	down    uint32 // whose new links have the same address with lower numbers, which come to an end at zero
	same    uint32 // with the text of another
	said    uint32 // that say nothing which others of the site have not said
	fresh   uint32 // new links
	inside  uint32 // of back, the links to pages of the same place
	back    uint32 // links to known pages that do not lie on the way here and that are no hubs
	returns uint16 // pages that lead back to where they were found; counted for scouts only
	forks   uint16 // pages that lead to two or more which lead on; begins anew at 65,536, in favour of the place
}

func (c *counts) add(o counts) {
	c.pages += o.pages
	c.ends += o.ends
	c.returns += o.returns
	c.regular += o.regular
	c.down += o.down
	c.same += o.same
	c.fresh += o.fresh
	c.said += o.said
	c.forks += o.forks
	c.back += o.back
	c.inside += o.inside
}

func (c *counts) sub(o counts) {
	c.pages -= min(o.pages, c.pages)
	c.ends -= min(o.ends, c.ends)
	c.returns -= min(o.returns, c.returns)
	c.regular -= min(o.regular, c.regular)
	c.down -= min(o.down, c.down)
	c.same -= min(o.same, c.same)
	c.fresh -= min(o.fresh, c.fresh)
	c.said -= min(o.said, c.said)
	c.forks -= min(o.forks, c.forks)
	c.back -= min(o.back, c.back)
	c.inside -= min(o.inside, c.inside)
}

// finding returns why the lineage, or one that it lies in, seems to have no end; nil when none does.
func (l *lineage) finding() *Finding {
	for ; l != nil; l = l.parent {
		if l.found != nil {
			return l.found
		}
	}
	return nil
}

// isAbove reports whether l is o or one that o lies in.
func (l *lineage) isAbove(o *lineage) bool {
	if l == nil {
		return false
	}
	for ; o != nil && o.depth >= l.depth; o = o.parent {
		if o == l {
			return true
		}
	}
	return false
}

// marks returns a mark of each page that led to a lineage, its own first page with them.
func (l *lineage) marks() (m uint64) {
	for ; l != nil; l = l.parent {
		m |= mark(l.url)
	}
	return m
}

// mark is one bit of 64, by the hash of a URL.
func mark(url uint64) uint64 { return 1 << (url >> 58) }

// ancestor returns the lineage at a depth that l is or lies in.
func (l *lineage) ancestor(depth uint16) *lineage {
	for l != nil && l.depth > depth {
		l = l.parent
	}
	return l
}

// ancestorAt is ancestor for what meet returns; nil for zero.
func (l *lineage) ancestorAt(shared int) *lineage {
	if shared == 0 {
		return nil
	}
	return l.ancestor(uint16(shared - 1))
}

// isScouted reports whether a URL is asked for by a scout that is under way, in l or in a lineage that l lies in.
func (l *lineage) isScouted(url uint64) bool {
	for ; l != nil; l = l.parent {
		if l.trial != nil {
			if _, sent := l.trial.sent[url]; sent {
				return true
			}
		}
	}
	return false
}

// meet returns the depth of the innermost lineage that both l and o are or lie in, plus one; zero when there is none.
func (l *lineage) meet(o *lineage) int {
	for l != o {
		switch {
		case l == nil || o == nil:
			return 0
		case l.depth > o.depth:
			l = l.parent
		case o.depth > l.depth:
			o = o.parent
		default:
			l, o = l.parent, o.parent
		}
	}
	if l == nil {
		return 0
	}
	return int(l.depth) + 1
}
