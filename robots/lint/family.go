package lint

import (
	"slices"

	"github.com/cybermapper/cybermapper/robots"
)

// A family is the groups that share names, be it by way of others: what one of them says may hold for a robot of another one, since
// robots join all groups that name them (RFC 9309 section 2.2.1).
type family struct {
	literals [2]map[string]bool // the patterns without wildcards, by kind
	special  [2][]int           // lengths of the patterns with wildcards, by kind, sorted
	plain    [2][]int           // of the literals
	lengths  []int              // of those of both kinds, each once
	closes   bool               // there is a Disallow that holds something
	ruled    map[string]int     // the first line of the first group with rules that names a robot, by key
}

// families returns the family of each group, by number.
func families(groups []group) map[int]*family {
	up := map[string]string{} // from a name to another one of the same family, or to itself
	head := func(name string) string {
		for up[name] != name {
			up[name] = up[up[name]]
			name = up[name]
		}
		return name
	}
	for _, g := range groups {
		keys := g.keys()
		for i, name := range keys {
			if up[name] == "" {
				up[name] = name
			}
			if i > 0 {
				up[head(name)] = head(keys[0])
			}
		}
	}
	heads, all := map[string]*family{}, map[int]*family{}
	for _, g := range groups {
		f := &family{literals: [2]map[string]bool{{}, {}}, ruled: map[string]int{}}
		if keys := g.keys(); len(keys) > 0 {
			if known := heads[head(keys[0])]; known != nil {
				f = known
			}
			heads[head(keys[0])] = f
		}
		f.join(g)
		all[g.number] = f
	}
	for _, f := range all {
		f.sort()
	}
	return all
}

func (f *family) join(g group) {
	for _, at := range g.rules {
		f.closes = f.closes || at.Role == robots.RoleDisallow && at.Value != ""
	}
	for _, key := range g.keys() {
		if len(g.rules) > 0 && f.ruled[key] == 0 {
			f.ruled[key] = g.agents[0].Number
		}
	}
	for _, r := range g.placed() {
		kind := kindOf(r.allow)
		if !r.isLiteral() {
			f.special[kind] = append(f.special[kind], len(r.pattern))
		} else if !f.literals[kind][r.pattern] {
			f.literals[kind][r.pattern] = true
			f.plain[kind] = append(f.plain[kind], len(r.pattern))
		}
	}
}

func (f *family) sort() {
	if f.lengths != nil {
		return
	}
	for kind := range f.special {
		slices.Sort(f.special[kind])
		slices.Sort(f.plain[kind])
	}
	f.lengths = slices.Concat(f.plain[0], f.plain[1])
	slices.Sort(f.lengths)
	f.lengths = slices.Compact(f.lengths)
}
