package compose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// maxProof is how many rules for one robot are compared with each other, which takes the square of their number.
const maxProof = 4000

// A rule is what decides about paths: a pattern in canonical form, and whether it opens or closes them.
type rule struct {
	allow   bool
	pattern string
	start   string // of pattern: what stands before its first special character
}

func newRule(r robots.Rule) rule { return rule{r.Allow, r.Pattern, literalStart(r.Pattern)} }

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

// covers reports whether r matches all that o matches, as far as that can be seen.
func (r rule) covers(o rule) bool {
	if r.literal() {
		return strings.HasPrefix(o.start, r.start)
	}
	return compatible(r.start, o.start) && covers(r.pattern, o.pattern)
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

// idle reports whether no verdict changes when r is taken out of the rules, in which it occurs once. It may overlook that,
// but never claims it wrongly. There are three reasons:
//
//   - a rule that covers r beats it, or says the same at the same length: r never decides;
//   - a weaker rule covers r and says the same, and no rule that says otherwise stands between the two;
//   - r opens what no rule closes.
func idle(r rule, rules []rule) bool {
	var rivals []rule // that say otherwise, may match where r does, and lose to it
	for _, o := range rules {
		if o.allow != r.allow && !o.beats(r) && r.meets(o) {
			rivals = append(rivals, o)
		}
	}
	if r.allow && len(rivals) == 0 {
		return true
	}
	for _, o := range rules {
		if o == r || !o.covers(r) {
			continue
		}
		same := o.allow == r.allow
		between := func(rival rule) bool { return rival.beats(o) }
		switch {
		case o.beats(r), same && len(o.pattern) == len(r.pattern):
			return true
		case same && !slices.ContainsFunc(rivals, between):
			return true
		}
	}
	return false
}

// equal reports whether two lists of rules provably decide alike on every path. It may overlook that.
func equal(a, b []robots.Rule) bool {
	x, y := rulesOf(a), rulesOf(b)
	if slices.Equal(x, y) {
		return true
	}
	both := slices.Concat(x, y)
	slices.SortFunc(both, rule.compare)
	both = slices.Compact(both)
	return len(both) <= maxProof && strips(both, x) && strips(both, y)
}

// strips reports whether the rules can be brought down to some of them, in the same order, without changing a verdict.
func strips(rules, to []rule) bool {
	rules = slices.Clone(rules)
	for changed := true; changed && len(rules) > len(to); {
		changed = false
		for i := 0; i < len(rules); i++ {
			_, wanted := slices.BinarySearchFunc(to, rules[i], rule.compare)
			if !wanted && idle(rules[i], rules) {
				rules = slices.Delete(rules, i, i+1)
				i, changed = i-1, true
			}
		}
	}
	return slices.Equal(rules, to)
}
