package trap

// maxDepth is how many generations a lineage goes back. What lies deeper counts with the last one.
const maxDepth = 128

// A lineage is what was found by way of one page: the place that begins there.
type lineage struct {
	place  string
	parent *lineage // of the page that this one was found on
	all    counts
	judged uint32 // pages that it had when it was acquitted
	depth  uint16
	heard  bool     // that it looks endless was judged for the second time
	trial  *trial   // while scouts are under way
	found  *Finding // when it seems to have no end
}

// counts are what is known of the pages of a place.
type counts struct {
	pages   uint32
	ends    uint32 // that brought no new link
	returns uint32 // that lead back to where they were found
	regular uint32 // whose new links are the page's own address with more added, or with the next numbers
	down    uint32 // whose new links have the same address with lower numbers, which come to an end at zero
	same    uint32 // with the text of another
	fresh   uint32 // new links
	back    uint32 // links to known pages that do not lie on the way here and that are no hubs
}

func (c *counts) add(o counts) {
	c.pages += o.pages
	c.ends += o.ends
	c.returns += o.returns
	c.regular += o.regular
	c.down += o.down
	c.same += o.same
	c.fresh += o.fresh
	c.back += o.back
}

func (c *counts) sub(o counts) {
	c.pages -= min(o.pages, c.pages)
	c.ends -= min(o.ends, c.ends)
	c.returns -= min(o.returns, c.returns)
	c.regular -= min(o.regular, c.regular)
	c.down -= min(o.down, c.down)
	c.same -= min(o.same, c.same)
	c.fresh -= min(o.fresh, c.fresh)
	c.back -= min(o.back, c.back)
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

// ancestor returns the lineage at a depth that l is or lies in.
func (l *lineage) ancestor(depth uint16) *lineage {
	for l != nil && l.depth > depth {
		l = l.parent
	}
	return l
}
