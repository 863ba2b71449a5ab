package compose

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// A section is all that a file says under one name, from however many groups.
type section struct {
	name  string // lower case
	agent string // the line that names it first
	lines []textLine
}

// maxLines bounds how many lines the sections have that Minimize makes: each name has those of its groups for itself.
const maxLines = 300_000

// sections takes the groups apart by name, in the order of their first lines. Sitemaps belong to no group, and neither does
// what means nothing. ok is false when they would have more than most lines.
func sections(lines []textLine, most int) (all []*section, ok bool) {
	total := 0
	byName := map[string]*section{}
	for group := range groups(lines) {
		seen := map[string]bool{}
		for _, a := range group.agents {
			name := strings.ToLower(a.Value)
			s := byName[name]
			if s == nil {
				s = &section{name: name, agent: a.text}
				byName[name] = s
				all = append(all, s)
			}
			if !seen[name] {
				seen[name] = true
				if total += len(group.lines); total > most {
					return nil, false
				}
				s.lines = append(s.lines, group.lines...)
			}
		}
	}
	return all, true
}

// A group is names and what is said to them, as RFC 9309 section 2.1 has it. The first of a file may have no names: that is
// what stands before all groups.
type group struct{ agents, lines []textLine }

func groups(lines []textLine) func(yield func(group) bool) {
	return func(yield func(group) bool) {
		for len(lines) > 0 {
			n := 1
			for n < len(lines) && (lines[n].Role != robots.RoleAgent || lines[n].Group == lines[n-1].Group) {
				n++
			}
			var g group
			for _, l := range lines[:n] {
				switch {
				case l.Role == robots.RoleAgent:
					g.agents = append(g.agents, l)
				case l.Role != robots.RoleSitemap && !l.idle():
					g.lines = append(g.lines, l)
				}
			}
			if !yield(g) {
				return
			}
			lines = lines[n:]
		}
	}
}

// addTo adds what a robot with that name would read in a file that holds nothing else.
func (s *section) addTo(v *voices, dialects []robots.Dialect) {
	var b strings.Builder
	b.WriteString("User-agent: x\n")
	numbers := []int{0, 0} // of the lines, by their numbers in the text that is written here
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
		numbers = append(numbers, l.Number)
	}
	for _, d := range dialects {
		v.add(robots.Parse([]byte(b.String()), d).Register().Said("x").Rules, numbers)
	}
}

// minimize takes out what is repeated and what is idle.
func (s *section) minimize(dialects []robots.Dialect, p *proof) {
	v := voices{proof: p}
	s.addTo(&v, dialects)
	gone, said := map[int]bool{}, map[string]bool{}
	for _, l := range s.lines {
		key := string(l.Role) + l.Value
		if !l.isRule() || l.Note != "" {
			key = l.text
		}
		gone[l.Number], said[key] = said[key], true
	}
	for _, l := range longestFirst(s.lines) {
		if !gone[l.Number] && (l.Value == "" || v.remove(l.Number)) {
			gone[l.Number] = true
		}
	}
	s.lines = slices.DeleteFunc(s.lines, func(l textLine) bool { return gone[l.Number] })
	if !slices.ContainsFunc(s.lines, textLine.isRule) {
		s.lines = append(s.lines, textLine{Line: robots.Line{Role: robots.RoleDisallow}, text: "Disallow:"})
	}
}

// meaning returns a text that sections have in common if they say the same in other words or another order.
func (s *section) meaning() string {
	var rules, others []string
	for _, l := range s.lines {
		if l.isRule() && l.Note == "" {
			rules = append(rules, string(l.Role)+":"+l.Value)
		} else {
			others = append(others, l.text)
		}
	}
	slices.Sort(rules)
	return strings.Join(append(rules, others...), "\n")
}

// regroup writes the lines anew: what is said before all groups, each name with all that is said under it, names with the
// same meaning together, and the sitemaps. It returns nothing when there are too many.
func (m *meaning) regroup() [][]byte {
	var b strings.Builder
	for g := range groups(m.lines) {
		if len(g.agents) == 0 {
			writeLines(&b, g.lines)
		}
	}
	all, ok := sections(m.lines, maxLines)
	if !ok {
		return nil
	}
	shared, meanings := map[string][]*section{}, make([]string, len(all))
	for i, s := range all {
		s.minimize(m.dialects, m.proof)
		meanings[i] = s.meaning()
		shared[meanings[i]] = append(shared[meanings[i]], s)
	}
	for i, s := range all {
		company := shared[meanings[i]]
		if company[0] != s {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		for _, o := range company {
			b.WriteString(o.agent + "\n")
		}
		writeLines(&b, s.lines)
	}
	again := repeated(m.lines)
	for _, l := range m.lines {
		if l.Role == robots.RoleSitemap && !again[l.Number] {
			b.WriteString(l.text + "\n")
		}
	}
	return [][]byte{[]byte(b.String())}
}

func writeLines(b *strings.Builder, lines []textLine) {
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
}

// voices are lists of rules for different robots, from which lines are taken out.
type voices struct {
	*proof
	byLine map[int][]*ruleList
}

// A ruleList is the rules for one robot.
type ruleList struct {
	rules  []robots.Rule // as they were added
	set    *ruleSet
	said   []int         // by place in set: how many lines say so
	byLine map[int][]int // places: what a line says
}

// add adds a list, unless it is there. numbers maps its line numbers to those of the file; nil means they are the same.
func (v *voices) add(rules []robots.Rule, numbers []int) {
	if len(rules) == 0 {
		return
	}
	lineOf := func(r robots.Rule) int {
		if numbers == nil {
			return r.Line
		}
		return numbers[r.Line]
	}
	others := v.byLine[lineOf(rules[0])]
	for _, o := range others[max(0, len(others)-8):] {
		if o.isOf(rules, lineOf) {
			return
		}
	}
	set := newRuleSet(rulesOf(rules))
	list := &ruleList{set: set, said: make([]int, len(set.rules)), byLine: map[int][]int{}}
	for _, r := range rules {
		at, line := set.place(newRule(r)), lineOf(r)
		list.rules = append(list.rules, robots.Rule{Allow: r.Allow, Pattern: r.Pattern, Line: line})
		if !slices.Contains(list.byLine[line], at) { // Cautious reads it twice
			list.said[at]++
			list.byLine[line] = append(list.byLine[line], at)
		}
	}
	if v.byLine == nil {
		v.byLine = map[int][]*ruleList{}
	}
	for line := range list.byLine {
		v.byLine[line] = append(v.byLine[line], list)
	}
}

// isOf reports whether the list is made of some rules.
func (l *ruleList) isOf(rules []robots.Rule, lineOf func(robots.Rule) int) bool {
	return slices.EqualFunc(l.rules, rules, func(a, b robots.Rule) bool {
		return a.Allow == b.Allow && a.Pattern == b.Pattern && a.Line == lineOf(b)
	})
}

// remove takes a line out of all lists if nobody would miss it in any of them, and reports whether it did. A line that is in none
// may be there for readers that are not known here.
func (v *voices) remove(line int) bool {
	for _, list := range v.byLine[line] {
		for _, at := range list.byLine[line] {
			if list.said[at] == 1 && !v.idle(list.set.rules[at], list.set) {
				return false
			}
		}
	}
	for _, list := range v.byLine[line] {
		for _, at := range list.byLine[line] {
			if list.said[at]--; list.said[at] == 0 {
				list.set.remove(at)
			}
		}
	}
	return len(v.byLine[line]) > 0
}
