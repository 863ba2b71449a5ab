package robots

// This file decides which groups of a file speak to a product (RFC 9309 section 2.2.1), and puts together what they say.

// A group is some user-agent lines and what follows them: whom it names, and what it says to them.
type group struct {
	names  []name
	rules  []ruleLine
	pace   pace
	wishes []wish
}

// A name is one that a group names, and what it took to see that.
type name struct{ token, leniency string }

// A hearing is what one reading of a file says to one product.
type hearing struct {
	own, all voice  // of the groups that name the product, and of those that name "*"
	part     voice  // of those that name a part of it; in Cautious only
	global   *group // what stands before all groups
}

// A voice is all that is said to one robot, in however many groups.
type voice struct {
	heard  bool // some group speaks to the robot
	rules  []ruleLine
	pace   pace
	wishes []wish

	said map[saying]bool // the rules, once there are MaxRules
}

// A saying is what makes two rules the same.
type saying struct {
	allow   bool
	pattern string // canonical
}

// A mention is a group that names somebody, and what it took to see that. One name without leniency is enough to need none.
type mention struct {
	group    int
	leniency string
}

// addMention adds a mention to a list in the order of groups.
func addMention(list []mention, m mention) []mention {
	if n := len(list); n > 0 && list[n-1].group == m.group {
		if m.leniency == "" {
			list[n-1].leniency = ""
		}
		return list
	}
	return append(list, m)
}

// names reports whether a token in the file names a product.
func (d Dialect) names(token, product string) bool {
	if d == Std1994 {
		return containsFold(product, token)
	}
	return equalFold(product, token)
}

// minPart is how long a part of a product must be to be taken for one: shorter ones occur in most names by chance.
const minPart = 3

// namesPart reports whether a token in the file names a part of a product, to a robot of 1994 that looks for it there. A part
// that is a word of the product is none: Examplebot is another robot than Examplebot-Image.
func (d Dialect) namesPart(token, product string) bool {
	if d != Cautious || len(token) < minPart || len(token) >= len(product) {
		return false
	}
	found := false
	for i := range len(product) - len(token) + 1 {
		if end := i + len(token); equalFold(product[i:end], token) {
			if (i == 0 || isHyphen(product[i-1])) && (end == len(product) || isHyphen(product[end])) {
				return false
			}
			found = true
		}
	}
	return found
}

func isHyphen(c byte) bool { return c == '-' || c == '_' }

// hear finds the groups that name a product, and those that name "*", and returns what they say.
func (r *reader) hear(product string) hearing {
	var own, all, part []mention
	for i, g := range r.groups {
		for _, n := range g.names {
			m := mention{i, n.leniency}
			switch {
			case n.token == "*":
				all = addMention(all, m)
			case r.dialect.names(n.token, product):
				own = addMention(own, m)
			case r.dialect.namesPart(n.token, product):
				part = addMention(part, m)
			}
		}
	}
	return r.join(own, all, part)
}

// join puts together what groups say.
func (r *reader) join(own, all, part []mention) hearing {
	h := hearing{global: &r.global}
	for _, m := range own {
		h.own.add(r.groups[m.group], m.leniency, r.dialect)
	}
	for _, m := range all {
		h.all.add(r.groups[m.group], m.leniency, r.dialect)
	}
	for _, m := range part {
		h.part.add(r.groups[m.group], join(LenientNamePart, m.leniency), r.dialect)
	}
	return h
}

// add adds what a group says.
func (v *voice) add(g *group, leniency string, d Dialect) {
	v.heard = true
	v.pace.slowTo(g.pace)
	for _, w := range g.wishes {
		addWish(&v.wishes, w)
	}
	if leniency == "" && v.rules == nil && len(g.rules) <= MaxRules {
		v.rules = g.rules[:len(g.rules):len(g.rules)]
		return
	}
	for _, ru := range g.rules {
		ru.leniency = join(leniency, ru.leniency)
		v.addRule(ru, d)
	}
}

// addRule adds a rule. From MaxRules on, Cautious looks whether it is there already, and takes no more that allow.
func (v *voice) addRule(ru ruleLine, d Dialect) {
	switch {
	case v.said != nil:
	case d != Cautious || len(v.rules) < MaxRules:
		v.rules = append(v.rules, ru)
		return
	default:
		v.said = map[saying]bool{}
		rules := v.rules
		v.rules = nil
		for _, old := range rules {
			v.addDistinct(old)
		}
	}
	if !ru.allow || len(v.rules) < MaxRules {
		v.addDistinct(ru)
	}
}

func (v *voice) addDistinct(ru ruleLine) {
	key := saying{ru.allow, CanonicalPattern(ru.path)}
	if !v.said[key] {
		v.said[key] = true
		v.rules = append(v.rules, ru)
	}
}

// selected returns the voice that counts: a group that names the product keeps those that name "*" from speaking to it
// (RFC 9309 section 2.2.1).
func (h *hearing) selected() *voice {
	if h.own.heard {
		return &h.own
	}
	return &h.all
}

// slowest returns the pace asked for by the groups that name the product, else those that name "*", else by what stands
// before all groups.
func (h *hearing) slowest() pace {
	for _, p := range [...]pace{h.own.pace, h.all.pace, h.global.pace} {
		if p.line > 0 {
			return p
		}
	}
	return pace{}
}

// wished returns the lines with one field from the groups that name the product, else from those that name "*", else from
// before all groups. All these wishes only restrain, so that a group which is silent does not lift those for everybody.
func (h *hearing) wished(f field) (lines []wish) {
	for _, said := range [...][]wish{h.own.wishes, h.all.wishes, h.global.wishes} {
		for _, w := range said {
			if w.field == f {
				lines = append(lines, w)
			}
		}
		if lines != nil {
			return lines
		}
	}
	return nil
}
