package robots

import (
	"bytes"
	"cmp"
	"slices"
)

// An index finds the rule that decides on a path: the one with the longest pattern of those that match, Allow before
// Disallow (RFC 9309 section 2.2.2). A path is tested against few patterns however many there are: the literal start of
// each pattern is a node in a tree of prefixes, and only the nodes that are prefixes of the path are looked at.
type index struct {
	nodes    []node // sorted by prefix
	patterns int
}

// A node holds the patterns that begin with the same literal text.
type node struct {
	prefix  []byte
	parent  int        // the longest other node that is a prefix of this one; -1 for none
	literal *pattern   // the pattern that is prefix and nothing else; nil for none
	special []*pattern // those with "*" or "$" after prefix, best first
	needs   []pairs    // what a path must contain for special[i] to match; apart, because this is what most tests end with
	longest int        // pattern among special of this node and its ancestors
}

// A pattern is a rule ready for matching.
type pattern struct {
	*ruleLine
	place    int    // among the rules
	prefix   []byte // the literal start
	tail     []byte // what follows it, without the "$"; begins with "*" unless it is empty
	anchored bool   // ends with "$"
	length   int    // octets of the canonical pattern, special characters included
}

// newIndex builds an index. Of equal patterns that say the same the first stays.
func newIndex(rules []ruleLine, d Dialect) (x index) {
	patterns := make([]pattern, len(rules))
	order := make([]*pattern, len(rules))
	text := make([]byte, 0, 32*len(rules)) // of all patterns; when it has to move, the slices of it stay where they were
	for i := range rules {
		start := len(text)
		text = appendPattern(text, rules[i].path, d == Std1994)
		patterns[i] = newPattern(text[start:len(text):len(text)], &rules[i])
		patterns[i].place = i
		order[i] = &patterns[i]
	}
	slices.SortFunc(order, func(p, q *pattern) int {
		if c := bytes.Compare(p.prefix, q.prefix); c != 0 {
			return c
		}
		return cmp.Or(p.compare(q), cmp.Compare(p.place, q.place))
	})
	x.patterns = len(rules)
	x.nodes = make([]node, 0, len(order))
	for _, p := range order {
		if n := len(x.nodes); n == 0 || !bytes.Equal(x.nodes[n-1].prefix, p.prefix) {
			x.addNode(p.prefix)
		}
		x.nodes[len(x.nodes)-1].add(p)
	}
	return x
}

// newPattern takes a canonical pattern apart.
func newPattern(canonical []byte, ru *ruleLine) pattern {
	body, anchored := bytes.CutSuffix(canonical, []byte("$"))
	star := bytes.IndexByte(body, '*')
	if star < 0 {
		star = len(body)
	}
	return pattern{ruleLine: ru, prefix: body[:star], tail: body[star:], anchored: anchored, length: len(canonical)}
}

// parsePattern returns the pattern of a path as written, for lines that are no rules.
func parsePattern(path string) pattern {
	if path == "" || path[0] != '/' && path[0] != '*' {
		path = "/" + path
	}
	return newPattern(appendPattern(nil, path, false), nil)
}

// matches reports whether the pattern matches a canonical path.
func (p *pattern) matches(path []byte) bool {
	rest, ok := bytes.CutPrefix(path, p.prefix)
	return ok && matchTail(p.tail, rest, p.anchored)
}

// compare orders the patterns of a node: the one that wins comes first.
func (p *pattern) compare(q *pattern) int {
	if c := cmp.Compare(q.length, p.length); c != 0 {
		return c
	}
	switch {
	case p.allow == q.allow:
		return 0
	case p.allow:
		return -1
	}
	return 1
}

// addNode adds a node that comes after all others.
func (x *index) addNode(prefix []byte) {
	parent := len(x.nodes) - 1
	for parent >= 0 && !bytes.HasPrefix(prefix, x.nodes[parent].prefix) {
		parent = x.nodes[parent].parent
	}
	n := node{prefix: prefix, parent: parent}
	if parent >= 0 {
		n.longest = x.nodes[parent].longest
	}
	x.nodes = append(x.nodes, n)
}

// add adds a pattern that is not better than those that are there.
func (n *node) add(p *pattern) {
	switch {
	case len(p.tail) > 0 || p.anchored:
		var needs pairs
		for segment := range bytes.SplitSeq(p.tail, []byte("*")) {
			needs |= pairsOf(segment)
		}
		n.special, n.needs = append(n.special, p), append(n.needs, needs)
		n.longest = max(n.longest, p.length)
	case n.literal == nil:
		n.literal = p
	}
}

// find returns the pattern that decides on path, nil when none matches. The path must be in canonical form.
func (x *index) find(path []byte) (best *pattern) {
	i := x.floor(path)
	if i < 0 {
		return nil
	}
	var has pairs // of path, when first needed
	common := commonPrefix(x.nodes[i].prefix, path)
	for ; i >= 0; i = x.nodes[i].parent {
		n := &x.nodes[i]
		if len(n.prefix) > common {
			continue
		}
		if n.literal != nil && n.literal.beats(best) {
			best = n.literal
		}
		if best != nil && best.length > n.longest {
			break // what is left is shorter
		}
		if has == 0 && len(n.special) > 0 {
			has = pairsOf(path)
		}
		if p := n.findSpecial(path, has, best); p != nil {
			best = p
		}
	}
	return best
}

// findSpecial returns the best of the special patterns that beats best and matches path; nil when none does.
func (n *node) findSpecial(path []byte, has pairs, best *pattern) *pattern {
	for i, needs := range n.needs {
		if needs&^has != 0 {
			continue
		}
		p := n.special[i]
		if !p.beats(best) {
			return nil
		}
		if matchTail(p.tail, path[len(n.prefix):], p.anchored) {
			return p
		}
	}
	return nil
}

func (p *pattern) beats(best *pattern) bool { return best == nil || p.compare(best) < 0 }

// floor returns the last node that is not greater than path, -1 if there is none. Every node that is a prefix of path is
// that node or one of its ancestors: it is not greater than path, and what lies between a prefix of path and path begins
// with that prefix.
func (x *index) floor(path []byte) int {
	low, high := 0, len(x.nodes)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if bytes.Compare(x.nodes[middle].prefix, path) <= 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low - 1
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// matchTail matches what follows the literal start of a pattern: "*" is any run of octets, the end is the end of the path
// if anchored (RFC 9309 section 2.2.3). Each part between stars is taken where it occurs first; that leaves the most for
// those behind it, so there is never a reason to go back.
func matchTail(tail, path []byte, anchored bool) bool {
	for len(tail) > 0 {
		tail = tail[1:] // the star
		next := bytes.IndexByte(tail, '*')
		if next < 0 {
			if anchored {
				return bytes.HasSuffix(path, tail)
			}
			return bytes.Contains(path, tail)
		}
		at := bytes.Index(path, tail[:next])
		if at < 0 {
			return false
		}
		path, tail = path[at+next:], tail[next:]
	}
	return !anchored || len(path) == 0
}

// pairs is a set of pairs of neighbouring bytes, as a small Bloom filter.
type pairs uint64

func pairsOf(s []byte) (set pairs) {
	for i := 1; i < len(s); i++ {
		pair := uint32(s[i-1])<<8 | uint32(s[i])
		set |= 1 << (pair * 0x9E3779B1 >> 26)
	}
	return set
}
