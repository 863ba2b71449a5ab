package compose

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// DiffOptions says what is compared. The zero value compares all that the files name.
type DiffOptions struct {
	// Products are the robots to ask for; "" is one that no group names. Nil means all that either file names, and "".
	Products []string
	// Paths are the paths, with query, to ask about. Nil means Samples of both files.
	Paths []string
	// Dialect is how both files are read.
	Dialect robots.Dialect
}

// A Change is a pair of rules, one of each file, that decide differently, and what this does: every one of Products gets
// another verdict on every one of Paths. There is at least one of each.
type Change struct {
	Opened   bool           // what was forbidden is allowed; else the other way round
	Old, New robots.Verdict // of the first of Products on the first of Paths; others may be told so by other lines
	Products []string
	Paths    []string
}

// A PaceChange is robots that are asked for another pause.
type PaceChange struct {
	Products         []string
	Old, New         time.Duration
	OldLine, NewLine int
}

// A Difference is what Diff found.
type Difference struct {
	Changes []Change
	Paces   []PaceChange
	Proved  bool // the rules are equal on all paths, not only on those that were tried
	Tried   int  // paths
}

// Same reports whether nothing differs.
func (d Difference) Same() bool { return len(d.Changes) == 0 && len(d.Paces) == 0 }

// Diff compares what two files say to robots: on which paths, for whom, by which lines. Any bytes are a file. Changes are in
// the order of the first path each affects.
func Diff(before, after []byte, o DiffOptions) Difference {
	told := audiences(before, after)
	if o.Products != nil {
		told = nil
		for _, product := range o.Products {
			told = append(told, []string{product})
		}
	}
	if o.Paths == nil {
		o.Paths = Samples(before, after)
	}
	d := Difference{Proved: true, Tried: len(o.Paths)}
	x, y := robots.Parse(before, o.Dialect), robots.Parse(after, o.Dialect)
	alike := map[string]*Change{}
	for _, products := range told {
		r, s := x.Rules(products[0]), y.Rules(products[0])
		d.comparePace(products, r, s)
		d.Proved = d.Proved && equal(r.List(), s.List())
		for key, c := range changes(o.Paths, r, s) {
			merge := fmt.Sprintf("%v %q", key, c.Paths)
			if alike[merge] == nil {
				alike[merge] = c
			}
			alike[merge].Products = append(alike[merge].Products, products...)
		}
	}
	for _, c := range alike {
		d.Changes = append(d.Changes, *c)
	}
	slices.SortFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Paths[0], b.Paths[0]), cmp.Compare(a.Old.Line, b.Old.Line), cmp.Compare(a.New.Line, b.New.Line), slices.Compare(a.Products, b.Products))
	})
	return d
}

// A pair is what tells one Change from another.
type pair struct {
	opened   bool
	old, new int
}

func (d *Difference) comparePace(products []string, r, s *robots.Rules) {
	p := PaceChange{Products: products}
	p.Old, p.OldLine = r.Delay()
	p.New, p.NewLine = s.Delay()
	if p.Old != p.New {
		d.Paces = append(d.Paces, p)
	}
}

// changes tests the paths under two rules for one robot.
func changes(paths []string, r, s *robots.Rules) map[pair]*Change {
	found := map[pair]*Change{}
	for _, path := range paths {
		v, w := r.Test(path), s.Test(path)
		if v.Allowed == w.Allowed {
			continue
		}
		key := pair{w.Allowed, v.Line, w.Line}
		if found[key] == nil {
			found[key] = &Change{Opened: w.Allowed, Old: v, New: w}
		}
		found[key].Paths = append(found[key].Paths, path)
	}
	return found
}
