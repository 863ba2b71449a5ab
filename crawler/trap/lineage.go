package trap

import "strings"

// maxDepth is how many generations a lineage goes back. What lies deeper counts with the last one.
const maxDepth = 128

// A lineage is what was found by way of one page, directly or not: the place that begins there.
type lineage struct {
	place  string   // the URL of that page, or its path alone where it has the origin of the outermost lineage
	parent *lineage // of the page that this one was found on
	trial  *trial   // while scouts are under way
	found  *Finding // when it seems to have no end
	all    counts
	judged uint32 // pages that it had when it was acquitted
	url    uint32 // of the hash of place
	forks  uint16 // pages that lead to two or more which lead on; begins anew at 65,536, in favour of the place
	depth  uint8
	marks  marks
}

// marks say what a lineage has been through.
type marks uint8

const (
	leads      marks = 1 << iota // one of the pages found on its first one leads on
	branches                     // more than one of them does
	tried                        // it was on trial, so that what it leads to is remembered
	heardTwice                   // that it looks endless was judged for the second time
)

func (l *lineage) was(m marks) bool { return l.marks&m != 0 }

// leadsOn takes in that one more of the pages found on the first one leads on. It returns one when the place branches by that.
func (l *lineage) leadsOn() uint16 {
	switch {
	case !l.was(leads):
		l.marks |= leads
	case !l.was(branches):
		l.marks |= branches
		return 1
	}
	return 0
}

func newLineage(u URL, hash uint32, parent *lineage) *lineage {
	l := &lineage{url: hash, parent: parent}
	if parent == nil {
		l.place = u.String()
		return l
	}
	l.depth = parent.depth + 1
	if origin, _, ok := cutOrigin(parent.ancestor(0).place); ok && origin == u.Origin {
		l.place = strings.Clone(u.PathQuery)
	} else {
		l.place = u.String()
	}
	return l
}

// generations returns how many places lie around a place; of none there are none.
func (l *lineage) generations() int {
	if l == nil {
		return 0
	}
	return int(l.depth) + 1
}

// String returns the URL of the page that the place begins at.
func (l *lineage) String() string {
	if !strings.HasPrefix(l.place, "/") {
		return l.place
	}
	origin, _, _ := cutOrigin(l.ancestor(0).place)
	return origin + l.place
}

// counts are what is known of the pages of a place. A late end is one only because others were told before it: it leads on, to
// what was found on other pages meanwhile.
type counts struct {
	pages       uint32
	ends        uint32 // that brought no new link
	regular     uint32 // whose new links are the page's own address with more added, or with the next numbers, not counted down
	lateRegular uint32 // late ends of which that is true
	down        uint32 // whose new links have the same address with lower numbers, which come to an end at zero
	same        uint32 // with the text of another
	lateSame    uint32 // late ends of which that is true
	said        uint32 // that say nothing which others of the site have not said
	lists       uint32 // that lead to several known pages to which the place had not led before; none is counted before a trial
	listed      uint32 // the known pages that these lead to
	fresh       uint32 // new links
	inside      uint32 // of back, the links to pages of the same place
	back        uint32 // links to known pages that do not lie on the way here and that are no hubs
}

func (c *counts) add(o counts) {
	c.pages += o.pages
	c.ends += o.ends
	c.regular += o.regular
	c.down += o.down
	c.same += o.same
	c.lateSame += o.lateSame
	c.lateRegular += o.lateRegular
	c.fresh += o.fresh
	c.said += o.said
	c.lists += o.lists
	c.listed += o.listed
	c.back += o.back
	c.inside += o.inside
}

func (c *counts) sub(o counts) {
	c.pages -= min(o.pages, c.pages)
	c.ends -= min(o.ends, c.ends)
	c.regular -= min(o.regular, c.regular)
	c.down -= min(o.down, c.down)
	c.same -= min(o.same, c.same)
	c.lateSame -= min(o.lateSame, c.lateSame)
	c.lateRegular -= min(o.lateRegular, c.lateRegular)
	c.fresh -= min(o.fresh, c.fresh)
	c.said -= min(o.said, c.said)
	c.lists -= min(o.lists, c.lists)
	c.listed -= min(o.listed, c.listed)
	c.back -= min(o.back, c.back)
	c.inside -= min(o.inside, c.inside)
}

// isApart reports whether the pages of a place do not count with those around it, which are judged without it: it is on trial, or
// looks endless.
func (l *lineage) isApart() bool { return l.trial != nil || l.found != nil }

// part takes a place out of those around it.
func (l *lineage) part() {
	for p := l.parent; p != nil; p = p.parent {
		p.all.sub(l.all)
		p.forks -= min(p.forks, l.forks)
		if p.isApart() {
			return
		}
	}
}

// rejoin lets an acquitted place count with those around it again.
func (l *lineage) rejoin() {
	for p := l.parent; p != nil; p = p.parent {
		p.all.add(l.all)
		p.forks += l.forks
		if p.isApart() {
			return
		}
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

// way returns a bit for each page that led to a lineage, its own first page with them.
func (l *lineage) way() (bits uint64) {
	for ; l != nil; l = l.parent {
		bits |= bit(l.url)
	}
	return bits
}

// bit is one of 64, by the hash of a URL.
func bit(url uint32) uint64 { return 1 << (url >> 26) }

// ancestor returns the lineage at a depth that l is or lies in.
func (l *lineage) ancestor(depth uint8) *lineage {
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
	return l.ancestor(uint8(shared - 1))
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
