package lint

import (
	"fmt"
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

// MaxNames is how many robots a file may name that is mended: what is mended has to be proved for each of them.
const MaxNames = 5_000

// NotMended says why Fix leaves a file alone, whatever is wrong with it; empty if it does not.
func NotMended(body []byte) string {
	if len(body) > robots.MaxBytes {
		return fmt.Sprintf("the file is longer than the %d bytes that robots read", robots.MaxBytes)
	}
	if n := newState(body).names(); n > MaxNames {
		return fmt.Sprintf("the file names %d robots, and what is mended is proved for up to %d", n, MaxNames)
	}
	return ""
}

// Fix returns body with everything mended that can be mended without asking the owner, or body as it is when that is
// nothing. See the promises of the package. A web page or a picture is not touched, and neither is what NotMended
// speaks of. Of the options the host counts: rules that are written as URLs are mended if they speak of it.
func Fix(body []byte, o Options) []byte {
	untouched := slices.Clone(body)
	if len(body) > robots.MaxBytes || isOther(body) {
		return untouched
	}
	text, now := tidy(body), newState(body)
	if now.names() > MaxNames {
		return untouched
	}
	if text != string(body) {
		tidied := newState([]byte(text))
		if !tidied.saysAs(now) {
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
	if textOf([]byte(text)) != text {
		return untouched
	}
	return []byte(text)
}

// tidy returns the text of a file with one kind of line end.
func tidy(body []byte) string {
	text := textOf(body)
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
	robots []audience // whom lines are for, by index
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
		p := prover{old: m.before, new: after,
			meant: func(line int, robot string) bool { return line > 0 && m.isFor(origins[line-1], robot) }}
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

// mergeStars moves the rules of all groups that speak to * alone to the end of the first of them, if that does no harm. What is
// between marks is left to the program that wrote it, which will write it again without what was moved there.
func mergeStars(text string, now *state) (string, *state) {
	merged := mergedStars(newSource([]byte(text)))
	if merged == text || len(merged) > robots.MaxBytes {
		return text, now
	}
	after := newState([]byte(merged))
	if !after.saysAs(now) {
		return text, now
	}
	return merged, after
}

func mergedStars(s *source) string {
	var stars []group
	marked := s.marked()
	for _, g := range s.groups() {
		if names := g.names(); len(names) == 1 && names[0] == "*" && len(g.rules) > 0 && !marked[g.agents[0].Number-1] {
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

// marked reports of each line, by index, whether it is between the marks by which a program finds again what it has written: a
// comment that begins with BEGIN or START, and one that begins with END, as in "# BEGIN Cloudflare Managed content".
func (s *source) marked() []bool {
	marked := make([]bool, len(s.lines))
	begin := -1
	for i, l := range s.lines {
		if l.code != "" {
			continue
		}
		word, _, _ := strings.Cut(strings.TrimLeft(l.comment, "#-=* "), " ")
		switch {
		case begin < 0 && (word == "BEGIN" || word == "START"):
			begin = i
		case word == "END" && begin >= 0:
			for ; begin < i; begin++ {
				marked[begin] = true
			}
			begin = -1
		}
	}
	return marked
}

// newline returns the line end to write.
func (s *source) newline() string {
	if len(s.lines) > 0 && s.lines[0].end == "\r\n" {
		return "\r\n"
	}
	return "\n"
}
