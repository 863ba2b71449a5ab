package explain

import (
	"cmp"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// addAbove adds a line that stands above every group that RFC 9309 knows, and reports whether it says anything: in a group that
// begins with a line which only a leniency makes a User-agent line, a rule may close.
func (g *Group) addAbove(l robots.Line, d robots.Dialect) bool {
	says := lenientSentence(l, d)
	switch names := namesMended(l, d); {
	case len(names) > 0:
		says = g.addMended(l, names)
	case len(g.Mended) == 0:
		return false
	case l.Role == robots.RoleDisallow:
		l.Note = strings.TrimPrefix(l.Note, robots.ProblemOrphan) // to RFC 9309
		says = sentence(l, d)
	}
	if says == "" {
		return false
	}
	g.First = cmp.Or(g.First, l.Number)
	g.Rules, g.Last = append(g.Rules, Sentence{l.Number, textOf(l), says}), l.Number
	return true
}

// addMended adds the names in a line that only a leniency makes a User-agent line, and returns what the line means.
func (g *Group) addMended(l robots.Line, names []string) string {
	g.Mended = append(g.Mended, names...)
	return "Robots of RFC 9309 skip it; read leniently (" + l.Note + "), it names " + join(names, "and") +
		", and what the lines below it close is closed to " + who(names) + "."
}

// namesMended returns the names in a line that only a leniency makes a User-agent line: "User agent: x", "User-agent x".
func namesMended(l robots.Line, d robots.Dialect) []string {
	if l.Role != robots.RoleOther && l.Role != robots.RoleInvalid || l.Key == "" || l.Note == "" {
		return nil
	}
	return namesHeard(l.Key+": "+l.Value, d)
}

// namesHeard returns the names that the dialect hears in a User-agent line, some of them because of a leniency; "*" is the last.
func namesHeard(line string, d robots.Dialect) []string {
	f := robots.Parse([]byte(line+"\nDisallow: /\n"), d)
	names := f.Register().Names()
	if !f.Rules("").Test("/").Allowed {
		names = append(names, "*")
	}
	return names
}
