package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// An Explanation says what a file means.
type Explanation struct {
	Dialect  robots.Dialect `json:"dialect"`
	Digest   string         `json:"digest,omitempty"`
	Lines    int            `json:"lines"`
	Groups   []Group        `json:"groups"`
	Sitemaps []string       `json:"sitemaps,omitempty"`
	Unused   []Unused       `json:"unused,omitempty"` // lines that say nothing to the reader
	Products []Product      `json:"products,omitempty"`
}

// A Group is a group of the file.
type Group struct {
	Names []string `json:"names"` // as the dialect reads them, bytes that are no UTF-8 too; "*" is all robots that no group names
	// Listed are the later words of a list: what the group closes is closed to them, and nothing else changes for them (Cautious).
	Listed []string `json:"listed,omitempty"`
	// Mended are the names in lines that only a leniency makes User-agent lines: what stands below such a line is closed to them,
	// and nothing else changes for them (Cautious). A group without other names stands above all that RFC 9309 knows.
	Mended []string   `json:"mended,omitempty"`
	First  int        `json:"first_line"`
	Last   int        `json:"last_line"`
	Who    string     `json:"who"`
	Rules  []Sentence `json:"rules"`
}

// A Sentence says what one line means.
type Sentence struct {
	Line int    `json:"line"`
	Text string `json:"text"` // as written
	Says string `json:"says"`
}

// An Unused line has no meaning to the reader.
type Unused struct {
	Line int    `json:"line"`
	Text string `json:"text,omitempty"` // empty when it is no field
	Why  string `json:"why"`
}

// A Product is what the file means for one robot.
type Product struct {
	Name   string   `json:"name"`
	Group  string   `json:"group"`            // which groups it keeps to, in words
	Closed []string `json:"closed,omitempty"` // canonical patterns
	Open   []string `json:"open,omitempty"`   // canonical patterns that are exempt from Closed
	Says   string   `json:"says"`
	Delay  Delay    `json:"pace"`
	Paths  []Path   `json:"paths,omitempty"`
}

// A Delay is the pace that the file asks a product for.
type Delay struct {
	Seconds float64 `json:"seconds"` // between two requests; 0 when the file asks for none
	Line    int     `json:"line,omitempty"`
	Says    string  `json:"says"`
}

// A Path is what the file says of one path.
type Path struct {
	Path    string         `json:"path"`
	Verdict robots.Verdict `json:"-"`
	Allowed bool           `json:"allowed"`
	Line    int            `json:"line,omitempty"`
	Says    string         `json:"says"`
}

// File explains a file, what it means for the products, and what it says to them of the paths. Without paths those are
// taken that the rules themselves suggest, up to MaxSamples for each product.
func File(f *robots.File, products, paths []string) Explanation {
	lines := f.Lines()
	e := Explanation{Dialect: f.Dialect(), Digest: f.Digest(), Lines: len(lines), Sitemaps: f.Sitemaps()}
	var above Group
	for _, l := range lines {
		if l.Group > 0 || !above.addAbove(l, e.Dialect) {
			e.addLine(l)
		}
	}
	if len(above.Mended) > 0 {
		e.Groups = slices.Insert(e.Groups, 0, above)
	}
	for i := range e.Groups {
		g := &e.Groups[i]
		if g.Who = who(g.Names); len(g.Listed) > 0 {
			g.Who += "; what they close is closed to " + join(g.Listed, "and") + " too"
		}
		if len(g.Mended) > 0 {
			g.Who += "; some of what they close is closed to " + who(g.Mended) + " too"
		}
	}
	for _, name := range products {
		e.Products = append(e.Products, e.product(f, name, paths))
	}
	return e
}

// MaxSamples is the number of sample paths that File takes from the rules.
const MaxSamples = 12

// addLine puts a line into its group.
func (e *Explanation) addLine(l robots.Line) {
	text := textOf(l)
	if why := unused(l); why != "" {
		e.Unused = append(e.Unused, Unused{l.Number, text, why})
	}
	if l.Group == 0 {
		return
	}
	if l.Group > len(e.Groups) {
		e.Groups = append(e.Groups, Group{First: l.Number})
	}
	g := &e.Groups[len(e.Groups)-1]
	switch l.Role {
	case robots.RoleAgent:
		g.addNames(l, e.Dialect)
	case robots.RoleAllow, robots.RoleDisallow:
		g.Rules = append(g.Rules, Sentence{l.Number, text, sentence(l, e.Dialect)})
	case robots.RolePace, robots.RolePreference:
		g.Rules = append(g.Rules, Sentence{l.Number, text, fieldSentence(l)})
	default:
		says := otherSentence(l, e.Dialect)
		if names := namesMended(l, e.Dialect); len(names) > 0 {
			says = g.addMended(l, names)
		}
		if says == "" {
			return
		}
		g.Rules = append(g.Rules, Sentence{l.Number, text, says})
	}
	g.Last = l.Number
}

// textOf returns a field as it was written, apart from blanks and comment; nothing when the line is no field.
func textOf(l robots.Line) string {
	switch {
	case l.Key == "":
		return ""
	case l.Role == robots.RoleInvalid: // the colon is missing
		return strings.ToValidUTF8(l.Key+" "+l.Value, "\ufffd")
	}
	return strings.TrimSpace(strings.ToValidUTF8(l.Key+": "+l.Value, "\ufffd"))
}

// addNames adds the names of a User-agent line as the dialect reads them: all words in Std1994; else the first, and in Cautious the
// others as Listed, for what is closed.
func (g *Group) addNames(l robots.Line, d robots.Dialect) {
	words := strings.FieldsFunc(l.Value, func(c rune) bool { return c == ' ' || c == '\t' || c == ',' && d == robots.Cautious })
	switch {
	case len(words) == 0:
	case d == robots.Std1994:
		g.Names = append(g.Names, words...)
	case d == robots.Cautious && strings.Contains(l.Note, robots.LenientNameList):
		g.Names = append(g.Names, words[0])
		for _, name := range namesHeard("User-agent: "+l.Value, d) {
			if name != words[0] && !speak(withoutStar(words[:1]), name, robots.RFC9309) {
				g.Listed = append(g.Listed, name)
			}
		}
	case len(words) > 1 && words[0] == "*":
		g.Names = append(g.Names, "*")
	default:
		g.Names = append(g.Names, l.Value)
	}
}

// unused says why a line has no meaning; empty when it has one.
func unused(l robots.Line) string {
	switch {
	case l.Role == robots.RoleCut:
		return "it lies beyond the first 500 KiB"
	case l.Note == robots.ProblemNoColon:
		return "it has no colon"
	case l.Note == robots.ProblemControl:
		return "a control character spoils it"
	case l.Note == robots.ProblemOrphan:
		return "it stands before any User-agent line, or behind the end of its group"
	case l.Note == robots.ProblemPath:
		return "its path cannot be one"
	case l.Note == robots.ProblemLongLine:
		return "it is too long to be trusted"
	case l.Note == robots.ProblemAgent:
		return "it names nobody"
	case l.Role == robots.RoleOther && l.Note == "" && !isCleanParam(l):
		return "robots do not know the field"
	}
	return ""
}

// who says who keeps to a group of those names.
func who(names []string) string {
	var named []string
	all, seen := false, map[string]bool{}
	for _, name := range names {
		if low := strings.ToLower(name); name == "*" {
			all = true
		} else if !seen[low] {
			seen[low] = true
			named = append(named, name)
		}
	}
	switch {
	case all && len(named) > 0:
		return join(named, "and") + ", and every robot that no group names"
	case all:
		return "every robot that no group names"
	case len(named) > 0:
		return join(named, "and")
	}
	return "nobody"
}

// join writes a list in words. Names may hold bytes that are no UTF-8.
func join(items []string, last string) string {
	text := strings.Join(items, ", ")
	if n := len(items); n > 1 {
		text = strings.Join(items[:n-1], ", ") + " " + last + " " + items[n-1]
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// product explains what the file means for one robot.
func (e *Explanation) product(f *robots.File, name string, paths []string) Product {
	heard := roster.NewRegister(f).HeardAs(name)
	rules := f.Rules(heard)
	p := Product{Name: name, Group: e.groupOf(heard, f.Dialect())}
	if heard != name {
		p.Group = "it is not named, and obeys what is said to " + heard + ", as its maker says: " +
			strings.TrimPrefix(p.Group, "it is named: ")
	}
	for _, r := range rules.List() {
		if r.Allow {
			p.Open = append(p.Open, r.Pattern)
		} else {
			p.Closed = append(p.Closed, r.Pattern)
		}
	}
	p.Says = summary(rules, p.Closed, p.Open)
	p.Delay = delayOf(rules)
	if len(paths) == 0 {
		paths = samples(rules.List())
	}
	for _, path := range paths {
		p.Paths = append(p.Paths, pathOf(rules, path))
	}
	return p
}

// groupOf says which groups speak to a product, and why.
func (e *Explanation) groupOf(name string, d robots.Dialect) string {
	var own, listed, part, all, listedAll, mended, mendedAll []string
	for _, g := range e.Groups {
		place := fmt.Sprintf("lines %d to %d", g.First, g.Last)
		switch named := withoutStar(g.Names); {
		case speak(named, name, robots.RFC9309), d == robots.Std1994 && speak(named, name, d):
			own = append(own, place)
		case speak(withoutStar(g.Listed), name, robots.RFC9309):
			listed = append(listed, place)
		case slices.Contains(g.Listed, "*"):
			listedAll = append(listedAll, place)
		case speak(named, name, d):
			part = append(part, place)
		}
		if speak(withoutStar(g.Mended), name, d) {
			mended = append(mended, place)
		} else if slices.Contains(g.Mended, "*") {
			mendedAll = append(mendedAll, place)
		}
		if speak(g.Names, "", robots.RFC9309) || speak(g.Names, "", d) {
			all = append(all, place)
		}
	}
	if len(own) == 0 && len(listed) == 0 && len(mended) == 0 {
		listed, mended = listedAll, mendedAll
	}
	says := "no group speaks to it"
	switch {
	case len(own) > 0:
		says = "it is named: " + join(own, "and") + " hold for it"
	case len(all) > 0:
		says = "it is not named: " + join(all, "and") + " (*) hold for it"
	}
	switch {
	case len(mended) > 0:
		return says + "; some of what " + join(append(listed, mended...), "and") +
			" close is closed to it as well, for a line that RFC 9309 skips names it"
	case len(listed) > 0:
		return says + "; what " + join(listed, "and") +
			" close is closed to it as well, for it stands in a list of names, or within marks"
	case len(part) > 0 && len(own) == 0:
		return says + "; what " + join(part, "and") + " close is closed to it as well, for a part of its name stands there"
	case len(own) > 0:
		return says + ", and nothing else"
	}
	return says
}

// withoutStar returns the names that are of one robot.
func withoutStar(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "*" })
}

// speak reports whether a group of those names speaks to a product; the empty one is not named by any.
func speak(names []string, product string, d robots.Dialect) bool {
	if len(names) == 0 {
		return false
	}
	group := "User-agent: " + strings.Join(names, "\nUser-agent: ") + "\nDisallow: /\n"
	return !robots.Parse([]byte(group), d).Rules(product).Test("/").Allowed
}

// delayOf says how fast a robot may go.
func delayOf(rules *robots.Rules) Delay {
	d, line := rules.Delay()
	if line == 0 {
		return Delay{Says: "The file asks for no particular pace." + visitSentence(rules)}
	}
	seconds := d.Seconds()
	says := fmt.Sprintf("At most one request every %s (line %d).", d.Round(time.Millisecond), line)
	if seconds == 0 {
		says = fmt.Sprintf("No pause is asked for (line %d).", line)
	}
	return Delay{seconds, line, says + visitSentence(rules)}
}

// pathOf says what becomes of a path.
func pathOf(rules *robots.Rules, path string) Path {
	v := rules.Test(path)
	p := Path{Path: path, Verdict: v, Allowed: v.Allowed, Line: v.Line}
	word := "may not be visited"
	if v.Allowed {
		word = "may be visited"
	}
	switch v.Reason {
	case robots.ReasonRule:
		p.Says = fmt.Sprintf("%s %s: line %d says %s", path, word, v.Line, v.Rule)
		if v.Leniency != "" {
			p.Says += ", read leniently (" + v.Leniency + ")"
		}
	case robots.ReasonNoRule:
		p.Says = path + " " + word + ": no rule matches it"
	case robots.ReasonNoGroup:
		p.Says = path + " " + word + ": no group speaks to this robot"
	case robots.ReasonRobotsTxt:
		p.Says = path + " " + word + ": robots.txt always may"
	default:
		p.Says = path + " " + word + ": " + string(v.Reason)
	}
	p.Says += "."
	return p
}
