package graph

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strings"
)

// maxLevels bounds the boxes within boxes of a map.
const maxLevels = 12

// A tree is hosts and directories, with what is in them.
type tree struct {
	root  *box
	boxes map[string]*box
}

type box struct {
	url    string // beginning of the URLs in it; empty for the root
	level  int    // 0 for the root, 1 for hosts
	boxes  []*box
	leaves []leaf

	counts [states]int // of all that is in it, after sum
	pages  int
	depth  int // least
}

type leaf struct {
	id, via int64
	url     string
	depth   int
	state   State
}

func newTree() *tree { return &tree{root: &box{}, boxes: map[string]*box{}} }

func (t *tree) add(l leaf) {
	at := t.root
	for i, name := range split(l.url) {
		b := t.boxes[name]
		if b == nil {
			b = &box{url: name, level: i + 1}
			t.boxes[name] = b
			at.boxes = append(at.boxes, b)
		}
		at = b
	}
	at.leaves = append(at.leaves, l)
}

// prune takes away the innermost boxes, whose leaves go to the ones around them, until at most that many are left.
func (t *tree) prune(most int) {
	for level := maxLevels; level > 1 && len(t.boxes) > most; level-- {
		t.root.each(func(b *box) {
			if b.level != level-1 {
				return
			}
			for _, inner := range b.boxes {
				b.leaves = append(b.leaves, inner.leaves...)
				delete(t.boxes, inner.url)
			}
			b.boxes = nil
		})
	}
}

// each calls f for a box and those in it, from within.
func (b *box) each(f func(*box)) {
	for _, inner := range b.boxes {
		inner.each(f)
	}
	f(b)
}

// sum counts what is in a box, and puts the largest first.
func (b *box) sum() {
	b.depth = math.MaxInt
	for _, l := range b.leaves {
		b.counts[l.state]++
		b.depth = min(b.depth, l.depth)
	}
	for _, inner := range b.boxes {
		inner.sum()
		b.depth = min(b.depth, inner.depth)
		for s, n := range inner.counts {
			b.counts[s] += n
		}
	}
	for _, n := range b.counts {
		b.pages += n
	}
	slices.SortFunc(b.boxes, func(x, y *box) int { return cmp.Or(cmp.Compare(y.pages, x.pages), cmp.Compare(x.url, y.url)) })
	slices.SortFunc(b.leaves, func(x, y leaf) int { return cmp.Compare(x.url, y.url) })
}

// state is the one that most in a box have.
func (b *box) state() State {
	most := Page
	for s, n := range b.counts {
		if n > b.counts[most] {
			most = State(s)
		}
	}
	return most
}

// largest are the largest boxes.
func (t *tree) largest(n int) []Box {
	var list []Box
	for _, b := range t.boxes {
		list = append(list, Box{URL: b.url, Pages: b.pages, States: b.counts})
	}
	slices.SortFunc(list, func(x, y Box) int { return cmp.Or(cmp.Compare(y.Pages, x.Pages), cmp.Compare(x.URL, y.URL)) })
	return list[:min(len(list), n)]
}

// Wide is the width of a map, whose height is 1.
const Wide = 1.4

// A rect is a part of the plane.
type rect struct{ x, y, w, h float64 }

// strip is the height of the strip of a box that its sign stands in.
func (r rect) strip() float64 { return min(0.14*r.h, 0.028) }

// inner is what a box has room for: all but a margin and the strip.
func (r rect) inner() rect {
	pad := min(0.03*min(r.w, r.h), 0.006)
	return rect{r.x + pad, r.y + pad, r.w - 2*pad, r.h - 2*pad - r.strip()}
}

// draw puts boxes and leaves on the plane.
func (t *tree) draw(m *Map) {
	numbers := map[int64]int{} // of nodes, by the id of the URL
	type led struct {
		node int
		via  int64
	}
	var all []led
	var place func(b *box, r rect)
	place = func(b *box, r rect) {
		if b != t.root {
			size := min(0.35*r.strip(), 0.008)
			m.Nodes = append(m.Nodes, Node{
				X: r.x + 1.5*size, Y: r.y + r.h - r.strip()/2, Size: size, State: b.state().String(), Depth: b.depth,
				Label: b.label(), URL: b.url, Pages: b.pages, Via: -1, Box: []float64{r.x, r.y, r.w, r.h},
			})
			r = r.inner()
		}
		weights := make([]float64, 0, len(b.boxes)+1)
		for _, inner := range b.boxes {
			weights = append(weights, float64(inner.pages)+1)
		}
		if m.Dots && len(b.leaves) > 0 {
			weights = append(weights, float64(len(b.leaves)))
		}
		parts := squarify(weights, r)
		for i, inner := range b.boxes {
			place(inner, parts[i])
		}
		if len(parts) == len(b.boxes) {
			return
		}
		for i, at := range spread(len(b.leaves), parts[len(b.boxes)]) {
			l := &b.leaves[i]
			numbers[l.id] = len(m.Nodes)
			all = append(all, led{len(m.Nodes), l.via})
			m.Nodes = append(m.Nodes, Node{X: at.x, Y: at.y, Size: at.w, State: l.state.String(), Depth: l.depth,
				Label: strings.TrimPrefix(l.url, b.url), URL: l.url, Via: -1})
		}
	}
	place(t.root, rect{0, 0, Wide, 1})
	for _, l := range all {
		if from, ok := numbers[l.via]; ok {
			m.Nodes[l.node].Via = from
		}
	}
}

// label is what a box is called: a host by its name, a directory by its last segment.
func (b *box) label() string {
	if b.level <= 1 {
		if u, err := url.Parse(b.url); err == nil && u.Host != "" {
			return u.Host
		}
		return b.url
	}
	path := strings.TrimSuffix(b.url, "/")
	return path[strings.LastIndexByte(path, '/')+1:] + "/"
}

// spread puts n circles into a rectangle, in rows; w is their radius.
func spread(n int, r rect) []rect {
	columns := max(1, int(math.Ceil(math.Sqrt(float64(n)*r.w/r.h))))
	lines := (n + columns - 1) / columns
	w, h := r.w/float64(columns), r.h/float64(lines)
	list := make([]rect, n)
	for i := range list {
		list[i] = rect{r.x + (float64(i%columns)+0.5)*w, r.y + r.h - (float64(i/columns)+0.5)*h, min(0.38*min(w, h), 0.011), 0}
	}
	return list
}

// squarify divides a rectangle among weights, the largest first, into parts that are as square as can be (Bruls, Huizing, van Wijk:
// Squarified Treemaps, 2000).
func squarify(weights []float64, r rect) []rect {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	parts := make([]rect, 0, len(weights))
	for rest := weights; len(rest) > 0; {
		scale := r.w * r.h / total
		side := min(r.w, r.h)
		n, sum := 1, rest[0]
		for n < len(rest) && worst(rest[:n+1], sum+rest[n], side, scale) <= worst(rest[:n], sum, side, scale) {
			sum += rest[n]
			n++
		}
		thick := sum * scale / side
		along := 0.0
		for _, w := range rest[:n] {
			length := side * w / sum
			if r.w >= r.h {
				parts = append(parts, rect{r.x, r.y + along, thick, length})
			} else {
				parts = append(parts, rect{r.x + along, r.y, length, thick})
			}
			along += length
		}
		if r.w >= r.h {
			r.x, r.w = r.x+thick, r.w-thick
		} else {
			r.y, r.h = r.y+thick, r.h-thick
		}
		total -= sum
		rest = rest[n:]
	}
	return parts
}

// worst is how far from a square the worst part of a row along a side is.
func worst(row []float64, sum, side, scale float64) float64 {
	bad := 0.0
	thick := sum * scale / side
	for _, w := range row {
		length := side * w / sum
		bad = max(bad, thick/length, length/thick)
	}
	return bad
}
