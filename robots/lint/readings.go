package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// MaxClasses is how many groups of robots that a file treats alike File compares verdicts for, and MaxSamples how many
// paths for each.
const (
	MaxClasses = 50
	MaxSamples = 2000
)

// readings are the file in the two dialects whose verdicts are compared.
type readings struct {
	*linter
	old, new                 *robots.File
	oldRegister, newRegister *robots.Register
	oldLines                 []robots.Line
	told                     map[string]bool // names, lower case, of which the disagreement has been explained
	rules                    *robots.Rules   // that rulesFor returned last; nil before
	audience                 string          // that they are for
}

// checkReadings looks for robots to which 1994 and RFC 9309 give different rules.
func (l *linter) checkReadings() {
	r := &readings{linter: l, told: map[string]bool{}}
	r.old = robots.Parse([]byte(l.text), robots.Std1994)
	r.new = robots.Parse([]byte(l.text), robots.RFC9309)
	r.oldLines = r.old.Lines()
	r.oldRegister, r.newRegister = r.old.Register(), r.new.Register()
	for _, g := range l.groups {
		r.checkLost(g)
		r.checkBlanks(g)
	}
	for _, name := range r.classes() {
		r.compare(name)
	}
	r.checkModern()
}

// checkLost looks for User-agent lines that something parts from the next ones, so that they seem to be a group of their
// own and are not.
func (r *readings) checkLost(g group) {
	var rule line // the first that forbids something
	for _, at := range g.rules {
		if at.Role == robots.RoleDisallow && at.Value != "" {
			rule = at
			break
		}
	}
	if rule.Number == 0 {
		return
	}
	last := map[string]int{} // where a name stands, among the User-agent lines
	for i, at := range g.agents {
		last[strings.ToLower(token(at.Value))] = i
	}
	start := 0
	for i := range len(g.agents) - 1 {
		this, next := g.agents[i], g.agents[i+1]
		blank, field := r.parted(this.Number, next.Number)
		if !blank && !field {
			continue
		}
		lost := group{agents: g.agents[start : i+1]}
		rest := group{agents: g.agents[i+1:]}
		start = i + 1
		again := func(name string) bool { return last[strings.ToLower(name)] > i }
		r.lost(lost.names(), rest, again, this, rule, blank)
	}
}

// parted reports whether a blank line, or a field that is no rule, stands between two lines.
func (r *readings) parted(from, to int) (blank, field bool) {
	for _, at := range r.lines[from : to-1] {
		blank = blank || at.isBlank()
		field = field || at.code != "" && at.Role != robots.RoleInvalid
	}
	return blank, field
}

// lost reports names that were joined with those of the rest of their group, but for those that stand there again.
func (r *readings) lost(names []string, rest group, again func(string) bool, at, rule line, blank bool) {
	if len(names) == 0 {
		return
	}
	path := robots.CanonicalPattern(rule.Value)
	older := "Robots of 1994 read a group without rules, and everything is open."
	if blank {
		r.explain(names)
	} else {
		older = "Only a rule would part the two."
	}
	var closed []string
	names = slices.DeleteFunc(names, again)
	for _, alike := range robots.Audiences(names, r.newRegister) {
		if !r.rulesFor(alike[0]).Test(samplePath(path)).Allowed {
			closed = append(closed, alike...)
		}
	}
	if names = closed; len(names) == 0 {
		return
	}
	var others []string
	if r.counts["lost-disallow"] < r.MaxPerCode { // else nobody sees the message
		others = rest.names()
	}
	message := fmt.Sprintf("RFC 9309 and Google join %s with the group of %s: line %d (%s) holds for it. %s", list(names),
		list(others), rule.Number, quote(rule.code), older)
	advice := "To set " + list(names) + " free, write below this line:\nDisallow:"
	if blank {
		advice += "\nIf the rules are meant for it as well, delete the blank line."
	}
	r.add("lost-disallow", at, message, advice)
}

// rulesFor returns the rules of RFC 9309 for a name. It keeps the last: names that follow each other mostly share them.
func (r *readings) rulesFor(name string) *robots.Rules {
	if audience := r.newRegister.Audience(name); r.rules == nil || audience != r.audience {
		r.rules, r.audience = r.newRegister.Rules(name), audience
	}
	return r.rules
}

func (r *readings) explain(names []string) {
	for _, name := range names {
		r.told[strings.ToLower(name)] = true
	}
}

// checkBlanks looks for rules that a blank line parts from their group.
func (r *readings) checkBlanks(g group) {
	var orphans []line
	for _, at := range g.rules {
		if at.Role == robots.RoleDisallow && r.isOrphan(at) {
			orphans = append(orphans, at)
		}
	}
	if len(orphans) == 0 {
		return
	}
	r.explain(g.names())
	blank := orphans[0].Number - 1
	for blank > 1 && !r.lines[blank-1].isBlank() {
		blank--
	}
	first, last := orphans[0].Number, orphans[len(orphans)-1].Number
	which := fmt.Sprintf("the rule of line %d", first)
	if last > first {
		which = fmt.Sprintf("the rules of lines %d to %d", first, last)
	}
	r.add("blank-in-group", r.lines[blank-1],
		fmt.Sprintf("In 1994 a blank line ended a group: robots that read the file so, as Python's urllib.robotparser, do not "+
			"see %s for %s. RFC 9309 and Google do.", which, list(g.names())), "Delete the blank line, or put # in it.")
}

// isOrphan reports whether a line has no group in the reading of 1994.
func (r *readings) isOrphan(at line) bool {
	i := at.Number - 1
	return i < len(r.oldLines) && r.oldLines[i].Note == robots.ProblemOrphan
}

// classes returns one of each set of names that get the same rules of RFC 9309 and the same of 1994. Those whose disagreement
// has been
// explained are not among them, and neither are words of lists that only robots of 1994 take for names, unless they are known.
func (r *readings) classes() []string {
	var names []string
	for _, name := range append(r.newRegister.Names(), r.listed()...) {
		if name = strings.ToLower(name); !r.told[name] {
			names = append(names, name)
		}
	}
	var classes []string
	for _, products := range robots.Audiences(append(names, "", strings.ToLower(r.Product)), r.newRegister, r.oldRegister) {
		if unnamed := r.newRegister.Audience(products[0]) == ""; !(unnamed && r.told["*"]) && len(classes) < MaxClasses {
			classes = append(classes, products[0])
		}
	}
	return classes
}

// listed returns the names in lists that are surely meant as such.
func (r *readings) listed() (names []string) {
	for _, at := range r.lines {
		words := strings.Fields(at.Value)
		if at.Role != robots.RoleAgent || len(words) < 2 || !areNames(at.Value, words) {
			continue
		}
		for _, word := range words {
			if name := token(word); name != "" && name != "*" {
				names = append(names, name)
			}
		}
	}
	return names
}

// compare looks for a path on which the readings disagree about the robot of that name because it gets other rules, not
// because the rules are read in another way: that is for checkModern.
func (r *readings) compare(name string) {
	old, new := r.oldRegister.Rules(name), r.newRegister.Rules(name)
	oldRules, newRules := disallowed(old.List()), disallowed(r.newRegister.Said(name).Rules)
	for _, rule := range oldRules {
		if !contains(newRules, rule.Pattern) && rule.Pattern[0] == '/' && new.Test(rule.Pattern).Allowed &&
			!old.Test(rule.Pattern).Allowed {
			r.disagree(name, rule, "is closed to", "open")
			return
		}
	}
	for _, rule := range newRules {
		if !contains(oldRules, rule.Pattern) && !new.Test(rule.Pattern).Allowed && old.Test(rule.Pattern).Allowed {
			r.disagree(name, rule, "is open to", "closed")
			return
		}
	}
}

// disallowed returns the plain Disallow rules, sorted by pattern.
func disallowed(rules []robots.Rule) []robots.Rule {
	list := slices.DeleteFunc(slices.Clone(rules), func(r robots.Rule) bool {
		return r.Allow || !isLiteral(r.Pattern) || strings.Contains(r.Pattern, "%2A") || strings.HasSuffix(r.Pattern, "%24")
	})
	list = list[:min(len(list), MaxSamples)]
	slices.SortFunc(list, func(a, b robots.Rule) int { return strings.Compare(a.Pattern, b.Pattern) })
	return list
}

func contains(sorted []robots.Rule, pattern string) bool {
	_, ok := slices.BinarySearchFunc(sorted, pattern, func(r robots.Rule, p string) int { return strings.Compare(r.Pattern, p) })
	return ok
}

// disagree reports that the readings disagree about a path.
func (r *readings) disagree(name string, rule robots.Rule, older, newer string) {
	at := r.lines[rule.Line-1]
	who := name
	if name == "" {
		who = "a robot that is not named"
	}
	message := fmt.Sprintf("%s %s %s in the reading of 1994, and %s in that of RFC 9309, because of line %d.", rule.Pattern, older,
		who, newer, rule.Line)
	if other := r.within(name, rule.Line); other != "" {
		r.add("name-substring", at, message+" In 1994 "+quoted(other)+" named it too.", "Put the group of the longer name first.")
		return
	}
	r.add("two-readings", at, message, "Write one name or path per line, and each group in one piece.")
}

// within returns the word that occurs within name and by which the group of a rule named it in 1994; empty when that was
// the name itself.
func (r *readings) within(name string, rule int) (other string) {
	group := r.oldLines[rule-1].Group
	for i, at := range r.oldLines {
		if at.Role != robots.RoleAgent || at.Group != group {
			continue
		}
		for word := range strings.FieldsSeq(strings.ToLower(r.lines[i].Value)) {
			word, _, _ = strings.Cut(word, "/")
			switch {
			case word == name:
				return ""
			case word != "*" && strings.Contains(name, word):
				other = word
			}
		}
	}
	return other
}

// checkModern says once whether the file needs robots that know more than 1994 did.
func (r *readings) checkModern() {
	var first line
	n := 0
	for _, at := range r.lines {
		special := at.isRule() && at.Value != "" && !isLiteral(robots.CanonicalPattern(at.Value))
		if special || at.isRule() && at.Role == robots.RoleAllow && at.Value != "" {
			if n++; n == 1 {
				first = at
			}
		}
	}
	if n > 0 {
		r.add("modern-rules", first,
			fmt.Sprintf("Allow, * or $ stand in %d of the rules. All larger search engines know them; a robot that follows the "+
				"text of 1994 skips Allow and takes * and $ for text.", n), "")
	}
}

// samplePath returns a path that a canonical pattern matches.
func samplePath(pattern string) string {
	path := strings.ReplaceAll(strings.TrimSuffix(pattern, "$"), "*", "x")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
}
