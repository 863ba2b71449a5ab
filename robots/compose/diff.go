package compose

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
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
	// Obeyed has the name that a robot among the Products obeys in a file that does not name it.
	Obeyed map[string]string

	answered bool // on all paths that were asked about
}

// Same reports whether nothing differs.
func (d Difference) Same() bool { return len(d.Changes) == 0 && len(d.Paces) == 0 }

// Decided reports whether it is known if the files differ on the paths that were asked about: on all, unless some were named. It is
// not where nothing differs on those that were tried and no proof was found, or the work was bounded.
func (d Difference) Decided() bool { return !d.Same() || d.Proved || d.answered }

// maxTests bounds how many verdicts Diff asks for, in each file.
const maxTests = 2_000_000

// Diff compares two files by what they say to robots: on which paths, for whom, by which lines. Any bytes are a file. Changes
// are in the order of the first path each affects.
//
// Every robot is looked at that a reading of the dialect finds in either file, by whatever leniency, and one that nobody names.
// Where a file does not name a robot that then obeys the name of another one, by the word of its maker, it is told what that one
// is. A robot that the files do not name is among the Products of a Change when groups name parts of its name and no other robot
// shows the change; its name is then made up: of a part and "like" (Cautious), or of two parts (Std1994).
func Diff(before, after []byte, o DiffOptions) Difference {
	if bytes.Equal(before, after) {
		return Difference{Proved: true, Tried: len(o.Paths), Obeyed: map[string]string{}}
	}
	c := newComparison(before, after, o.Dialect)
	d := &differ{comparison: c, DiffOptions: o, proof: newProof(), alike: map[string]*Change{}, tried: map[string]bool{},
		tests: maxTests, Difference: Difference{Obeyed: map[string]string{}}}
	d.Proved = c.sameNames()
	if o.Products != nil {
		d.Proved = true
		for _, product := range o.Products {
			d.compare([]string{product}, nil)
		}
	} else {
		for _, products := range c.named() {
			d.compare(products, nil)
		}
		similar, from := c.similar()
		for _, products := range similar {
			d.compare(products, []string{from[products[0]], ""})
		}
		combined, parts := c.combined()
		for _, product := range combined {
			d.compare([]string{product}, parts[product])
		}
	}
	for _, change := range d.alike {
		d.Changes = append(d.Changes, *change)
	}
	slices.SortFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Paths[0], b.Paths[0]), cmp.Compare(a.Old.Line, b.Old.Line), cmp.Compare(a.New.Line, b.New.Line),
			slices.Compare(a.Products, b.Products))
	})
	if d.Tried = len(d.tried); o.Paths != nil {
		d.Tried, d.answered = len(o.Paths), d.tests >= 0
	}
	return d.Difference
}

// A differ collects what differs.
type differ struct {
	*comparison
	DiffOptions
	*proof
	Difference
	alike  map[string]*Change // by what they do
	tried  map[string]bool    // paths
	tests  int                // that may still be made
	nobody func() [2]*robots.Rules
}

// obey fills Obeyed.
func (d *differ) obey(products []string) {
	for _, product := range products {
		for _, file := range []roster.Register{d.before, d.after} {
			if other := file.HeardAs(product); other != product {
				d.Obeyed[product] = other
			}
		}
	}
}

// compare compares what the files say to an audience. What they say to others, too, is left out.
func (d *differ) compare(products []string, others []string) {
	d.comparePace(products, others)
	if d.tests < 0 {
		return
	}
	old, new := d.before.Said(products[0]), d.after.Said(products[0])
	if d.said -= len(old.Rules) + len(new.Rules); d.said >= 0 && d.equal(old.Rules, new.Rules) {
		return
	}
	d.Proved = false
	paths := d.Paths
	if paths == nil {
		paths = d.witnesses(old.Rules, new.Rules)
	}
	if d.tests -= len(paths); d.tests < 0 {
		return
	}
	for _, path := range paths {
		d.tried[path] = true
	}
	changes := d.changes(paths, products[0], others)
	if len(changes) > 0 {
		d.obey(products)
	}
	for key, change := range changes {
		merge := fmt.Sprint(key) + strings.Join(change.Paths, "\n")
		if known := d.alike[merge]; known != nil {
			known.Products = append(known.Products, products...)
			continue
		}
		change.Products = slices.Clip(products) // many changes may have many in common
		d.alike[merge] = change
	}
}

func (d *differ) comparePace(products []string, others []string) {
	delays := func(product string) (c PaceChange) {
		c.Old, c.OldLine = d.before.Delay(product)
		c.New, c.NewLine = d.after.Delay(product)
		return c
	}
	pace := delays(products[0])
	if pace.Old == pace.New {
		return
	}
	for _, other := range others {
		if o := delays(other); o.Old == pace.Old && o.New == pace.New {
			return
		}
	}
	pace.Products = products
	d.obey(products)
	d.Paces = append(d.Paces, pace)
}

// rules returns a function that reads the rules of both files for a robot when it is first called. Those of the robot that nobody
// names, whom most others are compared with, are read once.
func (d *differ) rules(product string) func() [2]*robots.Rules {
	if product == "" && d.nobody != nil {
		return d.nobody
	}
	read := sync.OnceValue(func() [2]*robots.Rules {
		return [2]*robots.Rules{d.before.Rules(product), d.after.Rules(product)}
	})
	if product == "" {
		d.nobody = read
	}
	return read
}

// A pair is what tells one Change from another.
type pair struct {
	opened   bool
	old, new int
}

// changes tests the paths for a robot. Those on which the same happens to one of the others are left out.
func (d *differ) changes(paths []string, product string, others []string) map[pair]*Change {
	r, s := d.before.Rules(product), d.after.Rules(product)
	known := make([]func() [2]*robots.Rules, len(others))
	for i, other := range others {
		known[i] = d.rules(other)
	}
	found := map[pair]*Change{}
	for _, path := range paths {
		v, w := r.Test(path), s.Test(path)
		alike := func(rules func() [2]*robots.Rules) bool {
			both := rules()
			return both[0].Test(path).Allowed == v.Allowed && both[1].Test(path).Allowed == w.Allowed
		}
		if v.Allowed == w.Allowed || slices.ContainsFunc(known, alike) {
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
