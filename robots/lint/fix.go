package lint

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

const (
	maxPasses = 50      // of mending; a file that still changes then is left alone
	maxProofs = 64      // per pass
	maxWork   = 8 << 20 // bytes read per proof
)

// Fix returns body with everything mended that can be mended without asking the owner, or body as it is when that is
// nothing. See the promises of the package. A web page and a file longer than robots.MaxBytes are not touched.
func Fix(body []byte) []byte {
	untouched := slices.Clone(body)
	if len(body) > robots.MaxBytes || (&linter{Options: Options{}.withDefaults(), source: newSource(body), counts: map[Code]int{}}).checkHTML() {
		return untouched
	}
	text := tidy(body)
	for range maxPasses {
		next := mendText(text)
		if next == text {
			return settle(text, untouched)
		}
		text = next
	}
	return untouched
}

// settle returns text unless what it begins with would be taken off as a byte order mark, or it got too long.
func settle(text string, untouched []byte) []byte {
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
	index int      // of the line
	lines []string // without line ends
	safer []string // to try if lines open something; nil for none
}

// mendText makes one pass over a file.
func mendText(text string) string {
	s := newSource([]byte(text))
	m := &mender{source: s, prover: newProver(text), proofs: maxProofs}
	m.settle(m.propose())
	text = m.apply(m.accepted)
	if merged := mergeStars(newSource([]byte(text))); merged != text && m.isSafe(merged) {
		text = merged
	}
	return text
}

// A mender finds out which edits of a file open nothing.
type mender struct {
	*source
	*prover
	accepted []edit // sorted by index
	proofs   int    // that may still be made
}

// settle accepts those of the edits that open nothing.
func (m *mender) settle(edits []edit) {
	if len(edits) == 0 || m.try(edits) {
		return
	}
	if len(edits) == 1 {
		if e := edits[0]; e.safer != nil {
			e.lines, e.safer = e.safer, nil
			m.try([]edit{e})
		}
		return
	}
	half := len(edits) / 2
	m.settle(edits[:half])
	m.settle(edits[half:])
}

// try accepts all of the edits or none.
func (m *mender) try(edits []edit) bool {
	all := slices.Concat(m.accepted, edits)
	slices.SortStableFunc(all, func(a, b edit) int { return a.index - b.index })
	if m.proofs--; m.proofs < 0 || !m.isSafe(m.apply(all)) {
		return false
	}
	m.accepted = all
	return true
}

// apply returns the text with the edits made; they are sorted, and there is one per line.
func (m *mender) apply(edits []edit) string {
	var b strings.Builder
	newline := m.newline()
	for i, l := range m.lines {
		if len(edits) == 0 || edits[0].index != i {
			b.WriteString(l.raw + l.end)
			continue
		}
		for _, text := range edits[0].lines {
			b.WriteString(text + newline)
		}
		edits = edits[1:]
	}
	return b.String()
}

// propose returns an edit for each line that could be better, in order.
func (m *mender) propose() []edit {
	l := &linter{Options: Options{}.withDefaults(), source: m.source, counts: map[Code]int{}}
	l.groups = l.source.groups()
	structural := l.proposeGroups()
	var edits []edit
	for i, at := range m.lines {
		if lines, ok := structural[i]; ok {
			edits = append(edits, edit{index: i, lines: lines})
			continue
		}
		if e := (edit{index: i, lines: mend(at, false), safer: mend(at, true)}); e.lines != nil {
			e.lines, e.safer = withComment(e.lines, at.comment), withComment(e.safer, at.comment)
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
	if i := slices.IndexFunc(l.lines, func(at line) bool { return at.Note == robots.ProblemOrphan }); i >= 0 {
		edits[i] = []string{fieldAgent + ": *", l.lines[i].raw}
	}
	old := robots.Parse([]byte(l.text), robots.Std1994).Lines()
	for _, g := range l.groups {
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

// mergeStars moves the rules of the second group that speaks to * alone to the end of the first such group, and returns
// the new text.
func mergeStars(s *source) string {
	var stars []group
	for _, g := range s.groups() {
		if names := g.names(); len(names) == 1 && names[0] == "*" && len(g.rules) > 0 {
			stars = append(stars, g)
		}
	}
	if len(stars) < 2 {
		return s.text
	}
	first, second := stars[0], stars[1]
	target := first.rules[len(first.rules)-1].Number
	from, to := second.agents[0].Number, second.rules[len(second.rules)-1].Number
	var moved, b strings.Builder
	for _, at := range s.lines[from-1 : to] {
		switch {
		case at.Role == robots.RoleAgent && at.comment != "":
			moved.WriteString(at.comment + s.newline())
		case at.Role != robots.RoleAgent && !at.isBlank():
			moved.WriteString(at.raw + s.newline())
		}
	}
	for from > 1 && s.lines[from-2].isBlank() && (to == len(s.lines) || s.lines[to].isBlank()) {
		from-- // the blank lines above go too
	}
	for _, at := range s.lines {
		if at.Number < from || at.Number > to {
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
