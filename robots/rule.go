package robots

import (
	"cmp"
	"slices"
)

// A Rule is one of the rules that speak to a robot.
type Rule struct {
	Allow    bool
	Pattern  string // in canonical form: "*" and a "$" at the end are special, what they would be as text is percent-encoded
	Line     int
	Text     string // the line as written, as in a Verdict
	Leniency string // what made a rule of the line, as in a Verdict
}

// List returns the rules in the order of their lines. Rules that match nothing (empty ones) are not among them, and of
// those with the same literal pattern only the one that counts. The slice belongs to the caller; nil Rules have none.
func (r *Rules) List() []Rule {
	if r == nil {
		return nil
	}
	var list []Rule
	for i := range r.index.nodes {
		n := &r.index.nodes[i]
		if n.literal != nil {
			list = append(list, n.literal.export())
		}
		for _, p := range n.special {
			list = append(list, p.export())
		}
	}
	slices.SortStableFunc(list, func(a, b Rule) int { return cmp.Compare(a.Line, b.Line) })
	return list
}

func (p *pattern) export() Rule {
	text := string(p.prefix) + string(p.tail)
	if p.anchored {
		text += "$"
	}
	return Rule{Allow: p.allow, Pattern: text, Line: p.line, Text: p.text, Leniency: p.leniency}
}

// CanonicalPattern returns the form of a path pattern in which two patterns are equal if they match the same way, and
// whose length decides (RFC 9309 section 2.2.2). It is the Pattern of a Rule outside of Std1994.
func CanonicalPattern(pattern string) string {
	return string(appendPattern(make([]byte, 0, len(pattern)+16), pattern, false))
}
