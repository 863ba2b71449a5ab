package audit

import (
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// A reading is one way in which a robot may honestly read a copy of robots.txt.
type reading struct {
	name  string // of the way, for evidence
	rules *robots.Rules
	delay time.Duration // that the groups ask for which speak to it in this reading, and no others
	line  int           // of that
}

// Names of readings.
const (
	readingRFC    = "RFC 9309"
	reading1994   = "the standard of 1994"
	readingLists  = "lists of names"
	readingNamed  = "groups that name it only"
	readingBlank  = "blank lines between records"
	maxNameParts  = 8            // names in robots.txt that are parts of a robot's
	thisRobot     = "this-robot" // stands for its names, of which not all are product tokens
	otherRobot    = "other-robot"
	readingPart   = "the name "
	readingClosed = "robots.txt could not be had"
)

// names are those by which a robot may look for its groups.
type names struct {
	token     string
	also      []string // other names of the same robot, in lower case
	fallbacks []string // names that it obeys where none of its own stands
	hearsAll  bool     // groups for all robots speak to it
}

// readings returns the ways to read a copy, RFC 9309 first; those that come to the same are left out.
func (n names) readings(c Copy) []reading {
	switch {
	case c.Closed:
		return []reading{{name: readingClosed, rules: robots.DenyAll(robots.ReasonUnreachable)}}
	case c.File == nil:
		return []reading{{name: readingRFC, rules: robots.AllowAll(robots.ReasonUnavailable)}}
	}
	lines := c.File.Lines()
	strict := n.selecting(lines, readingRFC, n.isNamed)
	strict.rules = c.File.Rules(n.token)
	list := []reading{strict}
	add := func(name string, means func(value string) bool) {
		list = append(list, n.selecting(lines, name, means))
	}
	named := slices.ContainsFunc(lines, func(l robots.Line) bool {
		return l.Role == robots.RoleAgent && n.isNamed(l.Value)
	})
	if !n.hearsAll && !named {
		list = append(list, reading{name: readingNamed, rules: robots.AllowAll(robots.ReasonNoGroup)})
	}
	if parted := parted(lines); parted != nil {
		list = append(list, n.selecting(parted, readingBlank, n.isNamed))
	}
	lists, parts := agentWords(lines)
	if lists {
		add(readingLists, func(value string) bool { return slices.ContainsFunc(splitNames(value), n.isOwn) })
	}
	lower := strings.ToLower(n.token)
	for _, p := range parts {
		isPart := !(named && p == lower) && strings.Contains(lower, p) && len(list) < maxNameParts
		if isPart || slices.Contains(n.also, p) || slices.Contains(n.fallbacks, p) {
			add(readingPart+p, func(value string) bool { return slices.Contains(splitNames(value), p) })
		}
	}
	old := robots.Parse([]byte(rebuilt(lines, func(l robots.Line) string { return l.Value })), robots.Std1994)
	return append(list, reading{name: reading1994, rules: old.Rules(n.token), delay: strict.delay, line: strict.line})
}

// isNamed reports whether the value of a user-agent line names the robot: by the token that it begins with, or by the word, which
// is what a robot looks for whose name is no token, as MJ12bot's.
func (n names) isNamed(value string) bool {
	word := value
	if end := strings.IndexAny(value, " \t/*,"); end >= 0 {
		word = value[:end]
	}
	return strings.EqualFold(leading(value), n.token) || strings.EqualFold(word, n.token)
}

func (n names) isOwn(name string) bool {
	return name == strings.ToLower(n.token) || slices.Contains(n.also, name)
}

// selecting returns the reading in which the groups speak to the robot whose user-agent lines mean it, or else those for all.
func (n names) selecting(lines []robots.Line, name string, means func(value string) bool) reading {
	isAgent := func(l robots.Line) bool { return l.Role == robots.RoleAgent }
	heard := slices.ContainsFunc(lines, func(l robots.Line) bool { return isAgent(l) && means(l.Value) })
	first := slices.IndexFunc(lines, isAgent)
	if first < 0 {
		return reading{name: name, rules: robots.AllowAll(robots.ReasonNoGroup)}
	}
	text := strings.Repeat("\n", first) + rebuilt(lines[first:], func(l robots.Line) string {
		switch {
		case !isAgent(l):
			return l.Value
		case means(l.Value):
			return thisRobot
		case !heard && leading(l.Value) == "*":
			return "*"
		}
		return otherRobot
	})
	r := reading{name: name, rules: robots.Parse([]byte(text), robots.RFC9309).Rules(thisRobot)}
	r.delay, r.line = r.rules.Delay()
	return r
}

// rebuilt writes lines as they were, but for comments and the values that value changes. Line numbers stay.
func rebuilt(lines []robots.Line, value func(robots.Line) string) string {
	var b strings.Builder
	for _, l := range lines {
		switch {
		case l.Role == robots.RoleBlank || l.Role == robots.RoleCut:
		case l.Key == "":
			b.WriteString("#")
		default:
			b.WriteString(l.Key + ": " + value(l))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// parted returns lines in which a blank line behind a pace ends the names of its group, as it did in 1994; nil when there is none.
// To RFC 9309 a pace is no rule, so that names before and behind it share a group.
func parted(lines []robots.Line) (list []robots.Line) {
	for i := 1; i < len(lines); i++ {
		if lines[i].Role == robots.RoleBlank && lines[i-1].Role == robots.RolePace {
			if list == nil {
				list = slices.Clone(lines)
			}
			list[i].Role, list[i].Key, list[i].Value = robots.RoleDisallow, "Disallow", ""
		}
	}
	return list
}

// agentWords returns the names in user-agent lines, in lower case, and whether there are lists of them.
func agentWords(lines []robots.Line) (lists bool, words []string) {
	for _, l := range lines {
		if l.Role != robots.RoleAgent {
			continue
		}
		found := splitNames(l.Value)
		lists = lists || len(found) > 1
		for _, w := range found {
			if w != "*" && !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return lists, words
}

// splitNames returns the names in the value of a user-agent line, in lower case and without versions.
func splitNames(value string) (list []string) {
	for w := range strings.FieldsFuncSeq(strings.ToLower(value), func(r rune) bool { return strings.ContainsRune(" \t,;", r) }) {
		if w, _, _ = strings.Cut(w, "/"); w != "" {
			list = append(list, w)
		}
	}
	return list
}

// leading returns the product token that a value begins with, as RFC 9309 section 2.2.1 has it, or * for all.
func leading(value string) string {
	if strings.HasPrefix(value, "*") {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
	})
	if end < 0 {
		return value
	}
	return value[:end]
}

// excused returns the name of a reading that allows what the first forbids; empty when none does.
func excused(list []reading, path string) string {
	for _, r := range list[1:] {
		if r.rules.Test(path).Allowed {
			return r.name
		}
	}
	return ""
}

// said names the readings, all of which forbid.
func said(list []reading) string {
	var names []string
	for _, r := range list {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// owed returns the shortest pause that a reading asks for: 0 if one of them asks for none.
func owed(list []reading) (d time.Duration, line int) {
	d, line = list[0].delay, list[0].line
	for _, r := range list[1:] {
		if r.delay < d {
			d, line = r.delay, r.line
		}
	}
	return d, line
}
