package verify

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
	"time"
)

// match finds out which lines of the log are which requests on record: those for the same thing at the same time, when how far the
// clocks differ is allowed for. That is found from the lines themselves; a clock that was set differs by more than one offset.
func (c *comparer) match() {
	if c.decoded { // what was asked for can only be told as the server tells it
		for _, list := range [][]compared{c.told, c.logged} {
			for i := range list {
				list[i].target, list[i].decoded = list[i].decoded, list[i].target
			}
		}
	}
	byTime := func(a, b compared) int { return cmp.Compare(a.start, b.start) }
	slices.SortStableFunc(c.told, byTime)
	slices.SortStableFunc(c.logged, byTime)
	for len(c.out.Offsets) < maxOffsets {
		by, ok := c.offset()
		if !ok {
			break
		}
		pairs := c.matchAt(by)
		if by != 0 { // a log with other sites or crawls that are like this one may suggest anything
			by, pairs = c.nearer(by, pairs)
		}
		if len(pairs) == 0 || len(pairs) < leastLines && len(c.out.Offsets) > 0 {
			c.part(pairs)
			break
		}
		c.out.Offsets = append(c.out.Offsets, c.shown(by, pairs))
		c.out.Matched += len(pairs)
	}
}

// findRefused looks for requests that were answered with 400 among the lines without a name: a server that cannot read the first
// line of a request, as some cannot with a % that begins no escape, reads no further.
func (c *comparer) findRefused() {
	lines := openByTarget(c.broken)
	for i := range c.told {
		r := &c.told[i]
		target := r.target
		if c.decoded {
			target = r.decoded // the two have changed places
		}
		if r.found || r.status != http.StatusBadRequest {
			continue
		}
		at := slices.IndexFunc(lines[target], func(n int) bool { return c.isAt(&c.broken[n], r) })
		if at < 0 {
			continue
		}
		lines[target] = slices.Delete(lines[target], at, at+1)
		c.out.Unnamed++
		r.unnamed = true
	}
}

// A pair is a line of the log and a request on record that are the same: their places in the lists.
type pair struct{ line, request int }

// part takes back that lines and requests were matched.
func (c *comparer) part(pairs []pair) {
	for _, p := range pairs {
		c.logged[p.line].found, c.told[p.request].found = false, false
	}
}

// shown says which requests show an offset.
func (c *comparer) shown(by time.Duration, pairs []pair) Offset {
	o := Offset{By: by, Requests: len(pairs)}
	for i, p := range pairs {
		c.logged[p.line].other, c.told[p.request].other = p.request, p.line
		at := time.Unix(0, c.told[p.request].start).UTC()
		if i == 0 || at.Before(o.From) {
			o.From = at
		}
		if at.After(o.To) {
			o.To = at
		}
	}
	return o
}

// openByTarget returns the requests that are not matched yet, by what they are for.
func openByTarget(list []compared) map[uint64][]int {
	by := map[uint64][]int{}
	for i := range list {
		if !list[i].found {
			by[list[i].target] = append(by[list[i].target], i)
		}
	}
	return by
}

// offset returns by how much most lines that are not matched yet differ from requests for the same thing; what is asked for once
// counts more than what is asked for often.
func (c *comparer) offset() (by time.Duration, ok bool) {
	const step = int64(time.Second)
	weight := map[int64]float64{}
	told := openByTarget(c.told)
	for target, lines := range openByTarget(c.logged) {
		requests := told[target]
		lines, requests = lines[:min(len(lines), maxPairs)], requests[:min(len(requests), maxPairs)]
		for _, l := range lines {
			for _, t := range requests {
				weight[(c.logged[l].start-c.told[t].end)/step] += 1 / float64(max(len(lines), len(requests)))
			}
		}
	}
	best, most := int64(0), 0.0
	for at := range weight {
		w := weight[at-1] + weight[at] + weight[at+1] // a second is no boundary
		if nearer := max(at, -at) < max(best, -best); w > most+1e-9 || w > most-1e-9 && nearer {
			best, most = at, max(w, most)
		}
	}
	if most == 0 {
		return 0, false
	}
	var near []int64
	for target, lines := range openByTarget(c.logged) {
		requests := told[target]
		for _, l := range lines[:min(len(lines), maxPairs)] {
			for _, t := range requests[:min(len(requests), maxPairs)] {
				if d := c.logged[l].start - c.told[t].end; d/step >= best-1 && d/step <= best+1 {
					near = append(near, d)
				}
			}
		}
	}
	return c.median(near), true
}

// median returns the offset in the middle of some.
func (c *comparer) median(list []int64) time.Duration {
	slices.Sort(list)
	median := time.Duration(list[len(list)/2])
	if c.exact {
		return median.Round(100 * time.Millisecond)
	}
	return (median + time.Second/2).Round(time.Second) // whole seconds are rounded down
}

// nearer returns the offset near none that matches as much as another one, if there is one.
func (c *comparer) nearer(by time.Duration, pairs []pair) (time.Duration, []pair) {
	c.part(pairs)
	near := c.matchAt(0)
	c.part(near)
	if len(near) == 0 || len(near) < len(pairs) {
		return by, c.matchAt(by)
	}
	var list []int64
	for _, p := range near {
		list = append(list, c.logged[p.line].start-c.told[p.request].end)
	}
	if by = c.median(list); by.Abs() > logSlack { // the requests took so long, and the server notes when they began
		return 0, c.matchAt(0)
	}
	if pairs = c.matchAt(by); len(pairs) < len(near) {
		c.part(pairs)
		return 0, c.matchAt(0)
	}
	return by, pairs
}

// matchAt matches lines and requests that differ by an offset: first those that name the site, and of which both tell the same
// answer.
func (c *comparer) matchAt(by time.Duration) (pairs []pair) {
	pairs = c.matchWhere(by, func(l, r *compared) bool { return l.status == r.status && !l.hostless })
	pairs = append(pairs, c.matchWhere(by, func(l, r *compared) bool { return l.status == r.status })...)
	return append(pairs, c.matchWhere(by, func(*compared, *compared) bool { return true })...)
}

// matchWhere matches those that fit besides. Of two lines that may be of one request, as when a process was killed and asked again
// at once, it is that by isRather.
func (c *comparer) matchWhere(by time.Duration, fit func(l, r *compared) bool) (pairs []pair) {
	told, latest := openByTarget(c.told), map[uint64]int{} // place of the latest pair
	for i := range c.logged {
		l := &c.logged[i]
		list := told[l.target]
		if l.found || len(list) == 0 {
			continue
		}
		at := l.start - int64(by)
		for len(list) > 1 && (c.told[list[0]].found || c.told[list[0]].end < at-int64(logSlack)) {
			list = list[1:] // what is behind us is not looked at again
		}
		told[l.target] = list
		for _, t := range list {
			r := &c.told[t]
			if r.start > at+int64(logSlack) {
				break
			}
			if !r.found && r.end >= at-int64(logSlack) && fit(l, r) {
				l.found, r.found = true, true
				latest[l.target] = len(pairs)
				pairs = append(pairs, pair{i, t})
				break
			}
		}
		if n, ok := latest[l.target]; ok && !l.found {
			p, r := &pairs[n], &c.told[pairs[n].request]
			before, fits := &c.logged[p.line], r.end >= at-int64(logSlack) && fit(l, r)
			if fits && c.isRather(l, before, r, by) {
				before.found, l.found, p.line = false, true, i
			}
		}
	}
	return pairs
}

// rearrange finds requests for lines that are left over, where others that have them may be of other requests as well: where
// something is asked for again and again, what is nearest may be of the one before. If there is none, a line of when a process was
// killed may be the one that is on no record.
func (c *comparer) rearrange() {
	told := map[uint64][]int{}
	for i := range c.logged {
		if l := &c.logged[i]; !l.found {
			told[l.target] = nil
		}
	}
	for i := range c.told {
		if list, wanted := told[c.told[i].target]; wanted {
			told[c.told[i].target] = append(list, i)
		}
	}
	for i := range c.logged {
		l := &c.logged[i]
		switch {
		case l.found || c.amidLoss(l.start-c.by()):
		case c.makeRoom(i, told, map[int]bool{}, false):
			c.out.Matched++
		case len(c.losses) > 0:
			c.makeRoom(i, told, map[int]bool{}, true)
		}
	}
}

// makeRoom matches a line with a request, of those by target, that has none, or whose line may be of another one; at the end of
// such a row there may be a line of when a process was killed, which is left over then.
func (c *comparer) makeRoom(line int, told map[uint64][]int, seen map[int]bool, killed bool) bool {
	l, slack := &c.logged[line], int64(logSlack)
	list := told[l.target]
	for _, by := range c.ahead {
		behind := sort.Search(len(list), func(n int) bool { return c.told[list[n]].start > l.start-by+slack })
		for _, t := range list[max(behind-maxPairs, 0):behind] {
			r := &c.told[t]
			if seen[t] || len(seen) >= maxPairs || l.start-by > r.end+slack || !agree(l.status, r.status) {
				continue
			}
			seen[t] = true
			switch {
			case !r.found:
			case killed && c.amidLoss(c.logged[r.other].start-by):
				c.logged[r.other].found = false
			case !c.makeRoom(r.other, told, seen, killed):
				continue
			}
			l.found, l.other, r.found, r.other = true, t, true, line
			return true
		}
	}
	return false
}

// isRather reports whether a line is of a request rather than another one is: one of when no process was killed rather than one of
// then, which may be on no record; else the nearer one.
func (c *comparer) isRather(l, other, r *compared, by time.Duration) bool {
	if lost := c.amidLoss(l.start - int64(by)); lost != c.amidLoss(other.start-int64(by)) {
		return !lost
	}
	return nearer(l.start-r.end, other.start-r.end, int64(by))
}

// nearer reports whether a is nearer to an offset than b.
func nearer(a, b, by int64) bool { return max(a-by, by-a) < max(b-by, by-b) }
