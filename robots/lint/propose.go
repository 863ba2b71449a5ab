package lint

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// propose returns an edit for each line that could be better, in order.
func (m *mender) propose() []edit {
	l := &linter{Options: Options{Host: m.host}.withDefaults(), source: m.source, counts: map[Code]int{}}
	l.groups = l.source.groups()
	structural := l.proposeGroups()
	var edits []edit
	for i, at := range m.lines {
		if lines, ok := structural[i]; ok {
			edits = append(edits, edit{index: i, lines: lines, structural: at.isBlank() || at.Role == robots.RoleAgent ||
				at.Note == robots.ProblemOrphan})
			continue
		}
		e := edit{index: i, lines: repairer{host: m.host}.mend(at), safer: repairer{host: m.host, keep: true}.mend(at),
			structural: at.isAgentLike()}
		if e.lines != nil {
			e.lines, e.safer = withComment(e.lines, at.comment), withComment(e.safer, at.comment)
			if slices.Equal(e.lines, e.safer) {
				e.safer = nil
			}
			edits = append(edits, e)
		}
	}
	return edits
}

// withComment puts a comment behind the first of the lines.
func withComment(lines []string, comment string) []string {
	if comment == "" || len(lines) == 0 {
		return lines
	}
	lines = slices.Clone(lines)
	lines[0] += " " + comment
	return lines
}

// proposeGroups returns what should stand in place of lines, by index, because of how they stand together.
func (l *linter) proposeGroups() map[int][]string {
	edits := map[int][]string{}
	isOrphan := func(at line) bool { return at.Note == robots.ProblemOrphan }
	if i := slices.IndexFunc(l.lines, isOrphan); i >= 0 && !slices.ContainsFunc(l.lines[:i], line.isAgentLike) {
		edits[i] = []string{fieldAgent + ": *", l.lines[i].raw}
	}
	old := robots.Parse([]byte(l.text), robots.Std1994).Lines()
	for _, g := range l.groups {
		if len(g.rules) == 0 && slices.ContainsFunc(g.lines, line.mayBeRule) {
			continue // it was to say something, and what that is is for the owner to say
		}
		if len(g.rules) == 0 {
			last := g.agents[len(g.agents)-1]
			edits[last.Number-1] = []string{last.raw, fieldDisallow + ":"}
			continue
		}
		l.proposeJoins(g, old, edits)
		l.proposeDrops(g, edits)
	}
	return edits
}

// proposeJoins takes the blank lines away that part rules from their group, but not those that part names: what to do
// about a lost Disallow is the owner's decision.
func (l *linter) proposeJoins(g group, old []robots.Line, edits map[int][]string) {
	from := g.agents[len(g.agents)-1].Number // of the line above
	for _, at := range g.rules {
		i := at.Number - 1
		lost := at.Role == robots.RoleDisallow && i < len(old) && old[i].Note == robots.ProblemOrphan
		strange := slices.ContainsFunc(l.lines[from:i],
			func(at line) bool { return at.Role == robots.RoleOther || at.Role == robots.RoleInvalid })
		for j := from; j < i && lost && !strange; j++ {
			if l.lines[j].isBlank() {
				edits[j] = nil
			}
		}
		from = max(from, at.Number)
	}
}

// proposeDrops takes rules away that do nothing. Their comments stay.
func (l *linter) proposeDrops(g group, edits map[int][]string) {
	drop := func(at line) {
		edits[at.Number-1] = nil
		if at.comment != "" {
			edits[at.Number-1] = []string{at.comment}
		}
	}
	full := slices.ContainsFunc(g.rules, func(at line) bool { return at.Role == robots.RoleDisallow && at.Value != "" })
	for _, at := range g.rules {
		if full && at.Role == robots.RoleDisallow && at.Value == "" {
			drop(at)
		}
	}
	said := map[string]bool{}
	for _, r := range g.placed() {
		key := string(r.Role) + " " + r.pattern
		if said[key] && utf8Line(r.line) {
			drop(r.line)
		}
		said[key] = true
	}
}

// isAgentLike reports whether a line is a User-agent line or was meant to be one.
func (l line) isAgentLike() bool {
	if l.Role == robots.RoleAgent {
		return true
	}
	if l.code == "" || l.Role == robots.RoleAllow || l.Role == robots.RoleDisallow {
		return false
	}
	key, _, _ := strings.Cut(strings.ToLower(l.code), ":")
	return strings.Contains(key, "agent") || translation(key) == fieldAgent || wideColon(key) &&
		translation(strings.TrimSpace(key[:strings.IndexAny(key, "：﹕꞉")])) == fieldAgent
}

// namesLike returns all on a line that could be a name, in lower case: each word, and what a word begins with.
func (l line) namesLike() (names []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(l.code),
		func(c rune) bool { return strings.ContainsRune(" \t,;:\u00a0：", c) }) {
		switch word {
		case "user-agent", "useragent", "user", "agent", "disallow", "allow":
			continue
		}
		names = append(names, word)
		if n := tokenLen(word); n > 0 && n < len(word) {
			names = append(names, word[:n])
		}
	}
	return names
}

// mayBeRule reports whether a line that is no rule may have been meant for one.
func (l line) mayBeRule() bool {
	return l.Role == robots.RoleInvalid || l.Role == robots.RoleOther || l.Note != ""
}

// utf8Line reports whether a line needs no mending of its bytes.
func utf8Line(at line) bool { return encodeBytes(at.Value) == at.Value }
