package trap

// maxDepth is how many generations a lineage goes back. What lies deeper counts with the last one.
const maxDepth = 64

// maxDirectories is how many levels of folders are watched.
const maxDirectories = 3

// A lineage is what was found by way of one page: the place that begins there.
type lineage struct {
	place  string
	parent *lineage // of the page that this one was found on
	depth  int
	seed   bool
	found  *Finding // when it seems to have no end
	all    counts
	deep   counts // two or more links below the first page
}

// counts are what is known of the pages of a place.
type counts struct {
	pages  int
	ends   int // that brought no new link
	closed int // those, and those which lead to another known page that lies neither on the way here nor beside it
	fresh  int // new links
	wide   int // pages with more than one of these
	again  int // links to known pages that do not lie on the way here
	same   int // pages with the text of another
	grown  int // pages whose new links are the page's own address with more added
}

func (c *counts) add(o counts) {
	c.pages += o.pages
	c.ends += o.ends
	c.closed += o.closed
	c.fresh += o.fresh
	c.wide += o.wide
	c.again += o.again
	c.same += o.same
	c.grown += o.grown
}

func (c *counts) sub(o counts) {
	c.pages = max(c.pages-o.pages, 0)
	c.ends = max(c.ends-o.ends, 0)
	c.closed = max(c.closed-o.closed, 0)
	c.fresh = max(c.fresh-o.fresh, 0)
	c.wide = max(c.wide-o.wide, 0)
	c.again = max(c.again-o.again, 0)
	c.same = max(c.same-o.same, 0)
	c.grown = max(c.grown-o.grown, 0)
}

// count adds a page that lies depth links below the first.
func (l *lineage) count(c counts, depth int) {
	l.all.add(c)
	if depth >= 2 {
		l.deep.add(c)
	}
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
