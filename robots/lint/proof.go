package lint

import (
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// maxSaid bounds how many rules a proof looks at, over all robots and readings.
const maxSaid = 500_000

// A state is a file in the readings in which repairs are judged: those of package robots, and that of Google's parser.
type state struct {
	registers [4]roster.Register
	numbers   [4][]int // of the lines, by their numbers in the reading; nil when they are the same
	opaque    bool     // Google's reading cannot be had
}

// The readings of a state.
const (
	readCautious = iota
	readRFC9309
	readStd1994
	readGoogle
)

func newState(body []byte) *state {
	s := &state{}
	for i, d := range [...]robots.Dialect{readCautious: robots.Cautious, readRFC9309: robots.RFC9309, readStd1994: robots.Std1994} {
		s.registers[i] = roster.NewRegister(robots.Parse(body, d))
	}
	text, numbers := googleText(body)
	s.registers[readGoogle] = roster.NewRegister(robots.Parse([]byte(text), robots.RFC9309))
	s.numbers[readGoogle] = numbers
	s.opaque = hidden.Match(body)
	return s
}

// names returns how many robots the file names, in the reading that finds most.
func (s *state) names() (most int) {
	for _, r := range s.registers {
		most = max(most, len(r.Names()))
	}
	return most
}

// line returns the number of a line that has another one in a reading.
func (s *state) line(reading, number int) int {
	if s.numbers[reading] == nil || number == 0 {
		return number
	}
	return s.numbers[reading][number-1]
}

// saysAs reports whether a repaired file opens nothing and, as no line of it was meant to, closes nothing.
func (s *state) saysAs(old *state) bool {
	p := prover{old: old, new: s, meant: func(int, string) bool { return false }}
	p.prove()
	return p.safe()
}

// A prover finds out what a repaired file says otherwise than it should: it opens nothing that was closed, asks for no shorter
// pause, closes the front page to nobody, and closes nothing else to robots that the line was not for. Each fault is told by the
// number of a line, of the file before or after; 0 is a fault that no line can be blamed for.
type prover struct {
	old, new *state
	meant    func(line int, robot string) bool // whether a line of the repaired file was for a robot

	said     int // rules that may still be looked at
	oldLines map[int]bool
	newLines map[int]bool
}

// prove fills in the lines at fault.
func (p *prover) prove() {
	p.said, p.oldLines, p.newLines = maxSaid, map[int]bool{}, map[int]bool{}
	if p.old.opaque || p.new.opaque || p.new.names() > MaxNames {
		p.newLines[0] = true
		return
	}
	for reading := range p.old.registers {
		old, new := p.old.registers[reading], p.new.registers[reading]
		names := append(slices.Concat(old.Names(), new.Names()), "")
		if reading == readCautious {
			names = append(names, longer(names)...)
		}
		for _, products := range robots.Audiences(names, old, new) {
			if p.compare(reading, products); p.said < 0 {
				p.newLines[0] = true
				return
			}
		}
	}
	p.compareNames()
}

// safe reports whether no fault was found.
func (p *prover) safe() bool { return len(p.oldLines)+len(p.newLines) == 0 }

// longer returns robots that have names for a part of theirs.
func longer(names []string) (all []string) {
	for _, name := range names {
		if name != "" {
			all = append(all, name+"like")
		}
	}
	return all
}

// compareNames sees to it that no name gets lost to robots of 1994, which take on what is said to each of the names within their
// own.
func (p *prover) compareNames() {
	names := map[string]bool{}
	for _, name := range p.new.registers[readStd1994].Names() {
		names[strings.ToLower(name)] = true
	}
	for _, name := range p.old.registers[readStd1994].Names() {
		if !names[strings.ToLower(name)] && strings.Trim(name, "0123456789.") != "" && !strings.ContainsFunc(name, notNameLike) {
			p.newLines[0] = true
		}
	}
}

// notNameLike reports whether c can stand in the name of no robot, whatever its maker thinks of RFC 9309.
func notNameLike(c rune) bool {
	return (c > 0x7f || !isTokenByte(byte(c))) && (c < '0' || c > '9') && c != '.' && c != '!'
}

// compare compares what is said to an audience in a reading.
func (p *prover) compare(reading int, audience []string) {
	name := audience[0]
	old, new := p.old.registers[reading].Said(name), p.new.registers[reading].Said(name)
	p.said -= len(old.Rules) + len(new.Rules)
	if new.Delay < old.Delay {
		p.oldLines[p.old.line(reading, old.DelayLine)] = true
	}
	alike := func(r, s robots.Rule) bool { return r.Allow == s.Allow && r.Pattern == s.Pattern }
	if slices.EqualFunc(old.Rules, new.Rules, alike) {
		return
	}
	p.compareRules(reading, old.Rules, new.Rules)
	p.compareFront(reading, audience)
	p.compareMeaning(reading, name, old.Rules, new.Rules)
}

// compareRules looks for what could be open now. To take an Allow away or to add a Disallow opens nothing; a Disallow may give
// way to a shorter one if no Allow could come between.
func (p *prover) compareRules(reading int, old, new []robots.Rule) {
	allowed, forbidden := map[string]bool{}, map[string]bool{}
	for _, r := range old {
		if r.Allow {
			allowed[r.Pattern] = true
		}
	}
	longest := 0 // Allow
	for _, r := range new {
		switch {
		case !r.Allow:
			forbidden[r.Pattern] = true
		case !allowed[r.Pattern]:
			p.newLines[p.new.line(reading, r.Line)] = true
		default:
			longest = max(longest, len(r.Pattern))
		}
	}
	lengths := lengthsOf(forbidden)
	for _, r := range old {
		if !r.Allow && matchesSomething(r.Pattern) && !forbidden[r.Pattern] && !hasShorter(forbidden, lengths, r.Pattern, longest) {
			p.oldLines[p.old.line(reading, r.Line)] = true
		}
	}
}

// matchesSomething reports whether there is a path that a pattern matches.
func matchesSomething(pattern string) bool { return pattern[0] == '/' || pattern[0] == '*' }

// lengthsOf returns the lengths of patterns, each once, sorted.
func lengthsOf(patterns map[string]bool) (lengths []int) {
	for pattern := range patterns {
		lengths = append(lengths, len(pattern))
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

// hasShorter reports whether a literal pattern that is longer than longest matches all that pattern does.
func hasShorter(forbidden map[string]bool, lengths []int, pattern string, longest int) bool {
	start := strings.TrimSuffix(pattern, "$")
	if i := strings.IndexByte(start, '*'); i >= 0 {
		start = start[:i]
	}
	for _, n := range lengths {
		if n > longest && n <= len(start) && forbidden[start[:n]] {
			return true
		}
	}
	return false
}

// compareFront looks whether the front page is closed now. To Google, which cannot read UTF-16, it may be where RFC 9309 closed it
// before.
func (p *prover) compareFront(reading int, audience []string) {
	now := p.new.registers[reading].Rules(audience[0]).Test("/")
	if now.Allowed || !p.old.registers[reading].Rules(audience[0]).Test("/").Allowed {
		return
	}
	wasOpen := func(name string) bool { return p.old.registers[readRFC9309].Rules(name).Test("/").Allowed }
	if reading != readGoogle || slices.ContainsFunc(audience, wasOpen) {
		p.newLines[p.new.line(reading, now.Line)] = true
	}
}

// compareMeaning looks for what is closed now to robots that the line was not for, and that a reader of good will found open.
func (p *prover) compareMeaning(reading int, name string, old, new []robots.Rule) {
	var known map[string]bool
	forbids := func(rules []robots.Rule) map[string]bool {
		patterns := map[string]bool{}
		for _, r := range rules {
			if !r.Allow {
				patterns[r.Pattern] = true
			}
		}
		return patterns
	}
	before := forbids(old)
	for _, r := range new {
		if r.Allow || before[r.Pattern] || p.meant(p.new.line(reading, r.Line), name) {
			continue
		}
		if known == nil {
			known = forbids(p.old.registers[readCautious].Said(name).Rules)
		}
		if !known[r.Pattern] {
			p.newLines[p.new.line(reading, r.Line)] = true
		}
	}
}
