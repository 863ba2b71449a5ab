package compose

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// maxSteps bounds the work of proving that two files say the same: how often two rules are compared, where a pair with wildcards
// counts for more.
const maxSteps = 20_000_000

// maxSaid bounds how many rules are looked at for that, over all robots.
const maxSaid = 500_000

// maxTried bounds likewise how many rules are looked at for all candidates together, of which most are no proof.
const maxTried = 2 * maxSaid

// A proof is how much work may still go into one.
type proof struct{ steps, said, tried int }

func newProof() *proof { return &proof{maxSteps, maxSaid, maxTried} }

// A rule is what decides about paths: a pattern in canonical form, and whether it opens or closes them.
type rule struct {
	allow   bool
	pattern string
	start   string // of pattern: what stands before its first special character
	opened  string // pattern, so that its end is the end of the path; empty for a literal one
	stars   int    // in that
}

func newRule(r robots.Rule) rule {
	n := rule{allow: r.Allow, pattern: r.Pattern, start: literalStart(r.Pattern)}
	if !n.literal() {
		n.opened = open(r.Pattern)
		n.stars = strings.Count(n.opened, "*")
	}
	return n
}

// meets is rule.meets, and counts the work.
func (p *proof) meets(r, o rule) bool {
	if !compatible(r.start, o.start) || r.literal() && o.literal() {
		return r.meets(o)
	}
	_, ok, steps := meetSteps(r.pattern, o.pattern)
	p.steps -= steps
	return ok
}

func (r rule) literal() bool { return len(r.start) == len(r.pattern) }

// meets reports whether there may be a path that both match.
func (r rule) meets(o rule) bool {
	if !compatible(r.start, o.start) {
		return false
	}
	if r.literal() && o.literal() {
		return true
	}
	_, ok := meet(r.pattern, o.pattern)
	return ok
}

// covers reports whether r matches all that o matches, as far as that can be seen. Every path begins with a slash.
func (r rule) covers(o rule) bool {
	if r.literal() {
		return r.pattern == "/" || strings.HasPrefix(o.start, r.start)
	}
	if !compatible(r.start, o.start) {
		return false
	}
	if o.literal() {
		return fits(r.opened, open(o.pattern))
	}
	return fits(r.opened, o.opened)
}

func (r rule) compare(o rule) int {
	if c := cmp.Compare(len(o.pattern), len(r.pattern)); c != 0 {
		return c // the long ones first: they are the exceptions, and go first
	}
	if c := cmp.Compare(r.pattern, o.pattern); c != 0 {
		return c
	}
	switch {
	case r.allow == o.allow:
		return 0
	case r.allow:
		return -1
	}
	return 1
}

// beats reports whether r decides where both match (RFC 9309 section 2.2.2).
func (r rule) beats(o rule) bool {
	if len(r.pattern) != len(o.pattern) {
		return len(r.pattern) > len(o.pattern)
	}
	return r.allow && !o.allow
}

// rulesOf returns the rules, each once and in the order of compare.
func rulesOf(list []robots.Rule) []rule {
	rules := make([]rule, len(list))
	for i, r := range list {
		rules[i] = newRule(r)
	}
	slices.SortFunc(rules, rule.compare)
	return slices.Compact(rules)
}

// A ruleSet is rules, each once, from which some are taken out. It finds those that can match the same paths as another by the
// text that they begin with.
type ruleSet struct {
	rules   []rule // in the order of compare
	gone    []bool
	left    int
	byStart map[string][]int
	starts  []string // sorted
	lengths []int    // of the starts, each once
}

// newRuleSet takes rules in the order of compare.
func newRuleSet(rules []rule) *ruleSet {
	s := &ruleSet{rules: rules, gone: make([]bool, len(rules)), left: len(rules), byStart: make(map[string][]int, len(rules))}
	for i, r := range rules {
		s.byStart[r.start] = append(s.byStart[r.start], i)
	}
	for start := range s.byStart {
		s.starts = append(s.starts, start)
		s.lengths = append(s.lengths, len(start))
	}
	slices.Sort(s.starts)
	slices.Sort(s.lengths)
	s.lengths = slices.Compact(s.lengths)
	return s
}

// remove takes a rule out.
func (s *ruleSet) remove(i int) { s.gone[i], s.left = true, s.left-1 }

// place returns where a rule stands, -1 if it is not there.
func (s *ruleSet) place(r rule) int {
	i, ok := slices.BinarySearchFunc(s.rules, r, rule.compare)
	if !ok || s.gone[i] {
		return -1
	}
	return i
}

// near yields the rules that begin as r does: what the one begins with is the beginning of what the other begins with.
func (s *ruleSet) near(r rule) iter.Seq[rule] {
	return func(yield func(rule) bool) {
		visit := func(start string) bool {
			for _, i := range s.byStart[start] {
				if !s.gone[i] && !yield(s.rules[i]) {
					return false
				}
			}
			return true
		}
		for _, n := range s.lengths {
			if n <= len(r.start) && !visit(r.start[:n]) {
				return
			}
		}
		from, _ := slices.BinarySearch(s.starts, r.start)
		for _, start := range s.starts[from:] {
			if !strings.HasPrefix(start, r.start) {
				return
			}
			if start != r.start && !visit(start) {
				return
			}
		}
	}
}

// idle reports whether no verdict changes when r is taken out of the rules that it is one of. It may overlook that,
// but never claims it wrongly. There are three reasons:
//
//   - a rule that covers r beats it, or says the same at the same length: r never decides;
//   - a weaker rule covers r and says the same, and no rule that says otherwise stands between the two;
//   - r opens what no rule closes.
func (p *proof) idle(r rule, s *ruleSet) bool {
	var rivals, covering []rule // rivals say otherwise, may match where r does, and lose to it
	for o := range s.near(r) {
		if o == r {
			continue
		}
		if p.steps -= 1 + o.stars; p.steps < 0 {
			return false
		}
		switch {
		case o.covers(r) && (o.beats(r) || o.allow == r.allow && len(o.pattern) == len(r.pattern)):
			return true
		case o.allow == r.allow:
			if o.covers(r) {
				covering = append(covering, o)
			}
		case !o.beats(r) && p.meets(r, o):
			rivals = append(rivals, o)
		}
	}
	if r.allow && len(rivals) == 0 {
		return true
	}
	for _, o := range covering {
		if p.steps -= len(rivals); p.steps < 0 {
			return false
		}
		between := func(rival rule) bool { return rival.beats(o) }
		if !slices.ContainsFunc(rivals, between) {
			return true
		}
	}
	return false
}

// same reports whether two files provably say the same to a robot: the same pause, and the same verdict on every path. It may
// overlook that.
func (p *proof) same(a, b robots.Said) bool {
	if p.said -= len(a.Rules) + len(b.Rules); p.said < 0 {
		return false
	}
	return a.Alike(b) || a.Delay == b.Delay && p.equal(a.Rules, b.Rules)
}

// equal reports whether two lists of rules provably decide alike on every path. It may overlook that.
func (p *proof) equal(a, b []robots.Rule) bool {
	x, y := rulesOf(a), rulesOf(b)
	if slices.Equal(x, y) {
		return true
	}
	both := slices.Concat(x, y)
	slices.SortFunc(both, rule.compare)
	both = slices.Compact(both)
	return p.strips(both, x) && p.strips(both, y)
}

// strips reports whether the rules can be brought down to some of them without changing a verdict.
func (p *proof) strips(rules, to []rule) bool {
	var extra []int
	for i, r := range rules {
		if _, wanted := slices.BinarySearchFunc(to, r, rule.compare); !wanted {
			extra = append(extra, i)
		}
	}
	set := newRuleSet(rules)
	for changed := true; changed && len(extra) > 0; {
		before := len(extra)
		extra = slices.DeleteFunc(extra, func(i int) bool {
			idle := p.idle(rules[i], set)
			if idle {
				set.remove(i)
			}
			return idle
		})
		changed = len(extra) < before
	}
	return len(extra) == 0
}
