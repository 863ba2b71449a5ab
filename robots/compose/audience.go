package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// audiences sorts the robots that some files name: those in one audience are told the same by each of the files. The last
// audience is "", a robot that nobody names. Within a file of a thousand groups that say the same, this is what makes
// comparing affordable.
func audiences(bodies ...[]byte) [][]string {
	told := map[string]string{} // by lower-case name: what all files tell it
	for i, body := range bodies {
		for name, what := range toldBy(readText(body)) {
			told[name] += fmt.Sprintf("%d:%s\n", i, what)
		}
	}
	var all [][]string
	place := map[string]int{}
	for _, name := range Products(bodies...) {
		what := told[strings.ToLower(name)]
		at, known := place[what]
		if !known {
			at = len(all)
			place[what] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], name)
	}
	return append(all, []string{""})
}

// toldBy returns for each name in a file, in lower case, a text that is the same for names that are told the same.
func toldBy(lines []textLine) map[string]string {
	told := map[string]string{}
	ambiguous := slices.ContainsFunc(lines, textLine.changesGroups)
	contents := map[string]int{}
	for g := range groups(lines) {
		content := meaningOf(g.lines)
		if _, known := contents[content]; !known {
			contents[content] = len(contents)
		}
		for _, a := range append(g.agents, g.lines...) {
			for _, name := range a.names() {
				id := fmt.Sprintf("%d%s ", contents[content], a.Note)
				if ambiguous {
					id = fmt.Sprintf("line %d ", a.Number)
				}
				if a.Note != "" {
					id += a.text
				}
				told[strings.ToLower(name)] += id
			}
		}
	}
	return told
}

// meaningOf returns a text that groups have in common if they say the same in the same words.
func meaningOf(lines []textLine) string {
	var b strings.Builder
	writeLines(&b, lines)
	return b.String()
}

// firsts returns a robot of each audience.
func firsts(audiences [][]string) []string {
	names := make([]string, len(audiences))
	for i, a := range audiences {
		names[i] = a[0]
	}
	return names
}

// addProducts adds the lists of robots that several sections speak to.
func addProducts(v *voices, body []byte, all []*section) {
	var names []string
	heard := map[string]int{}
	for _, s := range all {
		agent := textLine{Line: robots.Line{Role: robots.RoleAgent, Value: s.name}}
		own := map[string]bool{}
		for _, name := range agent.names() {
			if name = strings.ToLower(name); !own[name] {
				own[name] = true
				if heard[name]++; heard[name] == 2 {
					names = append(names, name)
				}
			}
		}
		if len(own) > 1 || s.name == "" {
			names = append(names, agent.names()...)
		}
	}
	slices.Sort(names)
	for _, d := range proofDialects {
		file := robots.Parse(body, d)
		for _, name := range append(slices.Compact(names), "") {
			v.add(file.Rules(name).List(), nil)
		}
	}
}
