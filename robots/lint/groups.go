package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// checkGroups looks at how lines stand together.
func (l *linter) checkGroups() {
	l.checkEmptiness()
	l.checkOrphans()
	for _, g := range l.groups {
		if len(g.rules) == 0 {
			l.checkEmptyGroup(g)
		}
		l.checkEmptyDisallow(g)
		l.checkIdleAllow(g)
		l.checkIgnoredDelay(g)
	}
	l.checkMany()
	l.checkNames()
}

// checkEmptyGroup looks at what a group without rules does: for robots that other groups name, nothing.
func (l *linter) checkEmptyGroup(g group) {
	f, at := l.families[g.number], g.agents[len(g.agents)-1]
	open := slices.DeleteFunc(g.names(), func(name string) bool { return f.ruled[strings.ToLower(name)] > 0 })
	if names := g.names(); len(open) == 0 && len(names) > 0 {
		l.add("empty-group", at, fmt.Sprintf("The group for %s has no rules: it adds nothing to those from line %d on. Its "+
			"author may have lost a line.", list(names), f.ruled[strings.ToLower(names[0])]),
			"Write the rules, or delete the line.")
		return
	}
	also := ", also what is closed to *"
	if slices.Contains(open, "*") {
		also = ""
	}
	l.add("empty-group", at, fmt.Sprintf("The group for %s has no rules: everything is open to it%s. Its author may have meant "+
		"that, or lost a line.", list(open), also), "Write the rules, or Disallow: alone if everything is to be open.")
}

// checkEmptiness looks whether there is anything in the file.
func (l *linter) checkEmptiness() {
	rules, others, strange := 0, 0, 0
	for _, at := range l.lines {
		switch {
		case at.isRule() || at.Role == robots.RoleAgent:
			rules++
		case at.Role == robots.RoleInvalid || at.Role == robots.RoleOther || at.Note == robots.ProblemOrphan:
			strange++
		case at.code != "":
			others++
		}
	}
	switch {
	case rules > 0:
	case strange > 0:
		l.file("no-rules", "RFC 9309 finds no group in the file: robots that keep to it visit everything.",
			"Write at least:\nUser-agent: *\nDisallow:")
	default:
		l.file("empty-file", "Robots visit everything. That is a good way to say so: a file that is there keeps errors out of "+
			"the log.", "")
	}
}

// checkOrphans looks for rules before the first group.
func (l *linter) checkOrphans() {
	var orphans []line
	for _, at := range l.lines {
		if at.Note == robots.ProblemOrphan {
			orphans = append(orphans, at)
		}
	}
	if len(orphans) == 0 {
		return
	}
	first, last := orphans[0], orphans[len(orphans)-1]
	which := "The rule is"
	if len(orphans) > 1 {
		which = fmt.Sprintf("%d rules, up to line %d, are", len(orphans), last.Number)
	}
	l.add("rule-before-agent", first,
		which+" addressed to nobody and ignored (RFC 9309 section 2.2.1); some older robots take it for everybody's.",
		"Write in front of it:\nUser-agent: *")
}

// checkEmptyDisallow looks for an empty Disallow among others.
func (l *linter) checkEmptyDisallow(g group) {
	var empty []line
	full := false
	for _, at := range g.rules {
		switch {
		case at.Role == robots.RoleDisallow && at.Value == "":
			empty = append(empty, at)
		case at.Role == robots.RoleDisallow:
			full = true
		}
	}
	if !full {
		return
	}
	for _, at := range empty {
		l.add("empty-disallow-mixed", at, "It matches nothing and lifts nothing: the other Disallow lines of the group hold.",
			"Delete the line, or the others if everything is to be open.")
	}
}

// checkIdleAllow looks for an Allow where nothing is closed. "Allow: /" is a way to say so.
func (l *linter) checkIdleAllow(g group) {
	if l.families[g.number].closes {
		return
	}
	var first line
	for _, at := range g.rules {
		if at.Role == robots.RoleAllow && strings.Trim(at.Value, "/*") != "" && first.Number == 0 {
			first = at
		}
	}
	if first.Number > 0 && !slices.ContainsFunc(g.lines, line.mayBeRule) {
		l.add("idle-allow", first, "What no Disallow closes is open: the rule opens nothing. To open this alone, all else "+
			"must be closed.", "If nothing else is to be open, add:\nDisallow: /\nIf all is to be open, write in its place, for "+
			"without a rule these robots would join the next group:\nDisallow:")
	}
}

// checkMany looks for more rules than some robots read.
func (l *linter) checkMany() {
	rules := 0
	for _, g := range l.groups {
		rules += len(g.rules)
	}
	if rules > maxYandexRules {
		l.file("many-rules", fmt.Sprintf("The file has %d rules; Yandex reads up to %d.", rules, maxYandexRules),
			"Close directories in place of single pages.")
	}
}

// checkNames looks for robots that are named in several groups.
func (l *linter) checkNames() {
	where, marked := map[string]group{}, l.marked()
	for _, g := range l.groups {
		for _, name := range g.names() {
			key := strings.ToLower(name)
			before, again := where[key]
			if !again {
				where[key] = g
				continue
			}
			at := g.agents[slices.IndexFunc(g.agents, func(a line) bool { return strings.EqualFold(token(a.Value), name) })]
			join := "Move the rules into one group."
			if marked[at.Number-1] != marked[before.agents[0].Number-1] {
				join = "Leave both where they are: a program has written one of them, between its marks, and will write it again."
			}
			if name == "*" {
				l.add("two-star-groups", at,
					fmt.Sprintf("RFC 9309 robots join it with the group of line %d; 1994 allowed one such group only, and "+
						"robots of that time keep to one of them.", before.agents[0].Number), join)
				continue
			}
			l.add("split-group", at,
				fmt.Sprintf("RFC 9309 robots join it with the group of line %d; others keep to the first group that names them.",
					before.agents[0].Number), join)
		}
	}
}

// checkRules looks at rules beside each other.
func (l *linter) checkRules() {
	for _, g := range l.groups {
		l.checkShadows(g)
	}
	l.checkClosed()
	l.checkInheritance()
}

// A placedRule is a rule of a group with its pattern in canonical form.
type placedRule struct {
	line
	allow   bool
	pattern string
}

func (p placedRule) isLiteral() bool { return isLiteral(p.pattern) }

func isLiteral(pattern string) bool {
	return !strings.Contains(pattern, "*") && !strings.HasSuffix(pattern, "$")
}

// placed returns the rules of the group that match something.
func (g group) placed() []placedRule {
	var rules []placedRule
	for _, at := range g.rules {
		if at.Value != "" && (at.Value[0] == '/' || at.Value[0] == '*') && !strings.ContainsAny(at.Value, " \t") {
			rules = append(rules, placedRule{at, at.Role == robots.RoleAllow, robots.CanonicalPattern(at.Value)})
		}
	}
	return rules
}

// checkShadows looks for rules that decide nothing.
func (l *linter) checkShadows(g group) {
	rules := g.placed()
	first := map[string]int{} // the first rule with that pattern
	shadows := newShadows(rules, l.families[g.number])
	for i, r := range rules {
		at, again := first[r.pattern]
		if !again {
			first[r.pattern] = i
			if s, ok := shadows.of(r); ok {
				l.add("shadowed-rule", r.line,
					fmt.Sprintf("Line %d (%s) says the same of all that it matches.", s.Number, quote(s.code)),
					"Delete the line, unless it is there for robots that do not know Allow or wildcards.")
			}
			continue
		}
		before := rules[at]
		if before.allow == r.allow {
			l.add("duplicate-rule", r.line, fmt.Sprintf("Line %d says the same.", before.Number), "Delete the line.")
			continue
		}
		l.add("contradiction", r.line,
			fmt.Sprintf("Line %d says the opposite of the same path. Of two such rules Allow wins (RFC 9309 section 2.2.2); "+
				"robots that know no Allow stay away.", before.Number), "Delete one of the two.")
	}
}

// shadows finds the shorter rule that makes another one of a group superfluous.
type shadows struct {
	*family
	own [2]map[string]placedRule // the literals of the group, by kind
}

func newShadows(rules []placedRule, f *family) shadows {
	s := shadows{family: f}
	for kind := range s.own {
		s.own[kind] = map[string]placedRule{}
	}
	for _, r := range slices.Backward(rules) {
		if r.isLiteral() {
			s.own[kindOf(r.allow)][r.pattern] = r
		}
	}
	return s
}

func kindOf(allow bool) int {
	if allow {
		return 1
	}
	return 0
}

// of returns the rule that decides in r's place if r is not there: the longest literal one of the group that r's literal start
// begins with, if it is of r's kind and none of the other kind that some robot of the group has can come between.
func (s shadows) of(r placedRule) (placedRule, bool) {
	start := r.pattern
	if !r.isLiteral() {
		start = strings.TrimSuffix(start, "$")
		if i := strings.IndexByte(start, '*'); i >= 0 {
			start = start[:i]
		}
	}
	same, other := kindOf(r.allow), kindOf(!r.allow)
	for _, n := range slices.Backward(s.lengths) {
		if n == 0 || n > len(start) {
			continue
		}
		if s.literals[other][start[:n]] {
			return placedRule{}, false
		}
		if shorter, ok := s.own[same][start[:n]]; ok && n < len(r.pattern) {
			between := anyOf(s.special[other], n, len(r.pattern)) || !r.isLiteral() && anyOf(s.plain[other], n, len(r.pattern))
			return shorter, !between
		}
	}
	return placedRule{}, false
}

// anyOf reports whether one of some lengths, which are sorted, is from low to high.
func anyOf(lengths []int, low, high int) bool {
	i, _ := slices.BinarySearch(lengths, low)
	return i < len(lengths) && lengths[i] <= high
}

// checkClosed looks whether everything is closed to everybody.
func (l *linter) checkClosed() {
	rules := l.source.file.Rules("")
	v := rules.Test("/")
	if v.Line == 0 || accessOf(rules) != "closed" {
		return
	}
	if at := l.lines[v.Line-1]; strings.Trim(at.Value, "/*$") == "" {
		l.add("site-closed", at, "Robots that are not named may visit nothing. Search engines among them drop the site's pages, "+
			"or list their addresses without content.", "")
	}
}

// checkInheritance looks for named groups that lack what * forbids.
func (l *linter) checkInheritance() {
	said := robots.Parse([]byte(l.text), robots.RFC9309).Register()
	var closed []robots.Rule
	for _, r := range said.Rules("").List() {
		if !r.Allow && isLiteral(r.Pattern) && r.Pattern != "/" {
			closed = append(closed, r)
		}
	}
	if len(closed) == 0 {
		return
	}
	seen := 0
	for _, g := range l.groups {
		names := g.names()
		if len(names) == 0 || slices.Contains(names, "*") || g.isFree() {
			continue
		}
		for _, alike := range robots.Audiences(names, said) {
			if seen++; seen > MaxClasses {
				return
			}
			l.checkWeaker(g, alike, said.Rules(alike[0]), closed)
		}
	}
}

// isFree reports whether the group says in so many words that everything is open.
func (g group) isFree() bool {
	said := false
	for _, at := range g.rules {
		switch {
		case at.Value == "", at.Role == robots.RoleAllow && (at.Value == "/" || at.Value == "/*" || at.Value == "*"):
			said = true
		case at.Role == robots.RoleDisallow:
			return false
		}
	}
	return said
}

// checkWeaker compares robots that a group names, and that have the same rules, with *.
func (l *linter) checkWeaker(g group, names []string, own *robots.Rules, closed []robots.Rule) {
	var open []robots.Rule
	for _, r := range closed {
		v := own.Test(r.Pattern)
		if v.Allowed && v.Reason == robots.ReasonNoRule {
			open = append(open, r)
		}
	}
	if len(open) == 0 {
		return
	}
	what := open[0].Pattern
	if len(open) > 1 {
		what += fmt.Sprintf(" and %d more", len(open)-1)
	}
	l.add("weaker-than-star", g.agents[0],
		fmt.Sprintf("%s may visit %s, which line %d closes to *: a named robot keeps to its own group only.", list(names), what,
			open[0].Line), "Repeat in this group what is to hold for it as well, such as:\n"+open[0].Text)
}

// list names up to three things.
func list(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "nobody"
	case n > 3:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}
