package compose

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// MinimizeOptions says how Minimize works. The zero value is usable.
type MinimizeOptions struct {
	// KeepComments keeps every comment. Groups then stay where they are, with what stands above them.
	KeepComments bool
}

// Minimized is a file made short.
type Minimized struct {
	Text    []byte // what was given, if nothing shorter could be proved equal
	Removed []Removal
}

// A Removal is a line that went.
type Removal struct {
	Line int // of the file as it was given
	Text string
	Why  string
}

// Minimize returns the shortest file it can find that provably says the same: every verdict on every path and every
// pause, for every robot named and for one that is not, read as RFC 9309 and as Cautious does. It takes out duplicates,
// rules that never decide, lines without meaning, comments and superfluous blank lines, and lets robots with the same rules
// share a group. What is written in another way than RFC 9309 wants stays as it is. Every name stays, also that of a robot
// with the rules of "*": whoever knows several names for itself looks for them one after the other.
//
// Any bytes are a file. To minimize the result changes nothing.
func Minimize(body []byte, o MinimizeOptions) Minimized {
	best := body
	for {
		all := candidates(best, o)
		slices.SortStableFunc(all, func(a, b []byte) int { return len(a) - len(b) })
		shorter := func(c []byte) bool { return len(c) < len(best) && sameMeaning(best, c) }
		i := slices.IndexFunc(all, shorter)
		if i < 0 {
			return Minimized{Text: best, Removed: removals(body, best)}
		}
		best = all[i]
	}
}

// candidates writes a file in several shorter ways. Nothing is promised of them; sameMeaning has the last word.
func candidates(body []byte, o MinimizeOptions) [][]byte {
	lines := readText(body)
	all := [][]byte{inPlace(lines, nil, o.KeepComments)}
	if slices.ContainsFunc(lines, textLine.changesGroups) {
		return all
	}
	all = append(all, inPlace(lines, repeated(lines), o.KeepComments), inPlace(lines, idleLines(body, lines), o.KeepComments))
	if !o.KeepComments {
		all = append(all, regroup(lines))
	}
	return all
}

// changesGroups reports whether a leniency may start or end a group at the line, so that there are two readings of who is
// meant by what follows.
func (l textLine) changesGroups() bool {
	return l.mended() && (l.Role != robots.RoleAgent && !l.isRule() || strings.Contains(l.Note, robots.LenientTwoFields))
}

// sameMeaning reports whether two files provably say the same to every robot.
func sameMeaning(a, b []byte) bool {
	names := firsts(audiences(a, b))
	for _, d := range proofDialects {
		x, y := robots.Parse(a, d), robots.Parse(b, d)
		for _, name := range names {
			r, s := x.Rules(name), y.Rules(name)
			before, _ := r.Delay()
			after, _ := s.Delay()
			if before != after || !equal(r.List(), s.List()) {
				return false
			}
		}
	}
	return slices.Equal(sitemaps(a), sitemaps(b))
}

// sitemaps returns the sitemaps of a file, each once.
func sitemaps(body []byte) []string {
	urls := robots.Parse(body, robots.Cautious).Sitemaps()
	slices.Sort(urls)
	return slices.Compact(urls)
}

// inPlace writes the lines without those that are gone, and without blank lines, comments and what has no meaning.
func inPlace(lines []textLine, gone map[int]bool, comments bool) []byte {
	var b strings.Builder
	group := 0
	for _, l := range lines {
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

// idle reports whether the line means nothing, whoever reads it as RFC 9309 or Cautious.
func (l textLine) idle() bool {
	switch l.Role {
	case robots.RoleBlank, robots.RoleComment, robots.RoleCut:
		return true
	case robots.RoleInvalid:
		return !l.mended()
	}
	return l.Note == robots.ProblemOrphan
}

// repeated finds rules that stand before in the same group, and sitemaps that stand before anywhere.
func repeated(lines []textLine) map[int]bool {
	type saying struct {
		group int
		role  robots.Role
		value string
	}
	gone, said := map[int]bool{}, map[saying]bool{}
	for _, l := range lines {
		key := saying{l.Group, l.Role, l.Value}
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
// list of rules that it is in. The lists are those of each robot, and those of each section, for names that only other
// readers know. One rule of each group stays, for it tells where the names end.
func idleLines(body []byte, lines []textLine) map[int]bool {
	var v voices
	all := sections(lines)
	for _, s := range all {
		s.addTo(&v)
	}
	addProducts(&v, body, all)
	gone, left := repeated(lines), map[int]int{}
	for _, l := range lines {
		if l.isRule() && !l.idle() && !gone[l.Number] {
			left[l.Group]++
		}
	}
	for _, l := range longestFirst(lines) {
		if !gone[l.Number] && left[l.Group] > 1 && v.remove(l.Number) {
			gone[l.Number] = true
			left[l.Group]--
		}
	}
	return gone
}

// longestFirst returns the rules that may be taken out, the exceptions first.
func longestFirst(lines []textLine) []textLine {
	var rules []textLine
	for _, l := range lines {
		if l.isRule() && l.Note == "" {
			rules = append(rules, l)
		}
	}
	slices.SortStableFunc(rules, func(a, b textLine) int { return len(b.Value) - len(a.Value) })
	return rules
}

// removals says which lines of a file are not in what became of it.
func removals(before, after []byte) (list []Removal) {
	kept := map[string]int{}
	for _, l := range readText(after) {
		kept[l.text]++
	}
	lines := readText(before)
	idle, again := idleLines(before, lines), repeated(lines)
	for _, l := range lines {
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
