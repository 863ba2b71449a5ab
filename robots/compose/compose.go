package compose

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// Options says how Compose works. The zero value is usable.
type Options struct {
	// Stricter leaves out an Allow that opens what another fragment forbids. Otherwise there is no result then.
	Stricter bool
}

// nearLimit is the size from which a file is called large.
const nearLimit = robots.MaxBytes * 9 / 10

// A Conflict is two rules for the same robot of which one allows what the other, in another fragment, forbids.
type Conflict struct {
	Robot    string  `json:"robot"` // "*" for those that no group names
	Allow    Place   `json:"allow"`
	Disallow Place   `json:"disallow"`
	Path     string  `json:"path,omitempty"` // on which they meet; empty if none was found
	Outcome  Outcome `json:"outcome"`
}

// An Outcome says what becomes of a Conflict.
type Outcome string

// The outcomes of conflicts.
const (
	// Closed: the Disallow decides anyway.
	Closed Outcome = "closed"
	// Dropped: the Allow would decide, and is left out: by Options.Stricter, or because the one fragment speaks of the robot
	// by name and the other one does not.
	Dropped Outcome = "dropped"
	// Open: the Allow would decide, and people have to settle that. There is no result.
	Open Outcome = "open"
)

// A Place is a line of a fragment.
type Place struct {
	File string
	Line int
	Text string // as it stands in the result
}

// String returns FILE:LINE: TEXT.
func (p Place) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text) }

// MarshalText returns the same.
func (p Place) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Composed is what became of some fragments.
type Composed struct {
	Text      []byte   // nil if there are Problems, or Conflicts that count
	Fragments []string // the files
	Robots    []string // the names in the result
	Problems  []Problem
	Conflicts []Conflict
	Warnings  []string
	Tried     int // paths on which the result was compared with the fragments, for each robot
}

// Compose makes one robots.txt of the fragments in a directory that mirrors the site: a fragment in the subdirectory team
// speaks for what is below /team/ and for nothing else. A path in it is relative to that, or begins with /team/.
//
// The result means what the fragments mean: a page is open to a robot if every fragment leaves it open to that robot, read
// on its own. So a robot that one fragment names gets, from those that do not name it, what they say to "*": RFC 9309
// section 2.2.1 would have it obey its own group only. If its maker says that it obeys the name of another robot where its own
// does not stand, as Googlebot-News does that of Googlebot, it gets what they say to that. The result is read again and compared
// with the fragments, and the error says so if that fails. It depends on nothing but the fragments.
//
// The error is otherwise that of the file system, or that there are no fragments.
func Compose(dir fs.FS, o Options) (*Composed, error) {
	fragments, problems, err := readFragments(dir)
	if err != nil {
		return nil, err
	}
	if len(fragments) == 0 {
		return nil, fmt.Errorf("no fragments: %w", fs.ErrNotExist)
	}
	c := &Composed{Problems: problems}
	for _, f := range fragments {
		c.Fragments = append(c.Fragments, f.name)
	}
	if len(problems) > 0 {
		return c, nil
	}
	policies := policiesOf(fragments)
	for _, p := range policies {
		c.Robots = append(c.Robots, p.name)
		c.Conflicts = append(c.Conflicts, p.conflicts(o.Stricter)...)
	}
	if c.has(Open) {
		return c, nil
	}
	text := render(fragments, policies)
	if len(text) > robots.MaxBytes {
		c.Problems = append(c.Problems,
			Problem{File: "the result", Text: fmt.Sprintf("takes %d bytes, and robots read %d", len(text), robots.MaxBytes)})
		return c, nil
	}
	if len(text) > nearLimit {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d bytes, and robots read only the first %d", len(text), robots.MaxBytes))
	}
	if c.Tried, err = verify(text, fragments, c.has(Dropped)); err != nil {
		return nil, err
	}
	c.Text = text
	return c, nil
}

func (c *Composed) has(o Outcome) bool {
	return slices.ContainsFunc(c.Conflicts, func(c Conflict) bool { return c.Outcome == o })
}

// A policy is all that the fragments say to one robot.
type policy struct {
	name  string
	parts []part
}

// A part is what one fragment says to it.
type part struct {
	from  *fragment
	by    string // the name under which it does: the robot's, one that it obeys where its own does not stand, or "*"
	lines []textLine
}

// policiesOf returns a policy for each robot that some fragment names, in the order in which they occur, but before those of whose
// names a part is named, too, and last the one for "*": some robots take the first group that fits.
func policiesOf(fragments []*fragment) (all []*policy) {
	said := map[*fragment]map[string][]textLine{}
	var names []string
	written := map[string]string{} // names, as they are written where they stand first, by what they are in lower case
	for _, f := range fragments {
		said[f] = map[string][]textLine{}
		all, _ := sections(f.lines, math.MaxInt)
		for _, s := range all {
			said[f][s.name] = s.lines
			if written[s.name] != "" {
				continue
			}
			written[s.name] = strings.TrimSpace(s.agent[strings.IndexByte(s.agent, ':')+1:])
			if s.name != "*" {
				names = insertBeforeParts(names, written[s.name], func(name string) string { return name })
			}
		}
	}
	if written["*"] != "" {
		names = append(names, "*")
	}
	for _, name := range names {
		p := &policy{name: name}
		for _, f := range fragments {
			isNamed := func(name string) bool { _, ok := said[f][strings.ToLower(name)]; return ok }
			by := strings.ToLower(roster.Known().Find(name).HeardAs(name, isNamed))
			if lines, ok := said[f][by]; ok {
				p.parts = append(p.parts, part{f, written[by], slices.Clone(lines)})
			} else if lines, ok := said[f]["*"]; ok {
				p.parts = append(p.parts, part{f, "*", slices.Clone(lines)})
			}
		}
		all = append(all, p)
	}
	return all
}

// conflicts finds the conflicts, and takes out each Allow that one of them drops. A fragment that does not name the robot
// gives way to one that does: its Allow made an exception from its own rules, and was no word on this robot.
func (p *policy) conflicts(drop bool) (found []Conflict) {
	for i := range p.parts {
		a := &p.parts[i]
		a.lines = slices.DeleteFunc(a.lines, func(l textLine) bool {
			if l.Role != robots.RoleAllow || l.Value == "" {
				return false
			}
			of, dropped := p.conflictsOf(i, l, drop)
			found = append(found, of...)
			return dropped
		})
	}
	return found
}

// conflictsOf finds the conflicts of an Allow of the part with that index, and reports whether one of them drops it.
func (p *policy) conflictsOf(i int, allow textLine, drop bool) (found []Conflict, dropped bool) {
	a := &p.parts[i]
	for j := range p.parts {
		if j == i {
			continue
		}
		for _, c := range p.parts[j].against(a.from, allow) {
			if c.Outcome == Open && (drop || a.by != p.parts[j].by && p.parts[j].by == p.name) {
				c.Outcome, dropped = Dropped, true
			}
			c.Robot = p.name
			found = append(found, c)
		}
	}
	return found, dropped
}

// against returns the rules of a part that forbid what an Allow of another fragment allows.
func (b *part) against(from *fragment, allow textLine) (found []Conflict) {
	r := rule{allow: true, pattern: allow.pattern}
	whole := r.pattern == robots.CanonicalPattern(from.scope) // says no more than what holds without it
	for _, l := range b.lines {
		if l.Role != robots.RoleDisallow || l.Value == "" {
			continue
		}
		d := rule{pattern: l.pattern}
		path, ok := meet(r.pattern, d.pattern)
		if !ok || r.beats(d) && b.rescues(r, d) || !r.beats(d) && whole {
			continue
		}
		c := Conflict{
			Allow:    Place{from.name, allow.Number, allow.text},
			Disallow: Place{b.from.name, l.Number, l.text},
			Path:     path, Outcome: Closed,
		}
		if r.beats(d) {
			c.Outcome = Open
		}
		found = append(found, c)
	}
	return found
}

// rescues reports whether the fragment itself allows all that r does in spite of d.
func (b *part) rescues(r, d rule) bool {
	return slices.ContainsFunc(b.lines, func(l textLine) bool {
		if l.Role != robots.RoleAllow || l.Value == "" {
			return false
		}
		own := rule{allow: true, pattern: l.pattern}
		return own.beats(d) && covers(own.pattern, r.pattern)
	})
}

// render writes the file.
func render(fragments []*fragment, policies []*policy) []byte {
	var b strings.Builder
	if one := fragments[0].name; len(fragments) == 1 {
		fmt.Fprintf(&b, "# Composed from %s. Edit that, not this file.\n", oneLine(one))
	} else {
		fmt.Fprintf(&b, "# Composed from %d files. Edit those, not this one.\n", len(fragments))
	}
	for _, f := range fragments {
		var head []textLine
		for g := range groups(f.lines) {
			if len(g.agents) == 0 {
				head = append(head, g.lines...)
			}
		}
		writeFrom(&b, f.name, head)
	}
	names, bodies := make([]string, len(policies)), make([]string, len(policies))
	for i, p := range policies {
		names[i], bodies[i] = p.name, p.body()
	}
	for _, group := range groupsOf(names, bodies) {
		b.WriteByte('\n')
		for _, i := range group {
			b.WriteString("User-agent: " + names[i] + "\n")
		}
		b.WriteString(bodies[group[0]])
	}
	b.WriteString(renderSitemaps(fragments))
	return []byte(b.String())
}

// body writes what follows the names.
func (p *policy) body() string {
	var b strings.Builder
	rules := false
	for _, part := range p.parts {
		var lines []textLine
		for _, l := range part.lines {
			if l.isRule() && l.Value == "" {
				continue // says that there is no rule
			}
			rules = rules || l.isRule()
			lines = append(lines, l)
		}
		from := part.from.name
		switch part.by {
		case p.name:
		case "*":
			from += ", for every robot that it does not name"
		default:
			from += ", which says it to " + part.by
		}
		writeFrom(&b, from, lines)
	}
	if !rules {
		b.WriteString("Disallow:\n")
	}
	return b.String()
}

// writeFrom writes lines below a comment that says where they are from.
func writeFrom(b *strings.Builder, from string, lines []textLine) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "# from %s\n", oneLine(from))
	for _, l := range lines {
		b.WriteString(l.text)
		if l.comment != "" {
			b.WriteString(" #" + oneLine(l.comment))
		}
		b.WriteByte('\n')
	}
}

// oneLine makes a text fit for a comment, whatever a file is called.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' {
			return '?'
		}
		return c
	}, s)
}

func renderSitemaps(fragments []*fragment) string {
	var b strings.Builder
	said := map[string]bool{}
	for _, f := range fragments {
		var lines []textLine
		for _, l := range f.lines {
			if l.Role == robots.RoleSitemap && !said[l.Value] {
				said[l.Value] = true
				lines = append(lines, l)
			}
		}
		if len(lines) > 0 && b.Len() == 0 {
			b.WriteByte('\n')
		}
		writeFrom(&b, f.name, lines)
	}
	return b.String()
}

// verify reads a result again and compares it with the fragments, each read on its own: for every robot, one that is not
// named among them, on paths around all patterns of all of them. If lines were left out, the result may only be stricter.
func verify(text []byte, fragments []*fragment, stricter bool) (tried int, err error) {
	bodies := [][]byte{text}
	for _, f := range fragments {
		var b strings.Builder
		writeLines(&b, f.lines)
		bodies = append(bodies, []byte(b.String()))
	}
	paths := Samples(bodies...)
	for _, d := range []robots.Dialect{robots.RFC9309, robots.Cautious} {
		files := make([]roster.Register, len(bodies))
		for i, body := range bodies {
			files[i] = roster.NewRegister(robots.Parse(body, d))
		}
		for _, products := range robots.Audiences(append(namesIn(files...), ""), files...) {
			name := products[0]
			if path := firstUnlike(files, name, paths, stricter); path != "" {
				return 0, fmt.Errorf("the result does not say of %s to %q what the fragments say (as %v); nothing is composed",
					path, name, d)
			}
		}
	}
	return len(paths), nil
}

// firstUnlike returns a path on which the first file is not as strict as the others together; empty when there is none.
func firstUnlike(files []roster.Register, name string, paths []string, stricter bool) string {
	rules := make([]*robots.Rules, len(files))
	for i, f := range files {
		rules[i] = f.Rules(name)
	}
	closed := func(r *robots.Rules, path string) bool { return !r.Test(path).Allowed }
	for _, path := range paths {
		want := slices.ContainsFunc(rules[1:], func(r *robots.Rules) bool { return closed(r, path) })
		if got := closed(rules[0], path); got != want && !(got && stricter) {
			return path
		}
	}
	return ""
}
