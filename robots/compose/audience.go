package compose

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A comparison asks two files about all robots, in one dialect.
type comparison struct {
	before, after roster.Register
	dialect       robots.Dialect
	names         []string // that either file holds, as written
}

func newComparison(before, after []byte, d robots.Dialect) *comparison {
	read := func(body []byte) roster.Register { return roster.NewRegister(robots.Parse(body, d)) }
	c := &comparison{before: read(before), after: read(after), dialect: d}
	c.names = namesIn(c.before, c.after)
	return c
}

// namesIn returns the names in some files, each once, sorted without regard to case.
func namesIn(files ...roster.Register) (names []string) {
	for _, f := range files {
		names = append(names, f.Names()...)
	}
	lower := func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }
	slices.SortStableFunc(names, lower)
	return slices.CompactFunc(names, func(a, b string) bool { return lower(a, b) == 0 }) // EqualFold folds more
}

// sort sorts robots into audiences.
func (c *comparison) sort(names []string) [][]string {
	return robots.Audiences(names, c.before, c.after)
}

// named returns the audiences of the robots that either file names. The last is that of "", which nobody names.
func (c *comparison) named() [][]string { return c.sort(append(slices.Clip(c.names), "")) }

// similar returns, for Cautious, where a group speaks to robots that nobody names if it names a part of theirs, a robot for
// each name in the files that has it for a part, by audiences, and from which name each was made. A robot of whose name several are
// parts is told what those are told, so that there is no need to ask for it; nor for a name that tells those who have it for a part
// what it tells its owner, or what everybody is told; up to a number of rules, since it does no harm to ask for it all the same.
func (c *comparison) similar() (all [][]string, from map[string]string) {
	if c.dialect != robots.Cautious {
		return nil, nil
	}
	named := map[string]bool{}
	for _, name := range c.names {
		named[strings.ToLower(name)] = true
	}
	from = map[string]string{}
	var names []string
	nobodyBefore, nobodyAfter := c.before.Said(""), c.after.Said("")
	left := maxSaid
	superfluous := func(name string) bool {
		before, after := c.before.SaidToPart(name), c.after.SaidToPart(name)
		left -= 1 + len(before.Rules) + len(after.Rules)
		return before.Alike(nobodyBefore) && after.Alike(nobodyAfter) ||
			before.Alike(c.before.Said(name)) && after.Alike(c.after.Said(name))
	}
	for _, name := range c.names {
		if left > 0 && superfluous(name) {
			continue
		}
		longer := name + "like"
		for named[strings.ToLower(longer)] {
			longer += "like"
		}
		from[longer] = name
		names = append(names, longer)
	}
	nobody := func(a []string) bool { return c.before.Audience(a[0]) == "" && c.after.Audience(a[0]) == "" }
	return slices.DeleteFunc(c.sort(names), nobody), from
}

// combined returns, for Std1994, where robots look for the names in a file within their own, robots that two of the names are parts
// of, one of which stands in one file only: such a robot may be told something else though those of each name are not. There is one
// for each such pair, up to a number. parts are the two names.
func (c *comparison) combined() (names []string, parts map[string][]string) {
	const most = 2000
	parts = map[string][]string{}
	if c.dialect != robots.Std1994 {
		return nil, parts
	}
	has := func(r roster.Register) map[string]bool {
		names := map[string]bool{}
		for _, name := range r.Names() {
			names[strings.ToLower(name)] = true
		}
		return names
	}
	before, after := has(c.before), has(c.after)
	for _, one := range c.names {
		if key := strings.ToLower(one); before[key] == after[key] {
			continue
		}
		for _, other := range c.names {
			if len(names) == most {
				return names, parts
			}
			if both := one + "-" + other; one != other {
				names = append(names, both)
				parts[both] = []string{one, other, ""}
			}
		}
	}
	return names, parts
}

// sameNames reports whether both files name the same robots. Where they do not, a robot of 1994 that two of the names are parts
// of may be told something else, though those of each are told the same.
func (c *comparison) sameNames() bool {
	if c.dialect != robots.Std1994 {
		return true
	}
	fold := func(a, b string) bool { return strings.EqualFold(a, b) }
	return slices.EqualFunc(c.before.Names(), c.after.Names(), fold)
}

// Products returns the names of the robots that the groups of some files speak to, by whatever leniency, each once and
// sorted, without "*". A name that is no product token, such as "360bot", is not among them: RFC 9309 section 2.2.1 knows
// none of that form.
func Products(bodies ...[]byte) []string {
	var files []roster.Register
	for _, body := range bodies {
		files = append(files, roster.NewRegister(robots.Parse(body, robots.Cautious)))
	}
	return namesIn(files...)
}
