package compose

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// MinimizeOptions says how Minimize works. The zero value is usable.
type MinimizeOptions struct {
	// KeepComments keeps every comment. Groups then stay where they are, with what stands above them.
	KeepComments bool
	// Dialects are the readings in which nothing may change. Nil means all three.
	Dialects []robots.Dialect
}

// Minimized is a file made short.
type Minimized struct {
	Text    []byte // what was given, if nothing shorter could be proved equal
	Removed []Removal
	TooMany bool // it names more than MaxNames robots, and stays as it is
}

// A Removal is a line that went.
type Removal struct {
	Line int    `json:"line"` // of the file as it was given
	Text string `json:"text"`
	Why  string `json:"why"`
}

// Minimize returns the shortest file it can find that provably says the same: every verdict on every path and every
// pause, for every robot that a reading of the file names and for one that none does, in each of the dialects. It takes out
// duplicates,
// rules that never decide, lines without meaning, comments and superfluous blank lines, and lets robots with the same rules
// share a group. What is written in another way than RFC 9309 wants stays as it is. Every name stays, also that of a robot
// with the rules of "*": whoever knows several names for itself looks for them one after the other.
//
// Any bytes are a file. To minimize the result changes nothing. A file with more than MaxNames robots stays as it is.
func Minimize(body []byte, o MinimizeOptions) Minimized {
	if o.Dialects == nil {
		o.Dialects = allDialects
	}
	given := newMeaning(body, o.Dialects, newProof())
	if len(namesIn(given.registers...)) > MaxNames {
		return Minimized{Text: body, TooMany: true}
	}
	best := given
	for {
		shorter := best.shorter(o)
		if shorter == nil {
			return Minimized{Text: best.body, Removed: given.removals(best.body)}
		}
		best = shorter
	}
}

// MaxNames is how many robots a file may name that is made shorter: that it says the same has to be proved for each of them.
const MaxNames = 10_000

// A meaning is what a file says in some dialects.
type meaning struct {
	*proof
	body      []byte
	dialects  []robots.Dialect
	lines     []textLine
	registers []roster.Register
	sitemaps  []string
	idle      map[int]bool // lines; nil when nobody has asked
}

func newMeaning(body []byte, dialects []robots.Dialect, p *proof) *meaning {
	m := &meaning{proof: p, body: body, dialects: dialects, lines: readText(body), sitemaps: sitemaps(body)}
	for _, d := range dialects {
		m.registers = append(m.registers, roster.NewRegister(robots.Parse(body, d)))
	}
	return m
}

// shorter returns the shortest of the candidates that says the same, nil if none does that is shorter.
func (m *meaning) shorter(o MinimizeOptions) *meaning {
	all := m.candidates(o)
	slices.SortStableFunc(all, func(a, b []byte) int { return len(a) - len(b) })
	for _, body := range all {
		if len(body) >= len(m.body) {
			break
		}
		if c := newMeaning(body, m.dialects, m.proof); m.says(c) {
			return c
		}
	}
	return nil
}

// candidates writes a file in several shorter ways. Nothing is promised of them; says has the last word.
func (m *meaning) candidates(o MinimizeOptions) [][]byte {
	none := map[int]bool{}
	all := [][]byte{inPlace(m.lines, none, none, o.KeepComments)}
	gone := []map[int]bool{none}
	if !slices.ContainsFunc(m.lines, textLine.changesGroups) {
		gone = append(gone, repeated(m.lines), m.idleLines())
		if !o.KeepComments {
			all = append(all, m.regroup()...)
		}
	}
	parting := partingBlanks(m.lines)
	for _, lines := range gone {
		all = append(all, inPlace(m.lines, lines, none, o.KeepComments))
		if len(parting) > 0 {
			all = append(all, inPlace(m.lines, lines, parting, o.KeepComments))
		}
	}
	return all
}

// partingBlanks returns the blank lines at which a record of 1994 ends and a group of RFC 9309 does not, one where several
// follow each other.
func partingBlanks(lines []textLine) map[int]bool {
	parting := map[int]bool{}
	blank, group := 0, 0
	for _, l := range lines {
		switch {
		case l.Role == robots.RoleBlank:
			blank = l.Number
		case l.Role == robots.RoleComment || l.Role == robots.RoleInvalid || l.Role == robots.RoleSitemap ||
			l.Role == robots.RoleCut:
		default:
			if blank > 0 && group > 0 && l.Group == group {
				parting[blank] = true
			}
			blank, group = 0, l.Group
		}
	}
	return parting
}

// says reports whether another file provably says the same to every robot.
func (m *meaning) says(other *meaning) bool {
	room := min(maxSaid, m.tried)
	m.said = room
	defer func() { m.tried -= room - m.said }()
	for i, d := range m.dialects {
		c := &comparison{before: m.registers[i], after: other.registers[i], dialect: d}
		c.names = namesIn(c.before, c.after)
		similar, _ := c.similar()
		for _, products := range slices.Concat(c.named(), similar) {
			if !m.same(c.before.Said(products[0]), c.after.Said(products[0])) {
				return false
			}
		}
		if !c.sameNames() {
			return false
		}
	}
	return slices.Equal(m.sitemaps, other.sitemaps)
}

// changesGroups reports whether a leniency may start or end a group at the line, so that there are two readings of who is
// meant by what follows.
func (l textLine) changesGroups() bool {
	return l.mended() && (l.Role != robots.RoleAgent && !l.isRule() || strings.Contains(l.Note, robots.LenientTwoFields))
}

// sitemaps returns the sitemaps of a file, each once.
func sitemaps(body []byte) []string {
	urls := robots.Parse(body, robots.Cautious).Sitemaps()
	slices.Sort(urls)
	return slices.Compact(urls)
}

// inPlace writes the lines without those that are gone, and without comments, what has no meaning, and blank lines but those that
// are to be kept.
func inPlace(lines []textLine, gone, blanks map[int]bool, comments bool) []byte {
	var b strings.Builder
	group := 0
	for _, l := range lines {
		if blanks[l.Number] {
			b.WriteByte('\n')
		}
		keep := !gone[l.Number] && !l.idle()
		if comments && l.commented {
			if !keep {
				l.text = ""
			}
			keep, l.text = true, strings.TrimSpace(l.text+" #"+l.comment)
		}
		if !keep {
			continue
		}
		if l.Group != group && b.Len() > 0 && l.Role == robots.RoleAgent {
			b.WriteByte('\n')
		}
		if l.Role == robots.RoleAgent {
			group = l.Group
		}
		b.WriteString(l.text + "\n")
	}
	return []byte(b.String())
}

// idle reports whether the line means nothing, whoever reads it as RFC 9309 or Cautious. Google takes every field that begins
// with "user-agent" for a name, "User-agents: *" too, so that rules after an unknown field may have a meaning for it.
func (l textLine) idle() bool {
	switch l.Role {
	case robots.RoleBlank, robots.RoleComment, robots.RoleCut:
		return true
	case robots.RoleInvalid:
		return !l.mended()
	}
	return l.Note == robots.ProblemOrphan && !l.doubtful
}

// repeated finds rules that stand before in the same group, and sitemaps that stand before anywhere.
func repeated(lines []textLine) map[int]bool {
	type saying struct {
		group     int
		role      robots.Role
		canonical bool
		value     string
	}
	gone, said := map[int]bool{}, map[saying]bool{}
	apart := newSpellings(lines)
	for _, l := range lines {
		key := saying{group: l.Group, role: l.Role, value: l.Value}
		if l.isRule() && !apart.has(l) {
			key.canonical, key.value = true, robots.CanonicalPattern(l.Value)
		}
		switch {
		case l.Role == robots.RoleSitemap:
			key.group = 0
		case !l.isRule() || l.Note != "":
			continue
		}
		gone[l.Number], said[key] = said[key], true
	}
	return gone
}

// idleLines finds rules that no robot would miss, besides those that are repeated: a line goes when it is idle in every
// list of rules that it is in, those of each robot in each dialect, and among those of its own group: some robots do not know the
// other group for theirs, or read the first only. One rule of each group stays, for it tells where the names end.
func (m *meaning) idleLines() map[int]bool {
	if m.idle != nil {
		return m.idle
	}
	gone, left := repeated(m.lines), map[int]int{}
	m.idle = gone
	v := voices{proof: m.proof}
	v.said = maxSaid / 4
	for i, d := range m.dialects {
		c := &comparison{before: m.registers[i], after: m.registers[i], dialect: d, names: m.registers[i].Names()}
		similar, _ := c.similar()
		for _, products := range slices.Concat(c.named(), similar) {
			said := m.registers[i].Said(products[0]).Rules
			if v.said -= len(said); v.said < 0 {
				return gone
			}
			v.add(said, nil)
			for _, part := range m.byGroup(said) {
				v.add(part, nil)
			}
		}
	}
	for _, l := range m.lines {
		if l.isRule() && !l.idle() && !gone[l.Number] {
			left[l.Group]++
		}
	}
	for _, l := range longestFirst(m.lines) {
		if !gone[l.Number] && left[l.Group] > 1 && v.remove(l.Number) {
			gone[l.Number] = true
			left[l.Group]--
		}
	}
	return gone
}

// byGroup takes rules apart by the groups they stand in; nothing if that is one.
func (m *meaning) byGroup(rules []robots.Rule) map[int][]robots.Rule {
	parts := map[int][]robots.Rule{}
	for _, r := range rules {
		g := m.lines[r.Line-1].Group
		parts[g] = append(parts[g], r)
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// spellings are the bytes that some rules write in one way and others in another: as they are, as an escape, or as an escape with
// other letters. RFC 9309 takes these for the same. Google keeps a character and its escape apart, and robots that compare what is
// written also %2B and %2b: to them these rules speak of different URLs, so that none of them is there for nothing.
type spellings [256]bool

// The ways in which a rule writes a byte.
const (
	asItIs = 1 << iota
	escapedUpper
	escapedOtherwise
)

func newSpellings(lines []textLine) (s spellings) {
	var ways [256]int
	for _, l := range lines {
		if l.isRule() {
			written(l.Value, func(c byte, way int) { ways[c] |= way })
		}
	}
	for c, w := range ways {
		raw, escape := "/"+string([]byte{byte(c)})+"x", fmt.Sprintf("/%%%02Xx", c)
		if robots.CanonicalPattern(raw) != robots.CanonicalPattern(escape) {
			w &^= asItIs
		}
		s[c] = w&(w-1) != 0
	}
	return s
}

// written tells of each byte of a pattern in which way it is written.
func written(pattern string, yield func(c byte, way int)) {
	for i := 0; i < len(pattern); i++ {
		if e := escape.FindString(pattern[i:]); e != "" {
			c, _ := strconv.ParseUint(e[1:], 16, 8) // two hexadecimal digits
			way := escapedOtherwise
			if e == strings.ToUpper(e) {
				way = escapedUpper
			}
			yield(byte(c), way)
			i += len(e) - 1
			continue
		}
		yield(pattern[i], asItIs)
	}
}

var escape = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)

// neverInURLs reports whether no URL has a byte as it is, neither in its path nor in its query (WHATWG URL, percent-encode sets): a
// rule that has one speaks of no URL to who compares what is written, or is escaped by who reads it, as Google does.
func neverInURLs(c byte) bool {
	return c >= utf8.RuneSelf || c <= ' ' || strings.IndexByte(`"<>`, c) >= 0
}

// has reports whether a rule is written in one of several ways that some robots read apart.
func (s spellings) has(l textLine) (found bool) {
	if l.isRule() {
		written(l.Value, func(c byte, way int) { found = found || s[c] && (way != asItIs || !neverInURLs(c)) })
	}
	return found
}

// longestFirst returns the rules that may be taken out, the exceptions first.
func longestFirst(lines []textLine) []textLine {
	var rules []textLine
	apart := newSpellings(lines)
	for _, l := range lines {
		if l.isRule() && l.Note == "" && !apart.has(l) {
			rules = append(rules, l)
		}
	}
	slices.SortStableFunc(rules, func(a, b textLine) int { return len(b.Value) - len(a.Value) })
	return rules
}

// removals says which lines of the file are not in what became of it.
func (m *meaning) removals(after []byte) (list []Removal) {
	if bytes.Equal(m.body, after) {
		return nil
	}
	kept := map[string]int{}
	for _, l := range readText(after) {
		kept[l.text]++
	}
	idle, again := m.idleLines(), repeated(m.lines)
	for _, l := range m.lines {
		why := "said for the same robots in a group they share"
		switch {
		case l.Role == robots.RoleBlank || l.Role == robots.RoleComment || l.Role == robots.RoleAgent && kept[l.text] > 0:
			continue
		case l.Role == robots.RoleCut:
			why = "beyond the size that robots read"
		case l.idle():
			why = "means nothing to robots"
		case again[l.Number]:
			why = "repeated"
		case idle[l.Number]:
			why = "never decides, or only as another rule would"
		}
		if kept[l.text]--; kept[l.text] < 0 || l.idle() {
			list = append(list, Removal{Line: l.Number, Text: l.text, Why: why})
		}
	}
	return list
}
