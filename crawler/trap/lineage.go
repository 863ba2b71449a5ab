package trap

// maxDepth is how many generations a lineage goes back. What lies deeper counts with the last one.
const maxDepth = 128

// A lineage is what was found by way of one page: the place that begins there.
type lineage struct {
	place  string
	parent *lineage // of the page that this one was found on
	depth  int
	all    counts
	judged uint32   // pages that it had when it was acquitted
	trial  *trial   // while scouts are under way
	found  *Finding // when it seems to have no end
}

// counts are what is known of the pages of a place.
type counts struct {
	pages   int
	ends    int // that brought no new link
	returns int // that lead back to where they were found
	regular int // whose new links are the page's own address with more added, or with the next numbers
	same    int // with the text of another
	fresh   int // new links
	back    int // links to known pages that do not lie on the way here and that are no hubs
}

func (c *counts) add(o counts) {
	c.pages += o.pages
	c.ends += o.ends
	c.returns += o.returns
	c.regular += o.regular
	c.same += o.same
	c.fresh += o.fresh
	c.back += o.back
}

func (c *counts) sub(o counts) {
	c.pages = max(c.pages-o.pages, 0)
	c.ends = max(c.ends-o.ends, 0)
	c.returns = max(c.returns-o.returns, 0)
	c.regular = max(c.regular-o.regular, 0)
	c.same = max(c.same-o.same, 0)
	c.fresh = max(c.fresh-o.fresh, 0)
	c.back = max(c.back-o.back, 0)
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
func (l *lineage) ancestor(depth int) *lineage {
	for l != nil && l.depth > depth {
		l = l.parent
	}
	return l
}
