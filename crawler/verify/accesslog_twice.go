package verify

import (
	"fmt"
	"hash/maphash"
	"time"
)

// A surrounding is where a line with our name stands in its log: by it a copy is told from a second request. Lines are hashes.
type surrounding struct {
	text          uint64
	before, after neighbour
	between       uint64 // the lines of others since ours before it
	first         bool   // none of ours stands before it in its log
	back          bool   // a line before it in its log is later
	of            int    // place of the line that it is, to the byte; negative for none
	isCopy        bool
	doubtful      bool // it is a copy, or a second request
	paired        bool // it is that before it once more, in a log that has nothing but such pairs
}

// A neighbour is the line before or after a line.
type neighbour struct {
	text   uint64
	others bool // it has not our name
}

// A reading is what was seen of the log that is read.
type reading struct {
	last    neighbour
	between uint64
	open    bool  // the line before has our name
	some    bool  // a line has our name
	begun   bool  // there was a line
	newest  int64 // nanoseconds
	others  int64 // lines
	repeats int64 // of these that are the line before them once more
	from    int   // place of the first line with our name
}

// own takes in a line with our name.
func (r *reading) own(text uint64, at int64) surrounding {
	s := surrounding{text: text, before: r.last, between: r.between, first: !r.some, back: r.begun && at < r.newest, of: -1}
	r.see(neighbour{text, false}, at)
	r.between, r.open, r.some = 0, true, true
	return s
}

func (r *reading) see(n neighbour, at int64) {
	if r.last = n; at > r.newest || !r.begun {
		r.newest, r.begun = at, true
	}
}

// pass takes in a line of others.
func (c *comparer) pass(text []byte, at time.Time) {
	r, h := &c.reading, maphash.Bytes(c.seed, text)
	if r.others++; r.last.others && r.last.text == h {
		r.repeats++
	}
	c.close(neighbour{h, true})
	r.see(neighbour{h, true}, at.UnixNano())
	r.between = maphash.Comparable(c.seed, [2]uint64{r.between, h})
}

// close notes what stands behind the last line with our name.
func (c *comparer) close(n neighbour) {
	if r := &c.reading; r.open {
		c.surround[len(c.surround)-1].after, r.open = n, false
	}
}

// A log has each line twice if so many lines of others are repeated, of so many at least.
const (
	leastOthers = 4
	repeatShare = 2
)

// endLog finds the copies in a log that has each line twice, as its server writes when it is told to twice.
func (c *comparer) endLog() {
	c.close(neighbour{})
	r := &c.reading
	if r.others == 0 && areTwice(c.surround[r.from:]) {
		for i := r.from + 1; i < len(c.surround); i += 2 {
			c.surround[i].paired = true
		}
		return
	}
	if r.others < leastOthers || r.repeats*repeatShare < r.others {
		return
	}
	for i := r.from + 1; i < len(c.surround); i++ {
		s, last := &c.surround[i], &c.surround[i-1]
		if s.before == (neighbour{s.text, false}) && !last.isCopy {
			s.of, s.isCopy = i-1, true
		}
	}
}

// areTwice reports whether each line is there twice. Where there are no lines of others, as when somebody looked for those with our
// name, it may be that the server writes each twice.
func areTwice(list []surrounding) bool {
	for i := 1; i < len(list); i += 2 {
		if list[i].text != list[i-1].text {
			return false
		}
	}
	return len(list) > 0 && len(list)%2 == 0
}

// dropCopies leaves lines out that stand in the logs a second time, because part of a log was put behind it once more or into
// another one. The same text alone is no copy: times are in seconds, and a page may be asked for twice in one. But a log that goes
// back in time and then has the same lines, and those of others with them, was put together.
func (c *comparer) dropCopies() {
	first := make(map[uint64]int, len(c.surround))
	for i := range c.surround {
		s := &c.surround[i]
		j, known := first[s.text]
		switch {
		case s.isCopy:
		case !known:
			first[s.text] = i
		default:
			s.of, s.isCopy = j, c.isCopy(i, j)
			o := &c.surround[j]
			s.doubtful = s.paired || c.logged[i].file != c.logged[j].file || s.back && (s.before == o.before || s.after == o.after)
		}
	}
	for i := 1; i < len(c.surround); i++ {
		c.likewise(i, i-1, +1)
	}
	for i := len(c.surround) - 2; i >= 0; i-- {
		c.likewise(i, i+1, -1)
	}
	kept := c.logged[:0]
	for i, l := range c.logged {
		s := &c.surround[i]
		if s.isCopy {
			if c.out.Doubled++; c.out.Doubled == 1 {
				c.copied = fmt.Sprintf("%s is %s again", c.where(&l), c.where(&c.logged[s.of]))
			}
			continue
		}
		if s.doubtful {
			c.surround[s.of].doubtful = true
		}
		kept = append(kept, l)
	}
	c.logged = kept
}

// likewise takes a line for what the one beside it was taken for, if it stands to it as what it repeats stands to that.
func (c *comparer) likewise(i, beside, step int) {
	s, by := &c.surround[i], &c.surround[beside]
	j := by.of + step
	if s.isCopy || !by.isCopy && (!by.doubtful || s.doubtful) || by.of < 0 || j < 0 || j >= i {
		return
	}
	later, laterOf := &c.surround[max(i, beside)], &c.surround[max(j, by.of)]
	if s.text == c.surround[j].text && later.between == laterOf.between && !later.first && !laterOf.first {
		s.of, s.isCopy, s.doubtful = j, by.isCopy, by.doubtful
	}
}

// isCopy reports whether a line is a copy of one before it with the same text.
func (c *comparer) isCopy(i, j int) bool {
	s, o := &c.surround[i], &c.surround[j]
	before := s.before.others && s.before == o.before
	after := s.after.others && s.after == o.after
	if c.logged[i].file != c.logged[j].file {
		return before && after
	}
	return s.back && (before || after)
}
