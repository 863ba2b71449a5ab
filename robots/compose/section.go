package compose

import (
	"maps"
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

// sections takes the groups apart by name, in the order of their first lines. Sitemaps belong to no group, and neither does
// what means nothing.
func sections(lines []textLine) []*section {
	var all []*section
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
				s.lines = append(s.lines, group.lines...)
			}
		}
	}
	return all
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
func (s *section) addTo(v *voices) {
	var b strings.Builder
	b.WriteString("User-agent: x\n")
	numbers := []int{0, 0} // of the lines, by their numbers in the text that is written here
	for _, l := range s.lines {
		b.WriteString(l.text + "\n")
		numbers = append(numbers, l.Number)
	}
	for _, d := range proofDialects {
		v.add(robots.Parse([]byte(b.String()), d).Rules("x").List(), numbers)
	}
}

// minimize takes out what is repeated and what is idle.
func (s *section) minimize() {
	var v voices
	s.addTo(&v)
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
// same meaning together, and the sitemaps.
func regroup(lines []textLine) []byte {
	var b strings.Builder
	for g := range groups(lines) {
		if len(g.agents) == 0 {
			writeLines(&b, g.lines)
		}
	}
	all := sections(lines)
	shared := map[string][]*section{}
	for _, s := range all {
		s.minimize()
		shared[s.meaning()] = append(shared[s.meaning()], s)
	}
	for _, s := range all {
		company := shared[s.meaning()]
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
	again := repeated(lines)
	for _, l := range lines {
		if l.Role == robots.RoleSitemap && !again[l.Number] {
			b.WriteString(l.text + "\n")
		}
	}
	return []byte(b.String())
}

func writeLines(b *strings.Builder, lines []textLine) {
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
}

// voices are lists of rules for different robots, from which lines are taken out.
type voices struct {
	byLine map[int][]*ruleList
}

// A ruleList is the rules for one robot.
type ruleList struct {
	rules  []rule         // in the order of compare
	said   map[rule]int   // how many lines say so
	byLine map[int][]rule // what a line says
}

// add adds a list, unless it is there. numbers maps its line numbers to those of the file; nil means they are the same.
func (v *voices) add(rules []robots.Rule, numbers []int) {
	list := &ruleList{rules: rulesOf(rules), said: map[rule]int{}, byLine: map[int][]rule{}}
	for _, r := range rules {
		key, line := newRule(r), r.Line
		if numbers != nil {
			line = numbers[line]
		}
		if !slices.Contains(list.byLine[line], key) { // Cautious reads it twice
			list.said[key]++
			list.byLine[line] = append(list.byLine[line], key)
		}
	}
	for line := range list.byLine {
		for _, o := range v.byLine[line] {
			if slices.Equal(o.rules, list.rules) && maps.EqualFunc(o.byLine, list.byLine, slices.Equal) {
				return
			}
		}
		break
	}
	if v.byLine == nil {
		v.byLine = map[int][]*ruleList{}
	}
	for line := range list.byLine {
		v.byLine[line] = append(v.byLine[line], list)
	}
}

// remove takes a line out of all lists if nobody would miss it in any of them, and reports whether it did.
func (v *voices) remove(line int) bool {
	for _, list := range v.byLine[line] {
		for _, r := range list.byLine[line] {
			if list.said[r] == 1 && (len(list.rules) > maxProof || !idle(r, list.rules)) {
				return false
			}
		}
	}
	for _, list := range v.byLine[line] {
		for _, r := range list.byLine[line] {
			if list.said[r]--; list.said[r] == 0 {
				list.rules = slices.DeleteFunc(list.rules, func(o rule) bool { return o == r })
			}
		}
	}
	return true
}
