package lint

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

const (
	maxPasses = 50      // of mending; a file that still changes then is left alone
	maxRounds = 40      // of withdrawing repairs, per pass
	maxWork   = 1 << 20 // bytes judged in the rounds after the first, per pass, if that makes fewer
	nameWork  = 100     // bytes that a User-agent line counts for in that
)

// Fix returns body with everything mended that can be mended without asking the owner, or body as it is when that is
// nothing. See the promises of the package. A web page and a file longer than robots.MaxBytes are not touched. Of the options
// the host counts: rules that are written as URLs are mended if they speak of it.
func Fix(body []byte, o Options) []byte {
	untouched := slices.Clone(body)
	if len(body) > robots.MaxBytes || (&linter{Options: o.withDefaults(), source: newSource(body), counts: map[Code]int{}}).checkHTML() {
		return untouched
	}
	text, now := tidy(body), newState(body)
	if text != string(body) {
		tidied := newState([]byte(text))
		p := prover{old: now, new: tidied, meant: func(int, string) bool { return false }}
		if p.prove(); !p.safe() {
			return untouched
		}
		now = tidied
	}
	for range maxPasses {
		m := &mender{source: newSource([]byte(text)), before: now, host: o.Host}
		next, then := m.settle(m.propose())
		next, then = mergeStars(next, then)
		if next == text {
			return settled(text, untouched)
		}
		text, now = next, then
	}
	return untouched
}

// settled returns text unless what it begins with would be taken off as a byte order mark, or it got too long.
func settled(text string, untouched []byte) []byte {
	if again, bom := decode([]byte(text)); bom != "" || again != text {
		return untouched
	}
	return []byte(text)
}

// tidy returns the text of a file with one kind of line end.
func tidy(body []byte) string {
	text, _ := decode(body)
	crlf := strings.Count(text, "\r\n")
	if crlf == strings.Count(text, "\n") && crlf == strings.Count(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// An edit puts other lines in the place of one.
type edit struct {
	index      int      // of the line
	lines      []string // without line ends
	safer      []string // to try if lines do harm; nil for none
	structural bool     // it may change whom the lines below speak to
}

// A mender finds out which edits of a file do no harm.
type mender struct {
	*source
	before *state
	host   string
	robots [][]string // whom lines are for, by index
}

// settle makes all of the edits, or those that are left when the ones that do harm are withdrawn. It returns the text and what
// robots make of it.
func (m *mender) settle(edits []edit) (string, *state) {
	for range m.rounds() {
		text, origins := m.apply(edits)
		if text == m.text {
			break
		}
		after := newState([]byte(text))
		p := prover{old: m.before, new: after, meant: func(line int, robot string) bool { return line > 0 && m.isFor(origins[line-1], robot) }}
		p.prove()
		if len(text) <= robots.MaxBytes && p.safe() {
			return text, after
		}
		edits = m.withdraw(edits, p.blamed(origins))
	}
	return m.text, m.before
}

// rounds returns how often repairs may be withdrawn.
func (m *mender) rounds() int {
	work := len(m.text) + 1
	for _, l := range m.lines {
		if l.Role == robots.RoleAgent {
			work += nameWork
		}
	}
	return min(maxRounds, 1+maxWork/work)
}

// blamed returns the indexes of the lines before at which faults were found; -1 is anywhere.
func (p *prover) blamed(origins []int) map[int]bool {
	blamed := map[int]bool{}
	for line := range p.oldLines {
		blamed[line-1] = true
	}
	for line := range p.newLines {
		if line == 0 {
			blamed[-1] = true
			continue
		}
		blamed[origins[line-1]] = true
	}
	return blamed
}

// withdraw returns the edits without those that are to blame. Where there is none at a line at fault, it is the one above that
// changed whom the line speaks to; and where there is none of that either, it may be any.
func (m *mender) withdraw(edits []edit, blamed map[int]bool) []edit {
	if len(edits) == 0 {
		return nil
	}
	guilty := map[int]bool{}
	for index := range blamed {
		i, found := slices.BinarySearchFunc(edits, index, func(e edit, index int) int { return e.index - index })
		if !found {
			for i--; i >= 0 && !edits[i].structural; {
				i--
			}
		}
		guilty[i] = true
	}
	if guilty[-1] {
		delete(guilty, -1)
		structural := slices.ContainsFunc(edits, func(e edit) bool { return e.structural })
		for i, e := range edits {
			if e.structural || !structural {
				guilty[i] = true
			}
		}
	}
	var left []edit
	for i, e := range edits {
		switch {
		case !guilty[i]:
			left = append(left, e)
		case e.safer != nil:
			left = append(left, edit{index: e.index, lines: e.safer, structural: e.structural})
		}
	}
	return left
}

// apply returns the text with the edits made, and from which line each of its lines comes, by index. The edits are sorted, and
// there is one per line.
func (m *mender) apply(edits []edit) (text string, origins []int) {
	var b strings.Builder
	newline := m.newline()
	for i, l := range m.lines {
		if len(edits) == 0 || edits[0].index != i {
			b.WriteString(l.raw + l.end)
			origins = append(origins, i)
			continue
		}
		for _, text := range edits[0].lines {
			b.WriteString(text + newline)
			origins = append(origins, i)
		}
		edits = edits[1:]
	}
	return b.String(), origins
}

// isFor reports whether a line was for a robot: the User-agent lines above it name it, or a part of it, however they are written.
// Below none it is for all.
func (m *mender) isFor(index int, robot string) bool {
	if m.robots == nil {
		m.robots = m.namesAbove()
	}
	robot = strings.ToLower(robot)
	return slices.ContainsFunc(m.robots[index], func(name string) bool { return name == "*" || strings.Contains(robot, name) })
}

// namesAbove returns for each line the names on the User-agent lines that it stands below, or among: those that no rule parts.
func (m *mender) namesAbove() [][]string {
	all := make([][]string, len(m.lines))
	names, parted := []string{"*"}, true
	for i, l := range m.lines {
		switch {
		case l.isAgentLike() && parted:
			names, parted = l.namesLike(), false
		case l.isAgentLike():
			names = append(names, l.namesLike()...)
		case l.isRule():
			parted = true
		}
		all[i] = names
	}
	return all
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
	return strings.Contains(key, "agent") || translation(key) == fieldAgent || wideColon(key) && translation(strings.TrimSpace(key[:strings.IndexAny(key, "：﹕꞉")])) == fieldAgent
}

// namesLike returns all on a line that could be a name, in lower case: each word, and what a word begins with.
func (l line) namesLike() (names []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(l.code), func(c rune) bool { return strings.ContainsRune(" \t,;:\u00a0：", c) }) {
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

// propose returns an edit for each line that could be better, in order.
func (m *mender) propose() []edit {
	l := &linter{Options: Options{Host: m.host}.withDefaults(), source: m.source, counts: map[Code]int{}}
	l.groups = l.source.groups()
	structural := l.proposeGroups()
	var edits []edit
	for i, at := range m.lines {
		if lines, ok := structural[i]; ok {
			edits = append(edits, edit{index: i, lines: lines, structural: at.isBlank() || at.Role == robots.RoleAgent || at.Note == robots.ProblemOrphan})
			continue
		}
		e := edit{index: i, lines: repairer{host: m.host}.mend(at), safer: repairer{host: m.host, keep: true}.mend(at), structural: at.isAgentLike()}
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

// mayBeRule reports whether a line that is no rule may have been meant for one.
func (l line) mayBeRule() bool {
	return l.Role == robots.RoleInvalid || l.Role == robots.RoleOther || l.Note != ""
}

// proposeJoins takes the blank lines away that part rules from their group, but not those that part names: what to do
// about a lost Disallow is the owner's decision.
func (l *linter) proposeJoins(g group, old []robots.Line, edits map[int][]string) {
	from := g.agents[len(g.agents)-1].Number // of the line above
	for _, at := range g.rules {
		i := at.Number - 1
		lost := at.Role == robots.RoleDisallow && i < len(old) && old[i].Note == robots.ProblemOrphan
		strange := slices.ContainsFunc(l.lines[from:i], func(at line) bool { return at.Role == robots.RoleOther || at.Role == robots.RoleInvalid })
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

// utf8Line reports whether a line needs no mending of its bytes.
func utf8Line(at line) bool { return encodeBytes(at.Value) == at.Value }

// mergeStars moves the rules of all groups that speak to * alone to the end of the first of them, if that does no harm.
func mergeStars(text string, now *state) (string, *state) {
	merged := mergedStars(newSource([]byte(text)))
	if merged == text || len(merged) > robots.MaxBytes {
		return text, now
	}
	after := newState([]byte(merged))
	p := prover{old: now, new: after, meant: func(int, string) bool { return false }}
	if p.prove(); !p.safe() {
		return text, now
	}
	return merged, after
}

func mergedStars(s *source) string {
	var stars []group
	for _, g := range s.groups() {
		if names := g.names(); len(names) == 1 && names[0] == "*" && len(g.rules) > 0 {
			stars = append(stars, g)
		}
	}
	if len(stars) < 2 {
		return s.text
	}
	target := stars[0].rules[len(stars[0].rules)-1].Number
	var moved, b strings.Builder
	gone := make([]bool, len(s.lines)+1) // by number
	for _, g := range stars[1:] {
		from, to := g.agents[0].Number, g.rules[len(g.rules)-1].Number
		for _, at := range s.lines[from-1 : to] {
			gone[at.Number] = true
			switch {
			case at.Role == robots.RoleAgent && at.comment != "":
				moved.WriteString(at.comment + s.newline())
			case at.Role != robots.RoleAgent && !at.isBlank():
				moved.WriteString(at.raw + s.newline())
			}
		}
		for above := from - 1; above > 0 && s.lines[above-1].isBlank() && (to == len(s.lines) || s.lines[to].isBlank()); above-- {
			gone[above] = true // the blank lines above go too
		}
	}
	for _, at := range s.lines {
		if !gone[at.Number] {
			b.WriteString(at.raw + at.end)
		}
		if at.Number == target {
			b.WriteString(moved.String())
		}
	}
	return b.String()
}

// newline returns the line end to write.
func (s *source) newline() string {
	if len(s.lines) > 0 && s.lines[0].end == "\r\n" {
		return "\r\n"
	}
	return "\n"
}
