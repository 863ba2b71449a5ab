package compose

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// A textLine is a line of a file with what robots.Line leaves out.
type textLine struct {
	robots.Line
	text      string // without comment and blanks around
	comment   string // what follows "#"
	commented bool
	doubtful  bool   // a rule before the first user-agent line, but after a field that some robots may read as one
	pattern   string // of a rule in a fragment: its path in canonical form, from the top of the site
}

// readText reads the lines of a file as Cautious does, which notes everything that is not plain.
func readText(body []byte) []textLine {
	file := robots.Parse(body, robots.Cautious)
	lines, rest := file.Lines(), file.Text()
	all := make([]textLine, len(lines))
	other := false
	for i, l := range lines {
		var raw string
		raw, rest = cutLine(rest)
		text, comment, commented := strings.Cut(raw, "#")
		all[i] = textLine{Line: l, text: strings.Trim(text, " \t"), comment: strings.TrimRight(comment, " \t"),
			commented: commented, doubtful: other && l.Note == robots.ProblemOrphan}
		other = other || l.Role == robots.RoleOther
	}
	return all
}

// cutLine cuts the first line off a text. Lines end with CR, LF or CRLF.
func cutLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest
}

// mended reports whether a leniency makes something of the line that RFC 9309 does not see.
func (l textLine) mended() bool {
	switch l.Note {
	case "", robots.ProblemNoColon, robots.ProblemControl, robots.ProblemOrphan, robots.ProblemPath, robots.ProblemLongLine,
		robots.ProblemAgent:
		return false
	}
	return true
}

// isRule reports whether the line is an Allow or a Disallow, good or bad.
func (l textLine) isRule() bool { return l.Role == robots.RoleAllow || l.Role == robots.RoleDisallow }

// insertBeforeParts appends one, or puts it before the first whose name is a part of its own: some robots take the first group with
// a name that is a part of theirs.
func insertBeforeParts[T any](list []T, one T, name func(T) string) []T {
	lower := strings.ToLower(name(one))
	i := slices.IndexFunc(list, func(other T) bool { return strings.Contains(lower, strings.ToLower(name(other))) })
	if i < 0 {
		return append(list, one)
	}
	return slices.Insert(list, i, one)
}

// groupsOf puts names together whose bodies are the same, by index: the first occurrences keep their order, and no name comes
// before a longer one with another body that it is a part of.
func groupsOf(names, bodies []string) (groups [][]int) {
	done := make([]bool, len(names))
	for i := range names {
		if done[i] {
			continue
		}
		var group, others []int // what stands between and has another body
		for j := i; j < len(names); j++ {
			partOf := func(other int) bool {
				return strings.Contains(strings.ToLower(names[other]), strings.ToLower(names[j]))
			}
			switch {
			case done[j]:
			case bodies[j] == bodies[i] && !slices.ContainsFunc(others, partOf):
				group, done[j] = append(group, j), true
			default:
				others = append(others, j)
			}
		}
		groups = append(groups, group)
	}
	return groups
}

func notToken(c rune) bool {
	return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_'
}
